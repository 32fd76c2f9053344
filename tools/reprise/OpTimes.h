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

/// Why an op is faster than the roofline says, in a word; "" where it is not.
/// `cacheBytes`: of the machine's last cache; 0 where nobody knows.
std::string whyAbove(const OpTime &op, const rt::Roofline &roofline,
                     uint64_t cacheBytes);

/// The step and rates that op times are compared with.
struct OpScale {
  double stepMilliseconds = 0; // as measured without timing its ops
  rt::Roofline roofline;
  uint64_t cacheBytes = 0;

  /// The time of the step that lies between ops, less the overhead of timing
  /// each op.
  double between(const std::vector<OpTime> &ops) const;
};

/// The first `most` as a table, the rest in a row, what lies between, and the
/// step, which they add up to; below it what its words mean.
std::string tableOf(const std::vector<OpTime> &ops, size_t most,
                    const OpScale &scale);

/// All of them, as a list.
nlohmann::ordered_json toJson(const std::vector<OpTime> &ops,
                              const OpScale &scale);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_OPTIMES_H
