//===- Decompose.cpp - Composite ops as primitives ------------------------===//
//
// Input:   a function of sg at any level.
// Output:  the same function of primitives and library ops.
// Method:  ops are replaced until none has a decomposition; then large
//          reductions are split.
// Cost:    linear in the ops emitted.
// Fails:   when a decomposition fails, with its message.
//
//===----------------------------------------------------------------------===//

#include "reprise/IR/Kernel.h"
#include "reprise/IR/Origin.h"
#include "reprise/Passes/Fuse.h"
#include <functional>
#include <numeric>

namespace reprise {
#define GEN_PASS_DEF_SGDECOMPOSE
#include "reprise/Passes/FusePasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;

/// Elements below which one kernel reduces as fast as two.
static constexpr int64_t kSmallReduction = 16384;
/// Parts that keep several threads busy.
static constexpr int64_t kParts = 8;
/// How many times smaller the intermediate result must be.
static constexpr int64_t kShrink = 8;

static int64_t product(ArrayRef<int64_t> values) {
  return std::accumulate(values.begin(), values.end(), int64_t{1},
                         std::multiplies<int64_t>());
}

static LogicalResult decomposeAll(func::FuncOp function) {
  // Decompositions are visited as well: a walk in pre-order meets what is
  // emitted before an op only on the next round.
  bool changed = true;
  while (changed) {
    SmallVector<DecomposeOpInterface> composites;
    function.walk([&](DecomposeOpInterface op) {
      // A pointwise op is a primitive, whatever else it could be.
      if (!isa<PointwiseOpInterface>(*op))
        composites.push_back(op);
    });
    changed = !composites.empty();
    for (DecomposeOpInterface op : composites) {
      OpBuilder builder(op);
      sg::OriginScope scope(builder, op);
      FailureOr<SmallVector<Value>> values = op.decompose(builder);
      if (failed(values))
        return op->emitOpError("cannot be decomposed");
      op->replaceAllUsesWith(*values);
      op->erase();
    }
  }
  return success();
}

/// How many leading dimensions the first of two reductions keeps; 0 when one
/// reduction is better.
static unsigned keptPrefix(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  if (product(shape) < kSmallReduction)
    return 0;
  int64_t parts = 1, rest = 1;
  for (int64_t d : dims)
    rest *= shape[d];
  for (unsigned p = 0; p < dims.size() && dims[p] == p; ++p) {
    parts *= shape[p];
    rest /= shape[p];
    if (parts >= kParts)
      return rest >= kShrink ? p + 1 : 0;
  }
  return 0;
}

/// bf16 and f16 are summed in f32 until the end.
static Value widen(OpBuilder &b, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!isa<BFloat16Type, Float16Type>(type.getElementType()))
    return value;
  return sg::CastOp::create(b, loc, type.clone(b.getF32Type()), value);
}

static void split(ReductionOpInterface op) {
  Value operand = op->getOperand(0);
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> dims(op.getReducedDims());
  unsigned kept = keptPrefix(type.getShape(), dims);
  if (!kept)
    return;
  OpBuilder b(op);
  sg::OriginScope scope(b, op);
  Location loc = op.getLoc();
  if (op.losesDigits())
    operand = widen(b, loc, operand);
  ArrayRef<int64_t> all(dims);
  Value parts = op.createOver(b, loc, operand, all.drop_front(kept));
  Value total = op.createOver(b, loc, parts, all.take_front(kept));
  Value result = op->getResult(0);
  if (total.getType() != result.getType())
    total = sg::CastOp::create(b, loc, result.getType(), total);
  result.replaceAllUsesWith(total);
  op.erase();
}

namespace {
class Decompose : public reprise::impl::SgDecomposeBase<Decompose> {
  void runOnOperation() override {
    if (failed(decomposeAll(getOperation())))
      return signalPassFailure();
    getOperation().walk([](ReductionOpInterface op) { split(op); });
  }
};
} // namespace
