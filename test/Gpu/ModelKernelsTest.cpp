//===- ModelKernelsTest.cpp - The kernels of whole models on a GPU --------===//
//
// Every kernel of the training steps of small models runs on the processor and
// on the simulated GPU, from the same random operands: what no sum is part of
// has equal bits, the rest is as near as another order of sums allows. None
// does to memory what it may not. The kernels of a model together, and each
// whose rows fill sectors, move hardly more of them than what they read and
// write takes.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Target/Cuda/Kernels/GpuKernels.h"
#include "../../lib/Target/Cuda/Ptx.h"
#include "../Codegen/HostCode.h"
#include "../EndToEnd/ZooTraining.h"
#include "SimulatedTarget.h"
#include "reprise/IR/Kernel.h"
#include "reprise/IR/Rt.h"
#include "reprise/IR/Sg.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/DenseSet.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

namespace {

using Memory = std::vector<uint8_t>;

class ModelKernels : public testing::TestWithParam<ZooCase> {
protected:
  void SetUp() override {
    loadEverything(context);
    loadGpuDialects(context);
    gpu_test::registerSimulatedGpu();
  }
  /// The program of a training step; its kernels.
  void lower();
  /// A module with a gpu.module of the kernels.
  OwningOpRef<mlir::ModuleOp> emit();
  void compile();
  /// Assembles them; no thread spills more than `most` bytes, stored and
  /// loaded.
  void assembleFor(const char *architecture, uint64_t most);
  /// Runs a kernel on both and compares.
  void check(const KernelSource &kernel);
  void compare(const KernelSource &kernel, unsigned result, const Memory &here,
               const Memory &there);

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<mlir::ModuleOp> module;
  std::vector<KernelSource> kernels;
  std::unique_ptr<test::LoadedCode> host;
  std::unique_ptr<gpu_test::Simulator> simulator;
  std::mt19937_64 random{17};
  gpu_test::Traffic traffic;
  /// Results that were compared so.
  size_t exact = 0, near = 0;
  /// Kernels of which several blocks add one column.
  size_t byParts = 0;
};

} // namespace

void ModelKernels::lower() {
  module = buildCase(context, GetParam());
  CompileOptions options;
  options.target = TargetName::parse("cuda:");
  options.evaluation = false;
  options.amp = GetParam().amp;
  // Processors have no kernels of attention, nor of products; see
  // AttentionTest.cpp and ProductTest.cpp.
  options.attention = AttentionChoice::Stored;
  ASSERT_TRUE(module &&
              succeeded(lowerModel(*module, options, CompileLevel::Program)));
  auto program = *module->getOps<rt_dialect::ProgramOp>().begin();
  for (auto kernel : program.getBody().getOps<rt_dialect::KernelOp>())
    kernels.push_back({kernel.getSymName().str(), &kernel.getBody().front()});
  ASSERT_FALSE(kernels.empty());
}

OwningOpRef<mlir::ModuleOp> ModelKernels::emit() {
  OpBuilder b(&context);
  OwningOpRef<mlir::ModuleOp> top = mlir::ModuleOp::create(b.getUnknownLoc());
  b.setInsertionPointToStart(top->getBody());
  auto gpu = gpu::GPUModuleOp::create(b, b.getUnknownLoc(), "kernels");
  for (const KernelSource &kernel : kernels)
    EXPECT_TRUE(succeeded(emitGpuKernel(gpu, kernel.symbol, *kernel.body)));
  EXPECT_TRUE(succeeded(expandMath(gpu, populateWidenPairs)));
  return top;
}

void ModelKernels::compile() {
  auto image = test::compileForHost(kernels);
  ASSERT_TRUE(succeeded(image));
  host = std::make_unique<test::LoadedCode>(*image);
  OwningOpRef<mlir::ModuleOp> top = emit();
  std::string error;
  simulator = gpu_test::Simulator::compile(*top, {}, error);
  ASSERT_TRUE(simulator) << error;
}

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

static size_t widthOf(Type element) {
  return element.isInteger(1) ? 1 : element.getIntOrFloatBitWidth() / 8;
}

/// Numbers of both signs; integers that are indices of any tensor.
static Memory randomMemory(Value value, std::mt19937_64 &random) {
  Type element = elementOf(value);
  size_t width = widthOf(element);
  auto type = cast<RankedTensorType>(value.getType());
  Memory memory(type.getNumElements() * width);
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    uint64_t bits = random() & 1;
    if (auto real = dyn_cast<FloatType>(element)) {
      llvm::APFloat number(std::uniform_real_distribution<>(-2, 2)(random));
      bool lossy = false;
      number.convert(real.getFloatSemantics(),
                     llvm::APFloat::rmNearestTiesToEven, &lossy);
      bits = number.bitcastToAPInt().getZExtValue();
    }
    std::memcpy(memory.data() + i * width, &bits, width);
  }
  return memory;
}

