//===- Windows.cpp - Values of sums, windows, gathers and scatters --------===//
#include "Models.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;
using namespace reprise::stablehlo;

/// Element `i` as a tensor without dimensions.
static Tensor scalarOf(const Tensor &tensor, int64_t i) {
  Tensor scalar(RankedTensorType::get({}, tensor.getElementType()));
  scalar.copyElement(0, tensor, i);
  return scalar;
}

namespace {
/// Folds elements into results, one result place after another.
class Folder {
public:
  Folder(Operation *op, Region &region, hlo::Body body)
      : op(op), region(region), body(body) {}

  /// Replaces elements `to` of `made` by the region's results on them and on
  /// elements `from` of `sources`.
  LogicalResult fold(MutableArrayRef<Tensor> made, int64_t to,
                     ArrayRef<const Tensor *> sources, int64_t from) {
    SmallVector<Tensor> arguments;
    for (const Tensor &tensor : made)
      arguments.push_back(scalarOf(tensor, to));
    for (const Tensor *tensor : sources)
      arguments.push_back(scalarOf(*tensor, from));
    hlo::Results results = body(region, arguments);
    if (failed(results))
      return failure();
    if (results->size() != made.size())
      return hlo::misfit(op);
    for (auto [tensor, result] : llvm::zip(made, *results)) {
      if (result.getType() !=
          RankedTensorType::get({}, tensor.getElementType()))
        return hlo::misfit(op);
      tensor.copyElement(to, result, 0);
    }
    return success();
  }

private:
  Operation *op;
  Region &region;
  hlo::Body body;
};
} // namespace

/// Results that begin with initial values; fails if these do not fit.
static hlo::Results startOf(Operation *op, hlo::Operands inits) {
  SmallVector<Tensor> made;
  for (auto [result, init] : llvm::zip(op->getResults(), inits)) {
    RankedTensorType type = hlo::typeOf(result);
    if (init->getRank() != 0 || init->getElementType() != type.getElementType())
      return hlo::misfit(op);
    Tensor tensor(type);
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.copyElement(i, *init, 0);
    made.push_back(std::move(tensor));
  }
  return made;
}

static bool haveOneShape(hlo::Operands tensors) {
  return llvm::all_of(tensors, [&](const Tensor *tensor) {
    return tensor->getShape() == tensors.front()->getShape();
  });
}

/// Adds without the region, for bodies that only add real numbers.
static bool onlyAdds(Region &body) {
  Block &block = body.front();
  return block.getNumArguments() == 2 && isa<AddOp>(block.front()) &&
         block.front().getOperands() == ValueRange(block.getArguments()) &&
         block.back().getOperands() == ValueRange(block.front().getResults()) &&
         std::next(block.begin(), 2) == block.end();
}

hlo::Results hlo::evaluateReduce(ReduceOp op, Operands operands, Body body) {
  size_t count = op.getInputs().size();
  Operands inputs = operands.take_front(count);
  Results made = startOf(op, operands.drop_front(count));
  if (failed(made) || !haveOneShape(inputs))
    return failed(made) ? made : Results(misfit(op));
  const Tensor &first = *inputs.front();
  SmallVector<int64_t> dimensions = op.getDimensions(), kept;
  SmallVector<int64_t> steps(first.getRank(), 0);
  for (int64_t d = 0; d < first.getRank(); ++d)
    if (!llvm::is_contained(dimensions, d))
      kept.push_back(d);
  ArrayRef<int64_t> shape = made->front().getShape();
  if (shape.size() != kept.size())
    return misfit(op);
  SmallVector<int64_t> strides = stridesOf(shape);
  for (auto [to, d] : llvm::enumerate(kept)) {
    if (shape[to] != first.getDim(d))
      return misfit(op);
    steps[d] = strides[to];
  }
  bool adds = count == 1 && first.isReal() && onlyAdds(op.getBody());
  Folder folder(op, op.getBody(), body);
  LogicalResult result = success();
  int64_t from = 0;
  forEachIndex(first.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t to = 0;
    for (auto [i, step] : llvm::zip(index, steps))
      to += i * step;
    if (adds)
      made->front().real(to) += first.real(from);
    else if (succeeded(result))
      result = folder.fold(*made, to, inputs, from);
    ++from;
  });
  if (failed(result))
    return failure();
  if (adds)
    made->front().roundToStorage();
  return made;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
