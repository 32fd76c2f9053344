//===- Product.cpp - Matrix products --------------------------------------===//

#include "../Models.h"
#include "reprise/IR/Kernel.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

using Values = SmallVector<Value>;

template <typename Adaptor>
static LogicalResult multiply(std::optional<Location> loc, Adaptor adaptor,
                              SmallVectorImpl<Type> &types) {
  auto a = tensorOf(adaptor.getLhs()), b = tensorOf(adaptor.getRhs());
  int64_t rank = a.getRank();
  if (rank < 2 || b.getRank() != rank ||
      a.getElementType() != b.getElementType())
    return emitOptionalError(loc, "matmul needs two tensors of equal rank, at "
                                  "least 2, and equal element type");
  for (int64_t d = 0; d < rank - 2; ++d)
    if (a.getDimSize(d) != b.getDimSize(d))
      return emitOptionalError(loc, "matmul of batches ", a.getDimSize(d),
                               " and ", b.getDimSize(d));
  bool ta = adaptor.getTransposeA(), tb = adaptor.getTransposeB();
  int64_t m = a.getDimSize(rank - (ta ? 1 : 2));
  int64_t ka = a.getDimSize(rank - (ta ? 2 : 1));
  int64_t kb = b.getDimSize(rank - (tb ? 1 : 2));
  int64_t n = b.getDimSize(rank - (tb ? 2 : 1));
  if (ka != kb)
    return emitOptionalError(loc, "matmul contracts ", ka, " with ", kb);
  SmallVector<int64_t> shape(a.getShape().drop_back(2));
  shape.append({m, n});
  types.push_back(RankedTensorType::get(shape, a.getElementType()));
  return success();
}

LogicalResult MatMulOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return multiply(loc, adaptor, types);
}

LogicalResult MatMulBiasOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  if (failed(multiply(loc, adaptor, types)))
    return failure();
  auto product = cast<RankedTensorType>(types.front());
  auto bias = tensorOf(adaptor.getBias());
  Type element = product.getElementType(),
       wide = Float32Type::get(element.getContext());
  if (!isWider(wide, element))
    wide = element;
  auto expected = RankedTensorType::get(product.getShape().take_back(), wide);
  if (bias != expected && bias != expected.clone(element))
    return emitOptionalError(loc, "a bias of ", product, " is ", expected,
                             ", but is ", bias);
  return success();
}

/// With A and B as stored and ta, tb their flags, and D the cotangent:
///   dA = D op(B)^T, transposed if ta; dB = op(A)^T D, transposed if tb.
/// A flag on the operands does every transposition. A cotangent that is wider
/// than the operands is rounded to their type: products take one type.
static LogicalResult matMulVjp(MatMulOp op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy)
    return success();
  Emitter e(context.builder, op.getLoc());
  dy = e.as(dy, op.getLhs());
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  if (context.needsGradient(op.getLhsMutable())) {
    Value b = context.forward(op.getRhs());
    context.addGradient(op.getLhsMutable(),
                        ta ? e.make<MatMulOp>(b, dy, tb, true)
                           : e.make<MatMulOp>(dy, b, false, !tb));
  }
  if (context.needsGradient(op.getRhsMutable())) {
    Value a = context.forward(op.getLhs());
    context.addGradient(op.getRhsMutable(),
                        tb ? e.make<MatMulOp>(dy, a, true, ta)
                           : e.make<MatMulOp>(a, dy, !ta, false));
  }
  return success();
}

/// Product and sum at least in f32, and one rounding after the sum.
static Values decompose(MatMulBiasOp op, Emitter &e) {
  auto type = tensorOf(op.getResult());
  Type sums = tensorOf(op.getLhs()).getElementType(),
       wide = Float32Type::get(op.getContext());
  if (isWider(wide, sums))
    sums = wide;
  auto vector = tensorOf(op.getBias()).clone(sums);
  Value bias = op.getBias().getType() == vector
                   ? op.getBias()
                   : e.make<CastOp>(vector, op.getBias());
  Value product = e.make<MatMulOp>(type.clone(sums), op.getLhs(), op.getRhs(),
                                   op.getTransposeA(), op.getTransposeB());
  Value sum = e.add(product, e.trailing(bias, product));
  return {e.as(sum, op.getResult())};
}

//===----------------------------------------------------------------------===//
// Cost and library call
//===----------------------------------------------------------------------===//

template <typename OpTy> static uint64_t productFlops(Operation *op) {
  auto product = cast<OpTy>(op);
  auto lhs = tensorOf(product.getLhs());
  uint64_t contracted =
      lhs.getDimSize(lhs.getRank() - (product.getTransposeA() ? 2 : 1));
  return 2 * elements(product.getResult()) * contracted;
}

static uint64_t matMulBiasFlops(Operation *op) {
  return productFlops<MatMulBiasOp>(op) + elements(op->getResult(0));
}

namespace {
/// A product's bias is an epilogue.
template <typename OpTy>
struct MatMulModel
    : LibraryOpInterface::ExternalModel<MatMulModel<OpTy>, OpTy> {
  StringRef getLibraryFunction(Operation *) const { return "matmul"; }
  SmallVector<int64_t> getLibraryParameters(Operation *op) const {
    auto matmul = cast<OpTy>(op);
    bool a = matmul.getTransposeA(), b = matmul.getTransposeB();
    return {a, b};
  }
  SmallVector<LibraryEpilogue> getLibraryEpilogues(Operation *) const {
    if (std::is_same_v<OpTy, MatMulBiasOp>)
      return {LibraryEpilogue::Bias};
    return {};
  }
};
} // namespace

void sg::registerProductModels(MLIRContext *context) {
  attachVjp<MatMulOp, matMulVjp>(context);
  attachDecomposition<MatMulBiasOp, decompose>(context);
  MatMulOp::attachInterface<MatMulModel<MatMulOp>>(*context);
  MatMulBiasOp::attachInterface<MatMulModel<MatMulBiasOp>>(*context);
  attachLibraryCost<productFlops<MatMulOp>, MatMulOp>(context);
  attachLibraryCost<matMulBiasFlops, MatMulBiasOp>(context);
  attachAutocast<AutocastRule::Narrow, MatMulOp>(context);
}