/// Whether a sum is part of what is computed.
static bool isSum(Value value) {
  llvm::SmallVector<Value> values = {value};
  llvm::DenseSet<Value> seen;
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    if (!op)
      continue;
    if (isa<ReductionOpInterface>(op))
      return true;
    for (Value operand : op->getOperands())
      if (seen.insert(operand).second)
        values.push_back(operand);
  }
  return false;
}

static double numberAt(const Memory &memory, Type element, size_t i) {
  size_t width = widthOf(element);
  uint64_t bits = 0;
  std::memcpy(&bits, memory.data() + i * width, width);
  if (auto real = dyn_cast<FloatType>(element))
    return llvm::APFloat(real.getFloatSemantics(), llvm::APInt(width * 8, bits))
        .convertToDouble();
  return static_cast<double>(llvm::SignExtend64(bits, width * 8));
}

/// Of a thread, stored and loaded: two registers of four bytes each.
static constexpr uint64_t kMostSpilledBytes = 16;

/// Sectors of memory over those that hold what is read and written.
static constexpr double kMostSectors = 1.1;

/// Whether every row of what a kernel reads and writes fills whole sectors.
static bool hasAlignedRows(const KernelSource &kernel) {
  constexpr int64_t most = 32; // bytes, and elements of 8 bits
  auto isAligned = [](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.getRank() && type.getShape().back() % most == 0;
  };
  return llvm::all_of(kernel.body->getArguments(), isAligned) &&
         llvm::all_of(kernel.body->getTerminator()->getOperands(), isAligned);
}

void ModelKernels::compare(const KernelSource &kernel, unsigned result,
                           const Memory &here, const Memory &there) {
  Value yielded = kernel.body->getTerminator()->getOperand(result);
  if (!isSum(yielded)) {
    ++exact;
    EXPECT_EQ(here, there) << kernel.symbol << " result " << result;
    return;
  }
  ++near;
  Type element = elementOf(yielded);
  size_t count = here.size() / widthOf(element), failures = 0;
  double largest = 0;
  for (size_t i = 0; i < count; ++i)
    if (double x = std::abs(numberAt(here, element, i)); std::isfinite(x))
      largest = std::max(largest, x);
  // Sums of a few thousand numbers; a result of 16 bits may round otherwise.
  double share = widthOf(element) == 2 ? 1.0 / 64 : 1e-4;
  for (size_t i = 0; i < count && failures < 3; ++i) {
    double x = numberAt(here, element, i), y = numberAt(there, element, i);
    bool isNear = x == y || (std::isnan(x) && std::isnan(y)) ||
                  std::abs(x - y) <= share * largest;
    failures += !isNear;
    EXPECT_TRUE(isNear) << kernel.symbol << " result " << result << " element "
                        << i << ": " << x << " and " << y;
  }
}

