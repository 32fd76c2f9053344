//===- Tensor.cpp - A dense tensor of doubles or integers -----------------===//

#include "reprise/Reference/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;

double reference::roundTo(Type element, double value) {
  if (element.isF64())
    return value;
  if (element.isF32())
    return static_cast<float>(value);
  llvm::APFloat rounded(value);
  bool losesInfo;
  rounded.convert(cast<FloatType>(element).getFloatSemantics(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.convertToDouble();
}

int64_t reference::wrapTo(Type element, int64_t value) {
  unsigned width = cast<IntegerType>(element).getWidth();
  if (width == 1)
    return value & 1;
  return llvm::SignExtend64(value, width);
}

Tensor::Tensor(RankedTensorType type) : type(type) {
  if (isReal() || isComplex())
    reals.assign(isComplex() ? 2 * size() : size(), 0.0);
  else
    integers.assign(size(), 0);
}

Tensor Tensor::splat(RankedTensorType type, double value) {
  Tensor tensor(type);
  if (tensor.isReal())
    tensor.reals.assign(tensor.size(), value);
  else
    tensor.integers.assign(tensor.size(), wrapTo(type.getElementType(),
                                                 static_cast<int64_t>(value)));
  return tensor;
}

FailureOr<Tensor> Tensor::fromAttribute(ElementsAttr attribute) {
  auto type = dyn_cast<RankedTensorType>(attribute.getType());
  if (!type)
    return failure();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    bool isSplat = false;
    if (!blob ||
        !DenseElementsAttr::isValidRawBuffer(type, blob->getData(), isSplat))
      return failure();
    attribute = DenseElementsAttr::getFromRawBuffer(type, blob->getData());
  }
  Tensor tensor(type);
  if (tensor.isComplex()) {
    auto values = attribute.tryGetValues<std::complex<llvm::APFloat>>();
    if (!values)
      return failure();
    for (auto [i, value] : llvm::enumerate(*values))
      tensor.setComplex(
          i, {value.real().convertToDouble(), value.imag().convertToDouble()});
    return tensor;
  }
  if (tensor.isReal()) {
    auto values = attribute.tryGetValues<APFloat>();
    if (!values)
      return failure();
    for (auto [i, value] : llvm::enumerate(*values))
      tensor.real(i) = value.convertToDouble();
    return tensor;
  }
  auto values = attribute.tryGetValues<APInt>();
  if (!values)
    return failure();
  for (auto [i, value] : llvm::enumerate(*values))
    tensor.integer(i) = wrapTo(type.getElementType(), value.getSExtValue());
  return tensor;
}

int64_t Tensor::position(ArrayRef<int64_t> index) const {
  assert(static_cast<int64_t>(index.size()) == getRank() &&
         "an index has an entry for each dimension");
  int64_t position = 0;
  for (auto [extent, i] : llvm::zip_equal(getShape(), index)) {
    assert(i >= 0 && i < extent && "an index lies inside the tensor");
    position = position * extent + i;
  }
  return position;
}

void Tensor::copyElement(int64_t to, const Tensor &source, int64_t from) {
  if (isComplex())
    setComplex(to, source.complex(from));
  else if (isReal())
    reals[to] = source.reals[from];
  else
    integers[to] = source.integers[from];
}

Tensor Tensor::reshaped(RankedTensorType to) const {
  assert(to.getNumElements() == size() &&
         to.getElementType() == getElementType() &&
         "a reshaped tensor has the same elements");
  Tensor tensor = *this;
  tensor.type = to;
  return tensor;
}

void Tensor::roundToStorage() {
  Type element = getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  for (double &value : reals)
    value = roundTo(element, value);
  for (int64_t &value : integers)
    value = wrapTo(element, value);
}

void reference::forEachIndex(
    ArrayRef<int64_t> shape,
    llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    visit(index);
    int64_t d = static_cast<int64_t>(shape.size()) - 1;
    for (; d >= 0; --d) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
    if (d < 0)
      return;
  }
}
