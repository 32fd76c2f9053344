//===- Movement.cpp - Values of ops that move elements --------------------===//
#include "Models.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;
using namespace reprise::stablehlo;

RankedTensorType hlo::typeOf(OpResult result) {
  return cast<RankedTensorType>(result.getType());
}

SmallVector<int64_t> hlo::stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

LogicalResult hlo::misfit(Operation *op) {
  return op->emitOpError() << "has operands that do not fit";
}

/// A tensor each of whose elements is one of `source`: at `first` plus the
/// index times `steps`.
static Tensor strided(RankedTensorType type, const Tensor &source,
                      int64_t first, ArrayRef<int64_t> steps) {
  Tensor made(type);
  int64_t at = 0;
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t from = first;
    for (auto [i, step] : llvm::zip(index, steps))
      from += i * step;
    made.copyElement(at++, source, from);
  });
  return made;
}

static RankedTensorType resultType(Operation *op) {
  return hlo::typeOf(op->getResult(0));
}

/// True if elements of the operand are elements of the result.
static bool hasSameElements(Operation *op, const Tensor &source) {
  return resultType(op).getElementType() == source.getElementType();
}

hlo::Result hlo::evaluateBroadcast(BroadcastInDimOp op, Operands operands) {
  const Tensor &source = *operands[0];
  RankedTensorType type = resultType(op);
  SmallVector<int64_t> dimensions = op.getBroadcastDimensions();
  SmallVector<int64_t> steps(type.getRank(), 0);
  SmallVector<int64_t> strides = stridesOf(source.getShape());
  if (int64_t(dimensions.size()) != source.getRank() ||
      !hasSameElements(op, source))
    return misfit(op);
  for (auto [d, to] : llvm::enumerate(dimensions)) {
    if (to < 0 || to >= type.getRank() ||
        (source.getDim(d) != 1 && source.getDim(d) != type.getDimSize(to)))
      return misfit(op);
    if (source.getDim(d) != 1)
      steps[to] = strides[d];
  }
  return strided(type, source, 0, steps);
}

hlo::Result hlo::evaluateReshape(ReshapeOp op, Operands operands) {
  RankedTensorType type = resultType(op);
  if (type.getNumElements() != operands[0]->size() ||
      !hasSameElements(op, *operands[0]))
    return misfit(op);
  return operands[0]->reshaped(type);
}

hlo::Result hlo::evaluateTranspose(TransposeOp op, Operands operands) {
  const Tensor &source = *operands[0];
  RankedTensorType type = resultType(op);
  SmallVector<int64_t> permutation = op.getPermutation();
  SmallVector<int64_t> strides = stridesOf(source.getShape()), steps;
  if (int64_t(permutation.size()) != source.getRank() ||
      type.getRank() != source.getRank() || !hasSameElements(op, source))
    return misfit(op);
  for (auto [d, from] : llvm::enumerate(permutation)) {
    if (from < 0 || from >= source.getRank() ||
        type.getDimSize(d) != source.getDim(from))
      return misfit(op);
    steps.push_back(strides[from]);
  }
  return strided(type, source, 0, steps);
}

hlo::Result hlo::evaluateReverse(ReverseOp op, Operands operands) {
  const Tensor &source = *operands[0];
  SmallVector<int64_t> steps = stridesOf(source.getShape());
  int64_t first = 0;
  if (resultType(op) != source.getType())
    return misfit(op);
  for (int64_t d : op.getDimensions()) {
    if (d < 0 || d >= source.getRank() || steps[d] < 0)
      return misfit(op);
    first += (source.getDim(d) - 1) * steps[d];
    steps[d] = -steps[d];
  }
  return strided(source.getType(), source, first, steps);
}

hlo::Result hlo::evaluateSlice(SliceOp op, Operands operands) {
  const Tensor &source = *operands[0];
  RankedTensorType type = resultType(op);
  SmallVector<int64_t> starts = op.getStartIndices(),
                       limits = op.getLimitIndices(), by = op.getStrides();
  SmallVector<int64_t> steps = stridesOf(source.getShape());
  size_t rank = source.getRank();
  if (starts.size() != rank || limits.size() != rank || by.size() != rank ||
      size_t(type.getRank()) != rank || !hasSameElements(op, source))
    return misfit(op);
  int64_t first = 0;
  for (size_t d = 0; d < rank; ++d) {
    if (starts[d] < 0 || starts[d] > limits[d] ||
        limits[d] > source.getDim(d) || by[d] < 1 ||
        type.getDimSize(d) != (limits[d] - starts[d] + by[d] - 1) / by[d])
      return misfit(op);
    first += starts[d] * steps[d];
    steps[d] *= by[d];
  }
  return strided(type, source, first, steps);
}

