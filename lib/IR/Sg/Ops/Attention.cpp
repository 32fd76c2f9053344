//===- Attention.cpp - Attention and its gradient -------------------------===//
//
// bf16 and f16 are computed in f32 and rounded once, at the end.
//
//===----------------------------------------------------------------------===//

#include "reprise/IR/Attention.h"
#include "../Models.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Kernel.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

using Values = SmallVector<Value>;

//===----------------------------------------------------------------------===//
// Types and rules
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
  auto type = tensorOf(qkv);
  if (type.getRank() != 5 || type.getDimSize(2) != 3)
    return emitOptionalError(loc,
                             "queries, keys and values are (B,N,3,H,D), "
                             "but are ",
                             type);
  int64_t batch = type.getDimSize(0), tokens = type.getDimSize(1),
          heads = type.getDimSize(3), width = type.getDimSize(4);
  Type element = type.getElementType(), wide = wideOf(element);
  if (bias) {
    auto given = tensorOf(bias);
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

template <typename OpTy> static AttentionParts commonOf(OpTy op) {
  AttentionParts parts;
  parts.scale = op.getScale().convertToDouble();
  parts.qkv = op.getQkv();
  parts.bias = op.getBias();
  parts.seed = op.getSeed();
  parts.step = op.getStep();
  if (!parts.seed)
    return parts;
  parts.probability = op.getProbability()->convertToDouble();
  parts.stream = static_cast<int64_t>(*op.getStream());
  return parts;
}

std::optional<AttentionParts> sg::attentionParts(Operation *op) {
  if (auto forward = dyn_cast<AttentionOp>(op)) {
    AttentionParts parts = commonOf(forward);
    parts.y = forward.getResult();
    parts.lse = forward.getLse();
    return parts;
  }
  auto grad = dyn_cast<AttentionGradOp>(op);
  if (!grad)
    return std::nullopt;
  AttentionParts parts = commonOf(grad);
  parts.isGrad = true;
  parts.y = grad.getY();
  parts.lse = grad.getLse();
  parts.dy = grad.getDy();
  parts.dqkv = grad.getDqkv();
  parts.dbias = grad.getDbias();
  return parts;
}

//===----------------------------------------------------------------------===//
// Derivative
//===----------------------------------------------------------------------===//

/// Keeps queries, keys and values, the result and the log-sum-exp, no scores.
static LogicalResult attentionVjp(AttentionOp op, VjpContext &context) {
  if (context.cotangent(cast<OpResult>(op.getLse())))
    return op.emitError() << "no gradient flows through the log-sum-exp of "
                          << op->getName();
  Value dy = context.cotangent(cast<OpResult>(op.getResult()));
  Value bias = op.getBias();
  bool wantsBias = bias && context.needsGradient(op.getBiasMutable()[0]);
  if (!dy || !(context.needsGradient(op.getQkvMutable()) || wantsBias))
    return success();
  SmallVector<Value> operands = {context.forward(op.getQkv()),
                                 context.forward(op.getResult()),
                                 context.forward(op.getLse()), dy};
  SmallVector<Type> types = {op.getQkv().getType()};
  if (bias) {
    operands.push_back(context.forward(bias));
    types.push_back(bias.getType());
  }
  AttentionGradOp::Properties properties;
  properties.scale = op.getScaleAttr();
  int drops = op.getSeed() ? 1 : 0;
  properties.operandSegmentSizes = {1, 1, 1, 1, bias ? 1 : 0, drops, drops};
  if (drops) {
    operands.append(
        {context.forward(op.getSeed()), context.forward(op.getStep())});
    properties.probability = op.getProbabilityAttr();
    properties.stream = op.getStreamAttr();
  }
  auto grad = AttentionGradOp::create(context.builder, op.getLoc(), types,
                                      operands, properties);
  if (context.needsGradient(op.getQkvMutable()))
    context.addGradient(op.getQkvMutable(), grad.getDqkv());
  if (wantsBias)
    context.addGradient(op.getBiasMutable()[0], grad.getDbias());
  return success();
}

//===----------------------------------------------------------------------===//
// Decompositions
//===----------------------------------------------------------------------===//

/// Part `which` of P in (B,N,P,H,D), with the heads separated: (B,H,N,D).
static Value headsOf(Emitter &e, Value parts, int64_t which) {
  auto type = tensorOf(parts);
  SmallVector<int64_t> starts(5, 0), limits(type.getShape()), strides(5, 1);
  starts[2] = which;
  limits[2] = which + 1;
  Value one = e.make<SliceOp>(parts, starts, limits, strides);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + 2);
  Value flat = e.make<ReshapeOp>(type.clone(shape), one);
  return e.make<TransposeOp>(flat, ArrayRef<int64_t>{0, 2, 1, 3});
}