/// A window that moves over an array.
struct Window {
  SmallVector<int64_t> extents, strides, baseDilations, dilations, padding;

  static SmallVector<int64_t> listOr(Attribute list, size_t size,
                                     int64_t value) {
    return list ? integersOf(list) : SmallVector<int64_t>(size, value);
  }

  Window(Attribute dimensions, Attribute strides, Attribute baseDilations,
         Attribute dilations, Attribute padding, size_t rank)
      : extents(listOr(dimensions, rank, 1)), strides(listOr(strides, rank, 1)),
        baseDilations(listOr(baseDilations, rank, 1)),
        dilations(listOr(dilations, rank, 1)),
        padding(listOr(padding, 2 * rank, 0)) {}

  bool fits(ArrayRef<int64_t> shape, ArrayRef<int64_t> places) const {
    size_t rank = shape.size();
    if (extents.size() != rank || strides.size() != rank ||
        baseDilations.size() != rank || dilations.size() != rank ||
        padding.size() != 2 * rank || places.size() != rank)
      return false;
    for (size_t d = 0; d < rank; ++d) {
      if (extents[d] < 1 || strides[d] < 1 || baseDilations[d] < 1 ||
          dilations[d] < 1)
        return false;
      int64_t spread = shape[d] ? (shape[d] - 1) * baseDilations[d] + 1 : 0;
      int64_t padded = spread + padding[2 * d] + padding[2 * d + 1];
      int64_t size = (extents[d] - 1) * dilations[d] + 1;
      if (places[d] != (padded < size ? 0 : (padded - size) / strides[d] + 1))
        return false;
    }
    return true;
  }

  /// Calls `visit` with each position of the array under the window.
  void visit(ArrayRef<int64_t> place, const Tensor &array,
             llvm::function_ref<void(int64_t)> visit) const {
    SmallVector<int64_t> at(place.size());
    forEachIndex(extents, [&](ArrayRef<int64_t> offset) {
      for (size_t d = 0; d < place.size(); ++d) {
        int64_t i =
            place[d] * strides[d] + offset[d] * dilations[d] - padding[2 * d];
        if (i < 0 || i % baseDilations[d] ||
            i / baseDilations[d] >= array.getDim(d))
          return;
        at[d] = i / baseDilations[d];
      }
      visit(array.position(at));
    });
  }
};
} // namespace

hlo::Results hlo::evaluateReduceWindow(ReduceWindowOp op, Operands operands,
                                       Body body) {
  size_t count = op.getInputs().size();
  Operands inputs = operands.take_front(count);
  Results made = startOf(op, operands.drop_front(count));
  if (failed(made))
    return made;
  const Tensor &first = *inputs.front();
  Window window(op.getWindowDimensionsAttr(), op.getWindowStridesAttr(),
                op.getBaseDilationsAttr(), op.getWindowDilationsAttr(),
                op.getPaddingAttr(), first.getRank());
  SmallVector<int64_t> places(made->front().getShape());
  if (!haveOneShape(inputs) || !window.fits(first.getShape(), places))
    return misfit(op);
  Folder folder(op, op.getBody(), body);
  LogicalResult result = success();
  int64_t to = 0;
  forEachIndex(places, [&](ArrayRef<int64_t> place) {
    window.visit(place, first, [&](int64_t from) {
      if (succeeded(result))
        result = folder.fold(*made, to, inputs, from);
    });
    ++to;
  });
  return failed(result) ? Results(failure()) : made;
}

