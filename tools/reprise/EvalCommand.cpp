//===- EvalCommand.cpp - reprise eval -------------------------------------===//

#include "Command.h"
#include "CommandLine.h"
#include "Console.h"
#include "Evaluation.h"
#include "Interrupts.h"
#include "RunSource.h"
#include "text/Size.h"
#include "text/Table.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::tools;

namespace {
struct EvalOptions {
  RunFlags run;
  std::string resume, weights, split = "test";
  uint64_t batches = 0;
  bool json = false;
};
} // namespace

static rt::Status evaluateModel(const EvalOptions &options) {
  if (options.resume.empty() == options.weights.empty())
    return misuse("say what to evaluate: either --resume STATE or --weights "
                  "FILE");
  if (options.split != "test" && options.split != "train")
    return misuse("--split is '" + options.split + "'; say test or train");
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
  catchInterrupts();
  auto result = evaluateWithProgress(running->backend(), wanted);
  if (!result.ok())
    return result.status();
  if (options.json) {
    nlohmann::ordered_json json = {{"model", running->backend().model()},
                                   {"data", options.run.data},
                                   {"split", options.split},
                                   {"images", result->images},
                                   {"loss", result->loss}};
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
    return print(json.dump(2) + "\n");
  }
  text::Facts lines;
  lines.add("model", running->describe());
  lines.add("data", options.run.data);
  lines.add(describeSplit(wanted.data, wanted.split, *result),
            describe(*result));
  return print(lines.str());
}

void tools::addEvalCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command =
      app.add_subcommand("eval", "Tells accuracy and loss of trained weights");
  auto options = std::make_shared<EvalOptions>();
  options->run.addTo(*command);
  command->add_option("--resume", options->resume,
                      "A state of 'reprise train --save'");
  command->add_option("--weights", options->weights,
                      "Parameters and running statistics, .safetensors");
  command->add_option("--split", options->split,
                      "Images of the data: test (default), train");
  command->add_option("--batches", options->batches,
                      "Evaluate only the first ones (default: all)");
  command->add_flag("--json", options->json, "Print JSON");
  addExamples(*command,
              "  reprise eval resnet18 --resume state.safetensors --data "
              "/usr/share/datasets/fashion-mnist");
  command->callback([options, &invocation] {
    invocation = [options] {
      rt::Status status = evaluateModel(*options);
      if (status.ok())
        return int(kSuccess);
      int code = fail(status);
      return interrupted() ? int(kInterrupted) : code;
    };
  });
}
