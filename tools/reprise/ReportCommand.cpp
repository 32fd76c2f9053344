//===- ReportCommand.cpp - reprise report ---------------------------------===//

#include "Command.h"
#include "CommandLine.h"
#include "Console.h"
#include "Refusal.h"
#include "TypedCommand.h"
#include "artifact/ArtifactFile.h"
#include "report/Report.h"
#include "reprise/Runtime/Trainer/File.h"
#include "text/Size.h"

using namespace reprise;
using namespace reprise::tools;

namespace {
struct ReportOptions {
  std::string source, curve, output = "report.html";
  ModelFlags model;
  CompileFlags compile;
};
} // namespace

static rt::Expected<ProgramFacts> planModel(const ReportOptions &options,
                                            SourceKind kind) {
  if (kind == SourceKind::Text && !options.model.firstGiven().empty())
    return misuse(options.model.firstGiven() +
                  " is an option of the zoo's models; '" + options.source +
                  "' says itself what it is");
  rt::Expected<zoo::ModelOptions> model = options.model.options();
  if (!model.ok())
    return model.status();
  rt::Expected<CompileOptions> compile = options.compile.options();
  if (!compile.ok())
    return compile.status();
  Activity activity("planning " + options.source);
  Compiler compiler;
  MaybeBudget budget;
  REPRISE_RETURN_IF_ERROR(lowerRequest(compiler,
                                       {options.source, kind, *model, *compile},
                                       CompileLevel::Program, budget));
  rt::Expected<ProgramFacts> facts = compiler.facts();
  if (facts.ok())
    facts->command = typedCommand()
                         .setTool("reprise")
                         .dropOption({"--output", "-o"})
                         .dropOption({"--curve"})
                         .str();
  return facts;
}

static rt::Expected<ProgramFacts> readFacts(const ReportOptions &options) {
  rt::Expected<SourceKind> kind = classifySource(options.source);
  if (!kind.ok())
    return kind.status();
  if (*kind != SourceKind::Artifact)
    return planModel(options, *kind);
  std::string given = options.model.firstGiven();
  given = given.empty() ? options.compile.firstGiven() : given;
  if (!given.empty())
    return misuse("'" + options.source + "' is compiled already; " + given +
                  " belongs to 'reprise compile'");
  rt::Expected<ArtifactFile> artifact = ArtifactFile::open(options.source);
  if (!artifact.ok())
    return artifact.status();
  return factsOf(*artifact);
}

/// The numbers of a picture by 'reprise plan --sweep'.
static rt::Expected<std::optional<CurveChart>>
readPicture(const std::string &path) {
  if (path.empty())
    return std::optional<CurveChart>();
  rt::Expected<rt::InputFile> file = rt::InputFile::open(path);
  if (!file.ok())
    return file.status();
  std::string text(file->size(), '\0');
  REPRISE_RETURN_IF_ERROR(file->readAt(0, text.data(), text.size()));
  std::optional<CurveChart> chart = readCurve(text);
  if (!chart)
    return invalid("'" + path + "' is no picture of 'reprise plan --sweep -o'");
  return chart;
}

static rt::Status report(const ReportOptions &options) {
  REPRISE_RETURN_IF_ERROR(checkOutput(options.output));
  rt::Expected<ProgramFacts> facts = readFacts(options);
  if (!facts.ok())
    return facts.status();
  rt::Expected<std::optional<CurveChart>> curve = readPicture(options.curve);
  if (!curve.ok())
    return curve.status();
  std::string page = makeReport(*facts, *curve);
  REPRISE_RETURN_IF_ERROR(writeText(options.output, page));
  if (options.output == "-")
    return {};
  return print("written  " + options.output + ", " +
               text::formatSize(page.size()) + "; open it in a browser\n");
}

void tools::addReportCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command =
      app.add_subcommand("report", "Draws a step's memory as one HTML file");
  auto options = std::make_shared<ReportOptions>();
  command
      ->add_option("model", options->source,
                   "An artifact (.rpx), a model of 'reprise zoo list' or a "
                   "file of MLIR (.mlir)")
      ->required();
  command->add_option("-o,--output", options->output,
                      "File to write (default: report.html)");
  command
      ->add_option("--curve", options->curve,
                   "A picture by 'reprise plan --sweep -o', to be part of the "
                   "page")
      ->type_name("FILE");
  options->model.addTo(*command);
  options->compile.addTo(*command);
  addExamples(*command,
              "  reprise report resnet50.rpx -o report.html\n"
              "  reprise report resnet50 --batch 8 --checkpointing per-block");
  command->callback([options, &invocation] {
    invocation = [options] {
      rt::Status status = report(*options);
      return status.ok() ? kSuccess : fail(status);
    };
  });
}
