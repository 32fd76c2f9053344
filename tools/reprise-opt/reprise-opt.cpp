//===- reprise-opt.cpp - Runs passes on textual IR ------------------------===//
//
// The usual MLIR driver with Reprise's dialects and passes.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "reprise/IR/Rt.h"
#include "reprise/IR/Sg.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<reprise::sg::SgDialect, reprise::rt_dialect::RtDialect,
                  mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::func::FuncDialect, mlir::math::MathDialect>();
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Reprise's optimizer driver\n", registry));
}
