//===- Products.cpp - Values of products and convolutions -----------------===//
//
// Sums of real numbers run in double precision, and of integers modulo 2^64,
// in row-major order of what is summed.
//
//===----------------------------------------------------------------------===//
#include "Models.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;
using namespace reprise::stablehlo;

/// Positions in row-major order of an array of these extents and strides.
static SmallVector<int64_t> positionsOf(ArrayRef<int64_t> shape,
                                        ArrayRef<int64_t> strides) {
  SmallVector<int64_t> positions;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    int64_t at = 0;
    for (auto [i, stride] : llvm::zip(index, strides))
      at += i * stride;
    positions.push_back(at);
  });
  return positions;
}

/// The positions that the dimensions `list` of a tensor span.
static SmallVector<int64_t> positionsOf(const Tensor &tensor,
                                        ArrayRef<int64_t> list) {
  SmallVector<int64_t> shape, strides, all = hlo::stridesOf(tensor.getShape());
  for (int64_t d : list) {
    shape.push_back(tensor.getDim(d));
    strides.push_back(all[d]);
  }
  return positionsOf(shape, strides);
}

static SmallVector<int64_t> otherDims(int64_t rank, ArrayRef<int64_t> a,
                                      ArrayRef<int64_t> b) {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(a, d) && !llvm::is_contained(b, d))
      dims.push_back(d);
  return dims;
}

/// Element i of a tensor of integers; unsigned ones are held sign-extended.
static uint64_t integerAt(const Tensor &tensor, int64_t i) {
  auto type = cast<IntegerType>(tensor.getElementType());
  uint64_t value = tensor.integer(i);
  return type.isUnsigned() && type.getWidth() < 64
             ? value & ((uint64_t(1) << type.getWidth()) - 1)
             : value;
}

/// Sets an element to the sum of products of elements of tensors of its kind:
/// `pairAt(k)` has the positions of the factors of product k.
template <typename PairAt>
static void setSum(Tensor &made, int64_t to, size_t count, const Tensor &lhs,
                   const Tensor &rhs, PairAt pairAt) {
  auto sum = [&](auto total, auto product) {
    for (size_t k = 0; k < count; ++k) {
      auto [a, b] = pairAt(k);
      total += product(a, b);
    }
    return total;
  };
  if (made.isComplex())
    made.setComplex(to, sum(std::complex<double>(), [&](int64_t a, int64_t b) {
                      return lhs.complex(a) * rhs.complex(b);
                    }));
  else if (made.isReal())
    made.real(to) = sum(
        0.0, [&](int64_t a, int64_t b) { return lhs.real(a) * rhs.real(b); });
  else
    made.integer(to) = sum(uint64_t(0), [&](int64_t a, int64_t b) {
      return integerAt(lhs, a) * integerAt(rhs, b);
    });
}

static bool areOfOneKind(const Tensor &a, const Tensor &b) {
  return a.isReal() == b.isReal() && a.isComplex() == b.isComplex();
}

hlo::Result hlo::evaluateDot(DotGeneralOp op, Operands operands) {
  const Tensor &lhs = *operands[0], &rhs = *operands[1];
  DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  Tensor made(typeOf(cast<OpResult>(op.getResult())));
  auto haveEqualExtents = [&](ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
    return llvm::all_of(llvm::zip(a, b), [&](auto pair) {
      return lhs.getDim(std::get<0>(pair)) == rhs.getDim(std::get<1>(pair));
    });
  };
  if (!haveEqualExtents(numbers.getLhsBatch(), numbers.getRhsBatch()) ||
      !haveEqualExtents(numbers.getLhsContracting(),
                        numbers.getRhsContracting()) ||
      !areOfOneKind(lhs, rhs) || !areOfOneKind(lhs, made))
    return misfit(op);
  auto lhsBatch = positionsOf(lhs, numbers.getLhsBatch());
  auto rhsBatch = positionsOf(rhs, numbers.getRhsBatch());
  auto lhsSummed = positionsOf(lhs, numbers.getLhsContracting());
  auto rhsSummed = positionsOf(rhs, numbers.getRhsContracting());
  auto lhsFree =
      positionsOf(lhs, otherDims(lhs.getRank(), numbers.getLhsBatch(),
                                 numbers.getLhsContracting()));
  auto rhsFree =
      positionsOf(rhs, otherDims(rhs.getRank(), numbers.getRhsBatch(),
                                 numbers.getRhsContracting()));
  if (int64_t(lhsBatch.size() * lhsFree.size() * rhsFree.size()) != made.size())
    return misfit(op);
  int64_t to = 0;
  for (size_t batch = 0; batch < lhsBatch.size(); ++batch)
    for (int64_t row : lhsFree)
      for (int64_t column : rhsFree)
        setSum(made, to++, lhsSummed.size(), lhs, rhs, [&](size_t k) {
          return std::pair(lhsBatch[batch] + row + lhsSummed[k],
                           rhsBatch[batch] + column + rhsSummed[k]);
        });
  made.roundToStorage();
  return made;
}

