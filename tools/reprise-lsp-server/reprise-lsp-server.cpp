//===- reprise-lsp-server.cpp - Reprise's IR in an editor -----------------===//
//
// A language server for .mlir files with Reprise's dialects: errors while
// typing, definitions, uses, hover.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "reprise/Passes/Registration.h"
#include "reprise/Runtime/ProcessStart.h"

int main(int argc, char **argv) {
  reprise::rt::prepareProcess();
  mlir::DialectRegistry registry;
  reprise::registerDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
