//===- BoundIndices.cpp - Valid ranges of integer arguments ---------------===//
//
// Input:   a model.
// Output:  the same; integer arguments that select classes of a loss or rows
//          of a table have attributes with the valid ranges.
// Method:  follows each argument through ops that only move elements to the ops
//          that select by it; records for each element of a value its place in
//          the argument.
// Cost:    linear in the elements of values that integers flow to.
// Fails:   never; an argument that cannot be followed has no range.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Matchers.h"
#include "reprise/IR/BlockRewrite.h"
#include "reprise/Passes/Train.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

namespace reprise {
#define GEN_PASS_DEF_SGBOUNDINDICES
#include "reprise/Passes/TrainPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// The largest number of elements of a value that is followed.
static constexpr int64_t kMostElements = int64_t(1) << 24;

namespace {

/// The number in the argument of each element of a value, in row-major order.
using Places = std::vector<int64_t>;

/// Ops of one kind, and the argument's elements that they read.
struct Reader {
  IndexUse use;
  int64_t limit;
  std::optional<int64_t> ignored;
  bool isComparison;
  std::vector<bool> reads;
};

/// The readers of one argument.
class ArgumentFlow {
public:
  explicit ArgumentFlow(BlockArgument argument, bool isLabel)
      : type(tensorOf(argument)), isLabel(isLabel) {
    Places all(type.getNumElements());
    std::iota(all.begin(), all.end(), int64_t(0));
    follow(argument, all);
  }
  /// Returns null if nothing is known.
  ArrayAttr ranges(Builder &builder);

private:
  void follow(Value value, const Places &places);
  void followInto(OpOperand &use, const Places &places);
  void read(const Places &places, IndexUse use, int64_t limit,
            std::optional<int64_t> ignored, bool isComparison = false);
  std::vector<int64_t> runsOf(const std::vector<bool> &reads) const;

  RankedTensorType type;
  bool isLabel;
  SmallVector<Reader, 2> readers;
};

} // namespace

//===----------------------------------------------------------------------===//
// Moving elements
//===----------------------------------------------------------------------===//

/// Returns the strides of a row-major tensor along its dimensions.
static SmallVector<int64_t> stepsOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> steps(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    steps[d - 1] = steps[d] * shape[d];
  return steps;
}

/// Returns the places of a result whose dimension d reads the operand's
/// dimension `from[d]` (none: negative) at start[d] + stride[d] i modulo its
/// extent.
static Places movedPlaces(const Places &places, RankedTensorType operand,
                          RankedTensorType result, ArrayRef<int64_t> from,
                          ArrayRef<int64_t> start, ArrayRef<int64_t> stride) {
  SmallVector<int64_t> steps = stepsOf(operand.getShape());
  Places moved(result.getNumElements());
  SmallVector<int64_t> at(result.getRank(), 0);
  for (int64_t &place : moved) {
    int64_t source = 0;
    for (int64_t d = 0; d < result.getRank(); ++d)
      if (from[d] >= 0) {
        int64_t extent = operand.getDimSize(from[d]);
        int64_t i = (start[d] + stride[d] * at[d]) % extent;
        source += steps[from[d]] * (i < 0 ? i + extent : i);
      }
    place = places[source];
    for (int64_t d = result.getRank();
         d-- > 0 && ++at[d] == result.getDimSize(d);)
      at[d] = 0;
  }
  return moved;
}

/// Returns the places in the result of an op that moves elements of `operand`;
/// nothing for other ops.
static std::optional<Places> placesBehind(Operation *op, Value operand,
                                          const Places &places) {
  if (isa<CastOp, ReshapeOp, CopyOp, KeepOp, RecomputeOp>(op))
    return places;
  if (!isa<BroadcastOp, TransposeOp, SliceOp, RollOp>(op))
    return std::nullopt;
  RankedTensorType result = tensorOf(op->getResult(0));
  size_t rank = result.getRank();
  SmallVector<int64_t> from(rank), start(rank, 0), stride(rank, 1);
  std::iota(from.begin(), from.end(), int64_t(0));
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    from.assign(rank, -1);
    for (auto [d, dim] : llvm::enumerate(broadcast.getDims()))
      from[dim] = d; // a unit dimension is read modulo 1
  } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
    llvm::copy(transpose.getPermutation(), from.begin());
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    llvm::copy(slice.getStarts(), start.begin());
    llvm::copy(slice.getStrides(), stride.begin());
  } else {
    for (auto [d, shift] : llvm::enumerate(cast<RollOp>(op).getShifts()))
      start[d] = -shift;
  }
  return movedPlaces(places, tensorOf(operand), result, from, start, stride);
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// Returns the length of a vector 0, 1, 2, ...; nothing for other elements.
static std::optional<int64_t> countOf(DenseElementsAttr elements) {
  auto type = dyn_cast<RankedTensorType>(elements.getType());
  if (!type || type.getRank() != 1)
    return std::nullopt;
  bool isReal = isa<FloatType>(type.getElementType());
  if (!isReal && !type.getElementType().isInteger())
    return std::nullopt;
  for (int64_t k = 0; k < type.getDimSize(0); ++k) {
    double number = isReal
                        ? elements.getValues<APFloat>()[k].convertToDouble()
                        : double(elements.getValues<APInt>()[k].getSExtValue());
    if (number != double(k))
      return std::nullopt;
  }
  return type.getDimSize(0);
}

