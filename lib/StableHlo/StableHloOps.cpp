//===- StableHloOps.cpp - Verifiers, and what ops tell the planner --------===//
//
// Costs count a multiply-add as two operations. Sums saturate; the planner
// refuses what is past its limits.
//
//===----------------------------------------------------------------------===//
#include "reprise/StableHlo/StableHlo.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::stablehlo;

static RankedTensorType rankedOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

static uint64_t times(uint64_t a, uint64_t b) {
  return llvm::SaturatingMultiply(a, b);
}

/// The elements of a tensor of static shape, else one.
static uint64_t elementsOf(Value value) {
  auto type = rankedOf(value);
  uint64_t count = 1;
  if (type && type.hasStaticShape())
    for (int64_t extent : type.getShape())
      count = times(count, extent);
  return count;
}

/// The extent of a dimension, one if it is not known.
static uint64_t extentOf(Value value, int64_t dimension) {
  auto type = rankedOf(value);
  return type && dimension >= 0 && dimension < type.getRank() &&
                 !type.isDynamicDim(dimension)
             ? type.getDimSize(dimension)
             : 1;
}

static uint64_t productOf(ArrayRef<int64_t> numbers) {
  uint64_t product = 1;
  for (int64_t number : numbers)
    product = times(product, std::max<int64_t>(number, 0));
  return product;
}

SmallVector<remat::InPlacePair> stablehlo::pairsOfSameType(Operation *op) {
  SmallVector<remat::InPlacePair> pairs;
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get().getType() == op->getResult(0).getType())
      pairs.push_back({0, operand.getOperandNumber()});
  return pairs;
}

//===----------------------------------------------------------------------===//
// Constants, views, calls
//===----------------------------------------------------------------------===//

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getOutput(),
          isa<IntegerType>(getElementTypeOrSelf(getType())) ? "c" : "cst");
}

LogicalResult ConstantOp::verify() {
  if (getValue().getType() != getType())
    return emitOpError() << "has a value of another type, "
                         << getValue().getType();
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto from = rankedOf(getOperand()), to = rankedOf(getResult());
  if (from && to && from.hasStaticShape() && to.hasStaticShape() &&
      elementsOf(getOperand()) != elementsOf(getResult()))
    return emitOpError() << "changes the number of elements";
  return success();
}

LogicalResult SliceOp::verify() {
  size_t count = getStartIndices().size();
  if (getLimitIndices().size() != count || getStrides().size() != count)
    return emitOpError() << "has lists of different lengths";
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

std::optional<unsigned> ReshapeOp::getRematViewSource() { return 0; }

SmallVector<remat::InPlacePair> DynamicUpdateSliceOp::getRematInPlacePairs() {
  if (getOperand().getType() == getType())
    return {{0, 0}};
  return {};
}

SmallVector<remat::InPlacePair> ScatterOp::getRematInPlacePairs() {
  SmallVector<remat::InPlacePair> pairs;
  for (auto [index, input] : llvm::enumerate(getInputs()))
    if (index < getNumResults() && input.getType() == getType(index))
      pairs.push_back({unsigned(index), unsigned(index)});
  return pairs;
}

remat::Execution CompositeOp::getRematExecution() {
  return remat::Execution::Once;
}

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (symbols.lookupNearestSymbolFrom(*this, getDecompositionAttr()))
    return success();
  return emitOpError() << "has the decomposition " << getDecompositionAttr()
                       << ", which is not in the module";
}

remat::Execution CustomCallOp::getRematExecution() {
  if (getRematViewSource())
    return remat::Execution::Anywhere;
  return getHasSideEffect().value_or(false) ? remat::Execution::InOrder
                                            : remat::Execution::Once;
}