/// A matrix or vector times another: the last dimension of the left operand
/// and the first of the right one are summed.
hlo::Result hlo::evaluateMatrixProduct(DotOp op, Operands operands) {
  const Tensor &lhs = *operands[0], &rhs = *operands[1];
  Tensor made(typeOf(cast<OpResult>(op.getResult())));
  if (lhs.getRank() < 1 || lhs.getRank() > 2 || rhs.getRank() < 1 ||
      rhs.getRank() > 2 || lhs.getShape().back() != rhs.getDim(0) ||
      !areOfOneKind(lhs, rhs) || !areOfOneKind(lhs, made) ||
      made.getElementType() != lhs.getElementType() || lhs.isComplex())
    return misfit(op);
  int64_t summed = rhs.getDim(0);
  int64_t rows = lhs.getRank() == 2 ? lhs.getDim(0) : 1;
  int64_t columns = rhs.getRank() == 2 ? rhs.getDim(1) : 1;
  if (made.size() != rows * columns)
    return misfit(op);
  for (int64_t to = 0; to < made.size(); ++to)
    setSum(made, to, summed, lhs, rhs, [&](int64_t k) {
      return std::pair(to / columns * summed + k, k * columns + to % columns);
    });
  made.roundToStorage();
  return made;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
/// A list of the window, or `value` for each dimension.
SmallVector<int64_t> listOr(Attribute list, size_t size, int64_t value) {
  return list ? integersOf(list) : SmallVector<int64_t>(size, value);
}

class Convolution {
public:
  Convolution(ConvolutionOp op, const Tensor &input, const Tensor &filter)
      : op(op), input(input), filter(filter), numbers(op.getDimensionNumbers()),
        rank(numbers.getInputSpatial().size()),
        strides(listOr(op.getWindowStridesAttr(), rank, 1)),
        padding(listOr(op.getPaddingAttr(), 2 * rank, 0)),
        inputDilation(listOr(op.getLhsDilationAttr(), rank, 1)),
        filterDilation(listOr(op.getRhsDilationAttr(), rank, 1)),
        reversal(listOr(op.getWindowReversalAttr(), rank, 0)),
        made(hlo::typeOf(cast<OpResult>(op.getResult()))) {}

  hlo::Result run() {
    if (!fits())
      return hlo::misfit(op);
    SmallVector<int64_t> inStrides = hlo::stridesOf(input.getShape());
    SmallVector<int64_t> outStrides = hlo::stridesOf(made.getShape());
    SmallVector<int64_t> filterStrides = hlo::stridesOf(filter.getShape());
    int64_t outputs = filter.getDim(numbers.getKernelOutput());
    int64_t perGroup = filter.getDim(numbers.getKernelInput());
    int64_t featureGroups = op.getFeatureGroupCount();
    int64_t batchGroups = op.getBatchGroupCount();
    int64_t batches = made.getDim(numbers.getOutputBatch());
    SmallVector<int64_t> space;
    for (int64_t d : numbers.getOutputSpatial())
      space.push_back(made.getDim(d));
    forEachIndex(space, [&](ArrayRef<int64_t> place) {
      findTaps(place, inStrides, filterStrides);
      int64_t at = 0;
      for (size_t d = 0; d < rank; ++d)
        at += place[d] * outStrides[numbers.getOutputSpatial()[d]];
      for (int64_t n = 0; n < batches; ++n)
        for (int64_t o = 0; o < outputs; ++o) {
          int64_t batch = n + batches * (o / (outputs / batchGroups));
          int64_t feature = o / (outputs / featureGroups) * perGroup;
          if (batchGroups > 1)
            feature = 0;
          int64_t from = batch * inStrides[numbers.getInputBatch()] +
                         feature * inStrides[numbers.getInputFeature()];
          int64_t with = o * filterStrides[numbers.getKernelOutput()];
          int64_t to = at + n * outStrides[numbers.getOutputBatch()] +
                       o * outStrides[numbers.getOutputFeature()];
          setSum(made, to, taps.size(), input, filter, [&](size_t k) {
            return std::pair(from + taps[k].first, with + taps[k].second);
          });
        }
    });
    made.roundToStorage();
    return made;
  }

private:
  bool fits() {
    int64_t features = input.getDim(numbers.getInputFeature());
    int64_t batches = input.getDim(numbers.getInputBatch());
    int64_t outputs = filter.getDim(numbers.getKernelOutput());
    int64_t featureGroups = op.getFeatureGroupCount();
    int64_t batchGroups = op.getBatchGroupCount();
    if (!areOfOneKind(input, filter) || !areOfOneKind(input, made) ||
        made.getDim(numbers.getOutputFeature()) != outputs ||
        made.getDim(numbers.getOutputBatch()) * batchGroups != batches ||
        filter.getDim(numbers.getKernelInput()) * featureGroups != features ||
        outputs % featureGroups || outputs % batchGroups)
      return false;
    for (size_t d = 0; d < rank; ++d) {
      int64_t window = filter.getDim(numbers.getKernelSpatial()[d]);
      int64_t extent = input.getDim(numbers.getInputSpatial()[d]);
      int64_t spread = extent ? (extent - 1) * inputDilation[d] + 1 : 0;
      int64_t padded = spread + padding[2 * d] + padding[2 * d + 1];
      int64_t dilated = window ? (window - 1) * filterDilation[d] + 1 : 0;
      int64_t places =
          padded < dilated ? 0 : (padded - dilated) / strides[d] + 1;
      if (made.getDim(numbers.getOutputSpatial()[d]) != places)
        return false;
    }
    return true;
  }

  /// Finds the pairs of input and filter positions at a place of the output,
  /// those of all channels of a group.
  void findTaps(ArrayRef<int64_t> place, ArrayRef<int64_t> inStrides,
                ArrayRef<int64_t> filterStrides) {
    taps.clear();
    SmallVector<int64_t> window;
    for (int64_t d : numbers.getKernelSpatial())
      window.push_back(filter.getDim(d));
    forEachIndex(window, [&](ArrayRef<int64_t> offset) {
      int64_t from = 0, with = 0;
      for (size_t d = 0; d < rank; ++d) {
        int64_t at = place[d] * strides[d] + offset[d] * filterDilation[d] -
                     padding[2 * d];
        if (at < 0 || at % inputDilation[d] ||
            at / inputDilation[d] >= input.getDim(numbers.getInputSpatial()[d]))
          return;
        from += at / inputDilation[d] * inStrides[numbers.getInputSpatial()[d]];
        int64_t tap = reversal[d] ? window[d] - 1 - offset[d] : offset[d];
        with += tap * filterStrides[numbers.getKernelSpatial()[d]];
      }
      for (int64_t c = 0; c < filter.getDim(numbers.getKernelInput()); ++c)
        taps.push_back({from + c * inStrides[numbers.getInputFeature()],
                        with + c * filterStrides[numbers.getKernelInput()]});
    });
  }

  ConvolutionOp op;
  const Tensor &input, &filter;
  ConvDimensionNumbersAttr numbers;
  size_t rank;
  SmallVector<int64_t> strides, padding, inputDilation, filterDilation,
      reversal;
  Tensor made;
  SmallVector<std::pair<int64_t, int64_t>> taps;
};
} // namespace

hlo::Result hlo::evaluateConvolution(ConvolutionOp op, Operands operands) {
  return Convolution(op, *operands[0], *operands[1]).run();
}
