//===- SgTransformerOps.cpp - Inference and rules of transformers' layers -===//

#include "Verify.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Layer normalization
//===----------------------------------------------------------------------===//

/// The type (...) with gamma's element type, for x (...,C).
static RankedTensorType rowStatistics(Value x, Value gamma) {
  return RankedTensorType::get(tensorType(x).getShape().drop_back(),
                               getElementTypeOrSelf(gamma.getType()));
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX(), gamma = adaptor.getGamma();
  if (failed(checkChannels(loc, x, {gamma, adaptor.getBeta()})))
    return failure();
  RankedTensorType row = rowStatistics(x, gamma);
  types.append({x.getType(), row, row});
  return success();
}

LogicalResult LayerNormGradOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX(), gamma = adaptor.getGamma();
  if (failed(checkChannels(loc, x, {gamma})))
    return failure();
  if (adaptor.getDy().getType() != x.getType())
    return emitOptionalError(loc, "cotangent ", adaptor.getDy().getType(),
                             " differs from the input ", x.getType());
  RankedTensorType row = rowStatistics(x, gamma);
  for (Value statistic : {adaptor.getMean(), adaptor.getRstd()})
    if (statistic.getType() != row)
      return emitOptionalError(loc, "normalization of ", x.getType(), " needs ",
                               row, ", but has ", statistic.getType());
  types.append({x.getType(), gamma.getType(), gamma.getType()});
  return success();
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// The type in which sums and statistics of an element type are kept.
static Type wideOf(Type element) {
  Type wide = Float32Type::get(element.getContext());
  return isWider(wide, element) ? wide : element;
}

namespace {
/// The types of the values of an attention.
struct AttentionTypes {
  RankedTensorType result, lse;
};
} // namespace

/// Fails, with an error at `loc`, if qkv or bias do not fit an attention.
static FailureOr<AttentionTypes> attentionTypes(std::optional<Location> loc,
                                                Value qkv, Value bias) {
  auto type = tensorType(qkv);
  if (type.getRank() != 5 || type.getDimSize(2) != 3)
    return emitOptionalError(loc,
                             "queries, keys and values are (B,N,3,H,D), "
                             "but are ",
                             type);
  int64_t batch = type.getDimSize(0), tokens = type.getDimSize(1),
          heads = type.getDimSize(3), width = type.getDimSize(4);
  Type element = type.getElementType(), wide = wideOf(element);
  if (bias) {
    auto given = tensorType(bias);
    bool fits = given.getRank() == 4 && given.getElementType() == wide &&
                given.getDimSize(0) > 0 && batch % given.getDimSize(0) == 0 &&
                given.getShape().drop_front() ==
                    ArrayRef<int64_t>{heads, tokens, tokens};
    if (!fits)
      return emitOptionalError(
          loc, "a bias of scores of ", type, " is ",
          RankedTensorType::get({1, heads, tokens, tokens}, wide),
          ", or several of them that divide the samples, but is ", given);
  }
  return AttentionTypes{
      RankedTensorType::get({batch, tokens, heads, width}, element),
      RankedTensorType::get({batch, heads, tokens}, wide)};
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto found = attentionTypes(loc, adaptor.getQkv(), adaptor.getBias());
  if (failed(found))
    return failure();
  types.append({found->result, found->lse});
  return success();
}

LogicalResult AttentionGradOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  Value qkv = adaptor.getQkv(), bias = adaptor.getBias();
  auto found = attentionTypes(loc, qkv, bias);
  if (failed(found))
    return failure();
  for (auto [value, type] :
       {std::pair<Value, RankedTensorType>(adaptor.getY(), found->result),
        {adaptor.getLse(), found->lse},
        {adaptor.getDy(), found->result}})
    if (value.getType() != type)
      return emitOptionalError(loc, "attention of ", qkv.getType(), " needs ",
                               type, ", but has ", value.getType());
  types.push_back(qkv.getType());
  if (bias)
    types.push_back(bias.getType());
  return success();
}

/// The scale must be finite, so that scores are numbers. Dropout has all of its
/// operands or none; a probability of zero must be omitted.
template <typename OpTy> static LogicalResult verifyAttention(OpTy op) {
  if (!op.getScale().isFinite())
    return op.emitOpError() << "needs a scale that is a number";
  bool drops = bool(op.getSeed());
  if (drops != bool(op.getStep()) || drops != op.getStream().has_value() ||
      drops != op.getProbability().has_value())
    return op.emitOpError() << "needs seed, step, probability and stream to "
                               "drop weights, or none of them";
  if (!drops)
    return success();
  double probability = op.getProbability()->convertToDouble();
  if (!(probability > 0.0 && probability < 1.0))
    return op.emitOpError()
           << "needs a probability between 0 and 1, but has " << probability;
  return success();
}

LogicalResult AttentionOp::verify() { return verifyAttention(*this); }
LogicalResult AttentionGradOp::verify() { return verifyAttention(*this); }

//===----------------------------------------------------------------------===//
// Moving by index
//===----------------------------------------------------------------------===//

LogicalResult RollOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto from = tensorType(adaptor.getOperand());
  if (!from.hasStaticShape())
    return emitOptionalError(loc, "roll needs a static shape, but has ", from);
  if (static_cast<int64_t>(adaptor.getShifts().size()) != from.getRank())
    return emitOptionalError(loc, "roll of rank ", from.getRank(), " has ",
                             adaptor.getShifts().size(), " shifts");
  for (auto [shift, extent] : llvm::zip(adaptor.getShifts(), from.getShape()))
    if (shift <= -extent || shift >= extent)
      return emitOptionalError(loc, "roll by ", shift, " does not fit extent ",
                               extent);
  types.push_back(from);
  return success();
}

static LogicalResult checkIndices(std::optional<Location> loc, Value indices) {
  Type element = getElementTypeOrSelf(indices.getType());
  if (!element.isInteger(32) && !element.isInteger(64))
    return emitOptionalError(loc, "indices must be i32 or i64, but are ",
                             element);
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto table = tensorType(adaptor.getTable());
  if (table.getRank() < 1)
    return emitOptionalError(loc, "gather needs a table of rank 1 or more");
  SmallVector<int64_t> shape(tensorType(adaptor.getIndices()).getShape());
  llvm::append_range(shape, table.getShape().drop_front());
  types.push_back(RankedTensorType::get(shape, table.getElementType()));
  return checkIndices(loc, adaptor.getIndices());
}

LogicalResult GatherGradOp::verify() {
  auto table = tensorType(getResult()), dy = tensorType(getDy());
  if (table.getRank() < 1)
    return emitOpError() << "needs a table of rank 1 or more";
  SmallVector<int64_t> shape(tensorType(getIndices()).getShape());
  llvm::append_range(shape, table.getShape().drop_front());
  auto expected = RankedTensorType::get(shape, table.getElementType());
  if (dy != expected)
    return emitOpError() << "of a table " << table << " needs a cotangent "
                         << expected << ", but has " << dy;
  return checkIndices(getLoc(), getIndices());
}
