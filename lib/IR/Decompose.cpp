#include "reprise/IR/Sg.h"
void reprise::sg::registerDecomposeModels(mlir::MLIRContext *context) {}
