//===- Decompose.cpp - Composite ops as primitives ------------------------===//
//
// Input:   a function of sg at any level.
// Output:  the same function of primitives and library ops.
// Method:  patterns, by walks: ops are replaced until none has a decomposition;
//          then large reductions are split and casts moved to their kernels.
//          Marks sg.keep become attributes.
// Cost:    linear in the ops emitted.
// Fails:   when a decomposition fails, with its message.
//
//===----------------------------------------------------------------------===//

#include "../Rewrites/CastMotion.h"
#include "../Rewrites/ConvolutionForms.h"
#include "../Rewrites/DepthwiseVolumes.h"
#include "../Rewrites/EarlyMaxima.h"
#include "../Rewrites/FlatConvolutions.h"
#include "../Rewrites/GradientSums.h"
#include "../Rewrites/Patches.h"
#include "../Rewrites/ProductBias.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "reprise/Bridge/ElementTypes.h"
#include "reprise/Bridge/PlanProblem.h"
#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/Kernel.h"
#include "reprise/IR/Origin.h"
#include "reprise/Passes/Fuse.h"
#include "reprise/Target/Target.h"
#include <functional>
#include <numeric>

namespace reprise {
#define GEN_PASS_DEF_SGDECOMPOSE
#include "reprise/Passes/FusePasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;

/// The number of elements below which one kernel reduces as fast as two.
static constexpr int64_t kSmallReduction = 16384;
/// The number of parts that keeps several threads busy.
static constexpr int64_t kParts = 8;
/// The least factor by which the intermediate result must be smaller.
static constexpr int64_t kShrink = 8;

static int64_t product(ArrayRef<int64_t> values) {
  return std::accumulate(values.begin(), values.end(), int64_t{1},
                         std::multiplies<int64_t>());
}

/// Returns the number of leading dimensions that the first of two reductions
/// keeps; 0 if one reduction is better.
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

namespace {

struct DecomposeComposite
    : public OpInterfaceRewritePattern<DecomposeOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(DecomposeOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isComposite(op))
      return rewriter.notifyMatchFailure(op, "is a primitive");
    FailureOr<SmallVector<Value>> values = failure();
    {
      sg::OriginScope scope(rewriter, op);
      values = op.decompose(rewriter);
    }
    if (failed(values))
      return rewriter.notifyMatchFailure(op, "cannot be decomposed");
    rewriter.replaceOp(op, *values);
    return success();
  }
};

struct SplitReduction : public OpInterfaceRewritePattern<ReductionOpInterface> {
  SplitReduction(MLIRContext *context, ColumnSums columns)
      : OpInterfaceRewritePattern(context), columns(columns) {}

  LogicalResult matchAndRewrite(ReductionOpInterface op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    ArrayRef<int64_t> dims = op.getReducedDims();
    unsigned kept = keptPrefix(type.getShape(), dims);
    if (!kept)
      return rewriter.notifyMatchFailure(op, "one reduction does as well");
    if (columns == ColumnSums::Whole && dims.back() + 1 != type.getRank())
      return rewriter.notifyMatchFailure(op, "its kernel adds by parts");
    Value total;
    {
      sg::OriginScope scope(rewriter, op);
      total = split(op, kept, rewriter);
    }
    rewriter.replaceOp(op, total);
    return success();
  }

  static Value split(ReductionOpInterface op, unsigned kept, OpBuilder &b) {
    Location loc = op.getLoc();
    Value operand = op->getOperand(0);
    if (op.losesDigits())
      operand = widen(b, loc, operand);
    SmallVector<int64_t> dims(op.getReducedDims());
    ArrayRef<int64_t> all(dims);
    Value parts = op.createOver(b, loc, operand, all.drop_front(kept));
    Value total = op.createOver(b, loc, parts, all.take_front(kept));
    Type result = op->getResult(0).getType();
    return total.getType() == result
               ? total
               : sg::CastOp::create(b, loc, result, total).getResult();
  }

private:
  ColumnSums columns;
};

