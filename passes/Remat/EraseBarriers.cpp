//===- EraseBarriers.cpp - Remove remat.barrier ops -----------------------===//
//
// Input:   any op.
// Output:  the same without remat.barrier.
// Cost:    linear in the ops.
// Fails:   never.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/Remat.h"

namespace reprise {
#define GEN_PASS_DEF_REMATERASEBARRIERS
#include "reprise/Passes/RematPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;

namespace {
class EraseBarriers
    : public reprise::impl::RematEraseBarriersBase<EraseBarriers> {
public:
  void runOnOperation() override {
    getOperation()->walk([](remat::BarrierOp barrier) {
      barrier.getResult().replaceAllUsesWith(barrier.getInput());
      barrier.erase();
    });
  }
};
} // namespace
