//===- EvalCommand.cpp - reprise eval -------------------------------------===//

#include "ClassTable.h"
#include "Command.h"
#include "CommandLine.h"
#include "Console.h"
#include "Evaluation.h"
#include "Interrupts.h"
#include "JsonAnswer.h"
#include "RecipeFlags.h"
#include "RunSource.h"
#include "reprise/Runtime/OutputFile.h"
#include "reprise/Runtime/Trainer/State.h"
#include "text/Size.h"
#include "text/Table.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::tools;

namespace {
struct EvalOptions {
  CLI::App *command = nullptr;
  RunFlags run;
  std::string resume, weights, split = "test", confusion;
  uint64_t batches = 0;
  bool json = false, perClass = false;
  bool wantsClasses() const { return perClass || !confusion.empty(); }
};
} // namespace

/// Fails where classes are asked for and unknown.
static rt::Status writeConfusion(const EvalOptions &options,
                                 const rt::EvaluateResult &result) {
  if (options.wantsClasses() && result.confusion.empty())
    return invalid("the program has no labels and logits, so that nothing is "
                   "known of classes (--confusion, --per-class)");
  if (options.confusion.empty())
    return {};
  std::string text = confusionCsv(result);
  return rt::writeFile(options.confusion, text.data(), text.size());
}

/// Takes model options from a recipe unless an option is given.
static void takeModel(const std::string &recipe, CLI::App &command) {
  recipe::Keys keys = allKeys();
  for (const recipe::Setting &setting :
       recipe::parse(recipe, keys, text::nearest).settings) {
    const recipe::Key &key = *keys.find(setting.path);
    CLI::Option *option = command.get_option_no_throw(key.option);
    if (!option || !ModelFlags::isOfModel(*option) || option->count())
      continue;
    for (const std::string &value : setting.values)
      option->add_result(value);
    option->run_callback();
  }
}

/// The variables of a program depend on the model's options and the optimizer,
/// among others, which a state knows.
static rt::Status takeFromState(EvalOptions &options) {
  if (options.resume.empty())
    return {};
  auto position = rt::readStatePosition(options.resume);
  if (!position.ok())
    return position.status();
  options.run.compile.resume(position->course);
  rt::Expected<SourceKind> kind = classifySource(options.run.source);
  if (kind.ok() && *kind == SourceKind::Zoo)
    takeModel(position->recipe.empty() ? position->modelOptions
                                       : position->recipe,
              *options.command);
  return {};
}

static rt::Status evaluateModel(EvalOptions &options) {
  if (options.resume.empty() == options.weights.empty())
    return misuse("say what to evaluate: either --resume STATE or --weights "
                  "FILE");
  if (options.split != "test" && options.split != "train")
    return misuse("--split is '" + options.split + "'; say test or train");
  if (!options.confusion.empty())
    REPRISE_RETURN_IF_ERROR(checkOutput(options.confusion));
  REPRISE_RETURN_IF_ERROR(takeFromState(options));
  RunRequest request;
  request.split = options.split == "test" ? rt::Split::Test : rt::Split::Train;
  auto running = RunningProgram::open(options.run, request);
  if (!running.ok())
    return running.status();
  rt::EvaluateOptions wanted;
  wanted.data = options.run.dataSpec();
  wanted.statePath = options.resume;
  wanted.weightsPath = options.weights;
  wanted.split = request.split;
  wanted.batches = options.batches;
  wanted.given = options.run.givenImages();
  wanted.confusion = options.wantsClasses();
  catchInterrupts();
  auto result = evaluateWithProgress(running->backend(), wanted);
  if (!result.ok())
    return misfit(result.status());
  warnOfSkipped(result->skipped);
  REPRISE_RETURN_IF_ERROR(writeConfusion(options, *result));
  if (options.json) {
    nlohmann::ordered_json json = {{"model", running->backend().model()},
                                   {"data", options.run.data},
                                   {"split", options.split},
                                   {"images", result->images},
                                   {"loss", result->loss}};
    if (options.run.images.skipBadFiles)
      json["skipped_files"] = result->skipped.count;
    if (result->hasAccuracy) {
      json["correct"] = result->correct;
      json["accuracy"] = result->accuracy();
    }
    if (result->hasTop5()) {
      json["correct_top5"] = result->correctTop5;
      json["accuracy_top5"] = result->accuracyTop5();
    }
    if (!result->metrics.empty())
      json["metrics"] = result->metrics;
    if (options.perClass)
      addClassJson(*result, json);
    return printJson(json);
  }
  text::Facts lines;
  lines.add("model", running->describe());
  lines.add("data", options.run.data);
  lines.add(describeSplit(wanted.data, wanted.split, *result),
            describe(*result));
  return print(lines.str() +
               (options.perClass ? "\n" + classTable(*result) : ""));
}

void tools::addEvalCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command =
      app.add_subcommand("eval", "Tells accuracy and loss of trained weights");
  auto options = std::make_shared<EvalOptions>();
  options->command = command;
  options->run.addTo(*command);
  command->add_option("--resume", options->resume,
                      "A state of 'reprise train --save'");
  command->add_option("--weights", options->weights,
                      "Parameters and running statistics, .safetensors");
  command->add_option("--split", options->split,
                      "Images of the data: test (default), train");
  command->add_option("--batches", options->batches,
                      "Evaluate only the first ones (default: all)");
  command->add_option("--confusion", options->confusion,
                      "Write how many images of each class were taken for "
                      "each, .csv");
  command->add_flag("--per-class", options->perClass,
                    "Tell images, precision and recall of each class");
  command->add_flag("--json", options->json, "Print JSON");
  addExamples(*command,
              "  reprise eval resnet18 --resume state.safetensors --data "
              "/usr/share/datasets/fashion-mnist");
  command->callback([options, &invocation] {
    invocation = [options] {
      rt::Status status = evaluateModel(*options);
      if (status.ok())
        return int(kSuccess);
      if (!interrupted())
        return fail(status);
      note(status.message());
      return int(kInterrupted);
    };
  });
}