class Decompose : public reprise::impl::SgDecomposeBase<Decompose> {
  using SgDecomposeBase::SgDecomposeBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    FailureOr<std::unique_ptr<Target>> library = libraryOf();
    if (failed(library))
      return signalPassFailure();
    RewritePatternSet decompositions(context), splits(context);
    populateDecomposePatterns(decompositions);
    bool addsByParts = *library && (*library)->addsColumnsByParts();
    populateSplitReductionPatterns(splits, addsByParts ? ColumnSums::Whole
                                                       : ColumnSums::Split);
    FrozenRewritePatternSet frozen(std::move(decompositions));
    // The next round visits the ops that a decomposition emits.
    Progress progress;
    while (DecomposeOpInterface composite = firstComposite()) {
      progress.replaced = 0;
      walkAndApplyPatterns(getOperation(), frozen, &progress);
      if (progress.replaced == 0) {
        composite->emitOpError("cannot be decomposed");
        return signalPassFailure();
      }
    }
    flattenConvolutions();
    sg::populatePatchPatterns(splits);
    walkAndApplyPatterns(getOperation(), std::move(splits));
    moveCasts();
    if (*library)
      formConvolutions(**library);
    if (*library && (*library)->bytesAreTime())
      lookEarly();
    if (fuse)
      addBiases(library->get());
    if (addGradients && *library)
      sumGradients(**library);
    sg::settleMarks(getOperation());
  }

  void flattenConvolutions() {
    RewritePatternSet patterns(&getContext());
    sg::populateFlatConvolutionPatterns(patterns);
    sg::populateDepthwiseVolumePatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }

  /// Moves casts past all ops that they may pass.
  void moveCasts() {
    RewritePatternSet patterns(&getContext());
    sg::populateCastMotionPatterns(patterns);
    FrozenRewritePatternSet frozen(std::move(patterns));
    Progress progress;
    do {
      progress.replaced = 0;
      walkAndApplyPatterns(getOperation(), frozen, &progress);
      // The reads of the other type have no readers any more.
      for (Block &block : getOperation().getBody())
        for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
          if (isOpTriviallyDead(&op))
            op.erase();
    } while (progress.replaced > 0);
  }

  /// Brings convolutions to the library's form. A tensor derived from an image
  /// is computed once: sg-recompute-cheap, which runs where ops share kernels,
  /// chooses whether the backward pass recomputes it.
  void formConvolutions(const Target &library) {
    RewritePatternSet forms(&getContext());
    sg::populateConvolutionFormPatterns(
        forms, {[&](Type type) {
                  return library.channelMultiple(elementTypeOf(type));
                },
                [&](Type type) {
                  return library.stridesAsChannels(elementTypeOf(type));
                },
                [&](Type type) {
                  return library.avoidsSpreading(elementTypeOf(type));
                }});
    Inserted inserted;
    walkAndApplyPatterns(getOperation(), std::move(forms), &inserted);
    if (fuse)
      for (Operation *op : inserted.ops)
        shareEarlier(op);
  }

  /// Erases an op if an earlier op of its block computes the same.
  static void shareEarlier(Operation *op) {
    if (op->getNumOperands() == 0 || !isPure(op))
      return;
    for (Operation *other : op->getOperand(0).getUsers())
      if (other->getBlock() == op->getBlock() && other->isBeforeInBlock(op) &&
          OperationEquivalence::isEquivalentTo(
              other, op, OperationEquivalence::exactValueMatch,
              /*markEquivalent=*/nullptr,
              OperationEquivalence::IgnoreLocations |
                  OperationEquivalence::IgnoreDiscardableAttrs)) {
        op->replaceAllUsesWith(other);
        op->erase();
        return;
      }
  }

  /// Computes the positions of maxima early where recomputing their operands
  /// takes time.
  void lookEarly() {
    RewritePatternSet patterns(&getContext());
    sg::populateEarlyMaximaPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }

  /// Moves biases into products, where the library takes them; `library` may be
  /// null.
  void addBiases(const Target *library) {
    RewritePatternSet additions(&getContext());
    sg::populateProductBiasPatterns(additions, [&](Type bias, Type stored) {
      return !library ||
             library->takesBias(elementTypeOf(bias), elementTypeOf(stored));
    });
    walkAndApplyPatterns(getOperation(), std::move(additions));
  }

  /// Sums gradients in products, where the library can.
  void sumGradients(Target &library) {
    for (Block &block : getOperation().getBody())
      sg::addUpGradients(block, [&](Operation *op) {
        std::optional<rt::LibraryCallDesc> call = describeLibraryCall(op);
        return call && library.addsInPlace(*call);
      });
  }

  /// Returns null if any target will do.
  FailureOr<std::unique_ptr<Target>> libraryOf() {
    if (target.empty())
      return std::unique_ptr<Target>();
    return createTargetFor(getOperation(), target);
  }

  struct Progress : public RewriterBase::Listener {
    uint64_t replaced = 0;
    void notifyOperationErased(Operation *) override { ++replaced; }
  };

  /// Records the ops that patterns insert.
  struct Inserted : public RewriterBase::Listener {
    llvm::SetVector<Operation *> ops;
    void notifyOperationInserted(Operation *op,
                                 OpBuilder::InsertPoint) override {
      ops.insert(op);
    }
    void notifyOperationErased(Operation *op) override { ops.remove(op); }
  };

  /// Returns null if there is none.
  DecomposeOpInterface firstComposite() {
    DecomposeOpInterface first;
    getOperation().walk([&](DecomposeOpInterface op) {
      if (!isComposite(op))
        return WalkResult::advance();
      first = op;
      return WalkResult::interrupt();
    });
    return first;
  }
};
} // namespace

void reprise::populateDecomposePatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeComposite>(patterns.getContext());
}

void reprise::populateSplitReductionPatterns(RewritePatternSet &patterns,
                                             ColumnSums columns) {
  patterns.add<SplitReduction>(patterns.getContext(), columns);
}
