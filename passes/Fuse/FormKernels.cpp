//===- FormKernels.cpp - Primitives grouped into kernels ------------------===//
//
// Input:   a flat function of primitives and library ops.
// Output:  the same values from kernels and library ops. Library ops that the
//          target has a kernel for become kernels.
// Method:  greedy, in program order; see GroupOps.cpp and BuildKernels.cpp.
// Cost:    an op is followed along its readers up to the kernel it might join.
// Fails:   at an op with a region or a decomposition, which earlier passes
//          must remove, and at one that neither a kernel nor the library runs.
//
//===----------------------------------------------------------------------===//

#include "Groups.h"
#include "mlir/IR/IRMapping.h"
#include "reprise/IR/Origin.h"
#include "reprise/Passes/Fuse.h"
#include "reprise/Target/Target.h"
#include "llvm/ADT/SetVector.h"

namespace reprise {
#define GEN_PASS_DEF_SGFORMKERNELS
#include "reprise/Passes/FusePasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;

/// Returns true for ops that are not part of a kernel and stay unchanged:
/// library ops and ops that run no code.
static bool staysFixed(Operation &op) {
  auto cost = dyn_cast<CostOpInterface>(op);
  return isa<LibraryOpInterface>(op) || op.hasTrait<OpTrait::IsTerminator>() ||
         (cost && cost.getKernelClass() == KernelClass::None);
}

static LogicalResult checkFlat(Block &block) {
  for (Operation &op : block) {
    if (isa<sg::KernelOp>(op))
      continue;
    if (op.getNumRegions())
      return op.emitOpError("has a region; run sg-flatten first");
    if (isComposite(&op))
      return op.emitOpError("is composite; run sg-decompose first");
    if (kernelRoleOf(&op) == KernelRole::None && !staysFixed(op))
      return op.emitOpError("runs neither in a kernel nor in the library");
  }
  return success();
}

/// Makes a kernel of `op` alone, which yields all of its results.
static void makeKernel(Operation *op) {
  OpBuilder b(op);
  llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
  auto kernel =
      sg::KernelOp::create(b, op->getLoc(), op->getResultTypes(),
                           inputs.getArrayRef(), op->getName().stripDialect());
  if (auto origin = sg::originOf(op))
    sg::setOrigin(kernel, origin);
  if (Attribute mark = op->removeAttr(sg::SgDialect::kKeepAttr))
    kernel->setAttr(sg::SgDialect::kKeepAttr, mark);
  Block &body = kernel.getBody().front();
  IRMapping mapping;
  mapping.map(inputs.getArrayRef(), body.getArguments());
  b.setInsertionPointToStart(&body);
  Operation *inner = b.clone(*op, mapping);
  sg::YieldOp::create(b, op->getLoc(), inner->getResults());
  op->replaceAllUsesWith(kernel.getResults());
  op->erase();
}

/// Makes kernels of the ops that the target's kernels run and no library does.
static void makeKernels(Block &block, const Target &target) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (isa<LibraryOpInterface>(op) && target.runsAsKernel(&op))
      makeKernel(&op);
}

namespace {
class FormKernels : public reprise::impl::SgFormKernelsBase<FormKernels> {
  using SgFormKernelsBase::SgFormKernelsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    Block &block = function.getBody().front();
    if (failed(checkFlat(block)))
      return signalPassFailure();
    std::unique_ptr<Target> device;
    if (!target.empty()) {
      auto created = createTarget(target, /*threads=*/1);
      if (!created.ok()) {
        function.emitError() << created.status().message();
        return signalPassFailure();
      }
      device = std::move(*created);
    }
    bool shares = device && device->sharesLaunches();
    FlatGraph graph(block, fuse);
    Groups groups =
        fuse ? groupOps(graph, shares ? Launches::Shared : Launches::Own)
             : separateOps(graph);
    bool isTime = device && device->bytesAreTime();
    buildKernels(block, graph, groups,
                 isTime ? Instead::OtherValue : Instead::Nothing);
    if (device)
      makeKernels(block, *device);
  }
};
} // namespace
