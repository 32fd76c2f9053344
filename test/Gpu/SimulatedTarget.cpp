//===- SimulatedTarget.cpp - A GPU that is simulated ----------------------===//
#include "SimulatedTarget.h"
#include "../../runtime/cuda/CudaDevice.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::gpu_test;

namespace {
class SimulatedTarget : public CudaTarget {
public:
  using CudaTarget::CudaTarget;
  rt::Status prepare() override { return {}; }
  std::string library() const override {
    return simulatedGpu().facts.libraries;
  }
  rt::Expected<rt::LibraryCallInfo>
  planCall(const rt::LibraryCallDesc &desc) override {
    return simulatedCall(desc);
  }
  /// The processor has no instruction that rounds so.
  RoundingPatterns roundings() const override { return populateWidenPairs; }
  FailureOr<Image> makeImage(gpu::GPUModuleOp module) override {
    Image image;
    llvm::raw_string_ostream text(image.ptx);
    module->getParentOp()->print(text);
    image.cubin.assign(image.ptx.begin(), image.ptx.end());
    return image;
  }
};
} // namespace

FakeGpu &gpu_test::simulatedGpu() {
  static thread_local FakeGpu gpu;
  return gpu;
}

std::unique_ptr<CudaTarget> gpu_test::createSimulatedTarget() {
  rt::cuda::DeviceDescription description;
  description.name = simulatedGpu().facts.name;
  description.architecture = simulatedGpu().facts.architecture;
  return std::make_unique<SimulatedTarget>(std::move(description),
                                           rt::cuda::CallOptions());
}

static rt::Expected<std::unique_ptr<Target>> create() {
  return std::unique_ptr<Target>(gpu_test::createSimulatedTarget());
}

static rt::Expected<std::unique_ptr<rt::cuda::Driver>> openFake() {
  return std::unique_ptr<rt::cuda::Driver>(
      std::make_unique<FakeDriver>(simulatedGpu()));
}

void gpu_test::registerSimulatedGpu() {
  TargetEntry entry;
  entry.fromText =
      entry.fromFeatures = [](StringRef, unsigned) { return create(); };
  registerTarget("cuda", std::move(entry));
  rt::registerDevice(
      "cuda",
      [](const std::string &which)
          -> rt::Expected<std::unique_ptr<rt::Device>> {
        rt::Expected<rt::cuda::Which> read = rt::cuda::readWhich(which);
        if (!read.ok())
          return read.status();
        // By the processor, hence little.
        rt::cuda::MeasuredWork measured = {1 << 16, 32, 2, 1 << 12, 1};
        return rt::cuda::makeCudaDevice(openFake, read->mayAdapt, measured);
      });
}
