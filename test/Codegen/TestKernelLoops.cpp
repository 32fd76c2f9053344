//===- TestKernelLoops.cpp - Kernels as loops, for FileCheck --------------===//
//
// Input:   a module with sg.kernel or rt.kernel anywhere in it.
// Output:  a function of loops, arith, math and vector ops for each kernel, by
//          the kernel's name, and nothing else.
// Method:  emitKernel, of which everything between a kernel and a target's code
//          is made.
// Fails:   as emitKernel does, at what no kernel can run.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "reprise/Codegen/Kernels.h"
#include "reprise/IR/Rt.h"
#include "reprise/IR/Sg.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace reprise;

namespace {

class TestKernelLoops
    : public PassWrapper<TestKernelLoops, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestKernelLoops)

  TestKernelLoops() = default;
  TestKernelLoops(const TestKernelLoops &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "test-kernel-loops"; }
  StringRef getDescription() const final {
    return "Test: each kernel as the loops that targets compile";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect, math::MathDialect,
                    scf::SCFDialect, vector::VectorDialect>();
  }
  void runOnOperation() override;

private:
  LogicalResult readShape(KernelShape &shape);

  Option<int64_t> lanes{*this, "lanes", llvm::cl::init(KernelShape().lanes),
                        llvm::cl::desc("elements of a vector, a power of two")};
  Option<int64_t> grainElements{
      *this, "grain-elements", llvm::cl::init(KernelShape().grainElements),
      llvm::cl::desc("elements of a grain, a multiple of the lanes")};
};

} // namespace

LogicalResult TestKernelLoops::readShape(KernelShape &shape) {
  shape.lanes = lanes;
  shape.grainElements = grainElements;
  if (lanes < 1 || !llvm::isPowerOf2_64(lanes) || grainElements < 1 ||
      grainElements % lanes != 0)
    return getOperation()->emitError()
           << "lanes must be a power of two and grain-elements a multiple of "
              "them, not "
           << shape.lanes << " and " << shape.grainElements;
  return success();
}

void TestKernelLoops::runOnOperation() {
  KernelShape shape;
  if (failed(readShape(shape)))
    return signalPassFailure();
  SmallVector<std::pair<std::string, Block *>> kernels;
  getOperation().walk([&](Operation *op) {
    if (auto kernel = dyn_cast<sg::KernelOp>(op))
      kernels.push_back({kernel.getPath().str(), &kernel.getBody().front()});
    else if (auto kernel = dyn_cast<rt_dialect::KernelOp>(op))
      kernels.push_back({kernel.getSymName().str(), &kernel.getBody().front()});
  });
  SmallVector<Operation *> given;
  for (Operation &op : *getOperation().getBody())
    given.push_back(&op);
  for (auto &[name, body] : kernels)
    if (failed(emitKernel(getOperation(), name, *body, shape)))
      return signalPassFailure();
  for (Operation *op : llvm::reverse(given))
    op->erase();
}

namespace reprise::test {
/// For tools that are built with the tests.
void registerTestKernelLoops() { PassRegistration<TestKernelLoops>(); }
} // namespace reprise::test