std::optional<unsigned> CustomCallOp::getRematViewSource() {
  bool isMark = getCallTargetName() == "Sharding" && getNumResults() == 1 &&
                getNumOperands() == 1 &&
                getOperand(0).getType() == getResult(0).getType();
  return isMark ? std::optional(0u) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

uint64_t DotGeneralOp::getRematFlops() {
  uint64_t flops = times(2, elementsOf(getResult()));
  for (int64_t dimension : getDotDimensionNumbers().getLhsContracting())
    flops = times(flops, extentOf(getLhs(), dimension));
  return flops;
}

uint64_t DotOp::getRematFlops() {
  auto lhs = rankedOf(getLhs());
  return times(times(2, elementsOf(getResult())),
               lhs && lhs.getRank() ? extentOf(getLhs(), lhs.getRank() - 1)
                                    : 1);
}

LogicalResult DotGeneralOp::verify() {
  DotDimensionNumbersAttr numbers = getDotDimensionNumbers();
  auto check = [&](StringRef name, ArrayRef<int64_t> batch,
                   ArrayRef<int64_t> contracting,
                   Value value) -> LogicalResult {
    auto type = rankedOf(value);
    llvm::SmallDenseSet<int64_t> seen;
    for (ArrayRef<int64_t> list : {batch, contracting})
      for (int64_t dimension : list)
        if (!type || dimension < 0 || dimension >= type.getRank() ||
            !seen.insert(dimension).second)
          return emitOpError() << "has dimension " << dimension << " of the "
                               << name << ", which is none or there twice";
    return success();
  };
  if (failed(check("left operand", numbers.getLhsBatch(),
                   numbers.getLhsContracting(), getLhs())) ||
      failed(check("right operand", numbers.getRhsBatch(),
                   numbers.getRhsContracting(), getRhs())))
    return failure();
  if (numbers.getLhsBatch().size() != numbers.getRhsBatch().size() ||
      numbers.getLhsContracting().size() != numbers.getRhsContracting().size())
    return emitOpError() << "pairs different numbers of dimensions";
  return success();
}

uint64_t ConvolutionOp::getRematFlops() {
  ConvDimensionNumbersAttr numbers = getDimensionNumbers();
  uint64_t flops = times(times(2, elementsOf(getResult())),
                         extentOf(getRhs(), numbers.getKernelInput()));
  for (int64_t dimension : numbers.getKernelSpatial())
    flops = times(flops, extentOf(getRhs(), dimension));
  // Between the elements of a dilated input there are zeros only.
  SmallVector<int64_t> dilation = integersOf(getLhsDilationAttr());
  return flops / std::max<uint64_t>(productOf(dilation), 1);
}

LogicalResult ConvolutionOp::verify() {
  ConvDimensionNumbersAttr numbers = getDimensionNumbers();
  size_t spatial = numbers.getInputSpatial().size();
  if (numbers.getKernelSpatial().size() != spatial ||
      numbers.getOutputSpatial().size() != spatial)
    return emitOpError() << "has different numbers of dimensions of space";
  for (Value value : {getLhs(), getRhs(), getResult()})
    if (auto type = rankedOf(value);
        !type || type.getRank() != int64_t(spatial) + 2)
      return emitOpError() << "needs arrays of " << spatial + 2
                           << " dimensions; one is a " << value.getType();
  std::pair<Attribute, size_t> lists[] = {{getWindowStridesAttr(), spatial},
                                          {getPaddingAttr(), 2 * spatial},
                                          {getLhsDilationAttr(), spatial},
                                          {getRhsDilationAttr(), spatial},
                                          {getWindowReversalAttr(), spatial}};
  for (auto [list, size] : lists)
    if (list && integersOf(list).size() != size)
      return emitOpError() << "has a list of " << integersOf(list).size()
                           << " numbers where " << size << " are needed";
  for (Attribute list :
       {getWindowStridesAttr(), getLhsDilationAttr(), getRhsDilationAttr()})
    for (int64_t number : integersOf(list))
      if (number < 1)
        return emitOpError() << "has a stride or dilation of " << number;
  if (getFeatureGroupCount() < 1 || getBatchGroupCount() < 1)
    return emitOpError() << "has a number of groups below 1";
  return success();
}

//===----------------------------------------------------------------------===//
// Ops with bodies
//===----------------------------------------------------------------------===//

static uint64_t elementsRead(ValueRange inputs) {
  uint64_t count = 0;
  for (Value input : inputs)
    count = llvm::SaturatingAdd(count, elementsOf(input));
  return count;
}

uint64_t ReduceOp::getRematFlops() { return elementsRead(getInputs()); }

uint64_t ReduceWindowOp::getRematFlops() {
  return times(elementsRead(getResults()), productOf(getWindowDimensions()));
}

uint64_t SelectAndScatterOp::getRematFlops() {
  return times(elementsOf(getSource()),
               productOf(integersOf(getWindowDimensionsAttr())));
}

/// Counts n comparisons of each input for each of about log n steps.
uint64_t SortOp::getRematFlops() {
  uint64_t count = elementsRead(getInputs());
  return times(count, llvm::Log2_64_Ceil(count + 1));
}

/// Checks that inputs, initial values and results are as many.
static LogicalResult verifyGroups(Operation *op, unsigned inputs) {
  if (inputs && op->getNumResults() == inputs)
    return success();
  return op->emitOpError() << "has " << inputs << " inputs and "
                           << op->getNumResults() << " results";
}

LogicalResult ReduceOp::verify() {
  if (getNumOperands() % 2 != 0)
    return emitOpError() << "has an odd number of operands";
  if (getBody().getNumArguments() != getNumOperands())
    return emitOpError() << "has " << getBody().getNumArguments()
                         << " arguments of its body for " << getNumOperands()
                         << " operands";
  return verifyGroups(*this, getInputs().size());
}

LogicalResult ReduceWindowOp::verify() {
  if (getNumOperands() % 2 != 0)
    return emitOpError() << "has an odd number of operands";
  return verifyGroups(*this, getInputs().size());
}

LogicalResult ScatterOp::verify() {
  if (getNumOperands() % 2 != 1)
    return emitOpError() << "has an even number of operands";
  return verifyGroups(*this, getInputs().size());
}

LogicalResult WhileOp::verify() {
  for (Region *region : {&getCond(), &getBody()})
    if (region->getArgumentTypes() != getOperands().getTypes())
      return emitOpError() << "has arguments of a region that differ from its "
                              "operands";
  if (getResultTypes() != getOperands().getTypes())
    return emitOpError() << "has results that differ from its operands";
  return success();
}

LogicalResult OptimizationBarrierOp::verify() {
  if (getResultTypes() != getOperands().getTypes())
    return emitOpError() << "has results that differ from its operands";
  return success();
}
