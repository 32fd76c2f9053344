//===- Checks.cpp - Calls that compare numbers ----------------------------===//
#include "Models.h"

#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;
using namespace reprise::stablehlo;

namespace {
/// How two real numbers may differ.
struct Tolerance {
  double absolute = 0;
  /// Numbers of the element type between the two, plus one.
  uint64_t ulps = 0;
};
} // namespace

/// The place of a number among those of its type.
static int64_t placeOf(FloatType type, const Tensor &tensor, int64_t i) {
  uint64_t bits = hlo::bitsOf(type, tensor, i);
  uint64_t sign = uint64_t(1) << (type.getWidth() - 1);
  return bits & sign ? -int64_t(bits ^ sign) : int64_t(bits);
}

static bool areEqual(const Tensor &a, const Tensor &b, int64_t i,
                     FloatType type, const Tolerance &tolerance) {
  double x = a.getReals()[i], y = b.getReals()[i];
  if (x == y || (x != x && y != y))
    return true;
  if (!std::isfinite(x) || !std::isfinite(y))
    return false;
  if (std::fabs(x - y) <= tolerance.absolute)
    return true;
  int64_t from = placeOf(type, a, i), to = placeOf(type, b, i);
  uint64_t distance =
      from > to ? uint64_t(from) - uint64_t(to) : uint64_t(to) - uint64_t(from);
  return distance <= tolerance.ulps;
}

/// Returns nothing for a call that is no check.
static std::optional<Tolerance> toleranceOf(CustomCallOp op, StringRef target) {
  if (target == "eq")
    return Tolerance{};
  if (target == "close") {
    auto most = op->getAttrOfType<IntegerAttr>("max_ulp_difference");
    return Tolerance{0, most ? most.getValue().getZExtValue() : 3};
  }
  if (target == "almost_eq") {
    auto most = op->getAttrOfType<FloatAttr>("tolerance");
    return Tolerance{most ? most.getValueAsDouble() : 1e-4, 0};
  }
  return std::nullopt;
}

hlo::Results hlo::evaluateCheck(CustomCallOp op, Operands operands) {
  StringRef target = op.getCallTargetName();
  std::optional<Tolerance> tolerance;
  if (target.consume_front("check."))
    tolerance = (target.consume_front("expect_"), toleranceOf(op, target));
  if (!tolerance || operands.size() != 2)
    return op.emitOpError() << "is not evaluated";
  const Tensor &a = *operands[0], &b = *operands[1];
  if (a.getType() != b.getType())
    return misfit(op);
  Type element = a.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  auto real = dyn_cast<FloatType>(element);
  int64_t parts = a.isComplex() ? 2 : 1;
  for (int64_t i = 0; i < parts * a.size(); ++i) {
    if (real ? areEqual(a, b, i, real, *tolerance)
             : a.integer(i) == b.integer(i))
      continue;
    InFlightDiagnostic error = op.emitOpError();
    if (real)
      error << "finds " << a.getReals()[i] << " where " << b.getReals()[i];
    else if (cast<IntegerType>(element).isUnsigned())
      error << "finds " << hlo::bitsOf(element, a, i) << " where "
            << hlo::bitsOf(element, b, i);
    else
      error << "finds " << a.integer(i) << " where " << b.integer(i);
    return error << " is expected, at element " << i / parts;
  }
  if (op.getNumResults() == 0)
    return SmallVector<Tensor>();
  auto type = dyn_cast<RankedTensorType>(op.getResultTypes().front());
  if (op.getNumResults() != 1 || !type || type.getRank() != 0 ||
      !type.getElementType().isInteger(1))
    return misfit(op);
  return SmallVector<Tensor>{Tensor::splat(type, 1)};
}