hlo::Result hlo::evaluateSelectAndScatter(SelectAndScatterOp op,
                                          Operands operands, Body body) {
  const Tensor &operand = *operands[0], &source = *operands[1];
  Window window(op.getWindowDimensionsAttr(), op.getWindowStridesAttr(), {}, {},
                op.getPaddingAttr(), operand.getRank());
  Results made = startOf(op, operands.drop_front(2));
  if (failed(made))
    return failure();
  if (made->front().getShape() != operand.getShape() ||
      source.getElementType() != made->front().getElementType() ||
      !window.fits(operand.getShape(), source.getShape()))
    return misfit(op);
  Folder folder(op, op.getScatter(), body);
  LogicalResult result = success();
  int64_t from = 0;
  forEachIndex(source.getShape(), [&](ArrayRef<int64_t> place) {
    std::optional<int64_t> chosen;
    window.visit(place, operand, [&](int64_t at) {
      if (failed(result))
        return;
      if (!chosen) {
        chosen = at;
        return;
      }
      Results keeps = body(op.getSelect(),
                           {scalarOf(operand, *chosen), scalarOf(operand, at)});
      result = success(succeeded(keeps) && keeps->size() == 1 &&
                       !keeps->front().isReal());
      if (succeeded(result) && !keeps->front().integer(0))
        chosen = at;
    });
    if (chosen && succeeded(result))
      result = folder.fold(*made, *chosen, operands.slice(1, 1), from);
    ++from;
  });
  return failed(result) ? Result(failure()) : Result(made->front());
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

/// The index of `indices` for a place among its other dimensions.
static SmallVector<int64_t> indexVectorAt(const Tensor &indices,
                                          ArrayRef<int64_t> place,
                                          int64_t vectorDim, int64_t size) {
  SmallVector<int64_t> vector, at(place);
  if (vectorDim == indices.getRank())
    return {indices.integer(indices.position(at))};
  at.insert(at.begin() + vectorDim, 0);
  for (int64_t k = 0; k < size; ++k) {
    at[vectorDim] = k;
    vector.push_back(indices.integer(indices.position(at)));
  }
  return vector;
}

/// True if all of `dims` are dimensions of an array of `rank`, each once.
static bool areDims(ArrayRef<int64_t> dims, int64_t rank) {
  llvm::SmallDenseSet<int64_t> seen;
  return llvm::all_of(dims, [&](int64_t d) {
    return d >= 0 && d < rank && seen.insert(d).second;
  });
}

namespace {
/// Dimension numbers that gather and scatter have in common.
struct Indexing {
  SmallVector<int64_t> windowDims, insertedDims, operandBatch, indicesBatch,
      indexMap;
  int64_t vectorDim;

  /// Checks them for an operand, indices, and the array of windows.
  bool fits(const Tensor &operand, const Tensor &indices,
            ArrayRef<int64_t> windows) const {
    int64_t vector = vectorDim == indices.getRank() ? 1
                     : vectorDim >= 0 && vectorDim < indices.getRank()
                         ? indices.getDim(vectorDim)
                         : -1;
    int64_t places = indices.getRank() - (vectorDim < indices.getRank());
    return !indices.isReal() && vector == int64_t(indexMap.size()) &&
           areDims(windowDims, windows.size()) &&
           areDims(insertedDims, operand.getRank()) &&
           areDims(operandBatch, operand.getRank()) &&
           areDims(indicesBatch, indices.getRank()) &&
           operandBatch.size() == indicesBatch.size() &&
           areDims(indexMap, operand.getRank()) &&
           int64_t(windowDims.size() + insertedDims.size() +
                   operandBatch.size()) == operand.getRank() &&
           int64_t(windows.size() - windowDims.size()) == places &&
           !llvm::is_contained(indicesBatch, vectorDim);
  }

  /// Splits an index of the windows' array: the place among indices, and the
  /// offset in the operand.
  void split(ArrayRef<int64_t> index, int64_t rank,
             SmallVectorImpl<int64_t> &place,
             SmallVectorImpl<int64_t> &offset) const {
    place.clear();
    for (auto [d, i] : llvm::enumerate(index))
      if (!llvm::is_contained(windowDims, int64_t(d)))
        place.push_back(i);
    offset.assign(rank, 0);
    size_t next = 0;
    for (int64_t d = 0; d < rank; ++d)
      if (!llvm::is_contained(insertedDims, d) &&
          !llvm::is_contained(operandBatch, d))
        offset[d] = index[windowDims[next++]];
  }

  /// The start in the operand for a place.
  SmallVector<int64_t> startAt(const Tensor &indices, ArrayRef<int64_t> place,
                               int64_t rank) const {
    SmallVector<int64_t> start(rank, 0);
    for (auto [d, index] :
         llvm::zip(indexMap,
                   indexVectorAt(indices, place, vectorDim, indexMap.size())))
      start[d] = index;
    for (auto [d, from] : llvm::zip(operandBatch, indicesBatch))
      start[d] = place[from - (from > vectorDim)];
    return start;
  }
};
} // namespace

hlo::Result hlo::evaluateGather(GatherOp op, Operands operands) {
  const Tensor &operand = *operands[0], &indices = *operands[1];
  auto numbers = op.getDimensionNumbers();
  Indexing indexing{SmallVector<int64_t>(numbers.getOffsetDims()),
                    SmallVector<int64_t>(numbers.getCollapsedSliceDims()),
                    SmallVector<int64_t>(numbers.getOperandBatchingDims()),
                    SmallVector<int64_t>(numbers.getStartIndicesBatchingDims()),
                    SmallVector<int64_t>(numbers.getStartIndexMap()),
                    numbers.getIndexVectorDim()};
  RankedTensorType type = typeOf(cast<OpResult>(op.getResult()));
  SmallVector<int64_t> sizes = op.getSliceSizes();
  int64_t rank = operand.getRank();
  if (!indexing.fits(operand, indices, type.getShape()) ||
      int64_t(sizes.size()) != rank ||
      operand.getElementType() != type.getElementType())
    return misfit(op);
  for (int64_t d = 0; d < rank; ++d)
    if (sizes[d] < 0 || sizes[d] > operand.getDim(d))
      return misfit(op);
  Tensor made(type);
  SmallVector<int64_t> place, offset;
  int64_t to = 0;
  bool isInside = true;
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    indexing.split(index, rank, place, offset);
    SmallVector<int64_t> start = indexing.startAt(indices, place, rank);
    for (int64_t d = 0; d < rank; ++d) {
      isInside &= offset[d] < sizes[d];
      start[d] =
          std::clamp<int64_t>(start[d], 0, operand.getDim(d) - sizes[d]) +
          offset[d];
    }
    if (isInside)
      made.copyElement(to++, operand, operand.position(start));
  });
  return isInside ? Result(made) : Result(misfit(op));
}

