//===- CpuLibrary.h - A simulated GPU's library calls -----------*- C++ -*-===//
#ifndef REPRISE_TEST_GPU_CPULIBRARY_H
#define REPRISE_TEST_GPU_CPULIBRARY_H

#include "../../runtime/cpu/LibraryCalls.h"
#include "../../runtime/cpu/Team.h"

namespace reprise::gpu_test {

/// How the simulated library would run a call: with a workspace that depends
/// on the call, so that plans have some to place. Fails for what cuDNN and
/// cuBLASLt lack.
rt::Expected<rt::LibraryCallInfo>
simulatedCall(const rt::LibraryCallDesc &desc);

/// Calls by the processor's library, in f32: narrower operands are widened, and
/// what comes of them rounded.
class CpuLibrary {
public:
  static rt::Expected<std::unique_ptr<CpuLibrary>> create();

  rt::Status prepare(const rt::LibraryCallDesc &desc);
  /// On operands of the host: inputs, then outputs.
  rt::Status run(const rt::LibraryCallDesc &desc,
                 const std::vector<uint64_t> &operands);

private:
  explicit CpuLibrary(std::unique_ptr<rt::Team> threads)
      : team(std::move(threads)), stream(rt::cpuEngine()), cache(*team) {}
  std::unique_ptr<rt::Team> team;
  dnnl::stream stream;
  rt::LibraryCache cache;
};

} // namespace reprise::gpu_test

#endif // REPRISE_TEST_GPU_CPULIBRARY_H
