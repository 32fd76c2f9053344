//===- Code.h - The code of a program for a GPU -----------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_CODE_H
#define REPRISE_RUNTIME_CUDA_CODE_H

#include "reprise/Runtime/Status.h"
#include "reprise/Runtime/program_generated.h"
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::rt::cuda {

/// The code to load. Refers to the program's own memory.
struct Code {
  /// A cubin, or zero-terminated PTX.
  const void *image = nullptr;
  size_t bytes = 0;
  /// The names of the program's kernels, in order.
  std::vector<std::string> names;
  std::vector<uint32_t> threads;
};

/// Returns the code of a program with kernels for a device of that architecture
/// ("sm_90"): the cubin where its major number is the same and its minor one no
/// higher, otherwise the PTX. Fails with RP_INCOMPATIBLE if the device is too
/// old or the code violates the schema.
Expected<Code> readCode(const fb::Program &program,
                        const std::string &architecture);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CODE_H