/// Returns the number of classes that a value enumerates, if it does.
static std::optional<int64_t> classesNumberedBy(Value value) {
  value = unmarkedDefinitionOf(value);
  while (isa_and_present<BroadcastOp, CastOp, ReshapeOp>(value.getDefiningOp()))
    value = unmarkedDefinitionOf(value.getDefiningOp()->getOperand(0));
  if (auto iota = value.getDefiningOp<IotaOp>())
    return tensorOf(value).getDimSize(static_cast<int64_t>(iota.getDim()));
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)))
    return countOf(elements);
  return std::nullopt;
}

/// Returns true for x < 0 ? x + n : x, which counts negative indices from the
/// end.
static bool countsFromEnd(SelectOp select, Value x) {
  auto compare = select->getOperand(0).getDefiningOp<CompareOp>();
  auto add = select->getOperand(1).getDefiningOp<AddOp>();
  return compare && add && select->getOperand(2) == x &&
         compare.getPredicate() == ComparePredicate::LT &&
         compare->getOperand(0) == x && add->getOperand(0) == x &&
         matchPattern(compare->getOperand(1), m_Zero()) &&
         matchPattern(add->getOperand(1), m_Constant());
}

void ArgumentFlow::read(const Places &places, IndexUse use, int64_t limit,
                        std::optional<int64_t> ignored, bool isComparison) {
  if (limit <= 0)
    return;
  auto isSame = [&](const Reader &reader) {
    return reader.use == use && reader.limit == limit &&
           reader.ignored == ignored && reader.isComparison == isComparison;
  };
  auto *reader = llvm::find_if(readers, isSame);
  if (reader == readers.end()) {
    readers.push_back({use, limit, ignored, isComparison,
                       std::vector<bool>(type.getNumElements())});
    reader = &readers.back();
  }
  for (int64_t place : places)
    reader->reads[place] = true;
}

