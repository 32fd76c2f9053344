//===- SgBindings.cpp - Roles of inputs and outputs -----------------------===//
//
// One table of roles: the side of each, the tensor it takes, whether a function
// may have several. It checks functions and entries of programs.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reprise/IR/Sg.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

LogicalResult
sg::BindingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        BindingRole role, StringAttr variable) {
  bool needed = role == BindingRole::Gradient;
  bool given = variable && !variable.getValue().empty();
  if (needed == given && given == static_cast<bool>(variable))
    return success();
  return emitError() << "binding " << stringifyBindingRole(role)
                     << (needed ? " needs the name of its variable"
                                : " is of no variable");
}

LogicalResult
IndexRangeAttr::verify(function_ref<InFlightDiagnostic()> emitError, IndexUse,
                       int64_t limit, std::optional<int64_t>,
                       ArrayRef<int64_t> runs) {
  if (limit <= 0)
    return emitError() << "a range of indices ends at " << limit
                       << ", which is not above 0";
  bool isIncreasing = llvm::is_sorted(runs, std::less_equal<int64_t>());
  if (runs.empty() || runs.size() % 2 != 0 || runs.front() < 0 || !isIncreasing)
    return emitError() << "the runs of a range of indices are not pairs of "
                          "increasing numbers";
  return success();
}

std::string sg::whyNotInRanges(ArrayAttr ranges, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0)
    return "ranges of indices are for tensors with rows";
  Type element = tensor.getElementType();
  bool isInteger =
      element.isSignlessInteger(32) || element.isSignlessInteger(64);
  int64_t elements =
      tensor.getDimSize(0) ? tensor.getNumElements() / tensor.getDimSize(0) : 0;
  for (Attribute attribute : ranges) {
    auto range = dyn_cast<IndexRangeAttr>(attribute);
    if (!range)
      return "ranges of indices are an array of #sg.index_range";
    bool isProbability = range.getUse() == IndexUse::Probability;
    if (isProbability ? !isa<FloatType>(element) : !isInteger)
      return "ranges of classes and rows are for tensors of i32 or i64, ranges "
             "of probabilities for floating-point numbers";
    if (range.getRuns().back() > elements)
      return "a range of indices ends at element " +
             std::to_string(range.getRuns().back()) + " of rows of " +
             std::to_string(elements);
  }
  return "";
}

static bool isReal(RankedTensorType type, int64_t rank) {
  return type.getRank() == rank && isa<FloatType>(type.getElementType());
}

static bool isInteger(RankedTensorType type, int64_t rank, unsigned width) {
  return type.getRank() == rank &&
         type.getElementType().isSignlessInteger(width);
}

/// The required tensor of the role; empty if `type` is valid.
static StringRef wanted(BindingRole role, RankedTensorType type) {
  auto unless = [](bool good, StringRef text) {
    return good ? StringRef() : text;
  };
  switch (role) {
  case BindingRole::Data:
  case BindingRole::Gradient:
    return "";
  case BindingRole::Label:
    return unless(isInteger(type, 1, 32), "a vector of i32");
  case BindingRole::LearningRate:
  case BindingRole::MixRatio:
  case BindingRole::Loss:
  case BindingRole::Metric:
    return unless(isReal(type, 0), "a floating-point scalar");
  case BindingRole::Seed:
  case BindingRole::Step:
    return unless(isInteger(type, 0, 64), "a scalar of i64");
  case BindingRole::Logits:
    return unless(isReal(type, 2), "a floating-point matrix");
  case BindingRole::NonFinite:
    return unless(isInteger(type, 0, 1), "a scalar of i1");
  }
  llvm_unreachable("unknown role");
}

static bool isOfSide(BindingRole role, BindingSide side) {
  if (role == BindingRole::Data)
    return true;
  bool isInput = role < BindingRole::Loss || role == BindingRole::MixRatio;
  return isInput == (side == BindingSide::Input);
}

bool sg::mayRepeat(BindingRole role) {
  return role == BindingRole::Data || role == BindingRole::Metric ||
         role == BindingRole::Gradient;
}

