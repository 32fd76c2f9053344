//===- Limits.h - Limits shared by all parts --------------------*- C++ -*-===//
//
// Limits that the planner, the compiler and the runtime share: each must accept
// what another produces. Depends on the C++ standard library only, so that
// every layer may include it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIMITS_H
#define REPRISE_LIMITS_H

#include <cstddef>
#include <cstdint>

namespace reprise {

/// The planner's unit in bytes, and the smallest buffer alignment of a target:
/// other alignments are multiples of it.
constexpr uint64_t kAlignment = 64;
/// The largest alignment of a target: a page of 2 MiB.
constexpr uint64_t kMaxAlignment = uint64_t(1) << 21;

/// The largest arena, in bytes: 64 TiB.
constexpr uint64_t kMaxArenaBytes = uint64_t(1) << 46;

/// The maximum number of threads of a program.
constexpr unsigned kMaxThreads = 1024;

/// The maximum number of ranks that share the micro-batches of a step.
constexpr unsigned kMaxRanks = 4096;

/// The fixed buffer, of kind input, that a device may receive the inputs of the
/// next step in, one after another, each at a multiple of the alignment.
constexpr const char *kStagingName = "inputs of the next step";

/// The longest name of a variable, buffer, step or kernel, in bytes.
constexpr size_t kMaxNameBytes = 4096;

/// Returns true if buffers of a target may be aligned to `bytes`.
constexpr bool isAlignment(uint64_t bytes) {
  return bytes >= kAlignment && bytes <= kMaxAlignment &&
         (bytes & (bytes - 1)) == 0;
}

} // namespace reprise

#endif // REPRISE_LIMITS_H