/// Follows one use of a value.
void ArgumentFlow::followInto(OpOperand &use, const Places &places) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto block = dyn_cast<SgModuleOp>(op))
    return follow(block.getBody().getArgument(number), places);
  if (isa<YieldOp>(op) && isa<SgModuleOp>(op->getParentOp()))
    return follow(op->getParentOp()->getResult(number), places);
  if (auto loss = dyn_cast<CrossEntropyOp>(op))
    return read(places, IndexUse::Class,
                tensorOf(loss.getLogits()).getDimSize(1),
                loss.getIgnoreIndex());
  if (auto gather = dyn_cast<GatherOp>(op))
    return read(places, IndexUse::Row,
                tensorOf(gather.getTable()).getDimSize(0), std::nullopt);
  if (auto compare = dyn_cast<CompareOp>(op)) {
    std::optional<int64_t> classes;
    if (isLabel && compare.getPredicate() == ComparePredicate::EQ)
      classes = classesNumberedBy(op->getOperand(1 - number));
    if (classes)
      read(places, IndexUse::Class, *classes, std::nullopt,
           /*isComparison=*/true);
    return;
  }
  if (auto select = dyn_cast<SelectOp>(op);
      select && countsFromEnd(select, use.get()))
    return follow(select->getResult(0), places);
  if (op->getNumResults() != 1 ||
      tensorOf(op->getResult(0)).getNumElements() > kMostElements)
    return;
  if (auto moved = placesBehind(op, use.get(), places))
    follow(op->getResult(0), *moved);
}

void ArgumentFlow::follow(Value value, const Places &places) {
  for (OpOperand &use : value.getUses())
    followInto(use, places);
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// Returns the runs of elements that are read in each of the argument's rows.
std::vector<int64_t>
ArgumentFlow::runsOf(const std::vector<bool> &reads) const {
  int64_t rows = type.getDimSize(0), elements = type.getNumElements() / rows;
  std::vector<int64_t> runs;
  for (int64_t k = 0; k < elements; ++k) {
    bool isRead = llvm::all_of(llvm::seq<int64_t>(0, rows), [&](int64_t row) {
      return reads[row * elements + k];
    });
    if (!isRead)
      continue;
    if (runs.empty() || runs.back() != k)
      runs.insert(runs.end(), {k, k});
    ++runs.back();
  }
  return runs;
}

ArrayAttr ArgumentFlow::ranges(Builder &builder) {
  const auto *ignores = llvm::find_if(
      readers, [](const Reader &reader) { return reader.ignored.has_value(); });
  if (ignores != readers.end())
    for (Reader &reader : readers)
      if (reader.isComparison)
        reader.ignored = ignores->ignored;
  // Sorts them, since the order of uses is arbitrary.
  llvm::stable_sort(readers, [](const Reader &a, const Reader &b) {
    return std::tie(a.use, a.limit, a.ignored) <
           std::tie(b.use, b.limit, b.ignored);
  });
  SmallVector<Attribute> ranges;
  for (const Reader &reader : readers) {
    std::vector<int64_t> runs = runsOf(reader.reads);
    if (runs.empty())
      continue;
    auto range = IndexRangeAttr::get(builder.getContext(), reader.use,
                                     reader.limit, reader.ignored, runs);
    // A metric's comparison may give the same range as the loss.
    if (!llvm::is_contained(ranges, range))
      ranges.push_back(range);
  }
  return ranges.empty() ? ArrayAttr() : builder.getArrayAttr(ranges);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
class BoundIndices : public reprise::impl::SgBoundIndicesBase<BoundIndices> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    Builder builder(function.getContext());
    for (BlockArgument argument : function.getArguments()) {
      unsigned number = argument.getArgNumber();
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type || type.getRank() == 0 || type.getNumElements() == 0 ||
          type.getNumElements() > kMostElements ||
          !(type.getElementType().isInteger(32) ||
            type.getElementType().isInteger(64)))
        continue;
      function.removeArgAttr(number, SgDialect::kIndexRangesAttr);
      bool isLabel =
          roleOf(function.getArgAttrDict(number)) == BindingRole::Label;
      if (ArrayAttr ranges = ArgumentFlow(argument, isLabel).ranges(builder))
        function.setArgAttr(number, SgDialect::kIndexRangesAttr, ranges);
    }
  }
};
} // namespace
