//===- RematerializeCommand.cpp - reprise rematerialize -------------------===//

#include "Command.h"
#include "reprise/Budget/StepFile.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Text/Size.h"
#include "llvm/ADT/StringExtras.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

namespace {
struct RematerializeOptions {
  StepRequest step;
  std::string budget, output, report, effort = "normal";
  bool knee = false, sweep = false, why = false, json = false;
};
} // namespace

/// Reads "2GiB" or "50%".
static rt::Expected<plan::Budget> readBudget(const std::string &text) {
  if (!text.empty() && text.back() == '%') {
    char *end = nullptr;
    double percent = std::strtod(text.c_str(), &end);
    if (end != &text.back() || !(percent > 0 && percent <= 1000))
      return misuse("--budget is '" + text +
                    "'; a share is above 0% and at most 1000%");
    return plan::Budget::ofPercent(percent);
  }
  rt::Expected<uint64_t> bytes = text::parseSize(text);
  if (!bytes.ok())
    return misuse("--budget: " + bytes.status().message() +
                  " (or say a share like 50%)");
  if (*bytes == 0)
    return misuse("--budget is 0; it must be above 0");
  if (*bytes <= 100 && llvm::all_of(text, llvm::isDigit))
    return misuse("--budget is " + text + " bytes; did you mean " + text +
                  "%?");
  return plan::Budget::ofBytes(*bytes);
}

static rt::Status settleBudget(RematerializeOptions &options) {
  bool isBudget = !options.budget.empty();
  if (isBudget + options.knee > 1)
    return misuse("give --budget or --knee, not both");
  if (!isBudget && !options.knee && !options.sweep)
    return misuse("give --budget, --knee or --sweep");
  if (options.knee)
    options.step.budget = plan::Budget::knee();
  if (!isBudget)
    return {};
  rt::Expected<plan::Budget> budget = readBudget(options.budget);
  if (budget.ok())
    options.step.budget = *budget;
  return budget.ok() ? rt::Status() : budget.status();
}

static rt::Status checkFiles(const RematerializeOptions &options) {
  if (!options.output.empty() && !options.step.budget)
    return misuse("-o needs a budget: give --budget or --knee");
  for (const std::string &path : {options.output, options.report})
    if (!path.empty())
      REPRISE_RETURN_IF_ERROR(checkOutput(path, {options.step.file}));
  return {};
}

/// The numbers go to standard output unless the step goes there.
static rt::Status show(const RematerializeOptions &options,
                       const StepAnswer &answer) {
  if (options.output == "-")
    return {};
  if (options.json)
    return printJson(toJson(answer));
  return print(toText(answer) +
               (options.sweep ? "\n" + sweepText(answer) : "") +
               (options.why ? "\n" + whyText(answer) : ""));
}

static rt::Status run(RematerializeOptions &options) {
  REPRISE_RETURN_IF_ERROR(settleBudget(options));
  REPRISE_RETURN_IF_ERROR(checkFiles(options));
  options.step.effort = *plan::effortOf(options.effort); // the parser knows it
  rt::Expected<StepAnswer> answer = rematerializeStep(options.step);
  if (!answer.ok())
    return answer.status();
  if (!options.report.empty())
    REPRISE_RETURN_IF_ERROR(
        writeText(options.report, toHtml(*answer, options.step.file)));
  if (options.step.budget && !answer->plan) {
    if (options.json)
      REPRISE_RETURN_IF_ERROR(printJson(toJson(*answer)));
    return rt::Status::error(RP_INVALID_ARGUMENT, answer->refusal);
  }
  if (!options.output.empty())
    REPRISE_RETURN_IF_ERROR(writeText(options.output, answer->text));
  return show(options, *answer);
}

void driver::addRematerializeCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "rematerialize",
      "Makes a training step in StableHLO fit a budget, text to text");
  auto options = std::make_shared<RematerializeOptions>();
  StepRequest &step = options->step;
  command
      ->add_option(
          "file", step.file,
          "The step's text, as jax.jit(f).lower(...).as_text() prints it")
      ->required();
  command->add_option("--budget", options->budget,
                      "Most bytes live at once, as in 2GiB, or a share of "
                      "those without recomputation, as in 50%");
  command->add_flag("--knee", options->knee,
                    "Choose the budget where the curve of time over bytes "
                    "bends");
  command
      ->add_option("-o,--output", options->output,
                   "File for the step's new text; - is standard output")
      ->check(writtenAs({".mlir"}), "");
  command
      ->add_option("--report", options->report,
                   "File for a page with the curve and the numbers")
      ->check(writtenAs({".html", ".htm"}), "");
  command->add_flag("--sweep", options->sweep, "List the plans of all budgets");
  command->add_flag("--why", options->why,
                    "List what is recomputed, largest first");
  command->add_flag("--json", options->json, "Print JSON");
  command->add_option("--function", step.function,
                      "The step's function (default: main, or the first one)");
  command
      ->add_option("--views", step.views,
                   "Ops that are computed where they are read, without bytes: "
                   "fused (broadcasts, transposes, reversals, iota, pads of "
                   "windows, reshapes) or reshape (default: fused)")
      ->check(CLI::IsMember({"fused", "reshape"}));
  command
      ->add_option("--gflops", step.roofline.gflops,
                   "Arithmetic of the machine, in GFLOP/s (default: 400)")
      ->check(CLI::Range(1e-3, 1e9));
  command
      ->add_option("--gbytes-per-second", step.roofline.gigabytesPerSecond,
                   "Bytes that the machine moves, in GB/s (default: 35)")
      ->check(CLI::Range(1e-3, 1e9));
  command
      ->add_option("--effort", options->effort,
                   "Effort of the search: quick, normal or thorough (default: "
                   "normal)")
      ->check(CLI::IsMember({"quick", "normal", "thorough"}));
  command
      ->add_option("--threads", step.threads,
                   "Threads of the search (default: 2)")
      ->check(CLI::Range(1u, 1024u));
  addExamples(*command,
              "  reprise rematerialize step.mlir --budget 50% -o small.mlir\n"
              "  reprise rematerialize step.mlir --sweep --report curve.html");
  onChosen(*command, invocation, [options] { return run(*options); });
}
