//===- Plugin.cpp - Reprise in the stock mlir-opt -------------------------===//
//
// One shared library for --load-dialect-plugin and --load-pass-plugin. It
// shares libMLIR with the tool that loads it, and thereby the type ids.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "reprise/Passes/Registration.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Reprise", REPRISE_VERSION,
          [](mlir::DialectRegistry *registry) {
            reprise::registerDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Reprise", REPRISE_VERSION,
          [] { reprise::registerPasses(); }};
}
