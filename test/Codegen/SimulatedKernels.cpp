//===- SimulatedKernels.cpp - Kernels on a simulated GPU ------------------===//
//
// Every access is looked at (see ../Gpu/Simulator.h): races between threads,
// bounds, alignment, what nobody wrote. The ways are orders of threads and
// blocks.
//
//===----------------------------------------------------------------------===//

#include "../Gpu/Simulator.h"
#include "KernelMachine.h"
#include "reprise/Codegen/GpuKernels.h"
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace reprise;
using namespace reprise::test;

namespace {
class SimulatedGpu : public KernelMachine {
public:
  SimulatedGpu(std::unique_ptr<gpu_test::Simulator> simulator)
      : simulator(std::move(simulator)) {
    for (const std::string &name : this->simulator->kernels())
      names.insert(name);
  }

  bool has(const std::string &symbol) const override {
    return names.count(symbol);
  }
  std::vector<std::string> ways() const override {
    return {"in order", "shuffled", "backwards"};
  }
  void run(const std::string &symbol, ArrayRef<KernelBuffer> buffers,
           size_t way) override {
    std::vector<gpu_test::Buffer> arguments;
    for (const KernelBuffer &buffer : buffers)
      arguments.push_back({buffer.data, buffer.bytes,
                           "argument " + std::to_string(arguments.size()),
                           buffer.isRead});
    static constexpr uint64_t seeds[] = {0, 7, 1};
    gpu_test::SimulationOptions options;
    options.seed = seeds[way];
    options.shufflesOrderMemory = false;
    for (const std::string &problem :
         simulator->launch(symbol, arguments, options).problems)
      ADD_FAILURE() << symbol << ": " << problem;
  }

private:
  std::unique_ptr<gpu_test::Simulator> simulator;
  std::set<std::string> names;
};
} // namespace

FailureOr<KernelTraits> test::traitsOf(Block &body) {
  return analyzeGpuKernel(body);
}

/// They would be calls of a C library.
bool test::hasDoubleFunctions() { return false; }

std::unique_ptr<KernelMachine>
test::compileKernels(ArrayRef<KernelSource> kernels) {
  if (kernels.empty())
    return nullptr;
  MLIRContext *context = kernels.front().body->getParentOp()->getContext();
  loadGpuDialects(*context);
  OpBuilder b(context);
  OwningOpRef<ModuleOp> top = ModuleOp::create(b.getUnknownLoc());
  b.setInsertionPointToStart(top->getBody());
  auto module = gpu::GPUModuleOp::create(b, b.getUnknownLoc(), "kernels");
  for (const KernelSource &kernel : kernels)
    if (failed(emitGpuKernel(module, kernel.symbol, *kernel.body)))
      return nullptr;
  if (failed(expandMath(module)))
    return nullptr;
  std::string error;
  std::unique_ptr<gpu_test::Simulator> simulator =
      gpu_test::Simulator::compile(*top, {}, error);
  EXPECT_TRUE(simulator) << error;
  if (!simulator)
    return nullptr;
  return std::make_unique<SimulatedGpu>(std::move(simulator));
}
