//===- SharedLayers.cpp - Random layers that share a weight ---------------===//

#include "SharedLayers.h"
#include "Layers.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::random_graphs;

static RankedTensorType typeOf(Value x) {
  return cast<RankedTensorType>(x.getType());
}

/// `x` in the element type of `like`.
static Value as(OpBuilder &b, Value x, Value like) {
  RankedTensorType type = typeOf(x).clone(typeOf(like).getElementType());
  if (x.getType() == type)
    return x;
  return sg::CastOp::create(b, b.getUnknownLoc(), type, x);
}

/// x (...,C) by a matrix (C,C), by a filter (C,3,3,C), or scaled and shifted by
/// a vector (C). Activations keep what is stacked of moderate size.
Value SharedLayers::apply(Kind kind, Value x, Value weight) {
  Location loc = b.getUnknownLoc();
  if (kind == Kind::Vector) {
    Value row = sg::broadcastTrailing(b, loc, weight, typeOf(x));
    Value scaled = sg::MulOp::create(b, loc, x, row);
    Value shifted = random.oneIn(2)
                        ? sg::AddOp::create(b, loc, scaled, row).getResult()
                        : scaled;
    return sg::TanhOp::create(b, loc, shifted);
  }
  if (kind == Kind::Filter) {
    SmallVector<int64_t> ones = {1, 1}, padding = {1, 1, 1, 1};
    Value y = sg::Conv2DOp::create(b, loc, x, weight, ones, padding, ones,
                                   /*groups=*/1);
    return sg::TanhOp::create(b, loc, y);
  }
  int64_t width = typeOf(x).getShape().back();
  auto type = typeOf(x).clone({typeOf(x).getNumElements() / width, width});
  bool isMatrix = typeOf(x) == type;
  Value rows =
      isMatrix ? x : sg::ReshapeOp::create(b, loc, type, x).getResult();
  Value product = sg::MatMulOp::create(b, loc, rows, weight,
                                       /*transpose_a=*/false,
                                       /*transpose_b=*/random.oneIn(2));
  Value bounded = sg::TanhOp::create(b, loc, product);
  return isMatrix
             ? bounded
             : sg::ReshapeOp::create(b, loc, typeOf(x), bounded).getResult();
}

/// The variable of `read` once more, in the element type of `like`.
Value SharedLayers::readAgain(Value read, Value like) {
  auto variable = read.getDefiningOp<sg::ReadOp>().getVariableAttr();
  Value again =
      sg::ReadOp::create(b, b.getUnknownLoc(), read.getType(), variable);
  return as(b, again, like);
}

/// Applies the weight in a block that takes it or reads it itself, twice at
/// times, and that may hand it out for later uses.
Value SharedLayers::applyInBlock(Kind kind, Value x, Value read, Value &weight,
                                 StringRef path) {
  Location loc = b.getUnknownLoc();
  bool takes = random.oneIn(2), handsOut = random.oneIn(3);
  SmallVector<Value> inputs = {x};
  if (takes)
    inputs.push_back(weight);
  SmallVector<Type> types = {x.getType()};
  if (handsOut)
    types.push_back(weight.getType());
  auto block = sg::SgModuleOp::create(b, loc, types, inputs, path);
  block.setActivationCheckpointing(annotates && random.oneIn(2));
  Block &body = block.getBody().front();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&body);
  Value y = body.getArgument(0);
  Value inner = takes ? body.getArgument(1) : readAgain(read, y);
  for (int64_t uses = random.between(1, 2); uses > 0; --uses)
    y = apply(kind, y, inner);
  SmallVector<Value> results = {y};
  if (handsOut)
    results.push_back(inner);
  sg::YieldOp::create(b, loc, results);
  if (handsOut)
    weight = block->getResult(1);
  return block->getResult(0);
}

Value SharedLayers::any(Value x, StringRef path) {
  int64_t width = typeOf(x).getShape().back();
  bool isImage = typeOf(x).getRank() == 4;
  Kind kind = random.oneIn(3)              ? Kind::Vector
              : isImage && random.oneIn(2) ? Kind::Filter
                                           : Kind::Matrix;
  SmallVector<int64_t> shape = {width};
  if (kind == Kind::Matrix)
    shape = {width, width};
  if (kind == Kind::Filter)
    shape = {width, 3, 3, width};
  Value read = state.parameter(b, path, shape);
  Value weight = as(b, read, x);
  for (int64_t use = 0, uses = random.between(2, 4); use < uses; ++use) {
    if (random.oneIn(4))
      weight = readAgain(read, x);
    if (random.oneIn(3))
      x = applyInBlock(kind, x, read, weight,
                       (path + ".use" + Twine(use)).str());
    else
      x = apply(kind, x, weight);
  }
  return x;
}
