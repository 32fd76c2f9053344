//===- SimulatedKernels.cpp - Kernels on a simulated GPU ------------------===//
//
// Every access is looked at (see ../Gpu/Simulator.h): races between threads,
// bounds, alignment, what nobody wrote. The ways are orders of threads and
// blocks.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Target/Cuda/Kernels/GpuKernels.h"
#include "../Gpu/Simulator.h"
#include "KernelMachine.h"
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>

using namespace mlir;
using namespace reprise;
using namespace reprise::test;

namespace {
class SimulatedGpu : public KernelMachine {
public:
  SimulatedGpu(std::unique_ptr<gpu_test::Simulator> simulator,
               std::map<std::string, size_t> workspaces)
      : simulator(std::move(simulator)), workspaces(std::move(workspaces)) {
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
    std::vector<char> workspace(workspaces.at(symbol) + kAlignment, '\xA5');
    if (size_t bytes = workspaces.at(symbol)) {
      void *data = workspace.data();
      size_t room = workspace.size();
      std::align(kAlignment, bytes, data, room);
      arguments.push_back(
          {static_cast<char *>(data), bytes, "workspace", false});
    }
    static constexpr uint64_t seeds[] = {0, 7, 1};
    gpu_test::SimulationOptions options;
    options.seed = seeds[way];
    options.shufflesOrderMemory = false;
    for (const std::string &problem :
         simulator->launch(symbol, arguments, options).problems)
      ADD_FAILURE() << symbol << ": " << problem;
  }

private:
  /// Of a workspace; what the planner aligns it to.
  static constexpr size_t kAlignment = 64;

  std::unique_ptr<gpu_test::Simulator> simulator;
  std::map<std::string, size_t> workspaces; // bytes, by kernel
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
  std::map<std::string, size_t> workspaces;
  for (const KernelSource &kernel : kernels) {
    FailureOr<KernelTraits> traits = analyzeGpuKernel(*kernel.body);
    if (failed(traits) ||
        failed(emitGpuKernel(module, kernel.symbol, *kernel.body)))
      return nullptr;
    workspaces[kernel.symbol] = traits->workspaceBytes;
  }
  if (failed(expandMath(module)))
    return nullptr;
  std::string error;
  std::unique_ptr<gpu_test::Simulator> simulator =
      gpu_test::Simulator::compile(*top, {}, error);
  EXPECT_TRUE(simulator) << error;
  if (!simulator)
    return nullptr;
  return std::make_unique<SimulatedGpu>(std::move(simulator),
                                        std::move(workspaces));
}
