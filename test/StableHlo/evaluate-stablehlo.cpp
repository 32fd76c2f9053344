//===- evaluate-stablehlo.cpp - The value of a step -----------------------===//
//
// Usage: evaluate-stablehlo STEP [OTHER]
//
// Runs a step on numbers that depend on the place of the argument and of the
// element alone, and prints a digest of each result's bits. With OTHER, runs it
// too, and fails unless all bits are equal.
//
//===----------------------------------------------------------------------===//
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "reprise/Passes/StableHlo.h"
#include "reprise/Reference/StableHloEvaluator.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace reprise;
using reference::Tensor;

/// The finalizer of a generator of 64 bits (Steele, Lea, Flood 2014).
static uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Real numbers between -1/2 and 1/2, integers below ten.
static Tensor makeArgument(RankedTensorType type, unsigned place) {
  Tensor tensor(type);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    uint64_t bits = mixed((uint64_t(place) << 32) + i + 1);
    if (tensor.isReal())
      tensor.real(i) = double(bits >> 40) / (1 << 24) - 0.5;
    else
      tensor.integer(i) = int64_t(bits % 10);
  }
  tensor.roundToStorage();
  return tensor;
}

static uint64_t digestOf(const Tensor &tensor) {
  uint64_t digest = 0;
  for (int64_t i = 0; i < tensor.size(); ++i)
    digest = mixed(digest ^
                   (tensor.isReal() ? llvm::bit_cast<uint64_t>(tensor.real(i))
                                    : uint64_t(tensor.integer(i))));
  return digest;
}

/// Runs the step of a file; nothing after an error.
static std::optional<std::vector<uint64_t>> run(const char *path) {
  DialectRegistry registry;
  registry
      .insert<func::FuncDialect, remat::RematDialect, stablehlo::HloDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  std::string error;
  auto file = openInputFile(path, &error);
  if (!file) {
    llvm::errs() << error << "\n";
    return std::nullopt;
  }
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  PassManager passes(&context);
  passes.addPass(createStableHloInlineCalls());
  if (!module || failed(passes.run(*module)))
    return std::nullopt;
  func::FuncOp step = stablehlo::findStep(*module, "");
  if (!step || failed(stablehlo::checkSupported(*module, step)))
    return std::nullopt;
  SmallVector<Tensor> arguments;
  for (BlockArgument argument : step.getArguments())
    arguments.push_back(makeArgument(cast<RankedTensorType>(argument.getType()),
                                     argument.getArgNumber()));
  auto results = reference::evaluateStableHlo(step, arguments);
  if (failed(results))
    return std::nullopt;
  std::vector<uint64_t> digests;
  for (const Tensor &result : *results)
    digests.push_back(digestOf(result));
  return digests;
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    llvm::errs() << "usage: evaluate-stablehlo STEP [OTHER]\n";
    return 2;
  }
  auto first = run(argv[1]);
  if (!first)
    return 1;
  for (auto [place, digest] : llvm::enumerate(*first))
    llvm::outs() << "result " << place << ": "
                 << llvm::format_hex_no_prefix(digest, 16) << "\n";
  if (argc == 2)
    return 0;
  auto second = run(argv[2]);
  if (!second)
    return 1;
  if (*first != *second) {
    llvm::outs() << "the results differ\n";
    return 1;
  }
  llvm::outs() << "equal bits\n";
  return 0;
}
