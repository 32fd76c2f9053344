//===- TrainedVariables.cpp - Notes on a variable's training --------------===//

#include "reprise/IR/TrainedVariables.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

bool sg::isTrained(VariableOp variable) {
  return variable.getRole() == Role::Parameter &&
         !variable->hasAttr(kFrozenAttr);
}

double sg::rateScaleOf(VariableOp variable) {
  auto scale = variable->getAttrOfType<FloatAttr>(kRateScaleAttr);
  return scale ? scale.getValueAsDouble() : 1;
}

bool sg::isTrainingNote(Operation *op, NamedAttribute attribute) {
  auto variable = dyn_cast<VariableOp>(op);
  if (!variable || variable.getRole() != Role::Parameter)
    return false;
  if (attribute.getName() == kFrozenAttr)
    return isa<UnitAttr>(attribute.getValue());
  auto scale = dyn_cast<FloatAttr>(attribute.getValue());
  return attribute.getName() == kRateScaleAttr && scale &&
         scale.getType().isF64() && scale.getValueAsDouble() > 0 &&
         std::isfinite(scale.getValueAsDouble());
}
