//===- PredictCommand.cpp - reprise predict -------------------------------===//

#include "Command.h"
#include "Flags.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/Interrupts.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Report/GuessTable.h"
#include "reprise/Run/Evaluation.h"
#include "reprise/Run/Inventory.h"
#include "reprise/Runtime/Expect.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

namespace {
struct PredictOptions {
  RunOptions run;
  int64_t top = 1;
  bool json = false, csv = false;
  rt::EvaluateOptions wanted;
};
} // namespace

static rt::Status checkFlags(const PredictOptions &options) {
  if (options.run.lacksWeights(options.wanted))
    return misuse("nothing to predict with; give either --state STATE or "
                  "--weights FILE");
  if (options.json && options.csv)
    return misuse("--json and --csv are both given; keep one of them");
  if (options.top < 1)
    return misuse("--top is " + std::to_string(options.top) +
                  "; it must be at least 1");
  return {};
}

static rt::Status report(const PredictOptions &options, RunningProgram &running,
                         const std::vector<GuessedRow> &rows,
                         const std::vector<std::string> &names) {
  if (!options.json)
    return print(options.csv ? guessCsv(rows, names) : guessTable(rows, names));
  nlohmann::ordered_json json = {{"model", running.backend().model()},
                                 {"data", options.run.data}};
  addGuessJson(rows, names, json);
  return printJson(json);
}

static rt::Status predict(PredictOptions &options) {
  REPRISE_RETURN_IF_ERROR(checkFlags(options));
  rt::EvaluateOptions &wanted = options.wanted;
  options.run.isUnlabelled = true;
  REPRISE_RETURN_IF_ERROR(
      options.run.takeFromState(wanted.statePath, wanted.weightsPath));
  REPRISE_EXPECT(running, options.run.openToEvaluate(wanted));
  std::vector<GuessedRow> rows;
  const rt::Dataset *data = nullptr;
  std::vector<std::string> names;
  int32_t classes = 0;
  wanted.onData = [&](const rt::Dataset &opened, int32_t count) {
    data = &opened;
    names = opened.classNames();
    classes = count;
  };
  wanted.onLogits = [&](uint64_t row, const float *logits) {
    rows.push_back(
        {data->rowName(row), likeliest(logits, classes, options.top)});
  };
  stepsBegin();
  auto result = evaluateWithProgress(running->backend(), wanted);
  if (!result.ok())
    return misfit(result.status());
  warnOfSkipped(result->skipped);
  return report(options, *running, rows, names);
}

void driver::addPredictCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command =
      app.add_subcommand("predict", "Prints the likeliest classes of images");
  auto options = std::make_shared<PredictOptions>();
  addRunOptions(*command, options->run);
  command->add_option("--state", options->wanted.statePath,
                      "A state of 'reprise train --save'");
  command->add_option("--weights", options->wanted.weightsPath,
                      "Parameters and running statistics, .safetensors");
  addWeightsChoice(*command, options->wanted.weights);
  command->add_option("--top", options->top,
                      "Classes to print of each row, the likeliest first "
                      "(default: 1)");
  command->add_flag("--csv", options->csv, "Print comma-separated values");
  command->add_flag("--json", options->json, "Print JSON");
  addExamples(*command, "  reprise predict resnet18 --state state.safetensors "
                        "--data photos --top 3");
  onChosenEvaluate(*command, invocation,
                   [options] { return predict(*options); });
}
