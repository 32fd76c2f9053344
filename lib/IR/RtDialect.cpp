//===- RtDialect.cpp - Registration and attributes of rt ------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "reprise/IR/Rt.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::rt_dialect;

#include "reprise/IR/RtDialect.cpp.inc"
#include "reprise/IR/RtEnums.cpp.inc"
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

/// Whether the bytes of a shape with strides can be counted in 62 bits.
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
