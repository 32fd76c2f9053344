//===- SgRemat.cpp - Facts about sg ops for the planner -------------------===//
//
// Arithmetic is that of CostOpInterface; reads are fixed storage, which takes
// no bytes of the step; phases are those of origins.
//
//===----------------------------------------------------------------------===//
#include "SgRemat.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Remat.h"
#include "reprise/IR/Sg.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {
template <typename OpTy>
struct Model : remat::RematOpInterface::ExternalModel<Model<OpTy>, OpTy> {
  uint64_t getRematFlops(Operation *op) const {
    auto cost = dyn_cast<CostOpInterface>(op);
    return cost ? cost.getFlops() : 0;
  }

  std::optional<unsigned> getRematViewSource(Operation *) const {
    if (std::is_same_v<OpTy, ReshapeOp> || std::is_same_v<OpTy, KeepOp> ||
        std::is_same_v<OpTy, RecomputeOp>)
      return 0;
    return std::nullopt;
  }

  std::optional<uint64_t> getRematBytes(Operation *op, unsigned result) const {
    if (std::is_same_v<OpTy, ReadOp>)
      return 0;
    return remat::bytesOf(op->getResult(result).getType());
  }

  std::optional<Phase> getRematPhase(Operation *op) const {
    if (!originOf(op))
      return std::nullopt;
    return phaseOf(op) == Phase::Forward ? Phase::Forward : Phase::Backward;
  }
};
} // namespace

template <typename... Ops> static void attach(MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}

void sg::registerRematModels(MLIRContext *context) {
  attach<
#define GET_OP_LIST
#include "reprise/IR/SgOps.cpp.inc"
      >(context);
}
