//===- Statistics.cpp - Counting a model ----------------------------------===//

#include "reprise/IR/Sg.h"
#include "reprise/Zoo/Zoo.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::zoo;

ModelStatistics zoo::modelStatistics(mlir::ModuleOp module) {
  ModelStatistics statistics;
  for (auto variable : module.getOps<sg::VariableOp>())
    if (variable.getRole() == sg::Role::Parameter)
      statistics.parameters += variable.getTensorType().getNumElements();
  module.walk([&](CostOpInterface op) {
    statistics.multiplyAdds += op.getProductFlops() / 2;
  });
  return statistics;
}
