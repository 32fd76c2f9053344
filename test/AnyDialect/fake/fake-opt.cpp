//===- fake-opt.cpp - Another compiler's driver, with Reprise's passes ----===//
#include "FakeDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "reprise/Passes/Registration.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<fake::FakeDialect>();
  reprise::registerDialects(registry);
  reprise::registerPasses();
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "A fake compiler's driver\n", registry));
}