/// (B,H,N,D) as part of (B,N,3,H,D): (B,N,1,H,D).
static Value asPart(Emitter &e, Value heads) {
  Value turned = e.make<TransposeOp>(heads, ArrayRef<int64_t>{0, 2, 1, 3});
  SmallVector<int64_t> shape(tensorOf(turned).getShape());
  shape.insert(shape.begin() + 2, 1);
  return e.make<ReshapeOp>(tensorOf(turned).clone(shape), turned);
}

/// A product of matrices with elements of `element`.
static Value product(Emitter &e, Value a, Value b, bool transposeA,
                     bool transposeB, Type element) {
  auto type = tensorOf(a);
  SmallVector<int64_t> shape(type.getShape());
  shape[2] = type.getDimSize(transposeA ? 3 : 2);
  shape[3] = tensorOf(b).getDimSize(transposeB ? 2 : 3);
  return e.make<MatMulOp>(RankedTensorType::get(shape, element), a, b,
                          transposeA, transposeB);
}

/// scale (q . k) + bias, in the type of lse.
static Value scoresOf(Emitter &e, Value q, Value k, double scale, Value bias,
                      Type wide) {
  Value scores = e.scale(product(e, q, k, false, true, wide), scale);
  if (!bias)
    return scores;
  auto type = tensorOf(scores), given = tensorOf(bias);
  int64_t rows = given.getDimSize(0);
  SmallVector<int64_t> apart(given.getShape());
  apart.insert(apart.begin(), type.getDimSize(0) / rows);
  Value split = e.make<ReshapeOp>(type.clone(apart), scores);
  Value repeated = e.make<BroadcastOp>(type.clone(apart), bias,
                                       ArrayRef<int64_t>{1, 2, 3, 4});
  return e.make<ReshapeOp>(type, e.add(split, repeated));
}

/// Drops elements of a tensor (B,H,N,N) as the attention does, if it has
/// dropout.
template <typename OpTy> static Value dropped(OpTy op, Emitter &e, Value x) {
  if (!op.getSeed())
    return x;
  return e.make<DropoutOp>(x.getType(), x, op.getSeed(), op.getStep(),
                           *op.getProbability(), *op.getStream(),
                           /*per_sample=*/false);
}

static Values decompose(AttentionOp op, Emitter &e) {
  Value qkv = op.getQkv();
  Type wide = tensorOf(op.getLse()).getElementType();
  Value q = headsOf(e, qkv, 0), k = headsOf(e, qkv, 1), v = headsOf(e, qkv, 2);
  Value scores =
      scoresOf(e, q, k, op.getScale().convertToDouble(), op.getBias(), wide);
  Value weights = e.as(dropped(op, e, e.make<SoftmaxOp>(scores)), qkv);
  Value mixed =
      product(e, weights, v, false, false, tensorOf(qkv).getElementType());
  Value y = e.make<TransposeOp>(mixed, ArrayRef<int64_t>{0, 2, 1, 3});
  constexpr int64_t last[] = {3};
  Value top = e.make<ReduceMaxOp>(scores, ArrayRef<int64_t>(last));
  Value shifted = e.sub(scores, e.leading(top, scores));
  Value sum = e.make<ReduceSumOp>(e.exp(shifted), ArrayRef<int64_t>(last));
  Value lse = e.add(e.make<LogOp>(sum), top);
  return {y, lse};
}

/// dbias: the sum of (B,H,N,N) over samples of the same row of (P,H,N,N).
static Value sumOfRow(Emitter &e, Value scores, Value bias) {
  auto type = tensorOf(scores), wanted = tensorOf(bias);
  SmallVector<int64_t> apart(wanted.getShape());
  apart.insert(apart.begin(), type.getDimSize(0) / wanted.getDimSize(0));
  Value split = e.make<ReshapeOp>(type.clone(apart), scores);
  return e.make<ReduceSumOp>(split, ArrayRef<int64_t>{0});
}

