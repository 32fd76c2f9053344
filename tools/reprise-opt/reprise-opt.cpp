//===- reprise-opt.cpp - Run passes on textual IR -------------------------===//
//
// The usual MLIR driver with Reprise's dialects and passes. It reads its input
// itself, to reject text that would overflow the stack of MLIR's parser.
//
//===----------------------------------------------------------------------===//

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "reprise/Passes/Registration.h"
#include "reprise/Runtime/ProcessStart.h"
#include "reprise/Text/Nesting.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

#ifdef REPRISE_INCLUDE_TESTS
namespace reprise::test {
void registerTestKernelLoops();
} // namespace reprise::test
#endif

static LogicalResult fail(const llvm::Twine &message) {
  llvm::WithColor::error() << message << "\n";
  return failure();
}

static LogicalResult optimize(llvm::StringRef inputPath,
                              llvm::StringRef outputPath,
                              const MlirOptMainConfig &config,
                              DialectRegistry &registry) {
  std::string message;
  auto input = openInputFile(inputPath, &message);
  if (!input)
    return fail(message);
  message = reprise::text::checkNesting(inputPath.str(), input->getBuffer());
  if (!message.empty())
    return fail(message);
  auto output = openOutputFile(outputPath, &message);
  if (!output)
    return fail(message);
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
    return failure();
  output->keep();
  return success();
}

int main(int argc, char **argv) {
  reprise::rt::prepareProcess();
  DialectRegistry registry;
  reprise::registerDialects(registry);
  registerTransformsPasses();
  reprise::registerPasses();
#ifdef REPRISE_INCLUDE_TESTS
  reprise::test::registerTestKernelLoops();
#endif
  auto [inputPath, outputPath] = registerAndParseCLIOptions(
      argc, argv, "Reprise's optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(
        MlirOptMain(argc, argv, inputPath, outputPath, registry));
  llvm::InitLLVM signals(argc, argv);
  return asMainReturnCode(optimize(inputPath, outputPath, config, registry));
}
