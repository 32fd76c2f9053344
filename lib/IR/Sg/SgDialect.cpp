//===- SgDialect.cpp - Registration and shared builders -------------------===//

#include "Models.h"
#include "SgBytecode.h"
#include "SgRemat.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "reprise/IR/Kernel.h"
#include "reprise/IR/TrainedVariables.h"

#include "mlir/Interfaces/FoldInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

#include "reprise/IR/AutocastInterface.cpp.inc"
#include "reprise/IR/SgInterfaces.cpp.inc"

std::optional<int64_t> reprise::streamOf(Operation *op) {
  auto random = dyn_cast<RandomOpInterface>(op);
  return random ? random.getRandomStream() : std::nullopt;
}

#include "reprise/IR/SgDialect.cpp.inc"
#include "reprise/IR/SgEnums.cpp.inc"
/// The instance in an origin: ", 3" or nothing.
static ParseResult parseInstance(AsmParser &parser,
                                 std::optional<int64_t> &instance) {
  if (failed(parser.parseOptionalComma()))
    return success();
  int64_t number = 0;
  if (failed(parser.parseInteger(number)))
    return failure();
  instance = number;
  return success();
}

static void printInstance(AsmPrinter &printer,
                          const std::optional<int64_t> &instance) {
  if (instance)
    printer << ", " << *instance;
}

#define GET_ATTRDEF_CLASSES
#include "reprise/IR/SgAttrs.cpp.inc"

void SgDialect::initialize() {
  registerAttributes();
  registerOps();
  registerInterfaces();
  addBytecodeInterface(*this);
  registerModels();
}

void SgDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "reprise/IR/SgAttrs.cpp.inc"
      >();
}

void SgDialect::registerModels() {
  registerActivationModels(getContext());
  registerAttentionModels(getContext());
  registerCollectiveModels(getContext());
  registerConstantModels(getContext());
  registerConvolutionModels(getContext());
  registerElementwiseModels(getContext());
  registerGatherModels(getContext());
  registerHostMemoryModels(getContext());
  registerLossModels(getContext());
  registerMovementModels(getContext());
  registerNormalizationModels(getContext());
  registerPoolingModels(getContext());
  registerProductModels(getContext());
  registerRandomModels(getContext());
  registerReductionModels(getContext());
  registerStructureModels(getContext());
  registerElementwiseCode(getContext());
  registerRematModels(getContext());
}

namespace {
/// A constant that the backward pass uses is created there: if it were created
/// outside, the backward region would capture it, as if it were kept.
struct SgFoldInterface : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;

  bool shouldMaterializeInto(Region *region) const final {
    return isa<BackwardOp>(region->getParentOp());
  }
};
} // namespace

void SgDialect::registerInterfaces() { addInterfaces<SgFoldInterface>(); }

Operation *SgDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

/// A distribution with a parameter has a number, data have elements, and other
/// kinds have neither.
LogicalResult InitAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               InitKind kind, TypedAttr value) {
  if (kind == InitKind::Elements) {
    if (isa_and_present<DenseElementsAttr, DenseResourceElementsAttr>(value))
      return success();
    return emitError() << "init elements needs them as dense<...> or "
                          "dense_resource<...>";
  }
  bool needed = kind == InitKind::Constant || kind == InitKind::Normal ||
                kind == InitKind::Uniform;
  if (needed ? isa_and_present<FloatAttr>(value) : !value)
    return success();
  return emitError() << "init " << stringifyInitKind(kind)
                     << (needed ? " needs a value" : " has no value");
}

std::string sg::whyNotInitial(InitAttr init, Role role, RankedTensorType type) {
  ElementsAttr elements = init.getElements();
  if (!elements)
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (role == Role::Seed)
    return "is a seed, which a run sets, so that it has no initial elements";
  if (elements.getType() != type) {
    stream << "has initial elements of type " << elements.getType()
           << ", but is of type " << type;
    return text;
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  if (!resource)
    return "";
  if (type.getElementType().isInteger(1))
    return "has initial elements of i1 in a resource; write them as dense<...>";
  // Text may omit resources: code that needs one reports that it is missing.
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob || blob->getData().size() == byteSize(type))
    return "";
  stream << "needs " << byteSize(type)
         << " bytes of initial elements, but its resource '"
         << resource.getRawHandle().getKey() << "' has "
         << blob->getData().size();
  return text;
}

