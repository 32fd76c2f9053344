//===- EvalCommand.cpp - reprise eval -------------------------------------===//

#include "Command.h"
#include "Flags.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/Interrupts.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Report/ClassTable.h"
#include "reprise/Run/Evaluation.h"
#include "reprise/Run/EvaluationData.h"
#include "reprise/Run/Inventory.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/OutputFile.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

namespace {
struct EvalOptions {
  RunOptions run;
  std::string split, confusion;
  bool json = false, perClass = false;
  rt::EvaluateOptions wanted;
  bool wantsClasses() const { return perClass || !confusion.empty(); }
};
} // namespace

/// Fails if the confusion matrix is requested and classes are unknown.
static rt::Status writeConfusion(const EvalOptions &options,
                                 const rt::EvaluateResult &result) {
  if (options.wantsClasses() && result.confusion.empty())
    return invalid("the program has no labels and logits, which --confusion "
                   "and --per-class need");
  if (options.confusion.empty())
    return {};
  std::string text = confusionCsv(result);
  return rt::writeFile(options.confusion, text.data(), text.size());
}

/// Selects the rows to evaluate; `options` receive the name of their split.
static rt::Expected<rt::Split> takeSplit(EvalOptions &options) {
  if (options.split.empty()) {
    options.split = rt::traitsOf(options.run.dataSpec()).evaluation;
    if (options.split.empty())
      options.split = "test";
    return rt::Split::Test;
  }
  auto found = rt::findSplit(options.run.dataSpec(), options.split);
  if (!found.ok())
    return misfit(found.status());
  if (!found->name.empty())
    options.split = found->name;
  if (found->split == rt::Split::Test)
    options.run.testSplit = found->name;
  return found->split;
}

static rt::Status reportJson(const EvalOptions &options,
                             RunningProgram &running,
                             const rt::EvaluateResult &result) {
  nlohmann::ordered_json json = {{"model", running.backend().model()},
                                 {"data", options.run.data},
                                 {"split", options.split},
                                 {"images", result.images},
                                 {"loss", result.loss}};
  if (result.ofAverages)
    json["ema"] = true;
  if (!result.absentClasses.empty())
    json["absent_classes"] = result.absentClasses;
  if (options.run.images.skipBadFiles)
    json["skipped_files"] = result.skipped.count;
  if (result.hasAccuracy) {
    json["correct"] = result.correct;
    json["accuracy"] = result.accuracy();
  }
  if (result.hasTop5()) {
    json["correct_top5"] = result.correctTop5;
    json["accuracy_top5"] = result.accuracyTop5();
  }
  if (!result.metrics.empty())
    json["metrics"] = result.metrics;
  if (options.perClass)
    addClassJson(result, json);
  return printJson(json);
}

static rt::Status report(const EvalOptions &options, RunningProgram &running,
                         rt::Split split, const rt::EvaluateResult &result) {
  if (options.json)
    return reportJson(options, running, result);
  text::Facts lines;
  lines.add("model", running.describe());
  lines.add("data", options.run.data);
  lines.add(describeSplit(options.run.dataSpec(), split, result),
            describe(result));
  return print(lines.str() +
               (options.perClass ? "\n" + classTable(result) : ""));
}

static rt::Status evaluateModel(EvalOptions &options) {
  rt::EvaluateOptions &wanted = options.wanted;
  if (options.run.lacksWeights(wanted))
    return misuse(
        "nothing to evaluate; give either --resume STATE or --weights FILE");
  if (!options.confusion.empty())
    REPRISE_RETURN_IF_ERROR(checkOutput(options.confusion));
  REPRISE_RETURN_IF_ERROR(
      options.run.takeFromState(wanted.statePath, wanted.weightsPath));
  REPRISE_EXPECT(split, takeSplit(options));
  warnOfLayout(options.run, /*trains=*/false);
  wanted.split = *split;
  REPRISE_EXPECT(running, options.run.openToEvaluate(wanted));
  wanted.confusion = options.wantsClasses();
  wanted.onData = [&](const rt::Dataset &data, int32_t classes) {
    tellEvaluationFiles(options.run.data, data);
    warnOfClasses(data, options.run, classes);
  };
  stepsBegin();
  auto result = evaluateWithProgress(running->backend(), wanted);
  if (!result.ok())
    return misfit(result.status());
  warnOfSkipped(result->skipped);
  for (const std::string &warning : result->warnings)
    warn(warning);
  REPRISE_RETURN_IF_ERROR(writeConfusion(options, *result));
  return report(options, *running, wanted.split, *result);
}

void driver::addWeightsChoice(CLI::App &command,
                              rt::EvaluatedWeights &weights) {
  using Weights = rt::EvaluatedWeights;
  CLI::Option *use = command.add_flag_callback(
      "--use-ema", [&] { weights = Weights::Averages; },
      "Use the moving averages of the weights (default: of a state of "
      "'reprise train --ema', not of --weights)");
  command
      .add_flag_callback(
          "--no-ema", [&] { weights = Weights::Last; },
          "Use the weights of the last step, not their averages")
      ->excludes(use);
}

void driver::addEvalCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "eval", "Measures the accuracy and loss of trained weights");
  auto options = std::make_shared<EvalOptions>();
  addRunOptions(*command, options->run);
  command->add_option("--resume", options->wanted.statePath,
                      "A state of 'reprise train --save'");
  command->add_option("--weights", options->wanted.weightsPath,
                      "Parameters and running statistics, .safetensors");
  addWeightsChoice(*command, options->wanted.weights);
  command->add_option("--split", options->split,
                      "Split of the data, by its folder or its purpose: train, "
                      "val, test (default: val, otherwise test)");
  command
      ->add_option(
          "--batches", options->wanted.batches,
          "Number of batches to evaluate, from the first (default: all)")
      ->check(checkNotZero, "");
  command
      ->add_option("--confusion", options->confusion,
                   "Write the confusion matrix, .csv")
      ->check(writtenAs({".csv"}), "");
  command->add_flag("--per-class", options->perClass,
                    "Print the images, precision and recall of each class");
  command->add_flag("--json", options->json, "Print JSON");
  addExamples(*command,
              "  reprise eval resnet18 --resume state.safetensors --data "
              "/usr/share/datasets/fashion-mnist");
  onChosenEvaluate(*command, invocation,
                   [options] { return evaluateModel(*options); });
}
