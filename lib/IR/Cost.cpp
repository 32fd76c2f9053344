#include "reprise/IR/Sg.h"
void reprise::sg::registerCostModels(mlir::MLIRContext *context) {}
