//===- Clipping.cpp - Gradients of a bounded norm -------------------------===//
//
// Input:   the gradients of all parameters, and the clipping limit.
// Output:  their norm, the factor to multiply them by, and, where the limit
//          follows from earlier steps, the variables that hold an average.
// Method:  the norm is computed parameter by parameter in their order. A norm
//          that is not finite leaves the average alone; so does a step that
//          loss scaling skips, because a gradient that is not finite makes the
//          norm not finite.
// Fails:   where a name is taken.
//
//===----------------------------------------------------------------------===//

#include "Clipping.h"
#include "StepVariables.h"
#include "reprise/IR/Origin.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static constexpr llvm::StringLiteral kAverage = "gradient_norm.average";
static constexpr llvm::StringLiteral kCount = "gradient_norm.count";

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static std::string describe(const char *name, double value,
                            const char *wanted) {
  std::string text;
  llvm::raw_string_ostream(text) << name << " is " << value << "; " << wanted;
  return text;
}

std::string sg::findWrong(const Clipping &clipping) {
  if (!(clipping.norm >= 0) || !std::isfinite(clipping.norm))
    return describe("clip-norm", clipping.norm,
                    "it must be finite and not negative");
  if (clipping.norm != 0 && clipping.isAverage())
    return std::string("clip-norm needs the mode pre_defined, but the mode "
                       "is ") +
           termName(clipping.mode);
  if (!(clipping.tolerance > 0) || !std::isfinite(clipping.tolerance))
    return describe("clip-tolerance", clipping.tolerance,
                    "it must be finite and above 0");
  if (!(clipping.momentum >= 0 && clipping.momentum <= 1))
    return describe("clip-momentum", clipping.momentum,
                    "it must be between 0 and 1");
  return "";
}

static RankedTensorType averageType(MLIRContext *context) {
  return RankedTensorType::get({}, Float64Type::get(context));
}
static RankedTensorType countType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 64));
}

LogicalResult sg::checkClipping(func::FuncOp function, SymbolTable &symbols,
                                const Clipping &clipping) {
  for (unsigned k = 0; k < function.getNumResults(); ++k) {
    auto name =
        function.getResultAttrOfType<StringAttr>(k, SgDialect::kNameAttr);
    if (name && name.getValue() == kGradientNorm)
      return function.emitError()
             << "result " << k << " has the name '" << kGradientNorm
             << "' of the one that clip-norm adds; give it another";
  }
  if (!clipping.isAverage())
    return success();
  MLIRContext *context = function.getContext();
  if (failed(checkStepVariable(symbols, kAverage, averageType(context),
                               "clipping")))
    return failure();
  return checkStepVariable(symbols, kCount, countType(context), "clipping");
}

//===----------------------------------------------------------------------===//
// The norm
//===----------------------------------------------------------------------===//

Value sg::toF32(OpBuilder &builder, Location loc, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  if (type.getElementType().isF32())
    return x;
  return CastOp::create(
      builder, loc,
      RankedTensorType::get(type.getShape(), builder.getF32Type()), x);
}

Value sg::sumOf(OpBuilder &builder, Location loc, Value x) {
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  if (rank == 0)
    return x;
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  return ReduceSumOp::create(builder, loc, x, dims);
}

namespace {

/// One of the norms, over several tensors.
class NormBuilder {
public:
  NormBuilder(OpBuilder &builder, Location loc, NormType type)
      : builder(builder), loc(loc), type(type) {}

  /// Returns the norm of all tensors as one vector, in f32.
  Value normOf(ArrayRef<ParameterGradient> gradients) {
    Value all;
    for (const ParameterGradient &one : gradients) {
      Value part = partOf(toF32(builder, loc, one.gradient));
      all = all ? join(all, part) : part;
    }
    return type == NormType::Two ? SqrtOp::create(builder, loc, all) : all;
  }

private:
  /// Returns the term that a tensor adds to the norm.
  Value partOf(Value x) {
    if (type == NormType::Two)
      return sumOf(builder, loc, MulOp::create(builder, loc, x, x));
    Value size = AbsOp::create(builder, loc, x);
    if (type == NormType::One)
      return sumOf(builder, loc, size);
    int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    return rank ? ReduceMaxOp::create(builder, loc, size, dims) : size;
  }

  Value join(Value a, Value b) {
    if (type == NormType::Infinity)
      return MaximumOp::create(builder, loc, a, b);
    return AddOp::create(builder, loc, a, b);
  }

  OpBuilder &builder;
  Location loc;
  NormType type;
};

} // namespace

