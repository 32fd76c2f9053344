//===- ProductBias.cpp - Bias additions as part of products ---------------===//
//
// A library adds a bias to sums before it stores them, so that the product
// itself is not written and read again. Bits are those of the separate ops,
// since the sums and the addition are in one type and rounded once.
//
//===----------------------------------------------------------------------===//

#include "ProductBias.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Sg.h"
#include <optional>

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

/// The vector that `value` repeats for each row, or null.
static Value vectorOf(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  auto type = cast<RankedTensorType>(value.getType());
  if (!broadcast ||
      broadcast.getDims() != ArrayRef<int64_t>{type.getRank() - 1})
    return {};
  // A single number is repeated along the last dimension, too.
  Value vector = broadcast.getOperand();
  bool isWhole = cast<RankedTensorType>(vector.getType()).getDimSize(0) ==
                 type.getShape().back();
  return isWhole ? vector : Value();
}

/// The product that computes `value`, perhaps through views that keep its last
/// dimension, if nothing else reads it.
static MatMulOp productOf(Value value) {
  int64_t last = cast<RankedTensorType>(value.getType()).getShape().back();
  while (value.hasOneUse()) {
    if (auto product = value.getDefiningOp<MatMulOp>())
      return product;
    auto view = value.getDefiningOp<ReshapeOp>();
    if (!view)
      return {};
    value = view.getOperand();
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(value.getType()).getShape();
    if (shape.empty() || shape.back() != last)
      return {};
  }
  return {};
}

namespace {
struct BiasedProduct {
  MatMulOp product;
  Value bias;
};
} // namespace

/// The product to whose unrounded sums the op adds a vector.
static std::optional<BiasedProduct> biasedProduct(AddOp op) {
  if (cast<RankedTensorType>(op.getType()).getRank() == 0)
    return std::nullopt;
  for (unsigned side : {0u, 1u}) {
    Value bias = vectorOf(op->getOperand(1 - side));
    MatMulOp product = productOf(op->getOperand(side));
    if (!bias || !product)
      continue;
    Type narrow = elementOf(product.getLhs());
    Type sums = elementOf(product.getResult());
    if (sums != elementOf(bias) ||
        !(isWider(sums, narrow) || isa<Float32Type>(narrow)))
      continue;
    return BiasedProduct{product, bias};
  }
  return std::nullopt;
}

/// The cast after the sum, if it is to the type of the product's operands and
/// nothing else reads the sum.
static CastOp roundingOf(AddOp op, MatMulOp product) {
  if (!op->hasOneUse())
    return {};
  auto rounding = dyn_cast<CastOp>(*op->user_begin());
  if (rounding &&
      elementOf(rounding.getResult()) == elementOf(product.getLhs()))
    return rounding;
  return {};
}

/// The bias before it was widened for the addition, if it is as narrow as the
/// stored type.
static Value asNarrow(Value bias, Type stored) {
  auto widening = bias.getDefiningOp<CastOp>();
  bool wasNarrow = widening && elementOf(widening.getOperand()) == stored;
  return wasNarrow ? widening.getOperand() : bias;
}

/// Replaces `last`, the sum or its rounding. The other ops are left without
/// users.
static void replace(Operation *last, const BiasedProduct &found,
                    PatternRewriter &rewriter) {
  MatMulOp product = found.product;
  auto type = cast<RankedTensorType>(last->getResult(0).getType());
  auto flat = cast<RankedTensorType>(product.getResult().getType())
                  .clone(type.getElementType());
  Location loc = product.getLoc();
  Value result;
  {
    OriginScope scope(rewriter, product);
    MatMulBiasOp::Properties properties;
    properties.transpose_a = product.getTransposeAAttr();
    properties.transpose_b = product.getTransposeBAttr();
    result = MatMulBiasOp::create(
        rewriter, loc, TypeRange{flat},
        ValueRange{product.getLhs(), product.getRhs(), found.bias}, properties);
    if (flat != type)
      result = ReshapeOp::create(rewriter, loc, type, result);
  }
  rewriter.replaceOp(last, result);
}

namespace {

struct AddToProduct : public OpRewritePattern<AddOp> {
  AddToProduct(MLIRContext *context, TakesBias takes)
      : OpRewritePattern(context), takes(std::move(takes)) {}

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<BiasedProduct> found = biasedProduct(op);
    if (!found)
      return rewriter.notifyMatchFailure(op, "adds no vector to a product");
    if (roundingOf(op, found->product))
      return rewriter.notifyMatchFailure(op, "is rounded, and goes with that");
    if (!takes(elementOf(found->bias), elementOf(op)))
      return rewriter.notifyMatchFailure(op, "is not for the library");
    replace(op, *found, rewriter);
    return success();
  }

  TakesBias takes;
};

struct RoundBiasedProduct : public OpRewritePattern<CastOp> {
  RoundBiasedProduct(MLIRContext *context, TakesBias takes)
      : OpRewritePattern(context), takes(std::move(takes)) {}

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto sum = op.getOperand().getDefiningOp<AddOp>();
    std::optional<BiasedProduct> found =
        sum ? biasedProduct(sum) : std::nullopt;
    if (!found || roundingOf(sum, found->product) != op)
      return rewriter.notifyMatchFailure(op, "rounds no biased product");
    found->bias = asNarrow(found->bias, elementOf(op));
    if (!takes(elementOf(found->bias), elementOf(op)))
      return rewriter.notifyMatchFailure(op, "is not for the library");
    replace(op, *found, rewriter);
    return success();
  }

  TakesBias takes;
};

} // namespace

void sg::populateProductBiasPatterns(RewritePatternSet &patterns,
                                     const TakesBias &takes) {
  patterns.add<AddToProduct, RoundBiasedProduct>(patterns.getContext(), takes);
}
