//===- CostModel.h - Milliseconds of ops ------------------------*- C++ -*-===//
//
// A roofline, and measured times where there are any, of a profile or of the
// target's description of its device. An op that nobody has timed costs what
// the roofline says, times the median (by time) of measured over roofline of
// those that were, of kernels or of a library's calls as it is one, but no less
// than the cheapest: a mix of scales would make what was not timed look free,
// or kernels as slow as products.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_BRIDGE_COSTMODEL_H
#define REPRISE_BRIDGE_COSTMODEL_H

#include "reprise/Bridge/Profile.h"
#include "reprise/Runtime/Roofline.h"
#include <optional>

namespace reprise {

/// An op to be priced.
struct CostedOp {
  std::string key; // see profileKey; not looked at without a profile
  uint64_t flops = 0, bytes = 0;
  bool isNarrow = false; // see Roofline
  /// As the target knows it of the device, where the profile does not say; 0:
  /// it was not measured.
  double milliseconds = 0;
  /// Of a call that adds its product to a tensor in its place: the key of the
  /// product alone, and bytes that it waits for beside that; see waitedBytes.
  std::string productKey = {};
  uint64_t waited = 0;
  bool isCall = false; // of a library; else a kernel of the compiler's own
};

/// Milliseconds by op, and how far the profile says them.
struct Prices {
  std::vector<double> milliseconds;
  size_t matched = 0;      // ops that were measured
  double matchedShare = 0; // of the time by the roofline

  double sum() const;
};

class CostModel {
public:
  explicit CostModel(rt::Roofline roofline = {}) : roofline(roofline) {}
  /// With the profile in the file `path`, or without one for "". Fails on rates
  /// that no machine has.
  static rt::Expected<CostModel> load(rt::Roofline roofline,
                                      const std::string &path);

  rt::Roofline roofline;
  std::optional<Profile> profile;

  Prices price(const std::vector<CostedOp> &ops) const;
  /// Fails, naming the numbers, when the profile has less than half of the
  /// ops' time: it is of another model, batch or compiler; and when the ops
  /// take longer than a plan may.
  rt::Expected<Prices> priceMostly(const std::vector<CostedOp> &ops) const;

private:
  std::optional<double> measuredOf(const CostedOp &op) const;
};

} // namespace reprise

#endif // REPRISE_BRIDGE_COSTMODEL_H