LogicalResult SgDialect::verifyOperationAttribute(Operation *op,
                                                  NamedAttribute attribute) {
  StringRef name = attribute.getName().strref();
  Attribute value = attribute.getValue();
  if (name == kScheduledAttr && isa<UnitAttr>(value) &&
      isa<FunctionOpInterface>(op))
    return success();
  auto path = dyn_cast<StringAttr>(value);
  if (name == kPathAttr && path && !path.empty())
    return success();
  if (name == kOriginAttr && isa<OriginAttr>(value))
    return success();
  auto offsets = dyn_cast<DenseI64ArrayAttr>(value);
  if (name == kOffsetsAttr && offsets &&
      offsets.size() == int64_t(op->getNumResults()) + 1 &&
      llvm::all_of(offsets.asArrayRef(),
                   [](int64_t offset) { return offset >= -1; }))
    return success();
  auto picoseconds = dyn_cast<IntegerAttr>(value);
  if (name == kPicosecondsAttr && picoseconds &&
      picoseconds.getType().isSignlessInteger(64) && picoseconds.getInt() >= 0)
    return success();
  if (name == kKeepAttr && isa<UnitAttr>(value))
    return success();
  if (isTrainingNote(op, attribute))
    return success();
  return op->emitOpError() << "has attribute '" << name
                           << "', which is none of those known: a unit '"
                           << kScheduledAttr << "' on functions, a string '"
                           << kPathAttr << "' that is not empty, a #sg.origin '"
                           << kOriginAttr << "', an array '" << kOffsetsAttr
                           << "' of an i64 for each result and the workspace, "
                              "an i64 '"
                           << kPicosecondsAttr << "' from 0 on, a unit '"
                           << kKeepAttr << "', on parameters a unit '"
                           << kFrozenAttr << "' and an f64 '" << kRateScaleAttr
                           << "' above 0";
}

bool sg::hasSupportedShape(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (tensor.getEncoding())
    return false;
  constexpr uint64_t kBytes = (uint64_t(1) << 48) - 1;
  uint64_t bytes = (tensor.getElementType().getIntOrFloatBitWidth() + 7) / 8;
  for (int64_t extent : tensor.getShape()) {
    if (extent < 1 || extent > INT32_MAX ||
        bytes > kBytes / static_cast<uint64_t>(extent))
      return false;
    bytes *= extent;
  }
  return true;
}

bool sg::isWider(Type wide, Type element) {
  return wide.isF32() && isa<BFloat16Type, Float16Type>(element);
}

bool sg::areWidened(TypeRange inferred, TypeRange actual) {
  return inferred.size() == actual.size() &&
         llvm::all_of(llvm::zip(inferred, actual), [](auto pair) {
           auto from = cast<RankedTensorType>(std::get<0>(pair));
           auto to = dyn_cast<RankedTensorType>(std::get<1>(pair));
           return to && to.getShape() == from.getShape() &&
                  isWider(to.getElementType(), from.getElementType());
         });
}

uint64_t sg::byteSize(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  uint64_t bits = tensor.getElementType().getIntOrFloatBitWidth();
  return tensor.getNumElements() * ((bits + 7) / 8);
}

int64_t sg::windowedExtent(int64_t extent, int64_t window, int64_t stride,
                           int64_t padding, int64_t dilation) {
  int64_t reach = dilation * (window - 1) + 1;
  if (extent + padding < reach)
    return -1;
  return (extent + padding - reach) / stride + 1;
}

Value sg::createSplat(OpBuilder &builder, Location loc, RankedTensorType type,
                      double value) {
  Type element = type.getElementType();
  DenseElementsAttr splat;
  if (auto real = dyn_cast<FloatType>(element))
    splat = DenseElementsAttr::get(type, builder.getFloatAttr(real, value));
  else
    splat = DenseElementsAttr::get(
        type, builder.getIntegerAttr(element, static_cast<int64_t>(value)));
  return ConstantOp::create(builder, loc, type, splat);
}

Value sg::broadcastTrailing(OpBuilder &builder, Location loc, Value value,
                            RankedTensorType type) {
  auto from = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> dims;
  for (int64_t d = type.getRank() - from.getRank(); d < type.getRank(); ++d)
    dims.push_back(d);
  auto to = RankedTensorType::get(type.getShape(), from.getElementType());
  return BroadcastOp::create(builder, loc, to, value, dims);
}

Value sg::broadcastLeading(OpBuilder &builder, Location loc, Value value,
                           RankedTensorType type) {
  auto from = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < from.getRank(); ++d)
    dims.push_back(d);
  auto to = RankedTensorType::get(type.getShape(), from.getElementType());
  return BroadcastOp::create(builder, loc, to, value, dims);
}

Value sg::sumToLast(OpBuilder &builder, Location loc, Value value) {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d + 1 < cast<RankedTensorType>(value.getType()).getRank();
       ++d)
    dims.push_back(d);
  if (dims.empty())
    return value;
  return ReduceSumOp::create(builder, loc, value, dims);
}