void ModelKernels::check(const KernelSource &kernel) {
  std::vector<Memory> inputs, here, there;
  for (Value argument : kernel.body->getArguments())
    inputs.push_back(randomMemory(argument, random));
  for (Value yielded : kernel.body->getTerminator()->getOperands()) {
    auto type = cast<RankedTensorType>(yielded.getType());
    here.emplace_back(type.getNumElements() * widthOf(type.getElementType()));
  }
  there = here;
  std::vector<void *> pointers;
  std::vector<gpu_test::Buffer> buffers;
  auto aligned = [&](Memory &memory) {
    // As the planner lays it.
    constexpr size_t alignment = 64;
    size_t bytes = memory.size();
    auto *copy = static_cast<uint8_t *>(std::aligned_alloc(
        alignment, (bytes + alignment) / alignment * alignment));
    std::memcpy(copy, memory.data(), bytes);
    return copy;
  };
  for (Memory &memory : inputs)
    pointers.push_back(memory.data());
  for (Memory &memory : here)
    pointers.push_back(memory.data());
  auto give = [&](Memory &memory, bool isRead) {
    buffers.push_back({aligned(memory), memory.size(),
                       "argument " + std::to_string(buffers.size()), isRead});
  };
  for (Memory &memory : inputs)
    give(memory, true);
  for (Memory &memory : there)
    give(memory, false);
  auto onGpu = analyzeGpuKernel(*kernel.body);
  ASSERT_TRUE(succeeded(onGpu)) << kernel.symbol;
  Memory workspace(onGpu->workspaceBytes);
  if (!workspace.empty())
    give(workspace, false);
  byParts += !workspace.empty();
  auto traits = analyzeKernel(*kernel.body, KernelShape());
  ASSERT_TRUE(succeeded(traits)) << kernel.symbol;
  host->find(kernel.symbol)(pointers.data(), 0, int64_t(traits->grains));
  gpu_test::SimulationOptions options;
  options.seed = random() % 3;
  options.shufflesOrderMemory = false;
  auto report = simulator->launch(kernel.symbol, buffers, options);
  for (const std::string &problem : report.problems)
    ADD_FAILURE() << kernel.symbol << ": " << problem;
  gpu_test::Traffic moved = report.total();
  traffic += moved;
  if (hasAlignedRows(kernel)) {
    EXPECT_LE(moved.sectors, moved.leastSectors * kMostSectors)
        << kernel.symbol;
  }
  for (size_t k = 0; k < there.size(); ++k)
    std::memcpy(there[k].data(), buffers[inputs.size() + k].data,
                there[k].size());
  for (unsigned k = 0; k < here.size(); ++k)
    compare(kernel, k, here[k], there[k]);
  for (gpu_test::Buffer &buffer : buffers)
    std::free(buffer.data);
}

TEST_P(ModelKernels, AgreeWithTheProcessor) {
  lower();
  compile();
  if (HasFatalFailure())
    return;
  for (const KernelSource &kernel : kernels)
    check(kernel);
  EXPECT_GT(exact, 0u);
  EXPECT_GT(near, 0u);
  EXPECT_LE(traffic.sectors, traffic.leastSectors * kMostSectors);
}

// Code for real devices, where there is an assembler.
void ModelKernels::assembleFor(const char *architecture, uint64_t most) {
  OwningOpRef<mlir::ModuleOp> top = emit();
  auto gpu = *top->getOps<gpu::GPUModuleOp>().begin();
  FailureOr<std::string> ptx = emitPtx(gpu, architecture);
  ASSERT_TRUE(succeeded(ptx));
  FailureOr<std::optional<Cubin>> cubin =
      assemble(top->getLoc(), *ptx, architecture);
  ASSERT_TRUE(succeeded(cubin));
  if (!*cubin)
    GTEST_SKIP() << "there is no ptxas, see the warning";
  EXPECT_EQ((*cubin)->uses.size(), kernels.size());
  for (const PtxUse &use : (*cubin)->uses)
    EXPECT_LE(use.spilledBytes, most)
        << use.function << " for " << architecture;
}

TEST_P(ModelKernels, AssembleWithoutSpills) {
  lower();
  if (HasFatalFailure())
    return;
  loadPtxDialects(context);
  assembleFor("sm_80", kMostSpilledBytes);
  assembleFor("sm_90", kMostSpilledBytes);
}

namespace {
/// As large as they are trained: sums read more rows at once.
class LargeModelKernels : public ModelKernels {};
} // namespace

TEST_P(LargeModelKernels, AssembleWithHardlyASpill) {
  lower();
  if (HasFatalFailure())
    return;
  loadPtxDialects(context);
  // Some six of the registers that a thread has for its column, once each; more
  // where the assembler knows less of the device.
  constexpr uint64_t few = 72, some = 96;
  assembleFor("sm_80", some);
  assembleFor("sm_90", few);
}

static std::vector<ZooCase> largeModels() {
  ZooCase resnet, swin;
  resnet.label = "ResNet50Bf16";
  resnet.model = "resnet50";
  resnet.options.batch = 256;
  resnet.amp = MixedPrecision::BF16;
  swin.label = "SwinF16";
  swin.model = "swin_t";
  swin.options.batch = 128;
  swin.amp = MixedPrecision::F16;
  return {resnet, swin};
}

INSTANTIATE_TEST_SUITE_P(Large, LargeModelKernels,
                         testing::ValuesIn(largeModels()),
                         [](const auto &info) { return info.param.label; });

static std::vector<ZooCase> allModels() {
  std::vector<ZooCase> cases = smallModels();
  llvm::append_range(cases, smallTransformers());
  llvm::append_range(cases, mixedModels());
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Small, ModelKernels, testing::ValuesIn(allModels()),
                         [](const auto &info) { return info.param.label; });
