//===- random_training.cpp - Random graphs through all modes --------------===//
//
//   random_training [--brief] [--progress] [--strip] [--budgets] [--gpu]
//                   [--shared] [--amp TYPE] [--lossy-kept TYPE] FIRST COUNT
//                   [DIRECTORY]
//
// Checks the graphs of COUNT seeds from FIRST on (see TrainingCheck.h), in
// every mode of checkpointing, or with --budgets at eight budgets; in every
// third one tensors are marked to be kept or computed again. A
// failing graph is reduced, printed, and written to DIRECTORY/seed-N.mlir (the
// current folder by default), which `random_training FILE.mlir SEED` runs
// again. With --strip each is compiled a second time without any location, to
// the same program. With --shared all have layers that use a weight several
// times. With --amp each is in mixed precision of that type, bf16 or f16. With
// --lossy-kept values that the backward pass keeps are rounded to bf16 or fp8,
// with the same bits at every budget. With --gpu all run on a simulated GPU
// (see
// ../Gpu/FakeDriver.h), where what a kernel does wrong is a failure too. With
// --brief the first failure ends it, and nothing is reduced; with --progress a
// line is printed after every hundred graphs.
//
//===----------------------------------------------------------------------===//

#include "../Gpu/SimulatedTarget.h"
#include "../RandomGraphs/Generator.h"
#include "TrainingCheck.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "reprise/Passes/Algorithms.h"
#include "reprise/Passes/Pipelines.h"
#include "reprise/Passes/Train.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

namespace {

void writeReduced(mlir::ModuleOp model, uint64_t seed, const std::string &wrong,
                  const std::string &directory, Twin twin) {
  auto reduced = reduceTraining(model, seed, wrong, twin);
  std::string path = directory + "/seed-" + std::to_string(seed) + ".mlir";
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (error) {
    llvm::errs() << "error: cannot write " << path << ": " << error.message()
                 << '\n';
    return;
  }
  out << *reduced << '\n';
  llvm::outs() << "  reduced to " << path << "; run it with random_training "
               << path << ' ' << seed << '\n'
               << *reduced << '\n';
}

/// Converts the model as the driver does.
LogicalResult autocast(mlir::ModuleOp model, const std::string &type) {
  PassManager passes(model.getContext());
  SgAutocastOptions options;
  options.type = type;
  passes.addNestedPass<func::FuncOp>(createSgAutocast(options));
  return passes.run(model);
}

/// The seeds of the shard of COUNT seeds from FIRST on, which the environment
/// asks for: [first, end).
std::pair<uint64_t, uint64_t> seedsOfShard(uint64_t first, uint64_t count) {
  auto number = [](const char *name, uint64_t otherwise) -> uint64_t {
    const char *text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
  };
  uint64_t shards = std::max<uint64_t>(1, number("GTEST_TOTAL_SHARDS", 1));
  uint64_t index = std::min(number("GTEST_SHARD_INDEX", 0), shards - 1);
  return {first + count * index / shards, first + count * (index + 1) / shards};
}

void useSimulatedGpu() {
  gpu_test::registerSimulatedGpu();
  trainingTarget() = "cuda:";
}

/// checkTraining, and what kernels did wrong on the simulated GPU, of odd seeds
/// with products by kernels.
std::string check(mlir::ModuleOp model, uint64_t seed,
                  const std::vector<std::string> &modes, Twin twin) {
  if (llvm::StringRef(trainingTarget()).starts_with("cuda:"))
    trainingTarget() = "cuda:";
  std::string wrong = checkTraining(model, seed, modes, twin);
  std::vector<std::string> problems =
      std::exchange(gpu_test::simulatedGpu().problems, {});
  ++gpu_test::simulatedGpu().seed;
  return wrong.empty() && !problems.empty() ? problems.front() : wrong;
}

int runFile(MLIRContext &context, const char *path, uint64_t seed,
            const std::vector<std::string> &modes, Twin twin) {
  auto model = parseSourceFile<mlir::ModuleOp>(path, &context);
  if (!model)
    return 1;
  widenCalls(*model);
  std::string wrong = check(*model, seed, modes, twin);
  llvm::outs() << (wrong.empty() ? "passed" : wrong) << '\n';
  return !wrong.empty();
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> modes = allModes();
  auto takeFlag = [&](const char *name) {
    if (argc < 2 || std::strcmp(argv[1], name) != 0)
      return false;
    --argc;
    ++argv;
    return true;
  };
  bool isBrief = takeFlag("--brief");
  bool showsProgress = takeFlag("--progress");
  Twin twin = takeFlag("--strip") ? Twin::Stripped : Twin::None;
  if (takeFlag("--budgets"))
    modes = budgetModes();
  bool onGpu = takeFlag("--gpu");
  random_graphs::GraphOptions graphs;
  graphs.shareWeights = takeFlag("--shared");
  auto takeText = [&](const char *name) {
    std::string text;
    if (takeFlag(name) && argc > 1) {
      text = argv[1];
      --argc;
      ++argv;
    }
    return text;
  };
  std::string amp = takeText("--amp");
  auto kept = termOf<LossyKept>(takeText("--lossy-kept"));
  trainingLossyKept() = kept.value_or(LossyKept::None);
  if (argc < 3) {
    llvm::errs() << "usage: random_training [--brief] [--progress] [--strip] "
                    "[--budgets] [--gpu] [--shared] [--amp TYPE] "
                    "[--lossy-kept TYPE] FIRST COUNT [DIRECTORY]\n"
                    "       random_training [--strip] [--budgets] FILE.mlir "
                    "SEED\n";
    return 2;
  }
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);
  hideWarnings(context);
  if (onGpu)
    useSimulatedGpu();
  if (llvm::StringRef(argv[1]).ends_with(".mlir"))
    return runFile(context, argv[1], std::strtoull(argv[2], nullptr, 10), modes,
                   twin);
  auto [first, end] = seedsOfShard(std::strtoull(argv[1], nullptr, 10),
                                   std::strtoull(argv[2], nullptr, 10));
  unsigned failures = 0;
  for (uint64_t seed = first; seed < end; ++seed) {
    auto model = random_graphs::generateGraph(&context, seed, graphs);
    if (!amp.empty() && failed(autocast(*model, amp)))
      return 2;
    widenCalls(*model);
    if (seed % 3 == 1)
      random_graphs::markTensors(*model, seed);
    std::string wrong = check(*model, seed, modes, twin);
    if (uint64_t done = seed - first; showsProgress && done % 100 == 0)
      llvm::outs() << done << " done, " << failures << " failed\n";
    llvm::outs().flush();
    if (wrong.empty())
      continue;
    ++failures;
    llvm::outs() << "seed " << seed << ": " << wrong << '\n';
    if (isBrief)
      return 1;
    writeReduced(*model, seed, wrong, argc > 3 ? argv[3] : ".", twin);
  }
  llvm::outs() << end - first - failures << " passed, " << failures
               << " failed\n";
  return failures != 0;
}
