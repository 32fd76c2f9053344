//===- CpuTarget.cpp - What this machine says of kernels and calls --------===//
#include "reprise/Passes/Kernels.h"
#include "reprise/Passes/Memory.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace reprise;

namespace {

class CpuTarget : public TargetQueries {
public:
  explicit CpuTarget(unsigned threads) : threads(threads) {}

  FailureOr<KernelTraits> kernelTraits(sg::KernelOp kernel) override {
    FailureOr<KernelInfo> info = analyzeKernel(kernel.getBody().front());
    if (failed(info))
      return failure();
    return KernelTraits{info->grains, info->inPlace};
  }

  FailureOr<rt::LibraryCallInfo>
  libraryCall(Operation *op, const rt::LibraryCallDesc &desc) override {
    auto [found, isNew] = answers.try_emplace(rt::libraryCallKey(desc));
    if (isNew) {
      rt::Expected<rt::LibraryCallInfo> info =
          rt::queryLibraryCall(desc, threads);
      if (info.ok())
        found->second.info = *info;
      else
        found->second.error = info.status().message();
    }
    if (!found->second.error.empty())
      return op->emitOpError()
             << "is refused by the library: " << found->second.error;
    return found->second.info;
  }

private:
  struct Answer {
    rt::LibraryCallInfo info;
    std::string error;
  };
  using Key = std::vector<int64_t>;

  unsigned threads;
  std::map<Key, Answer> answers;
};

} // namespace

std::unique_ptr<TargetQueries> reprise::createCpuTarget(unsigned threads) {
  return std::make_unique<CpuTarget>(threads);
}
