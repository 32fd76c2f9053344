//===- OpTimes.h - Where a step's time goes ---------------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_OPTIMES_H
#define REPRISE_TOOLS_OPTIMES_H

#include "reprise/Runtime/Roofline.h"
#include "reprise/Runtime/program_generated.h"
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace reprise::tools {

/// Steps that are one op: the same code on the same shapes.
struct OpTime {
  enum class Kind { Kernel, Library, Copy };
  std::string key; // see profileKey
  std::string name;
  std::string tensor; // the largest that it reads or writes, "f32[8,16]"
  Kind kind = Kind::Kernel;
  uint64_t flops = 0, bytes = 0; // of one step, bytes read and written
  bool isNarrow = false;         // see rt::Roofline
  uint64_t count = 0;            // steps
  double milliseconds = 0;       // of all of them

  double gflops() const; // GFLOP/s
  double gigabytesPerSecond() const;
  /// Of the time that the roofline says: 1 is what the machine's rates allow.
  double efficiency(const rt::Roofline &roofline) const;
};

/// Of an entry whose steps took these milliseconds; what takes most first.
std::vector<OpTime> timesByOp(const rt::fb::Entry &entry,
                              const std::vector<double> &milliseconds);

/// The kernels that the compiler made, as one op without a name.
OpTime kernelsTogether(const std::vector<OpTime> &ops);

/// The first `most` as a table, and a line for the rest.
std::string tableOf(const std::vector<OpTime> &ops, size_t most,
                    const rt::Roofline &roofline);

/// All of them, as a list.
nlohmann::ordered_json toJson(const std::vector<OpTime> &ops,
                              const rt::Roofline &roofline);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_OPTIMES_H
