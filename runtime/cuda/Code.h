//===- Code.h - The code of a program for a GPU -----------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_CODE_H
#define REPRISE_RUNTIME_CUDA_CODE_H

#include "reprise/Runtime/Status.h"
#include "reprise/Runtime/program_generated.h"
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::rt::cuda {

/// What is loaded, with the program's own memory.
struct Code {
  /// A cubin, or PTX with a zero at its end.
  const void *image = nullptr;
  size_t bytes = 0;
  /// Of the program's kernels, in its order.
  std::vector<std::string> names;
  std::vector<uint32_t> threads;
};

/// The code of a program with kernels for a device of that architecture
/// ("sm_90"): the cubin where its major number is the same and its minor one no
/// higher, else the PTX. Fails with RP_INCOMPATIBLE where the device is too old
/// or the code is not what the schema says.
Expected<Code> readCode(const fb::Program &program,
                        const std::string &architecture);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CODE_H
