//===- KernelRun.cpp - One kernel on the simulated GPU --------------------===//

#include "KernelRun.h"
#include "../../lib/Target/Cuda/Kernels/GpuKernels.h"
#include "../../lib/Target/Cuda/Ptx.h"
#include "reprise/IR/Sg.h"
#include "llvm/ADT/APFloat.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::gpu_test;
using reference::Tensor;

OwningOpRef<ModuleOp> gpu_test::emitKernel(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  loadGpuDialects(*context);
  OpBuilder b(context);
  OwningOpRef<ModuleOp> top = ModuleOp::create(b.getUnknownLoc());
  b.setInsertionPointToStart(top->getBody());
  auto module = gpu::GPUModuleOp::create(b, b.getUnknownLoc(), "kernels");
  auto kernel = *function.getOps<sg::KernelOp>().begin();
  EXPECT_TRUE(succeeded(emitGpuKernel(module, "k", kernel.getBody().front())));
  EXPECT_TRUE(succeeded(expandMath(module)));
  return top;
}

static size_t bytesOf(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

namespace {
/// A tensor as a device has it.
class Stored {
public:
  explicit Stored(RankedTensorType type)
      : type(type), bytes(type.getNumElements() * bytesOf(element()) + 64) {
    auto at = reinterpret_cast<uintptr_t>(bytes.data());
    first = (64 - at % 64) % 64;
  }
  explicit Stored(const Tensor &from) : Stored(from.getType()) {
    for (int64_t i = 0; i < from.size(); ++i) {
      uint64_t bits = from.isReal() ? 0 : uint64_t(from.integer(i));
      if (auto real = dyn_cast<FloatType>(element())) {
        llvm::APFloat number(from.real(i));
        bool lossy = false;
        number.convert(real.getFloatSemantics(),
                       llvm::APFloat::rmNearestTiesToEven, &lossy);
        bits = number.bitcastToAPInt().getZExtValue();
      }
      std::memcpy(&bytes[first + i * bytesOf(element())], &bits,
                  bytesOf(element()));
    }
  }
  double real(int64_t i) const {
    auto width = bytesOf(element());
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[first + i * width], width);
    return llvm::APFloat(cast<FloatType>(element()).getFloatSemantics(),
                         llvm::APInt(width * 8, bits))
        .convertToDouble();
  }
  Buffer buffer(const std::string &name, bool isRead) {
    return {&bytes[first], bytes.size() - 64, name, isRead};
  }
  Type element() const { return type.getElementType(); }
  int64_t size() const { return type.getNumElements(); }
  bool operator==(const Stored &other) const {
    return !std::memcmp(&bytes[first], &other.bytes[other.first],
                        bytes.size() - 64);
  }

private:
  RankedTensorType type;
  std::vector<uint8_t> bytes;
  size_t first;
};
} // namespace

static void compare(const Stored &made, const Tensor &expected, double share) {
  double largest = 0;
  for (int64_t i = 0; i < expected.size(); ++i)
    largest = std::max(largest, std::abs(expected.real(i)));
  int failures = 0;
  for (int64_t i = 0; i < expected.size() && failures < 3; ++i) {
    bool isNear =
        std::abs(made.real(i) - expected.real(i)) <= share * largest ||
        (std::isnan(made.real(i)) && std::isnan(expected.real(i)));
    failures += !isNear;
    EXPECT_TRUE(isNear) << "element " << i << " is " << made.real(i)
                        << " and not " << expected.real(i);
  }
}

SimulationReport gpu_test::expectKernel(reference::testing::Program &program,
                                        ArrayRef<Tensor> arguments,
                                        ArrayRef<Tensor> expected,
                                        double share) {
  OwningOpRef<ModuleOp> top = emitKernel(program.function);
  std::string error;
  auto simulator = Simulator::compile(*top, {}, error);
  EXPECT_TRUE(simulator) << error;
  SimulationReport report;
  if (!simulator)
    return report;
  auto kernel = *program.function.getOps<sg::KernelOp>().begin();
  auto traits = analyzeGpuKernel(kernel.getBody().front());
  EXPECT_TRUE(succeeded(traits));
  if (failed(traits))
    return report;
  EXPECT_EQ(simulator->size("k").blocks, int64_t(traits->grains));
  std::vector<Stored> first;
  for (uint64_t seed : {0, 3}) {
    std::vector<Stored> given, made;
    for (const Tensor &argument : arguments)
      given.emplace_back(argument);
    for (const Tensor &result : expected)
      made.emplace_back(result.getType());
    std::vector<Buffer> buffers;
    for (Stored &each : given)
      buffers.push_back(
          each.buffer("argument " + std::to_string(buffers.size()), true));
    for (Stored &each : made)
      buffers.push_back(
          each.buffer("argument " + std::to_string(buffers.size()), false));
    std::vector<uint64_t> workspace(traits->workspaceBytes / 8 + 1);
    if (traits->workspaceBytes)
      buffers.push_back(
          {workspace.data(), traits->workspaceBytes, "workspace", false});
    SimulationOptions options;
    options.seed = seed;
    options.shufflesOrderMemory = false;
    report = simulator->launch("k", buffers, options);
    for (const std::string &problem : report.problems)
      ADD_FAILURE() << problem;
    for (auto [k, result] : llvm::enumerate(made)) {
      SCOPED_TRACE("result " + std::to_string(k));
      compare(result, expected[k], share);
    }
    if (first.empty())
      first = made;
    EXPECT_TRUE(first == made) << "another order of threads, other bits";
  }
  return report;
}
