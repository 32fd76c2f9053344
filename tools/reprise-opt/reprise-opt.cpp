//===- reprise-opt.cpp - Runs passes on textual IR ------------------------===//
//
// The usual MLIR driver with Reprise's dialects and passes.
//
//===----------------------------------------------------------------------===//

#include "Registration.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  reprise::registerDialects(registry);
  registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::math::MathDialect>();
  mlir::registerTransformsPasses();
  reprise::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Reprise's optimizer driver\n", registry));
}
