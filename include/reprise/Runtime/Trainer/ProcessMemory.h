//===- ProcessMemory.h - What a process that trains will hold ---*- C++ -*-===//
//
// The arena is known to the byte; this adds what the process holds beside it:
// its own code and libraries, data, batches, staging. Known before a session
// opens, so that a limit on the whole process can be refused in time.
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
    Measured, // read off this process
    Known,    // a sum of sizes
    Estimated // the numerical library's own
  };
  std::string what;
  uint64_t bytes = 0;
  Kind kind = Kind::Known;
};

/// What a run of a program takes of the host, at its highest.
struct ProcessMemory {
  /// The first is what the process held when asked; the arena is one of them.
  std::vector<HostItem> items;
  /// High water of the process until then, e.g. by compiling.
  uint64_t reached = 0;
  /// What decides how much threads hold that decode training data; for
  /// addPrograms.
  struct Decoding {
    uint64_t bytesPerThread = 0;
    unsigned asked = 0;  // threads
    uint64_t looked = 0; // rows that opening the data decodes
    bool isCostly = false;
    unsigned threads(uint64_t batch) const;
  } decoding;

  uint64_t sum() const;
  /// Predicted high water of the process: the sum, or what was reached.
  uint64_t peak() const;
  /// What is still to be taken: the sum without the first item.
  uint64_t growth() const;
};

/// Of running `program` on `data` in this process, asked before a session is
/// opened. Reads no images. `saves`: whether states are to be written. Fails
/// like openDataset where there are no data.
Expected<ProcessMemory> predictProcessMemory(const rp_program *program,
                                             const DataSpec &data, Split split,
                                             bool saves);

/// Adds what an evaluation on the test data takes while a run goes on. Fails as
/// predictProcessMemory does.
Status addEvaluationMemory(const rp_program *program, const DataSpec &data,
                           ProcessMemory &memory);

/// Adds what programs take that take turns with `first`, of which `memory` is:
/// the largest arena and the largest batches, and the kernels of all.
Status addPrograms(const rp_program *first,
                   const std::vector<const rp_program *> &others,
                   ProcessMemory &memory);

/// Bytes as people write them.
using SizeText = std::function<std::string(uint64_t bytes)>;

/// Refuses what does not fit: the limit given (`limit`, the whole process, 0:
/// none), or what is left under the tightest of the system's limits, the
/// container's included. The message names the items, with sizes as `size`
/// writes them.
Status checkProcessMemory(const ProcessMemory &memory, uint64_t limit,
                          const SizeText &size);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_PROCESSMEMORY_H