hlo::Result hlo::evaluatePad(PadOp op, Operands operands) {
  const Tensor &source = *operands[0], &padding = *operands[1];
  RankedTensorType type = resultType(op);
  SmallVector<int64_t> low = op.getEdgePaddingLow(),
                       high = op.getEdgePaddingHigh(),
                       interior = op.getInteriorPadding();
  size_t rank = source.getRank();
  if (low.size() != rank || high.size() != rank || interior.size() != rank ||
      size_t(type.getRank()) != rank || padding.getRank() != 0 ||
      !hasSameElements(op, source) || !hasSameElements(op, padding))
    return misfit(op);
  for (size_t d = 0; d < rank; ++d)
    if (interior[d] < 0 ||
        type.getDimSize(d) !=
            low[d] + high[d] + source.getDim(d) +
                std::max<int64_t>(source.getDim(d) - 1, 0) * interior[d])
      return misfit(op);
  Tensor made(type);
  for (int64_t i = 0; i < made.size(); ++i)
    made.copyElement(i, padding, 0);
  int64_t from = 0;
  SmallVector<int64_t> to(rank);
  forEachIndex(source.getShape(), [&](ArrayRef<int64_t> index) {
    bool isInside = true;
    for (size_t d = 0; d < rank; ++d) {
      to[d] = low[d] + index[d] * (interior[d] + 1);
      isInside &= to[d] >= 0 && to[d] < type.getDimSize(d);
    }
    if (isInside)
      made.copyElement(made.position(to), source, from);
    ++from;
  });
  return made;
}

hlo::Result hlo::evaluateConcatenate(ConcatenateOp op, Operands operands) {
  RankedTensorType type = resultType(op);
  Tensor made(type);
  int64_t dimension = op.getDimension(), offset = 0;
  if (dimension < 0 || dimension >= type.getRank())
    return misfit(op);
  for (const Tensor *source : operands) {
    SmallVector<int64_t> shape(source->getShape());
    if (int64_t(shape.size()) != type.getRank() ||
        !hasSameElements(op, *source))
      return misfit(op);
    int64_t extent =
        std::exchange(shape[dimension], type.getDimSize(dimension));
    if (ArrayRef<int64_t>(shape) != type.getShape() ||
        offset + extent > type.getDimSize(dimension))
      return misfit(op);
    int64_t from = 0;
    SmallVector<int64_t> to;
    forEachIndex(source->getShape(), [&](ArrayRef<int64_t> index) {
      to.assign(index.begin(), index.end());
      to[dimension] += offset;
      made.copyElement(made.position(to), *source, from++);
    });
    offset += extent;
  }
  return offset == type.getDimSize(dimension) ? Result(made)
                                              : Result(misfit(op));
}

/// The start of a slice of `sizes`, moved into the tensor; nothing if operands
/// do not fit.
static std::optional<SmallVector<int64_t>> clampedStart(const Tensor &tensor,
                                                        ArrayRef<int64_t> sizes,
                                                        hlo::Operands starts) {
  if (int64_t(starts.size()) != tensor.getRank() ||
      int64_t(sizes.size()) != tensor.getRank())
    return std::nullopt;
  SmallVector<int64_t> start;
  for (auto [d, index] : llvm::enumerate(starts)) {
    if (index->isReal() || index->getRank() != 0 || sizes[d] < 0 ||
        sizes[d] > tensor.getDim(d))
      return std::nullopt;
    start.push_back(
        std::clamp<int64_t>(index->integer(0), 0, tensor.getDim(d) - sizes[d]));
  }
  return start;
}

hlo::Result hlo::evaluateDynamicSlice(DynamicSliceOp op, Operands operands) {
  const Tensor &source = *operands[0];
  SmallVector<int64_t> sizes = op.getSliceSizes();
  auto start = clampedStart(source, sizes, operands.drop_front());
  RankedTensorType type = resultType(op);
  if (!start || type.getShape() != ArrayRef(sizes) ||
      !hasSameElements(op, source))
    return misfit(op);
  return strided(type, source, source.size() ? source.position(*start) : 0,
                 stridesOf(source.getShape()));
}

hlo::Result hlo::evaluateDynamicUpdateSlice(DynamicUpdateSliceOp op,
                                            Operands operands) {
  const Tensor &update = *operands[1];
  auto start =
      clampedStart(*operands[0], update.getShape(), operands.drop_front(2));
  if (!start || resultType(op) != operands[0]->getType() ||
      !hasSameElements(op, update))
    return misfit(op);
  Tensor made = *operands[0];
  int64_t from = 0;
  SmallVector<int64_t> to(made.getRank());
  forEachIndex(update.getShape(), [&](ArrayRef<int64_t> index) {
    for (size_t d = 0; d < index.size(); ++d)
      to[d] = (*start)[d] + index[d];
    made.copyElement(made.position(to), update, from++);
  });
  return made;
}
