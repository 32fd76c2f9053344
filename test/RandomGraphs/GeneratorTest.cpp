//===- GeneratorTest.cpp - What random graphs hold ------------------------===//

#include "Generator.h"
#include "mlir/IR/Verifier.h"
#include "reprise/IR/Sg.h"
#include "gtest/gtest.h"
#include <cmath>
#include <set>

using namespace mlir;
using namespace reprise;
using namespace reprise::random_graphs;
using reference::Tensor;

static constexpr uint64_t kSeeds = 300;

static std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registry.insert<sg::SgDialect, func::FuncDialect>();
  reference::registerReferenceModels(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

TEST(Generator, GivesTheSameGraphForASeedAndOthersForOthers) {
  std::unique_ptr<MLIRContext> first = makeContext(), second = makeContext();
  std::set<std::string> texts;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::string text = print(*generateGraph(first.get(), seed));
    EXPECT_EQ(text, print(*generateGraph(second.get(), seed)));
    texts.insert(text);
  }
  EXPECT_EQ(texts.size(), 20u);
}

TEST(Generator, MakesValidGraphsWithFiniteValues) {
  std::unique_ptr<MLIRContext> context = makeContext();
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    OwningOpRef<ModuleOp> module = generateGraph(context.get(), seed);
    ASSERT_TRUE(succeeded(verify(*module))) << "seed " << seed;
    auto function = *module->getOps<func::FuncOp>().begin();
    reference::VariableStore variables = generateVariables(*module, seed);
    auto results = reference::evaluate(
        function, generateArguments(function, seed), variables);
    ASSERT_TRUE(succeeded(results)) << "seed " << seed;
    for (const Tensor &result : *results)
      for (double value : result.getReals())
        ASSERT_TRUE(std::isfinite(value)) << "seed " << seed;
    // No logit is so far ahead that the gradients vanish.
    EXPECT_LT((*results)[0].real(0), 100.0) << "seed " << seed;
  }
}

namespace {
/// How often, over the seeds, a graph holds what the generator promises.
struct Census {
  std::map<std::string, int> graphs;

  void count(ModuleOp module) {
    std::set<std::string> found;
    std::map<std::string, std::set<Operation *>> readers;
    module.walk([&](Operation *op) { visit(op, found, readers); });
    for (auto &[name, blocks] : readers)
      if (blocks.size() > 1)
        found.insert("shared weights");
    for (const std::string &feature : found)
      ++graphs[feature];
  }

private:
  static void visit(sg::ReadOp read, std::set<std::string> &found,
                    std::map<std::string, std::set<Operation *>> &readers) {
    readers[read.getVariable().str()].insert(read->getParentOp());
    if (!read->hasOneUse())
      found.insert("one read with several uses");
    for (Operation *user : read->getUsers())
      if (isa<sg::SgModuleOp>(user))
        found.insert("block that takes a weight");
      else if (isa<sg::YieldOp>(user))
        found.insert("block that hands out a weight");
    for (auto other : read->getBlock()->getOps<sg::ReadOp>())
      if (other != read && other.getVariableAttr() == read.getVariableAttr())
        found.insert("several reads in a block");
  }

  static void visit(Operation *op, std::set<std::string> &found,
                    std::map<std::string, std::set<Operation *>> &readers) {
    found.insert(op->getName().getStringRef().str());
    if (auto read = dyn_cast<sg::ReadOp>(op))
      visit(read, found, readers);
    if (isa<sg::BroadcastOp>(op) &&
        isa_and_nonnull<sg::RsqrtOp>(op->getOperand(0).getDefiningOp()))
      found.insert("normalized rows");
    if (isa<sg::ReduceSumOp>(op) &&
        isa_and_nonnull<sg::ExpOp>(op->getOperand(0).getDefiningOp()))
      found.insert("softmax of primitives");
    auto block = dyn_cast<sg::SgModuleOp>(op);
    if (!block)
      return;
    if (block->getNumResults() > 1)
      found.insert("several results");
    if (block.getPath().contains(".again"))
      found.insert("block used twice");
    unsigned depth = 0, annotated = 0;
    for (auto at = block; at; at = at->getParentOfType<sg::SgModuleOp>()) {
      ++depth;
      annotated += at.getActivationCheckpointing();
    }
    if (depth == 3)
      found.insert("depth 3");
    if (annotated > 1)
      found.insert("nested annotations");
    for (Value result : block->getResults())
      for (Operation *user : result.getUsers())
        if (isa<sg::SgModuleOp>(user) && user->getPrevNode() != block)
          found.insert("escaping value");
  }
};
} // namespace

TEST(Generator, CoversWhatCheckpointingHasToGetRight) {
  std::unique_ptr<MLIRContext> context = makeContext();
  Census census;
  for (uint64_t seed = 0; seed < kSeeds; ++seed)
    census.count(*generateGraph(context.get(), seed));
  for (const char *feature : {"several results",
                              "block used twice",
                              "shared weights",
                              "one read with several uses",
                              "several reads in a block",
                              "block that takes a weight",
                              "block that hands out a weight",
                              "depth 3",
                              "nested annotations",
                              "escaping value",
                              "normalized rows",
                              "softmax of primitives",
                              "sg.dropout",
                              "sg.batch_norm",
                              "sg.conv2d",
                              "sg.conv3d",
                              "sg.conv3d_input_grad",
                              "sg.matmul",
                              "sg.max_pool2d",
                              "sg.avg_pool2d",
                              "sg.global_avg_pool",
                              "sg.softmax",
                              "sg.concat",
                              "sg.slice",
                              "sg.pad",
                              "sg.transpose",
                              "sg.reshape",
                              "sg.reduce_sum",
                              "sg.reduce_max",
                              "sg.select",
                              "sg.iota",
                              "sg.div",
                              "sg.maximum",
                              "sg.minimum"})
    EXPECT_GE(census.graphs[feature], 10) << feature;
}

TEST(Generator, MixesTypesInEveryFourthGraph) {
  std::unique_ptr<MLIRContext> context = makeContext();
  unsigned mixed = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    bool mixes = mixesTypes(*generateGraph(context.get(), seed));
    mixed += mixes;
    EXPECT_TRUE(!mixes || seed % 4 == 3) << seed;
  }
  EXPECT_GE(mixed, kSeeds / 8);
}

TEST(Generator, SharesWeightsInEveryGraphWhenAsked) {
  std::unique_ptr<MLIRContext> context = makeContext();
  GraphOptions options;
  options.shareWeights = true;
  Census census;
  for (uint64_t seed = 0; seed < 40; ++seed)
    census.count(*generateGraph(context.get(), seed, options));
  EXPECT_GE(census.graphs["one read with several uses"], 30);
}

TEST(Generator, LeavesAnnotationsOutWhenAsked) {
  std::unique_ptr<MLIRContext> context = makeContext();
  GraphOptions options;
  options.annotate = false;
  for (uint64_t seed = 0; seed < 20; ++seed)
    generateGraph(context.get(), seed, options)->walk([](sg::SgModuleOp block) {
      EXPECT_FALSE(block.getActivationCheckpointing());
    });
}
