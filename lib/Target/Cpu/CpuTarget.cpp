//===- CpuTarget.cpp - The processor as a target --------------------------===//
#include "CpuTarget.h"
#include "reprise/Codegen/Kernels.h"
#include "reprise/Runtime/Cpu/Cpu.h"

#include <map>
#include <mutex>

using namespace mlir;
using namespace reprise;

/// The best of 512, 1024 and 2048 bytes for ResNet-50 on a Xeon: kernels wait
/// for memory when an activation was last touched long ago.
static constexpr int64_t kPrefetchBytes = 2048;

namespace {

class CpuTarget : public Target {
public:
  CpuTarget(std::string features, unsigned threads)
      : processorFeatures(std::move(features)), threads(threads),
        answers(answersOf(processorFeatures, threads)) {}

  rt::Status prepare() override { return rt::limitLibrary(processorFeatures); }
  std::string device() const override { return "cpu"; }
  std::string features() const override { return processorFeatures; }

  std::vector<rp_element_type> callElements(LibraryOp function) const override;
  /// A thread that copies from one part of memory to another.
  std::optional<HostLink> hostLink() const override {
    return HostLink{10e6, 5e-3};
  }
  KernelShape kernelShape() const override {
    KernelShape shape;
    shape.prefetchBytes = kPrefetchBytes;
    return shape;
  }
  FailureOr<KernelTraits> kernelTraits(Block &kernel) override {
    return analyzeKernel(kernel, kernelShape());
  }
  FailureOr<rt::LibraryCallInfo>
  libraryCall(Operation *op, const rt::LibraryCallDesc &desc) override;
  bool halvesHidden() const override { return true; }
  bool sparesNormOperands() const override { return true; }
  bool addsInPlace(const rt::LibraryCallDesc &call) override;
  std::string library() const override { return rt::libraryVersion(); }

  FailureOr<std::vector<uint8_t>>
  compileKernels(ArrayRef<KernelSource> kernels) override {
    return compileForCpu(kernels, processorFeatures, kernelShape(), progress);
  }

  Machine machine() const override {
    return {rt::processorName(), rt::libraryVersion()};
  }
  rt::Expected<rt::Roofline> measureRoofline() override {
    REPRISE_RETURN_IF_ERROR(prepare());
    return rt::measureRoofline(threads);
  }

private:
  using Answer = rt::Expected<rt::LibraryCallInfo>;
  /// The answers to distinct calls. Asking the library takes milliseconds, and
  /// planning creates a target for every set of kernels, so that targets of
  /// equal features and threads share them.
  struct Answers {
    std::mutex mutex;
    std::map<std::vector<int64_t>, Answer> byCall; // references stay valid
  };
  static Answers &answersOf(const std::string &features, unsigned threads);

  const Answer &answerTo(const rt::LibraryCallDesc &desc);
  Answer ask(const rt::LibraryCallDesc &desc);

  std::string processorFeatures;
  unsigned threads;
  Answers &answers;
};

} // namespace

/// oneDNN computes with bf16 on processors with these vectors.
std::vector<rp_element_type> CpuTarget::callElements(LibraryOp function) const {
  if (kLibraryFunctions[size_t(function)].isCollective)
    return {RP_F32, RP_F64};
  SmallVector<StringRef> features;
  StringRef(processorFeatures).split(features, ',');
  for (StringRef needed : {"avx512f", "avx512bw", "avx512vl", "avx512dq"})
    if (!llvm::is_contained(features, needed))
      return {RP_F32};
  return {RP_F32, RP_BF16};
}

CpuTarget::Answer CpuTarget::ask(const rt::LibraryCallDesc &desc) {
  REPRISE_RETURN_IF_ERROR(prepare());
  return rt::queryLibraryCall(desc, threads);
}

CpuTarget::Answers &CpuTarget::answersOf(const std::string &features,
                                         unsigned threads) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, unsigned>, Answers> all;
  std::lock_guard<std::mutex> lock(mutex);
  return all[{features, threads}];
}

const CpuTarget::Answer &CpuTarget::answerTo(const rt::LibraryCallDesc &desc) {
  std::lock_guard<std::mutex> lock(answers.mutex);
  std::vector<int64_t> key = rt::libraryCallKey(desc);
  auto found = answers.byCall.find(key);
  if (found == answers.byCall.end())
    found = answers.byCall.emplace(std::move(key), ask(desc)).first;
  return found->second;
}

FailureOr<rt::LibraryCallInfo>
CpuTarget::libraryCall(Operation *op, const rt::LibraryCallDesc &desc) {
  return reportAnswer(op, answerTo(desc));
}

bool CpuTarget::addsInPlace(const rt::LibraryCallDesc &call) {
  rt::LibraryCallDesc sum = call;
  sum.inputs.push_back(call.outputs.front());
  sum.epilogues.push_back(LibraryEpilogue::Add);
  const Answer &answer = answerTo(sum);
  return answer.ok() && answer->addsInPlace;
}

static rt::Expected<std::unique_ptr<Target>> create(std::string features,
                                                    unsigned threads) {
  return std::unique_ptr<Target>(
      std::make_unique<CpuTarget>(std::move(features), threads));
}

void reprise::registerCpuTarget() {
  TargetEntry entry;
  entry.fromText =
      [](StringRef text,
         unsigned threads) -> rt::Expected<std::unique_ptr<Target>> {
    rt::Expected<std::string> features = resolveFeatures(text);
    if (!features.ok())
      return features.status();
    return create(std::move(*features), threads);
  };
  entry.fromFeatures = [](StringRef features, unsigned threads) {
    return create(features.str(), threads);
  };
  registerTarget("cpu", std::move(entry));
}
