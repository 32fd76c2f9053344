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
      lhs.isReal() != rhs.isReal() || lhs.isReal() != made.isReal())
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
  for (auto [lhsAt, rhsAt] : llvm::zip(lhsBatch, rhsBatch))
    for (int64_t row : lhsFree)
      for (int64_t column : rhsFree) {
        double real = 0;
        uint64_t integer = 0;
        for (auto [a, b] : llvm::zip(lhsSummed, rhsSummed))
          if (made.isReal())
            real += lhs.real(lhsAt + row + a) * rhs.real(rhsAt + column + b);
          else
            integer += uint64_t(lhs.integer(lhsAt + row + a)) *
                       uint64_t(rhs.integer(rhsAt + column + b));
        if (made.isReal())
          made.real(to++) = real;
        else
          made.integer(to++) = integer;
      }
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
          made.real(at + n * outStrides[numbers.getOutputBatch()] +
                    o * outStrides[numbers.getOutputFeature()]) =
              sum(batch * inStrides[numbers.getInputBatch()] +
                      feature * inStrides[numbers.getInputFeature()],
                  o * filterStrides[numbers.getKernelOutput()], perGroup,
                  inStrides[numbers.getInputFeature()],
                  filterStrides[numbers.getKernelInput()]);
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
    if (!input.isReal() || !filter.isReal() || !made.isReal() ||
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

  /// Finds the pairs of input and filter positions at a place of the output.
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
      taps.push_back({from, with});
    });
  }

  double sum(int64_t from, int64_t with, int64_t channels, int64_t fromStep,
             int64_t withStep) const {
    double total = 0;
    ArrayRef<double> inputs = input.getReals(), weights = filter.getReals();
    for (auto [at, tap] : taps)
      for (int64_t c = 0; c < channels; ++c)
        total += inputs[from + at + c * fromStep] *
                 weights[with + tap + c * withStep];
    return total;
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
