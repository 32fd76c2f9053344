//===- ProfileTest.cpp - A program's steps are its plan's ops -------------===//
//
// A profile is taken from an artifact and used for a plan: the keys of both
// must be the same, whatever the budget.
//
//===----------------------------------------------------------------------===//

#include "ZooTraining.h"
#include "reprise/Runtime/Artifact.h"
#include "reprise/Runtime/program_generated.h"
#include "llvm/ADT/StringSet.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

namespace {
using Keys = std::vector<std::string>;

class ProfileKeys : public testing::TestWithParam<ZooCase> {
protected:
  void SetUp() override {
    loadEverything(context);
    model = buildLargeCase(context, GetParam());
    ASSERT_TRUE(model);
  }

  CompileOptions options() const {
    CompileOptions options;
    options.checkpointing = {};
    options.evaluation = false;
    options.planWork = 0.02;
    return options;
  }

  /// Returns the keys of the training step, sorted.
  Keys compiledKeys(const CompileOptions &options);
  /// Returns the same of the plan, and sets the smallest budget.
  Keys plannedKeys(uint64_t &least);
  /// Returns the keys of the kernels that a budget chooses.
  llvm::StringSet<> chosenKeys(const CompileOptions &within);

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<mlir::ModuleOp> model;
};
} // namespace

Keys ProfileKeys::compiledKeys(const CompileOptions &options) {
  OwningOpRef<mlir::ModuleOp> clone = model->clone();
  if (failed(lowerModel(*clone, options, CompileLevel::Program))) {
    ADD_FAILURE() << "was not compiled";
    return {};
  }
  auto file = emitArtifact(*clone);
  const uint8_t *payload = nullptr;
  size_t size = 0;
  if (failed(file) ||
      !rt::openContainer(file->data(), file->size(), &payload, &size).ok()) {
    ADD_FAILURE() << "no artifact";
    return {};
  }
  Keys keys;
  for (const auto *entry : *rt::fb::GetProgram(payload)->entries())
    for (const auto *step : *entry->steps())
      keys.push_back(profileKey(*step));
  llvm::sort(keys);
  return keys;
}

Keys ProfileKeys::plannedKeys(uint64_t &least) {
  OwningOpRef<mlir::ModuleOp> clone = model->clone();
  if (failed(lowerToKernels(*clone, options()))) {
    ADD_FAILURE() << "was not lowered";
    return {};
  }
  BudgetOptions search;
  search.work = 0.02;
  auto curve =
      computeBudgetCurve(*clone->getOps<func::FuncOp>().begin(), search);
  if (failed(curve)) {
    ADD_FAILURE() << "has no curve";
    return {};
  }
  least = curve->totalBytes(curve->smallest());
  Keys keys;
  for (plan::OpId id = 0; id < curve->problem.ops.size(); ++id)
    keys.push_back(profileKey(curve->problem, id));
  llvm::sort(keys);
  return keys;
}

llvm::StringSet<> ProfileKeys::chosenKeys(const CompileOptions &within) {
  OwningOpRef<mlir::ModuleOp> clone = model->clone();
  llvm::StringSet<> keys;
  auto planned = planModel(*clone, within);
  if (failed(planned) || !planned->answer.choice) {
    ADD_FAILURE() << "has no plan";
    return keys;
  }
  const PlanProblem &problem = planned->answer.choice->curve().problem;
  for (plan::OpId id = 0; id < problem.ops.size(); ++id)
    keys.insert(profileKey(problem, id));
  return keys;
}

TEST_P(ProfileKeys, AreThoseOfThePlan) {
  uint64_t least = 0;
  Keys planned = plannedKeys(least), compiled = compiledKeys(options());
  ASSERT_FALSE(compiled.empty());
  EXPECT_EQ(compiled, planned);
  CompileOptions within = options();
  within.budget = plan::Budget{plan::Budget::Kind::Bytes, least, 0};
  Keys tight = compiledKeys(within);
  llvm::StringSet<> known = chosenKeys(within);
  // The perceptron's images alone are its peak.
  bool isPinned = GetParam().model == llvm::StringRef("mlp");
  EXPECT_TRUE(isPinned || tight.size() > compiled.size())
      << "nothing is computed again";
  for (const std::string &key : tight)
    EXPECT_TRUE(known.contains(key)) << key;
}

INSTANTIATE_TEST_SUITE_P(Zoo, ProfileKeys, testing::ValuesIn(smallModels()),
                         [](const auto &info) { return info.param.label; });