//===----------------------------------------------------------------------===//
// Averages
//===----------------------------------------------------------------------===//

namespace {

/// The average of the earlier steps' norms, and the next average.
class NormAverage {
public:
  NormAverage(OpBuilder &builder, Location loc, const Clipping &clipping)
      : builder(builder), loc(loc), clipping(clipping),
        wide(averageType(builder.getContext())),
        whole(countType(builder.getContext())) {
    average = read(kAverage, wide);
    count = read(kCount, whole);
    hasAverage = CompareOp::create(builder, loc, ComparePredicate::GT, count,
                                   createSplat(builder, loc, whole, 0));
  }

  /// Returns the limit to which gradients are clipped, in f32.
  Value limit() {
    Value limit =
        MulOp::create(builder, loc, average, splat(clipping.tolerance));
    return toF32(builder, loc, limit);
  }

  /// Returns `scale`, or 1 if there is no average yet.
  Value scaleOf(Value scale, Value one) {
    return SelectOp::create(builder, loc, hasAverage, scale, one);
  }

  /// Writes the values of both variables at the end of the step.
  void take(Value norm) {
    // x - x is 0, or NaN where x is not finite.
    Value defect = SubOp::create(builder, loc, norm, norm);
    Value isFinite =
        CompareOp::create(builder, loc, ComparePredicate::EQ, defect, defect);
    Value next =
        AddOp::create(builder, loc, count, createSplat(builder, loc, whole, 1));
    Value newest = CastOp::create(builder, loc, wide, norm);
    Value joined = clipping.mode == ClipMode::Average ? meanWith(newest, next)
                                                      : movedTo(newest);
    write(kAverage, SelectOp::create(builder, loc, isFinite, joined, average));
    write(kCount, SelectOp::create(builder, loc, isFinite, next, count));
  }

private:
  Value splat(double value) { return createSplat(builder, loc, wide, value); }

  Value read(StringRef name, RankedTensorType type) {
    return ReadOp::create(builder, loc, type,
                          FlatSymbolRefAttr::get(builder.getContext(), name));
  }
  void write(StringRef name, Value value) {
    WriteOp::create(builder, loc,
                    FlatSymbolRefAttr::get(builder.getContext(), name), value);
  }

  /// Returns a + (norm - a) / n, of n norms.
  Value meanWith(Value norm, Value number) {
    Value divisor = CastOp::create(builder, loc, wide, number);
    Value away = SubOp::create(builder, loc, norm, average);
    Value share = DivOp::create(builder, loc, away, divisor);
    return AddOp::create(builder, loc, average, share);
  }

  /// Returns m a + (1 - m) norm, or the norm if it is the first.
  Value movedTo(Value norm) {
    Value old = MulOp::create(builder, loc, average, splat(clipping.momentum));
    Value part =
        MulOp::create(builder, loc, norm, splat(1 - clipping.momentum));
    Value moved = AddOp::create(builder, loc, old, part);
    return SelectOp::create(builder, loc, hasAverage, moved, norm);
  }

  OpBuilder &builder;
  Location loc;
  const Clipping &clipping;
  RankedTensorType wide, whole;
  Value average, count, hasAverage;
};

} // namespace

ClippedStep sg::emitClipping(OpBuilder &builder,
                             ArrayRef<ParameterGradient> gradients,
                             SymbolTable &symbols, const Clipping &clipping) {
  Location loc = NameLoc::get(builder.getStringAttr(kGradientNorm));
  OriginScope scope(builder, kGradientNorm);
  ClippedStep step;
  step.norm = NormBuilder(builder, loc, clipping.normType).normOf(gradients);
  auto type = cast<RankedTensorType>(step.norm.getType());
  std::optional<NormAverage> average;
  if (clipping.isAverage()) {
    MLIRContext *context = builder.getContext();
    auto zeros = InitAttr::get(context, InitKind::Zeros, TypedAttr());
    declareStepVariable(symbols, loc, kCount, countType(context), zeros);
    declareStepVariable(symbols, loc, kAverage, averageType(context), zeros);
    average.emplace(builder, loc, clipping);
  }
  Value margin = createSplat(builder, loc, type, 1e-6);
  Value most = average ? average->limit()
                       : createSplat(builder, loc, type, clipping.norm);
  Value one = createSplat(builder, loc, type, 1);
  Value sum = AddOp::create(builder, loc, step.norm, margin);
  Value ratio = DivOp::create(builder, loc, most, sum);
  step.scale = MinimumOp::create(builder, loc, ratio, one);
  if (average) {
    step.scale = average->scaleOf(step.scale, one);
    average->take(step.norm);
  }
  return step;
}
