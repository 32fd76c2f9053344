//===- WhyCommand.cpp - reprise why ---------------------------------------===//

#include "Command.h"
#include "Flags.h"
#include "reprise/Budget/ReadProgram.h"
#include "reprise/Budget/StoryText.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

namespace {
struct WhyOptions {
  std::string source, value;
  std::string entry = "train_step";
  bool json = false;
  ModelSettings model;
  CompileSettings compile;
};
} // namespace

static rt::Expected<plan::ValueId> choose(const PlanStory &plan,
                                          const std::string &wanted) {
  std::vector<plan::ValueId> found = plan.find(wanted);
  if (found.size() == 1)
    return found.front();
  if (found.empty()) {
    std::string meant = text::nearest(wanted, plan.allNames());
    return invalid("no value in memory is named '" + wanted + "'" +
                   (meant.empty() ? "" : "; did you mean '" + meant + "'?") +
                   " (without a name 'reprise why' lists those at the peak)");
  }
  constexpr size_t shown = 12;
  std::string message = "'" + wanted + "' names " +
                        std::to_string(found.size()) + " values; choose one:";
  for (size_t at = 0; at < std::min(found.size(), shown); ++at)
    message += "\n  " + plan.nameOf(found[at]) + "  " +
               text::formatSize(plan.bytesOf(found[at]));
  if (found.size() > shown)
    message += "\n  and " + std::to_string(found.size() - shown) + " more";
  return invalid(message);
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static rt::Status tell(const WhyOptions &options, const PlanStory &plan) {
  if (options.value.empty())
    return options.json ? printJson(peakJson(plan)) : print(peakText(plan));
  REPRISE_EXPECT(id, choose(plan, options.value));
  ValueStory story = plan.tell(*id);
  return options.json ? printJson(storyJson(plan, story))
                      : print(storyText(plan, story));
}

static rt::Status why(const WhyOptions &options) {
  REPRISE_EXPECT(program,
                 readProgram(options.source, options.model, options.compile));
  const EntryFacts *entry = program->entry(options.entry);
  if (!entry)
    return noEntry(options.source, options.entry, *program);
  if (entry->steps.empty())
    return invalid("'" + options.source + "' computes nothing");
  REPRISE_EXPECT(steps, buildStepGraph(*entry, program->buffers.size()));
  return tell(options, PlanStory(*program, *entry, std::move(*steps)));
}

void driver::addWhyCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "why",
      "Explains why a value is in memory, and what the alternative would cost");
  auto options = std::make_shared<WhyOptions>();
  command
      ->add_option("model", options->source,
                   "An artifact (.rpx), a model of 'reprise zoo list' or a "
                   "file of MLIR (.mlir)")
      ->required();
  command->add_option("value", options->value,
                      "A name, a part of one, or a pattern (layer1.*); "
                      "without it: what is in memory at the peak");
  command->add_option("--entry", options->entry,
                      "The entry to look at: train_step (default), eval_step");
  command->add_flag("--json", options->json, "Print JSON");
  addModelOptions(*command, options->model);
  addCompileOptions(*command, options->compile);
  addExamples(*command, "  reprise why resnet50 --batch 8\n"
                        "  reprise why resnet50 layer1.0.conv1:conv2d "
                        "--batch 8 --budget 70%\n"
                        "  reprise why resnet50.rpx layer1.0.conv1:conv2d");
  onChosen(*command, invocation, [options] { return why(*options); });
}
