//===- GraphQueries.cpp - Questions about a function's graph --------------===//
#include "reprise/Bridge/FunctionGraph.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace reprise;

SmallVector<Value> reprise::valuesReadBy(Operation *op) {
  llvm::SetVector<Value> values;
  values.insert(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values.takeVector();
}

bool FunctionGraph::isFree(Operation *op) const {
  return op->hasTrait<OpTrait::ConstantLike>() || isDestination(op) ||
         (op->getNumResults() == 1 && viewed.contains(op->getResult(0)));
}

bool FunctionGraph::isDestination(Operation *op) const {
  return destinations.contains(op);
}
