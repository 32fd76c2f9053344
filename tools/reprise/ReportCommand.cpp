//===- ReportCommand.cpp - reprise report ---------------------------------===//

#include "Command.h"
#include "Flags.h"
#include "reprise/Budget/ReadProgram.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Console/TypedCommand.h"
#include "reprise/Driver/ModelSource.h"
#include "reprise/Report/Report.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Text/Size.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

namespace {
struct ReportOptions {
  std::string source, curve, output = "report.html";
  bool json = false;
  ModelSettings model;
  CompileSettings compile;
};
} // namespace

static rt::Expected<ProgramFacts> readFacts(const ReportOptions &options) {
  rt::Expected<ProgramFacts> facts =
      readProgram(options.source, options.model, options.compile);
  if (facts.ok() && facts->command.empty())
    facts->command = typedCommand()
                         .setTool("reprise")
                         .dropOption({"--output", "-o"})
                         .dropOption({"--curve"})
                         .str();
  return facts;
}

/// Reads the numbers of a picture by 'reprise plan --sweep'.
static rt::Expected<std::optional<CurveChart>>
readPicture(const std::string &path) {
  if (path.empty())
    return std::optional<CurveChart>();
  REPRISE_EXPECT(file, rt::InputFile::open(path));
  std::string text(file->size(), '\0');
  REPRISE_RETURN_IF_ERROR(file->readAt(0, text.data(), text.size()));
  std::optional<CurveChart> chart = readCurve(text);
  if (!chart)
    return invalid("'" + path +
                   "' is not a picture of 'reprise plan --sweep -o'");
  return chart;
}

static nlohmann::ordered_json answerOf(const ProgramFacts &facts,
                                       const std::string &path, size_t bytes) {
  nlohmann::ordered_json answer = {{"model", facts.model},
                                   {"checkpointing", facts.checkpointing},
                                   {"output", path},
                                   {"file_bytes", bytes},
                                   {"arena_bytes", facts.arena},
                                   {"fixed_bytes", facts.fixed},
                                   {"entries", nlohmann::json::array()}};
  for (const EntryFacts &entry : facts.entries)
    answer["entries"].push_back({{"name", entry.name},
                                 {"steps", entry.steps.size()},
                                 {"peak_bytes", entry.peak}});
  return answer;
}

static rt::Status report(const ReportOptions &options) {
  if (options.json && options.output == "-")
    return misuse("--json and the page both go to standard output; name a "
                  "file with -o");
  REPRISE_RETURN_IF_ERROR(
      checkOutput(options.output, {fileOf(options.source), options.curve}));
  REPRISE_EXPECT(facts, readFacts(options));
  REPRISE_EXPECT(curve, readPicture(options.curve));
  std::string page = makeReport(*facts, *curve);
  REPRISE_RETURN_IF_ERROR(writeText(options.output, page));
  if (options.json)
    return printJson(answerOf(*facts, options.output, page.size()));
  if (options.output == "-")
    return {};
  return print("written  " + options.output + ", " +
               text::formatSize(page.size()) + "; open it in a browser\n");
}

void driver::addReportCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command =
      app.add_subcommand("report", "Draws a step's memory as one HTML file");
  auto options = std::make_shared<ReportOptions>();
  command
      ->add_option("model", options->source,
                   "An artifact (.rpx), a model of 'reprise zoo list' or a "
                   "file of MLIR (.mlir)")
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   "File to write (default: report.html)")
      ->check(writtenAs({".html", ".htm"}), "");
  command
      ->add_option(
          "--curve", options->curve,
          "A picture by 'reprise plan --sweep -o' to include in the page")
      ->type_name("FILE");
  command->add_flag("--json", options->json,
                    "Print the data of the page as JSON");
  addModelOptions(*command, options->model);
  addCompileOptions(*command, options->compile);
  addExamples(*command,
              "  reprise report resnet50.rpx -o report.html\n"
              "  reprise report resnet50 --batch 8 --checkpointing per-block");
  onChosen(*command, invocation, [options] { return report(*options); });
}
