#include "reprise/IR/Sg.h"
void reprise::sg::registerVjpModels(mlir::MLIRContext *context) {}
