//===- LossScaling.cpp - Gradients that f16 can hold ----------------------===//
//
// Input:   a function with a backward pass of a scaled loss and an optimizer's
//          updates.
// Output:  the same with gradients of the loss itself, updates that may be
//          skipped, and the next scale.
// Fails:   where a name is taken.
//
//===----------------------------------------------------------------------===//

#include "LossScaling.h"
#include "StepVariables.h"
#include "reprise/IR/Origin.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static constexpr llvm::StringLiteral kScale = "loss_scale";
static constexpr llvm::StringLiteral kTracker = "loss_scale.growth_tracker";

// torch.amp.GradScaler's defaults.
static constexpr double kFirstScale = 65536, kGrowth = 2, kBackoff = 0.5;
static constexpr int64_t kGrowthInterval = 2000;

// GradScaler has no limits. Below the smallest normal number of f16 the
// cotangent loses bits, and a scale of 0 never grows; 2^24 is NVIDIA Apex's.
static constexpr double kSmallestScale = 0x1p-14, kLargestScale = 0x1p24;

static RankedTensorType scaleType(MLIRContext *context) {
  return RankedTensorType::get({}, Float32Type::get(context));
}
static RankedTensorType trackerType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 64));
}

LogicalResult sg::checkLossScaling(SymbolTable &symbols) {
  MLIRContext *context = symbols.getOp()->getContext();
  if (failed(checkStepVariable(symbols, kScale, scaleType(context),
                               "loss scaling")))
    return failure();
  return checkStepVariable(symbols, kTracker, trackerType(context),
                           "loss scaling");
}

void sg::declareLossScale(SymbolTable &symbols) {
  MLIRContext *context = symbols.getOp()->getContext();
  Builder builder(context);
  auto loc = NameLoc::get(builder.getStringAttr(kScale));
  declareStepVariable(symbols, loc, kTracker, trackerType(context),
                      InitAttr::get(context, InitKind::Zeros, TypedAttr()));
  declareStepVariable(symbols, loc, kScale, scaleType(context),
                      InitAttr::get(context, InitKind::Constant,
                                    builder.getF64FloatAttr(kFirstScale)));
}

static Value read(OpBuilder &builder, Location loc, StringRef name,
                  RankedTensorType type) {
  return ReadOp::create(builder, loc, type,
                        FlatSymbolRefAttr::get(builder.getContext(), name));
}

Value sg::readLossScale(OpBuilder &builder, Location loc) {
  return read(builder, loc, kScale, scaleType(builder.getContext()));
}

SmallVector<ParameterGradient>
sg::unscale(func::FuncOp function, ArrayRef<ParameterGradient> gradients) {
  OpBuilder builder(function.getBody().front().getTerminator());
  Location loc = NameLoc::get(builder.getStringAttr(kScale));
  OriginScope scope(builder, kScale);
  Value scale = readLossScale(builder, loc);
  Value one =
      createSplat(builder, loc, cast<RankedTensorType>(scale.getType()), 1);
  Value inverse = DivOp::create(builder, loc, one, scale);
  SmallVector<ParameterGradient> unscaled;
  for (const ParameterGradient &each : gradients) {
    auto type = cast<RankedTensorType>(each.gradient.getType());
    Value factor = inverse;
    if (!type.getElementType().isF32())
      factor = CastOp::create(builder, loc,
                              RankedTensorType::get({}, type.getElementType()),
                              factor);
    factor =
        BroadcastOp::create(builder, loc, type, factor, ArrayRef<int64_t>());
    Value gradient = MulOp::create(builder, loc, each.gradient, factor);
    unscaled.push_back({each.parameter, gradient});
  }
  return unscaled;
}

/// Lets a write keep what it would change.
static void keepOldWhere(Value isBad, WriteOp write) {
  OpBuilder builder(write);
  OriginScope scope(builder, write);
  Location loc = write.getLoc();
  auto type = cast<RankedTensorType>(write.getValue().getType());
  Value old = ReadOp::create(builder, loc, type, write.getVariableAttr());
  Value mask =
      BroadcastOp::create(builder, loc, type.clone(builder.getI1Type()), isBad,
                          ArrayRef<int64_t>());
  Value next = SelectOp::create(builder, loc, mask, old, write.getValue());
  write.getValueMutable().assign(next);
}

/// Halved after a bad step, doubled after many good ones, within the limits.
static void writeNextScale(OpBuilder &builder, Location loc, Value isBad) {
  MLIRContext *context = builder.getContext();
  auto scalar = scaleType(context);
  auto count = trackerType(context);
  Value scale = readLossScale(builder, loc);
  Value good = read(builder, loc, kTracker, count);
  Value next =
      AddOp::create(builder, loc, good, createSplat(builder, loc, count, 1));
  Value isDue =
      CompareOp::create(builder, loc, ComparePredicate::GE, next,
                        createSplat(builder, loc, count, kGrowthInterval));
  Value larger = MulOp::create(builder, loc, scale,
                               createSplat(builder, loc, scalar, kGrowth));
  Value smaller = MulOp::create(builder, loc, scale,
                                createSplat(builder, loc, scalar, kBackoff));
  Value zero = createSplat(builder, loc, count, 0);
  Value grown = SelectOp::create(builder, loc, isDue, larger, scale);
  Value counted = SelectOp::create(builder, loc, isDue, zero, next);
  grown = SelectOp::create(builder, loc, isBad, smaller, grown);
  grown = MaximumOp::create(builder, loc, grown,
                            createSplat(builder, loc, scalar, kSmallestScale));
  grown = MinimumOp::create(builder, loc, grown,
                            createSplat(builder, loc, scalar, kLargestScale));
  counted = SelectOp::create(builder, loc, isBad, zero, counted);
  WriteOp::create(builder, loc, FlatSymbolRefAttr::get(context, kScale), grown);
  WriteOp::create(builder, loc, FlatSymbolRefAttr::get(context, kTracker),
                  counted);
}

void sg::keepWhere(Value isBad, func::FuncOp function, Operation *last) {
  Block &body = function.getBody().front();
  SmallVector<WriteOp> writes;
  for (auto it = last ? std::next(Block::iterator(last)) : body.begin();
       it != body.end(); ++it)
    if (auto write = dyn_cast<WriteOp>(*it))
      writes.push_back(write);
  for (WriteOp write : writes)
    keepOldWhere(isBad, write);
}

void sg::skipWhere(Value isBad, func::FuncOp function, Operation *last) {
  keepWhere(isBad, function, last);
  Block &body = function.getBody().front();
  OpBuilder builder(body.getTerminator());
  OriginScope scope(builder, kScale);
  writeNextScale(builder, NameLoc::get(builder.getStringAttr(kScale)), isBad);
}
