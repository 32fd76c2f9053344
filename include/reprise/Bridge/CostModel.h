//===- CostModel.h - Milliseconds of ops ------------------------*- C++ -*-===//
//
// A roofline, with measured times where a profile or the target's description
// of its device has them. An op without a measurement costs its roofline time,
// scaled by the median (weighted by time) of measured over roofline time of the
// measured ops of its kind, kernels or library calls, but no less than the
// cheapest: mixed scales would make ops without a measurement look free, or
// kernels as slow as products.
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
  std::string key; // see profileKey; ignored without a profile
  uint64_t flops = 0, bytes = 0;
  bool isNarrow = false; // see Roofline
  /// The target's measured time on the device, used if the profile has none; 0:
  /// not measured.
  double milliseconds = 0;
  /// The key of the product alone, if the call adds its product to a tensor in
  /// place, and the additional bytes that it waits for; see waitedBytes.
  std::string productKey = {};
  uint64_t waited = 0;
  bool isCall = false; // a library call; else one of the compiler's kernels
};

/// Milliseconds by op, and the share of them that the profile covers.
struct Prices {
  std::vector<double> milliseconds;
  size_t matched = 0;      // ops that were measured
  double matchedShare = 0; // share of the roofline time

  double sum() const;
};

class CostModel {
public:
  explicit CostModel(rt::Roofline roofline = {}) : roofline(roofline) {}
  /// Loads the profile in the file `path`, or none for "". Fails on rates that
  /// no machine has.
  static rt::Expected<CostModel> load(rt::Roofline roofline,
                                      const std::string &path);

  rt::Roofline roofline;
  std::optional<Profile> profile;

  Prices price(const std::vector<CostedOp> &ops) const;
  /// Fails, with the numbers, if the profile covers less than half of the ops'
  /// time, since it then belongs to another model, batch or compiler, or if the
  /// ops take longer than a plan may.
  rt::Expected<Prices> priceMostly(const std::vector<CostedOp> &ops) const;

private:
  std::optional<double> measuredOf(const CostedOp &op) const;
};

} // namespace reprise

#endif // REPRISE_BRIDGE_COSTMODEL_H
