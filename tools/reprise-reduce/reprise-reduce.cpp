//===- reprise-reduce.cpp - The smallest input that still fails -----------===//
//
// Reduces a .mlir file while a script finds it interesting (exits with 1):
//
//   reprise-reduce failing.mlir
//     --reduction-tree='traversal-mode=0 test=./still-fails.sh'
//
//===----------------------------------------------------------------------===//

#include "ReductionPatterns.h"
#include "Registration.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "mlir/Transforms/Passes.h"
#include "reprise/Runtime/ProcessStart.h"

int main(int argc, char **argv) {
  reprise::rt::prepareProcess();
  mlir::DialectRegistry registry;
  reprise::registerDialects(registry);
  reprise::registerReductionPatterns(registry);
  mlir::registerTransformsPasses();
  reprise::registerPasses();
  mlir::MLIRContext context(registry);
  return failed(mlir::mlirReduceMain(argc, argv, context));
}
