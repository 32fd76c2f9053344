//===- reprise-reduce.cpp - Reduce a failing input ------------------------===//
//
// Reduces a .mlir file while a script finds it interesting (exits with 1):
//
//   reprise-reduce failing.mlir --reduction-tree='test=./still-fails.sh'
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Reducer/Passes.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Transforms/Passes.h"
#include "reprise/Passes/Reduce.h"
#include "reprise/Passes/Registration.h"
#include "reprise/Runtime/ProcessStart.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

static LogicalResult fail(const llvm::Twine &message) {
  llvm::WithColor::error() << message << "\n";
  return failure();
}

static LogicalResult reduce(MLIRContext &context,
                            const PassPipelineCLParser &passes,
                            llvm::StringRef inputPath,
                            llvm::StringRef outputPath) {
  if (!passes.hasAnyOccurrences())
    return fail("say how to reduce, as in "
                "--reduction-tree='test=./still-fails.sh'");
  std::string message;
  auto output = openOutputFile(outputPath, &message);
  auto input = output ? openInputFile(inputPath, &message) : nullptr;
  if (!input)
    return fail(message);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  PassManager manager(&context);
  if (!module || failed(passes.addToPipeline(manager, fail)) ||
      failed(manager.run(*module)))
    return failure();
  module->print(output->os());
  output->keep();
  return success();
}

int main(int argc, char **argv) {
  reprise::rt::prepareProcess();
  llvm::InitLLVM signals(argc, argv);
  registerTransformsPasses();
  registerOptReductionPass();
  reprise::registerPasses();
  reprise::registerReductionPass();
  llvm::cl::opt<std::string> input(llvm::cl::Positional,
                                   llvm::cl::desc("<input file>"),
                                   llvm::cl::init("-"));
  llvm::cl::opt<std::string> output("o", llvm::cl::init("-"),
                                    llvm::cl::desc("file for the result"),
                                    llvm::cl::value_desc("file"));
  llvm::cl::opt<bool> allowUnregistered(
      "allow-unregistered-dialect",
      llvm::cl::desc("read ops of dialects that are not registered"));
  registerAsmPrinterCLOptions();
  PassPipelineCLParser passes("", "Reduction passes to run");
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "Reprise's reducer of failing files\n");
  DialectRegistry registry;
  reprise::registerDialects(registry);
  reprise::registerReductionPatterns(registry);
  MLIRContext context(registry);
  context.allowUnregisteredDialects(allowUnregistered);
  return failed(reduce(context, passes, input, output));
}
