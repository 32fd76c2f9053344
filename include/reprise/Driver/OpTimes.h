//===- OpTimes.h - A step's time by op --------------------------*- C++ -*-===//
#ifndef REPRISE_DRIVER_OPTIMES_H
#define REPRISE_DRIVER_OPTIMES_H

#include "reprise/ProgramTerms.h"
#include "reprise/Runtime/Roofline.h"
#include "reprise/Runtime/program_generated.h"
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace reprise::driver {

/// Steps that are the same op: the same code on the same shapes.
struct OpTime {
  std::string key; // see profileKey
  std::string name;
  std::string tensor; // the largest operand or result, "f32[8,16]"
  StepAction kind = StepAction::Kernel;
  uint64_t flops = 0, bytes = 0; // of one step, bytes read and written
  bool isNarrow = false;         // see rt::Roofline
  uint64_t count = 0;            // steps
  double milliseconds = 0;       // of all of them

  double gflops() const; // GFLOP/s
  double gigabytesPerSecond() const;
  /// Returns the roofline's time divided by the op's: 1 is the machine's limit.
  double efficiency(const rt::Roofline &roofline) const;
};

/// Returns the op times of an entry whose steps took these milliseconds; the
/// longest first.
std::vector<OpTime> timesByOp(const rt::fb::Entry &entry,
                              const std::vector<double> &milliseconds);

/// Returns the compiled kernels as one op without a name.
OpTime kernelsTogether(const std::vector<OpTime> &ops);

/// Returns a word for the reason why an op is faster than the roofline; "" if
/// it is not. `cacheBytes`: of the machine's last-level cache; 0 if unknown.
std::string whyAbove(const OpTime &op, const rt::Roofline &roofline,
                     uint64_t cacheBytes);

/// The step and the rates with which op times are compared.
struct OpScale {
  double stepMilliseconds = 0; // as measured without timing its ops
  rt::Roofline roofline;
  uint64_t cacheBytes = 0;

  /// Returns the step's time between ops, without the overhead of timing each
  /// op.
  double between(const std::vector<OpTime> &ops) const;
};

/// Returns a table of the first `most` ops, the others in one row, the time
/// between ops, and the step, which is the sum; below it a legend.
std::string tableOf(const std::vector<OpTime> &ops, size_t most,
                    const OpScale &scale);

/// Returns all of them as a list.
nlohmann::ordered_json toJson(const std::vector<OpTime> &ops,
                              const OpScale &scale);

} // namespace reprise::driver

#endif // REPRISE_DRIVER_OPTIMES_H
