#include "reprise/IR/Sg.h"
void reprise::sg::registerPointwiseModels(mlir::MLIRContext *context) {}