static Values decompose(AttentionGradOp op, Emitter &e) {
  Value qkv = op.getQkv(), lse = op.getLse(), bias = op.getBias();
  Type narrow = tensorOf(qkv).getElementType(),
       wide = tensorOf(lse).getElementType();
  double scale = op.getScale().convertToDouble();
  Value q = headsOf(e, qkv, 0), k = headsOf(e, qkv, 1), v = headsOf(e, qkv, 2);
  Value dy = e.make<TransposeOp>(op.getDy(), ArrayRef<int64_t>{0, 2, 1, 3});
  Value y = e.make<TransposeOp>(op.getY(), ArrayRef<int64_t>{0, 2, 1, 3});
  Value scores = scoresOf(e, q, k, scale, bias, wide);
  Value p = e.exp(e.sub(scores, e.leading(lse, scores)));
  Value wideY = e.as(y, lse), wideDy = e.as(dy, lse);
  Value delta = e.make<ReduceSumOp>(e.mul(wideY, wideDy), ArrayRef<int64_t>{3});
  Value kept = dropped(op, e, p);
  Value dv = product(e, e.as(kept, qkv), dy, true, false, narrow);
  Value dp = dropped(op, e, product(e, dy, v, false, true, wide));
  Value ds = e.mul(p, e.sub(dp, e.leading(delta, dp)));
  Value scaled = e.as(e.scale(ds, scale), qkv);
  Value dq = product(e, scaled, k, false, false, narrow);
  Value dk = product(e, scaled, q, true, false, narrow);
  SmallVector<Value> parts;
  for (Value part : {dq, dk, dv})
    parts.push_back(asPart(e, part));
  Values results = {e.make<ConcatOp>(ValueRange(parts), 2)};
  if (bias)
    results.push_back(sumOfRow(e, ds, bias));
  return results;
}

//===----------------------------------------------------------------------===//
// Cost, library call and mixed precision
//===----------------------------------------------------------------------===//

/// `products` of all queries with all keys, and `each` operations per score,
/// more if its weight may be dropped.
template <uint64_t products, uint64_t each>
static uint64_t attentionFlops(Operation *op) {
  auto qkv = tensorOf(op->getOperand(0));
  uint64_t tokens = qkv.getDimSize(1), width = qkv.getDimSize(4);
  uint64_t scores = qkv.getDimSize(0) * qkv.getDimSize(3) * tokens * tokens;
  uint64_t draw = each && streamOf(op) ? kRandomFlops + 2 : 0;
  return scores * (2 * width * products + each + draw);
}

/// Each part of the kernel, for queries, keys or a tile of a bias, computes the
/// scores itself.
uint64_t sg::attentionGradKernelFlops(Operation *op) {
  bool hasBias = bool(cast<AttentionGradOp>(op).getBias());
  return hasBias ? attentionFlops<9, 3 * 7>(op) : attentionFlops<7, 2 * 7>(op);
}

namespace {
/// Products of a library, and its operations on the scores between them.
template <typename OpTy, uint64_t products, uint64_t each>
struct AttentionCostModel
    : CostOpInterface::ExternalModel<AttentionCostModel<OpTy, products, each>,
                                     OpTy> {
  uint64_t getFlops(Operation *op) const {
    return attentionFlops<products, each>(op);
  }
  uint64_t getProductFlops(Operation *op) const {
    return attentionFlops<products, 0>(op);
  }
  uint64_t getBytes(Operation *op) const { return operandsAndResults(op); }
  KernelClass getKernelClass(Operation *) const { return KernelClass::Library; }
};

/// "attention" for sg.attention.
template <typename OpTy>
struct AttentionModel
    : LibraryOpInterface::ExternalModel<AttentionModel<OpTy>, OpTy> {
  StringRef getLibraryFunction(Operation *op) const {
    return op->getName().stripDialect();
  }
  SmallVector<int64_t> getLibraryParameters(Operation *op) const {
    SmallVector<int64_t> parameters;
    if (std::optional<int64_t> stream = streamOf(op))
      parameters.push_back(*stream);
    return parameters;
  }
  SmallVector<double> getLibraryFloats(Operation *op) const {
    auto attention = cast<OpTy>(op);
    SmallVector<double> floats = {attention.getScale().convertToDouble()};
    if (std::optional<APFloat> probability = attention.getProbability())
      floats.push_back(probability->convertToDouble());
    return floats;
  }
};

struct AttentionAutocast
    : AutocastOpInterface::ExternalModel<AttentionAutocast, AttentionOp> {
  AutocastRule getAutocastRule(Operation *) const {
    return AutocastRule::Narrow;
  }
  bool staysWide(Operation *op, Value value) const {
    auto attention = cast<AttentionOp>(op);
    return value == attention.getBias() || value == attention.getLse();
  }
};
} // namespace

void sg::registerAttentionModels(MLIRContext *context) {
  attachVjp<AttentionOp, attentionVjp>(context);
  attachDecomposition<AttentionOp, decompose>(context);
  attachDecomposition<AttentionGradOp, decompose>(context);
  AttentionOp::attachInterface<AttentionModel<AttentionOp>>(*context);
  AttentionGradOp::attachInterface<AttentionModel<AttentionGradOp>>(*context);
  AttentionOp::attachInterface<AttentionCostModel<AttentionOp, 2, 6>>(*context);
  AttentionGradOp::attachInterface<AttentionCostModel<AttentionGradOp, 5, 7>>(
      *context);
  AttentionOp::attachInterface<AttentionAutocast>(*context);
}
