//===- CpuTarget.cpp - What a processor says of kernels and calls ---------===//
#include "reprise/Passes/Kernels.h"
#include "reprise/Passes/Memory.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace reprise;

namespace {

class CpuTarget : public TargetQueries {
public:
  CpuTarget(unsigned threads, StringRef target)
      : threads(threads), target(target) {}

  FailureOr<KernelTraits> kernelTraits(sg::KernelOp kernel) override {
    FailureOr<KernelInfo> info = analyzeKernel(kernel.getBody().front());
    if (failed(info))
      return failure();
    return KernelTraits{info->grains, info->inPlace};
  }

  FailureOr<rt::LibraryCallInfo>
  libraryCall(Operation *op, const rt::LibraryCallDesc &desc) override {
    auto [found, isNew] = answers.try_emplace(rt::libraryCallKey(desc));
    if (isNew)
      found->second = ask(desc);
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

  Answer ask(const rt::LibraryCallDesc &desc) {
    if (rt::Status limited = rt::limitLibrary(target); !limited.ok())
      return {{}, limited.message()};
    rt::Expected<rt::LibraryCallInfo> info =
        rt::queryLibraryCall(desc, threads);
    if (info.ok())
      return {*info, ""};
    return {{}, info.status().message()};
  }

  unsigned threads;
  std::string target;
  std::map<Key, Answer> answers;
};

} // namespace

std::unique_ptr<TargetQueries> reprise::createCpuTarget(unsigned threads,
                                                        StringRef target) {
  return std::make_unique<CpuTarget>(threads, target);
}