hlo::Results hlo::evaluateScatter(ScatterOp op, Operands operands, Body body) {
  size_t count = op.getInputs().size();
  const Tensor &indices = *operands[count];
  Operands updates = operands.drop_front(count + 1);
  auto numbers = op.getScatterDimensionNumbers();
  Indexing indexing{
      SmallVector<int64_t>(numbers.getUpdateWindowDims()),
      SmallVector<int64_t>(numbers.getInsertedWindowDims()),
      SmallVector<int64_t>(numbers.getInputBatchingDims()),
      SmallVector<int64_t>(numbers.getScatterIndicesBatchingDims()),
      SmallVector<int64_t>(numbers.getScatterDimsToOperandDims()),
      numbers.getIndexVectorDim()};
  SmallVector<Tensor> made;
  for (const Tensor *input : operands.take_front(count))
    made.push_back(*input);
  const Tensor &first = made.front();
  if (!haveOneShape(operands.take_front(count)) || !haveOneShape(updates) ||
      !indexing.fits(first, indices, updates.front()->getShape()))
    return misfit(op);
  int64_t rank = first.getRank(), from = 0;
  Folder folder(op, op.getUpdateComputation(), body);
  SmallVector<int64_t> place, offset, shape(first.getShape());
  LogicalResult result = success();
  forEachIndex(updates.front()->getShape(), [&](ArrayRef<int64_t> index) {
    indexing.split(index, rank, place, offset);
    SmallVector<int64_t> to = indexing.startAt(indices, place, rank);
    bool isInside = true; // an update outside is skipped
    for (int64_t d = 0; d < rank; ++d) {
      to[d] += offset[d];
      isInside &= to[d] >= 0 && to[d] < shape[d];
    }
    if (isInside && succeeded(result))
      result = folder.fold(made, made.front().position(to), updates, from);
    ++from;
  });
  return failed(result) ? Results(failure()) : Results(made);
}
