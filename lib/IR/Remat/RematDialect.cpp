//===- RematDialect.cpp - Registration and attributes of remat ------------===//
#include "reprise/IR/Remat.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::remat;

#include "reprise/IR/RematDialect.cpp.inc"
#include "reprise/IR/RematInterfaces.cpp.inc"
#define GET_OP_CLASSES
#include "reprise/IR/RematOps.cpp.inc"

void RematDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "reprise/IR/RematOps.cpp.inc"
      >();
}

std::optional<unsigned> BarrierOp::getRematViewSource() {
  return getInputMutable().getOperandNumber();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The required form of an attribute of the dialect; `isValid` receives op and
/// value.
namespace {
struct Rule {
  llvm::StringLiteral name;
  bool (*isValid)(Operation *op, Attribute value);
  llvm::StringLiteral expected;
};
} // namespace

/// The value of an i64 attribute, -1 for any other attribute.
static int64_t integerOf(Attribute value) {
  auto integer = dyn_cast<IntegerAttr>(value);
  return integer && integer.getType().isInteger(64) ? integer.getInt() : -1;
}

static bool isUnit(Operation *, Attribute value) {
  return isa<UnitAttr>(value);
}

static bool isCost(Operation *, Attribute value) {
  auto cost = dyn_cast<FloatAttr>(value);
  if (!cost || !cost.getType().isF64())
    return false;
  double milliseconds = cost.getValueAsDouble();
  return milliseconds >= 0 && milliseconds <= 1e9;
}

static constexpr int64_t kMostBytes = int64_t(1) << 56;

static bool isBytes(Operation *op, Attribute value) {
  auto bytes = dyn_cast<DenseI64ArrayAttr>(value);
  return bytes && bytes.size() == int64_t(op->getNumResults()) &&
         llvm::all_of(bytes.asArrayRef(), [](int64_t count) {
           return count >= 0 && count < kMostBytes;
         });
}

static bool isWorkspace(Operation *, Attribute value) {
  int64_t bytes = integerOf(value);
  return bytes >= 0 && bytes < kMostBytes;
}

static bool isView(Operation *op, Attribute value) {
  int64_t operand = integerOf(value);
  return op->getNumResults() == 1 && operand >= 0 &&
         operand < int64_t(op->getNumOperands());
}

static bool isInPlace(Operation *op, Attribute value) {
  auto pairs = dyn_cast<DenseI64ArrayAttr>(value);
  if (!pairs || pairs.size() % 2 != 0)
    return false;
  for (int64_t k = 0; k < pairs.size(); k += 2)
    if (pairs[k] < 0 || pairs[k] >= int64_t(op->getNumResults()) ||
        pairs[k + 1] < 0 || pairs[k + 1] >= int64_t(op->getNumOperands()))
      return false;
  return true;
}

static bool isPhase(Operation *, Attribute value) {
  auto phase = dyn_cast<StringAttr>(value);
  return phase && (phase == "forward" || phase == "backward");
}

static bool isCount(Operation *, Attribute value) {
  return integerOf(value) >= 1;
}

static constexpr Rule kRules[] = {
    {RematDialect::kCost, isCost,
     "an f64 of milliseconds, at least 0 and at most 1e9"},
    {RematDialect::kBytes, isBytes,
     "an array of i64, one for each result, at least 0 and below 2^56"},
    {RematDialect::kWorkspace, isWorkspace,
     "an i64 of bytes, at least 0 and below 2^56"},
    {RematDialect::kPure, isUnit, "a unit"},
    {RematDialect::kFixed, isUnit, "a unit"},
    {RematDialect::kView, isView,
     "an i64 that numbers an operand of an op with one result"},
    {RematDialect::kInPlace, isInPlace,
     "an array of i64, pairs of a result and an operand of the op"},
    {RematDialect::kPhase, isPhase, "\"forward\" or \"backward\""},
    {RematDialect::kRecomputed, isCount, "an i64 of at least 1"},
    {RematDialect::kDestination, isCount, "an i64 of at least 1"}};

/// Returns true if `op`, or an op in its regions, declares effects; false if
/// they only lack the interface. Memory allocated inside `op` is private to it.
static bool saysEffects(Operation *op) {
  auto isOwn = [&](const MemoryEffects::EffectInstance &effect) {
    Value value = effect.getValue();
    return value && op->isAncestor(value.getParentBlock()->getParentOp());
  };
  WalkResult walk = op->walk([&](Operation *inner) {
    auto interface = dyn_cast<MemoryEffectOpInterface>(inner);
    SmallVector<MemoryEffects::EffectInstance> effects;
    if (interface)
      interface.getEffects(effects);
    bool isSeen = !llvm::all_of(effects, [&](const auto &effect) {
      return isOwn(effect) ||
             (inner != op && isa<MemoryEffects::Allocate>(effect.getEffect()));
    });
    return isSeen ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

LogicalResult RematDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName().strref();
  for (const Rule &rule : kRules) {
    if (rule.name != name)
      continue;
    if (!rule.isValid(op, attribute.getValue()))
      return op->emitOpError()
             << "has attribute '" << name << "' of value "
             << attribute.getValue() << "; it must be " << rule.expected;
    if (name == kPure && saysEffects(op))
      return op->emitOpError() << "has attribute '" << kPure
                               << "' but says that it has memory effects";
    return success();
  }
  InFlightDiagnostic error = op->emitOpError()
                             << "has attribute '" << name
                             << "', which is none of those known: ";
  llvm::interleaveComma(kRules, error,
                        [&](const Rule &rule) { error << rule.name; });
  return error;
}

static LogicalResult refuse(Operation *op, const char *what,
                            NamedAttribute attribute) {
  return op->emitOpError() << what << " with attribute '"
                           << attribute.getName().strref()
                           << "'; attributes of remat are for ops";
}

LogicalResult RematDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned,
                                                     NamedAttribute attribute) {
  return refuse(op, "has an argument", attribute);
}

LogicalResult
RematDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                          NamedAttribute attribute) {
  return refuse(op, "has a result", attribute);
}
