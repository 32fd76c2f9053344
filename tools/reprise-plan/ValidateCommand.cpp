//===- ValidateCommand.cpp - reprise-plan validate ------------------------===//

#include "Command.h"
#include "reprise/PlanFormat/PlanJson.h"
#include "reprise/PlanSearch/InputFile.h"
#include "reprise/PlanSearch/Problem.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Size.h"

using namespace reprise;
using namespace reprise::plan;
using namespace reprise::plan::search;
using namespace reprise::plan::tool;

namespace {
struct ValidateOptions {
  std::string graph, plan, budget;
  bool json = false;
};
} // namespace

static rt::Status validateFiles(const ValidateOptions &options) {
  if (options.graph == "-" && options.plan == "-")
    return driver::misuse("only one of graph and plan can be standard input");
  REPRISE_EXPECT(file, loadGraph(options.graph));
  REPRISE_EXPECT(text, readInput(options.plan));
  REPRISE_EXPECT(plan, format::readPlan(inputName(options.plan),
                                        std::move(*text), file->graph));
  std::string error = validatePlan(file->graph, *plan);
  if (error.empty() && !options.budget.empty()) {
    REPRISE_EXPECT(budget, text::parseSize(options.budget));
    if (plan->height > *budget)
      error = "plan takes " + bothSizes(plan->height) +
              ", more than the budget of " + bothSizes(*budget);
  }
  if (options.json) {
    OrderedJson json = {{"valid", error.empty()}};
    if (!error.empty())
      json["error"] = error;
    REPRISE_RETURN_IF_ERROR(driver::print(json.dump(2) + "\n"));
  }
  if (!error.empty())
    return driver::invalid(inputName(options.plan) + ": " + error);
  if (options.json)
    return {};
  return driver::print("valid: " + std::to_string(plan->steps.size()) +
                       " steps, " + bothSizes(plan->maxLive) + " live, " +
                       bothSizes(plan->height) + " placed, " +
                       formatMilliseconds(plan->milliseconds) + "\n");
}

void plan::tool::addValidateCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "validate", "Checks a plan and reports what is wrong with it");
  auto options = std::make_shared<ValidateOptions>();
  addGraph(*command, options->graph);
  command->add_option("plan", options->plan, "Plan of this graph; the same")
      ->required();
  command->add_option("--budget", options->budget,
                      "Fail as well if it takes more bytes: 4096, 2GiB");
  command->add_flag("--json", options->json, "Print JSON");
  driver::addExamples(*command,
                      "  reprise-plan validate graph.json plan.json\n"
                      "  reprise-plan solve graph.json --budget 60% -o - | "
                      "reprise-plan validate graph.json -");
  command->callback([options, &invocation] {
    invocation = [options] { return validateFiles(*options); };
  });
}