std::string sg::whyNotBound(BindingRole role, Type type, BindingSide side) {
  std::string name = stringifyBindingRole(role).str();
  if (!isOfSide(role, side))
    return "the role '" + name + "' is one of " +
           (side == BindingSide::Input ? "outputs" : "inputs");
  auto tensor = dyn_cast<RankedTensorType>(type);
  StringRef rule = tensor ? wanted(role, tensor) : StringRef("a ranked tensor");
  if (role == BindingRole::Data || rule.empty())
    return "";
  std::string text;
  llvm::raw_string_ostream(text)
      << "the role '" << name << "' is for " << rule << ", not for " << type;
  return text;
}

BindingRole sg::roleOf(DictionaryAttr attributes) {
  auto binding = attributes
                     ? attributes.getAs<BindingAttr>(SgDialect::kBindingAttr)
                     : BindingAttr();
  return binding ? binding.getRole() : BindingRole::Data;
}

/// Checks the role of argument or result `index` and that no earlier one has
/// it.
static LogicalResult verifyBinding(FunctionOpInterface op, BindingAttr binding,
                                   unsigned index, BindingSide side) {
  bool isInput = side == BindingSide::Input;
  const char *what = isInput ? "argument " : "result ";
  ArrayRef<Type> types = isInput ? op.getArgumentTypes() : op.getResultTypes();
  if (index >= types.size())
    return success();
  std::string reason = whyNotBound(binding.getRole(), types[index], side);
  if (!reason.empty())
    return op->emitOpError() << "binds " << what << index << ", but " << reason;
  for (unsigned other = 0; other < index && !mayRepeat(binding.getRole());
       ++other)
    if (roleOf(isInput ? op.getArgAttrDict(other)
                       : op.getResultAttrDict(other)) == binding.getRole())
      return op->emitOpError()
             << "binds " << what << other << " and " << what << index
             << " as its '" << stringifyBindingRole(binding.getRole()) << "'";
  return success();
}

/// Verifies attributes that both arguments and results may have: a name, a
/// binding. None for any other attribute.
static std::optional<LogicalResult>
verifyNameOrBinding(Operation *op, unsigned index, NamedAttribute attribute,
                    BindingSide side) {
  StringRef name = attribute.getName().strref();
  if (name == SgDialect::kNameAttr && isa<StringAttr>(attribute.getValue()))
    return success();
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto binding = dyn_cast<BindingAttr>(attribute.getValue());
  if (!binding || name != SgDialect::kBindingAttr || !function)
    return std::nullopt;
  return verifyBinding(function, binding, index, side);
}

LogicalResult SgDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                  unsigned index,
                                                  NamedAttribute attribute) {
  if (auto verified =
          verifyNameOrBinding(op, index, attribute, BindingSide::Input))
    return *verified;
  StringRef name = attribute.getName().strref();
  auto ranges = dyn_cast<ArrayAttr>(attribute.getValue());
  if (auto function = dyn_cast<FunctionOpInterface>(op);
      function && ranges && name == kIndexRangesAttr) {
    std::string reason =
        whyNotInRanges(ranges, function.getArgumentTypes()[index]);
    if (!reason.empty())
      return op->emitOpError()
             << "has argument " << index << ", but " << reason;
    return success();
  }
  auto offset = dyn_cast<IntegerAttr>(attribute.getValue());
  if (name == kOffsetAttr && offset && offset.getType().isInteger(64) &&
      offset.getInt() >= 0)
    return success();
  return op->emitOpError() << "has an argument with attribute '" << name
                           << "'; only a string '" << kNameAttr
                           << "', a #sg.binding '" << kBindingAttr
                           << "', an array '" << kIndexRangesAttr
                           << "' and an i64 '" << kOffsetAttr
                           << "' of at least 0 are known";
}

LogicalResult SgDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                     unsigned index,
                                                     NamedAttribute attribute) {
  if (auto verified =
          verifyNameOrBinding(op, index, attribute, BindingSide::Output))
    return *verified;
  return op->emitOpError() << "has a result with attribute '"
                           << attribute.getName().strref()
                           << "'; only a string '" << kNameAttr
                           << "' and a #sg.binding '" << kBindingAttr
                           << "' are known";
}
