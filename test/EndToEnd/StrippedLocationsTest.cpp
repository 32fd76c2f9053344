//===- StrippedLocationsTest.cpp - Locations decide nothing ---------------===//

#include "StrippedLocations.h"
#include "ZooTraining.h"
#include "mlir/Parser/Parser.h"
#include "reprise/IR/Origin.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

namespace {

/// The model as text, read again: its ops have source lines.
OwningOpRef<mlir::ModuleOp> readAgain(mlir::ModuleOp model) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  model.print(stream);
  return parseSourceString<mlir::ModuleOp>(text, model.getContext(),
                                           "model.mlir");
}

std::string sourcesOf(mlir::ModuleOp module) {
  std::string sources;
  module.walk([&](Operation *op) { sources += sg::sourceOf(op->getLoc()); });
  return sources;
}

class StrippedLocationsTest : public testing::TestWithParam<ZooCase> {
protected:
  StrippedLocationsTest() { loadEverything(context); }

  /// Lowers the model with locations and without.
  void compare(CompileOptions options) {
    options.planWork = 0.02;
    OwningOpRef<mlir::ModuleOp> built = buildLargeCase(context, GetParam());
    ASSERT_TRUE(built);
    OwningOpRef<mlir::ModuleOp> model = readAgain(*built);
    ASSERT_TRUE(model);
    OwningOpRef<mlir::ModuleOp> program = model->clone();
    ASSERT_TRUE(
        succeeded(lowerModel(*program, options, CompileLevel::Program)));
    // Otherwise there would be nothing to strip.
    EXPECT_NE(sourcesOf(*program).find("model.mlir:"), std::string::npos);
    EXPECT_EQ(compareStripped(*model, *program, options), "");
  }

  /// Has next to nothing to compute again.
  bool isPerceptron() const { return GetParam().model == std::string("mlp"); }

  static CompileOptions atKnee() {
    CompileOptions options;
    options.checkpointing = {};
    options.budget = {plan::Budget::Kind::Knee, 0, 0};
    return options;
  }

  MLIRContext context;
};

TEST_P(StrippedLocationsTest, ModesAreTheSame) {
  for (const char *mode : {"none", "annotated", "per-block", "nested",
                           "segments=4", "sqrt", "threshold-bytes=0"}) {
    SCOPED_TRACE(mode);
    CompileOptions options;
    options.checkpointing = *parseCheckpointing(mode);
    compare(options);
  }
}

TEST_P(StrippedLocationsTest, BudgetsAreTheSame) {
  compare(atKnee());
  for (unsigned percent : {95, 85}) {
    SCOPED_TRACE(percent);
    CompileOptions options = atKnee();
    options.budget = {plan::Budget::Kind::Percent, 0, double(percent)};
    if (!isPerceptron())
      compare(options);
  }
}

TEST_P(StrippedLocationsTest, KeptModulesAreTheSame) {
  CompileOptions options = atKnee();
  options.keep = {isPerceptron() ? "part1" : "layer1"};
  compare(options);
}

INSTANTIATE_TEST_SUITE_P(Zoo, StrippedLocationsTest,
                         testing::ValuesIn(smallModels()),
                         [](auto &info) { return info.param.label; });

} // namespace
