//===- FormKernels.cpp - Primitives grouped into kernels ------------------===//
//
// Input:   a flat function of primitives and library ops.
// Output:  the same values from kernels and library ops.
// Method:  greedy, in program order; see GroupOps.cpp and BuildKernels.cpp.
// Cost:    an op is followed along its readers up to the kernel it might join.
// Fails:   at an op with a region or a decomposition, which must be gone, and
//          at one that neither a kernel nor the library runs.
//
//===----------------------------------------------------------------------===//

#include "Groups.h"
#include "reprise/Passes/Fuse.h"
#include "reprise/Target/Target.h"

namespace reprise {
#define GEN_PASS_DEF_SGFORMKERNELS
#include "reprise/Passes/FusePasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;

/// Ops that are no kernel's and stay as they are: what the library runs, and
/// what no code runs at all.
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
    bool shares = false;
    if (!target.empty()) {
      rt::Expected<std::unique_ptr<Target>> device =
          createTarget(target, /*threads=*/1);
      if (!device.ok()) {
        function.emitError() << device.status().message();
        return signalPassFailure();
      }
      shares = (*device)->sharesLaunches();
    }
    FlatGraph graph(block);
    Groups groups =
        fuse ? groupOps(graph, shares ? Launches::Shared : Launches::Own)
             : separateOps(graph);
    buildKernels(block, graph, groups);
  }
};
} // namespace
