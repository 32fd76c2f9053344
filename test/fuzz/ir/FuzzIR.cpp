//===- FuzzIR.cpp - Coverage-guided fuzzing of dialect and passes ---------===//
//
// The input is text. What parses and verifies goes through the passes of
// training, checkpointing and fusion. They may refuse it; they must neither
// crash nor leave IR that does not verify.
//
// Only Reprise's sources are instrumented: the parser of MLIR is a shared
// library of the system. Hence mutations that keep text well-formed, see
// Mutate.cpp.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "reprise/Passes/Checkpoint.h"
#include "reprise/Passes/Fuse.h"
#include "reprise/Passes/Train.h"

#include <cstdio>
#include <cstdlib>

using namespace mlir;
using namespace reprise;

/// A context keeps every attribute it has seen, so none lives long.
static MLIRContext &freshContext() {
  constexpr unsigned kInputsOfAContext = 256;
  static std::unique_ptr<MLIRContext> context;
  static unsigned inputs = 0;
  if (!context || ++inputs % kInputsOfAContext == 0) {
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    context->loadDialect<sg::SgDialect, func::FuncDialect>();
  }
  return *context;
}

/// Whether `pass` accepts the module. What it leaves must verify.
static bool run(mlir::ModuleOp module, std::unique_ptr<Pass> pass) {
  PassManager manager(module.getContext());
  // A failing verifier would look like a refusal.
  manager.enableVerifier(false);
  std::string name = pass->getArgument().str();
  if (pass->getOpName() == StringRef("func.func"))
    manager.addNestedPass<func::FuncOp>(std::move(pass));
  else
    manager.addPass(std::move(pass));
  if (failed(manager.run(module)))
    return false;
  if (succeeded(verify(module)))
    return true;
  std::fprintf(stderr, "%s leaves IR that does not verify\n", name.c_str());
  std::abort();
}

static std::unique_ptr<Pass> verifyLevel(const char *level) {
  SgVerifyLevelOptions options;
  options.level = level;
  return createSgVerifyLevel(options);
}

static void fuse(mlir::ModuleOp module) {
  run(module, createCanonicalizerPass()) && run(module, createSgDecompose()) &&
      run(module, createSgFormKernels());
}

static void train(mlir::ModuleOp module, const char *mode) {
  SgAssignCheckpointingOptions assign;
  assign.mode = mode;
  if (run(module, createSgAssignCheckpointing(assign)) &&
      run(module, createSgDifferentiate()) &&
      run(module, createSgPrintKept()) &&
      run(module, createSgLowerCheckpointing()) &&
      run(module, createSgFlatten()) && run(module, createSgRecomputeMarked()))
    fuse(module);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &context = freshContext();
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  StringRef text(reinterpret_cast<const char *>(data), size);
  // The parser wants its text to end with a zero.
  std::string terminated = text.str();
  OwningOpRef<mlir::ModuleOp> module =
      parseSourceString<mlir::ModuleOp>(terminated, &context);
  if (!module)
    return 0;
  auto onCopy = [&](auto &&passes) {
    OwningOpRef<mlir::ModuleOp> copy = module->clone();
    passes(*copy);
  };
  for (const char *level : {"model", "train", "remat", "flat"})
    run(*module, verifyLevel(level));
  run(*module, createSgVerifyEffects());
  for (const char *mode : {"annotated", "nested", "segments=2"})
    onCopy([&](mlir::ModuleOp copy) { train(copy, mode); });
  onCopy([&](mlir::ModuleOp copy) {
    if (run(copy, createSgToInference()) && run(copy, createSgFlatten()))
      fuse(copy);
  });
  onCopy([&](mlir::ModuleOp copy) {
    if (run(copy, createSgLowerCheckpointing()) && run(copy, createSgFlatten()))
      fuse(copy);
  });
  onCopy([&](mlir::ModuleOp copy) {
    if (run(copy, createSgRecomputeMarked()))
      fuse(copy);
  });
  onCopy([&](mlir::ModuleOp copy) { fuse(copy); });
  return 0;
}
