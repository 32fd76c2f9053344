//===- evaluate-stablehlo.cpp - The value of a step -----------------------===//
//
// Usage: evaluate-stablehlo STEP [OTHER]
//        evaluate-stablehlo --checks FILE...
//
// Runs a step on numbers that depend on the place of the argument and of the
// element alone, and prints a digest of each result's bits. With OTHER, runs it
// too, and fails unless all bits are equal. With --checks, reads files whose
// functions compare their values themselves, and counts those that are right.
//
//===----------------------------------------------------------------------===//
#include "CheckDialect.h"

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
  int64_t words = tensor.size() * (tensor.isComplex() ? 2 : 1);
  for (int64_t i = 0; i < words; ++i) {
    uint64_t bits = mixed((uint64_t(place) << 32) + i + 1);
    if (tensor.isReal() || tensor.isComplex())
      tensor.setWord(i, double(bits >> 40) / (1 << 24) - 0.5);
    else
      tensor.integer(i) = int64_t(bits % 10);
  }
  tensor.roundToStorage();
  return tensor;
}

static uint64_t digestOf(const Tensor &tensor) {
  uint64_t digest = 0;
  for (double value : tensor.getReals())
    digest = mixed(digest ^ llvm::bit_cast<uint64_t>(value));
  for (int64_t value : tensor.getIntegers())
    digest = mixed(digest ^ uint64_t(value));
  return digest;
}

namespace {
/// A file that is parsed, in which checks are calls.
class Source {
public:
  Source() : context(registryOf(), MLIRContext::Threading::DISABLED) {}

  /// Reads a file, or a part of its text.
  OwningOpRef<ModuleOp> read(std::unique_ptr<llvm::MemoryBuffer> text) {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
    SourceMgrDiagnosticHandler diagnostics(sources, &context);
    auto module = parseSourceFile<ModuleOp>(sources, &context);
    if (module)
      check::lowerChecks(*module);
    return module;
  }

private:
  static DialectRegistry registryOf() {
    DialectRegistry registry;
    registry
        .insert<func::FuncDialect, remat::RematDialect, check::CheckDialect>();
    stablehlo::registerDialects(registry);
    return registry;
  }

  MLIRContext context;
};

std::unique_ptr<llvm::MemoryBuffer> open(const char *path) {
  std::string error;
  auto file = openInputFile(path, &error);
  if (!file)
    llvm::errs() << error << "\n";
  return file;
}
} // namespace

/// Runs the step of a file; nothing after an error.
static std::optional<std::vector<uint64_t>> run(const char *path) {
  auto file = open(path);
  if (!file)
    return std::nullopt;
  Source source;
  OwningOpRef<ModuleOp> module = source.read(std::move(file));
  if (!module)
    return std::nullopt;
  PassManager passes(module->getContext());
  passes.addPass(createStableHloInlineCalls());
  if (failed(passes.run(*module)))
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

//===----------------------------------------------------------------------===//
// Files that check themselves
//===----------------------------------------------------------------------===//

static std::string textOf(ModuleOp module, bool isGeneric) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (isGeneric)
    flags.printGenericOpForm();
  module.print(stream, flags);
  return text;
}

/// True if the pretty and the generic text are read as the same module.
static bool survives(ModuleOp module) {
  std::string text = textOf(module, /*isGeneric=*/false);
  for (bool isGeneric : {false, true}) {
    Source source;
    auto again = source.read(
        llvm::MemoryBuffer::getMemBufferCopy(textOf(module, isGeneric)));
    if (!again || textOf(*again, /*isGeneric=*/false) != text)
      return false;
  }
  return true;
}

/// Runs the functions that take no arguments and that other files could call.
/// Returns how many hold what they promise; nothing after an error.
static std::optional<unsigned> runChecks(ModuleOp module) {
  unsigned count = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isPrivate() || function.isExternal() ||
        function.getNumArguments())
      continue;
    if (failed(reference::evaluateStableHlo(function, {})))
      return std::nullopt;
    ++count;
  }
  return count;
}

/// Reads the parts of a file between lines of "// -----". Returns true if each
/// of them is read, survives printing and holds its checks.
static bool checkFile(const char *path) {
  auto file = open(path);
  if (!file)
    return false;
  SmallVector<StringRef> parts;
  file->getBuffer().split(parts, "// -----\n");
  unsigned parsed = 0, survived = 0, held = 0, functions = 0;
  for (StringRef part : parts) {
    Source source;
    auto module = source.read(llvm::MemoryBuffer::getMemBufferCopy(part, path));
    if (!module)
      continue;
    ++parsed;
    survived += survives(*module);
    if (std::optional<unsigned> count = runChecks(*module)) {
      ++held;
      functions += *count;
    }
  }
  llvm::outs() << path << ": " << parts.size() << " parts, " << parsed
               << " read, " << survived << " round trips, " << held
               << " right, " << functions << " functions\n";
  return survived == parts.size() && held == parts.size() && functions > 0;
}

static int checkFiles(llvm::ArrayRef<char *> paths) {
  unsigned good = 0;
  for (const char *path : paths)
    good += checkFile(path);
  llvm::outs() << good << " of " << paths.size() << " files are right\n";
  return good == paths.size() ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc > 2 && StringRef(argv[1]) == "--checks")
    return checkFiles(llvm::ArrayRef(argv + 2, argc - 2));
  if (argc != 2 && argc != 3) {
    llvm::errs() << "usage: evaluate-stablehlo STEP [OTHER]\n"
                    "       evaluate-stablehlo --checks FILE...\n";
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
