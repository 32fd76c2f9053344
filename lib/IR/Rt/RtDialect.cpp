//===- RtDialect.cpp - Registration and attributes of rt ------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reprise/IR/Rt.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::rt_dialect;

#include "reprise/IR/RtDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "reprise/IR/RtAttrs.cpp.inc"

#include "reprise/IR/RtInterfaces.cpp.inc"

void RtDialect::initialize() {
  registerAttributes();
  registerOps();
}

void RtDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "reprise/IR/RtAttrs.cpp.inc"
      >();
}

LogicalResult RtDialect::verifyOperationAttribute(Operation *op,
                                                  NamedAttribute attribute) {
  StringRef name = attribute.getName().strref();
  Attribute value = attribute.getValue();
  if (name == kCertificateAttr && isa<CertificateAttr>(value) &&
      isa<FunctionOpInterface>(op))
    return success();
  if (name == kCommandAttr && isa<StringAttr>(value) && isa<ProgramOp>(op))
    return success();
  return op->emitOpError() << "has attribute '" << name
                           << "', which is none of those known: a "
                              "#rt.certificate '"
                           << kCertificateAttr << "' on functions, a string '"
                           << kCommandAttr << "' on programs";
}

std::optional<Reason> rt_dialect::reasonOf(BufferKind kind) {
  switch (kind) {
  case BufferKind::Input:
    return Reason::Input;
  case BufferKind::Output:
    return Reason::Result;
  case BufferKind::Workspace:
    return Reason::Workspace;
  default:
    return std::nullopt;
  }
}

bool rt_dialect::isStorable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return false;
  Type element = tensor.getElementType();
  if (element.isSignlessInteger())
    return llvm::is_contained({1u, 8u, 32u, 64u},
                              element.getIntOrFloatBitWidth());
  return isa<Float32Type, BFloat16Type, Float16Type, Float64Type>(element);
}

/// Returns true if the bytes of a shape with strides can be counted in 62 bits.
static bool isCountable(RankedTensorType type, ArrayRef<int64_t> strides) {
  constexpr int64_t limit = int64_t(1) << 58;
  int64_t dense = 1, reach = 0;
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    int64_t span;
    if (__builtin_mul_overflow(dense, std::max<int64_t>(extent, 1), &dense) ||
        dense > limit)
      return false;
    if (strides.empty())
      continue;
    if (__builtin_mul_overflow(std::max<int64_t>(extent - 1, 0), strides[dim],
                               &span) ||
        __builtin_add_overflow(reach, span, &reach) || reach > limit)
      return false;
  }
  return true;
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef device, StringRef,
                                 uint64_t alignment) {
  if (device.empty())
    return emitError() << "a target needs the name of its device";
  if (!isAlignment(alignment))
    return emitError() << "a target aligns buffers to a power of two from "
                       << kAlignment << " to " << kMaxAlignment
                       << " bytes, not to " << alignment;
  return success();
}

//===----------------------------------------------------------------------===//
// Annotations for people and tools
//===----------------------------------------------------------------------===//

void StepAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printString(getName());
  printer << " in ";
  printer.printString(getModule());
  printer << " " << termName(getPhase()) << ", flops " << getFlops()
          << ", bytes " << getBytes();
  if (getPicoseconds())
    printer << ", takes " << getPicoseconds();
  if (getCloneOf())
    printer << ", again " << *getCloneOf();
  if (getIsAsked())
    printer << ", asked";
  printer << ">";
}

/// ", takes N", ", again N" and ", asked", each at most once, in any order.
static ParseResult parseStepExtras(AsmParser &parser, uint64_t &picoseconds,
                                   std::optional<uint64_t> &cloneOf,
                                   bool &isAsked) {
  llvm::SmallDenseSet<StringRef> seen;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef word;
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    if (!seen.insert(word).second)
      return parser.emitError(at) << "'" << word << "' a second time";
    if (word == "asked") {
      isAsked = true;
    } else if (word == "takes") {
      if (parser.parseInteger(picoseconds))
        return failure();
    } else if (word == "again") {
      if (parser.parseInteger(cloneOf.emplace()))
        return failure();
    } else {
      return parser.emitError(at) << "expected takes, again or asked";
    }
  }
  return success();
}

Attribute StepAttr::parse(AsmParser &parser, Type) {
  std::string name, module;
  uint64_t flops = 0, bytes = 0, picoseconds = 0;
  std::optional<uint64_t> cloneOf;
  bool isAsked = false;
  if (parser.parseLess() || parser.parseString(&name) ||
      parser.parseKeyword("in") || parser.parseString(&module))
    return {};
  FailureOr<Phase> phase = parseTerm<Phase>(parser);
  if (failed(phase) || parser.parseComma() || parser.parseKeyword("flops") ||
      parser.parseInteger(flops) || parser.parseComma() ||
      parser.parseKeyword("bytes") || parser.parseInteger(bytes) ||
      parseStepExtras(parser, picoseconds, cloneOf, isAsked) ||
      parser.parseGreater())
    return {};
  return StepAttr::get(parser.getContext(), name, module, *phase, flops, bytes,
                       picoseconds, cloneOf, isAsked);
}

LogicalResult
CertificateAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        uint64_t budget, PointAttr plan, PointAttr plain,
                        PointAttr smallest, uint64_t bound, uint64_t,
                        uint64_t provenBytes, StringRef, ArrayRef<PinnedAttr>) {
  if (plan.getBytes() > budget)
    return emitError() << "the plan of a certificate takes " << plan.getBytes()
                       << " bytes, more than the budget of " << budget;
  if (bound > plan.getPicoseconds())
    return emitError() << "the plan of a certificate takes "
                       << plan.getPicoseconds()
                       << " ps, less than the bound of " << bound;
  for (PointAttr point : {plan, plain, smallest})
    if (point.getBytes() < provenBytes)
      return emitError() << "a schedule of a certificate takes "
                         << point.getBytes() << " bytes, less than the proven "
                         << provenBytes;
  return success();
}

LogicalResult ViewAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               uint32_t, uint64_t, RankedTensorType type,
                               ArrayRef<int64_t> strides) {
  if (!isStorable(type))
    return emitError() << "a view needs a statically shaped tensor of f32, "
                          "bf16, f16, f64, i1, i8, i32 or i64, but has "
                       << type;
  if (!strides.empty() &&
      static_cast<int64_t>(strides.size()) != type.getRank())
    return emitError() << "a view has " << strides.size() << " strides for "
                       << type.getRank() << " dimensions";
  if (llvm::any_of(strides, [](int64_t stride) { return stride < 0; }))
    return emitError() << "a view has a negative stride";
  if (!isCountable(type, strides))
    return emitError() << "a view of " << type
                       << " has more than 2^58 elements";
  return success();
}

uint64_t ViewAttr::getBytes() const {
  if (getStrides().empty())
    return sg::byteSize(getType());
  if (getType().getNumElements() == 0)
    return 0;
  uint64_t last = 0;
  for (auto [extent, stride] :
       llvm::zip_equal(getType().getShape(), getStrides()))
    last += (extent - 1) * stride;
  return (last + 1) *
         sg::byteSize(RankedTensorType::get({}, getType().getElementType()));
}

bool ViewAttr::isDense() const {
  if (getStrides().empty())
    return true;
  int64_t dense = 1;
  for (auto [extent, stride] :
       llvm::reverse(llvm::zip_equal(getType().getShape(), getStrides()))) {
    if (extent != 1 && stride != dense)
      return false;
    dense *= extent;
  }
  return true;
}
