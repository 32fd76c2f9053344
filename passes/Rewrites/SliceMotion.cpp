//===- SliceMotion.cpp - Rows of products from rows of operands -----------===//

#include "SliceMotion.h"
#include "reprise/IR/Kernel.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Product.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// Returns true if the slice takes whole consecutive rows of the first
/// dimension.
static bool takesRows(SliceOp slice) {
  ArrayRef<int64_t> shape = tensorOf(slice.getOperand()).getShape();
  if (shape.size() < 2 ||
      llvm::any_of(slice.getStrides(), [](int64_t s) { return s != 1; }))
    return false;
  for (unsigned d = 1; d < shape.size(); ++d)
    if (slice.getStarts()[d] != 0 || slice.getLimits()[d] != shape[d])
      return false;
  return true;
}

/// Returns true if the part computed twice is a small part of the product.
static bool takesFew(SliceOp slice) {
  constexpr int64_t share = 8;
  return tensorOf(slice.getResult()).getDimSize(0) * share <=
         tensorOf(slice.getOperand()).getDimSize(0);
}

/// The rows of `value` that `like` takes of another tensor with the same rows.
static Value rowsOf(Value value, SliceOp like, OpBuilder &b) {
  SmallVector<int64_t> limits(tensorOf(value).getShape());
  limits[0] = like.getLimits()[0];
  SmallVector<int64_t> starts(limits.size(), 0), strides(limits.size(), 1);
  starts[0] = like.getStarts()[0];
  return SliceOp::create(b, like.getLoc(), value, starts, limits, strides);
}

namespace {
/// Computes rows of a value from the rows of its operands.
class RowMaker {
public:
  RowMaker(SliceOp like, OpBuilder &b) : like(like), b(b) {}
  Value make(Value value);

private:
  Value emit(Value value);

  SliceOp like;
  OpBuilder &b;
  llvm::DenseMap<Value, Value> made;
};
} // namespace

Value RowMaker::make(Value value) {
  if (Value known = made.lookup(value))
    return known;
  Value rows = emit(value);
  made[value] = rows;
  return rows;
}

Value RowMaker::emit(Value value) {
  Operation *op = value.getDefiningOp();
  SmallVector<int64_t> shape(tensorOf(value).getShape());
  shape[0] = tensorOf(like.getResult()).getDimSize(0);
  auto type = tensorOf(value).clone(shape);
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  if (auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                            : SplatElementsAttr())
    return ConstantOp::create(b, like.getLoc(),
                              splat.resizeSplat(cast<ShapedType>(type)));
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op))
    if (!llvm::is_contained(broadcast.getDims(), 0))
      return BroadcastOp::create(b, like.getLoc(), type, broadcast.getOperand(),
                                 broadcast.getDims());
  if (!isa_and_nonnull<PointwiseOpInterface>(op) ||
      op->hasAttr(SgDialect::kKeepAttr))
    return rowsOf(value, like, b);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(make(operand));
  Operation *copy = b.clone(*op);
  if (OriginAttr origin = originOf(like))
    setOrigin(copy, origin);
  copy->setOperands(operands);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

namespace {
struct SliceOperand : public OpRewritePattern<SliceOp> {
  SliceOperand(MLIRContext *context, std::function<bool(Operation *)> isKernel)
      : OpRewritePattern(context), isKernel(std::move(isKernel)) {}

  LogicalResult matchAndRewrite(SliceOp slice,
                                PatternRewriter &rewriter) const override {
    Operation *product = slice.getOperand().getDefiningOp();
    std::optional<ProductParts> parts =
        product ? productParts(product) : std::nullopt;
    if (!parts || !takesRows(slice) || !isKernel(product) ||
        phaseOf(product) != phaseOf(slice))
      return rewriter.notifyMatchFailure(slice, "it takes no rows of one");
    if (!takesFew(slice) ||
        llvm::all_of(product->getUsers(), llvm::IsaPred<SliceOp>))
      return rewriter.notifyMatchFailure(slice, "it would be most of it again");
    Operation *copy = product->clone();
    copy->removeAttr(SgDialect::kKeepAttr);
    if (OriginAttr origin = originOf(slice))
      setOrigin(copy, origin);
    copy->getResult(0).setType(slice.getType());
    if (!isKernel(copy)) {
      copy->destroy();
      return rewriter.notifyMatchFailure(slice, "a library has the bits");
    }
    OriginScope scope(rewriter, slice);
    Value left = mustStay(parts->left)
                     ? rowsOf(parts->left, slice, rewriter)
                     : RowMaker(slice, rewriter).make(parts->left);
    constexpr unsigned leftOperand = 0;
    copy->setOperand(leftOperand, left);
    rewriter.insert(copy);
    rewriter.replaceOp(slice, copy->getResults());
    return success();
  }

private:
  /// Returns true if an op other than such a product reads its left operand.
  bool mustStay(Value left) const {
    return llvm::any_of(left.getUsers(), [&](Operation *user) {
      return !productParts(user) || !isKernel(user);
    });
  }

  std::function<bool(Operation *)> isKernel;
};
} // namespace

void sg::populateSliceMotionPatterns(
    RewritePatternSet &patterns, std::function<bool(Operation *)> isKernel) {
  patterns.add<SliceOperand>(patterns.getContext(), std::move(isKernel));
}
