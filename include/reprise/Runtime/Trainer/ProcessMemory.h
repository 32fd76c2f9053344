//===- ProcessMemory.h - Memory of a training process -----------*- C++ -*-===//
//
// The arena is known to the byte; this adds the other memory of the process:
// its own code and libraries, data, batches, staging. It is predicted before a
// session opens, so that a limit on the whole process can be refused in time.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_PROCESSMEMORY_H
#define REPRISE_RUNTIME_TRAINER_PROCESSMEMORY_H

#include "reprise/Runtime/Status.h"
#include "reprise/Runtime/Trainer/Dataset.h"
#include <functional>
#include <string>
#include <vector>

namespace reprise::rt {

/// Physical memory for one purpose.
struct HostItem {
  enum class Kind {
    Measured, // measured on this process
    Known,    // a sum of sizes
    Estimated // the numerical library's own
  };
  std::string what;
  uint64_t bytes = 0;
  Kind kind = Kind::Known;
};

/// The host memory of a run of a program, at its highest.
struct ProcessMemory {
  /// The first is the memory of the process at the time of the query; the arena
  /// is one of them.
  std::vector<HostItem> items;
  /// High water of the process until then, e.g. by compiling.
  uint64_t reached = 0;
  /// The factors that determine the memory of threads that decode training
  /// data; for addPrograms.
  struct Decoding {
    uint64_t bytesPerThread = 0;
    unsigned asked = 0;  // requested threads
    uint64_t looked = 0; // rows decoded when the data are opened
    bool isCostly = false;
    unsigned threads(uint64_t batch) const;
  } decoding;

  uint64_t sum() const;
  /// Predicted high water of the process: the sum, or `reached` if that is
  /// more.
  uint64_t peak() const;
  /// The memory still to be allocated: the sum without the first item.
  uint64_t growth() const;
};

/// Predicts the memory of running `program` on `data` in this process, before a
/// session is opened. Reads no images. `saves`: true if states will be written.
/// Fails like openDataset if there are no data.
Expected<ProcessMemory> predictProcessMemory(const rp_program *program,
                                             const DataSpec &data, Split split,
                                             bool saves);

/// Adds the memory of an evaluation on the test data during a run. Fails as
/// predictProcessMemory does.
Status addEvaluationMemory(const rp_program *program, const DataSpec &data,
                           ProcessMemory &memory);

/// Adds the memory of programs that take turns with `first`, which `memory`
/// already contains: the largest arena and the largest batches, and the kernels
/// of all.
Status addPrograms(const rp_program *first,
                   const std::vector<const rp_program *> &others,
                   ProcessMemory &memory);

/// Bytes by which the high water of one run exceeds its prediction: the heap's
/// fragments, stacks, and pages of libraries differ from run to run, and logs
/// are written. Measured: up to 2.3 MiB. A limit on the process leaves this
/// much.
constexpr uint64_t kRunVariation = uint64_t{4} << 20;

/// Formats bytes for people.
using SizeText = std::function<std::string(uint64_t bytes)>;

/// Refuses memory that may exceed the given limit (`limit`, of the whole
/// process, 0: none), kRunVariation included, or that exceeds the bytes left
/// under the tightest of the system's limits, including the container's. The
/// message lists the items, with sizes formatted by `size`.
Status checkProcessMemory(const ProcessMemory &memory, uint64_t limit,
                          const SizeText &size);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_PROCESSMEMORY_H
