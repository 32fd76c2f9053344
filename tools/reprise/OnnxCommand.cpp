//===- OnnxCommand.cpp - reprise onnx -------------------------------------===//

#include "Command.h"
#include "Flags.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Driver/OnnxExport.h"
#include "reprise/Driver/OnnxReport.h"
#include "reprise/Runtime/Expect.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

namespace {
struct OnnxOptions {
  std::string file, output = "-", state;
  OnnxFlags flags;
  bool json = false;
};
} // namespace

static rt::Status inspect(const OnnxOptions &options) {
  mlir::MLIRContext context;
  REPRISE_EXPECT(imported, readOnnx(context, options.file, options.flags,
                                    /*inspects=*/true));
  return options.json ? printJson(onnxJson(*imported))
                      : print(onnxText(*imported));
}

static rt::Status import(const OnnxOptions &options) {
  REPRISE_RETURN_IF_ERROR(checkOutput(options.output, {options.file}));
  rt::Expected<std::string> text = importOnnx(options.file, options.flags);
  return text.ok() ? writeText(options.output, *text) : text.status();
}

/// A command on one file.
static CLI::App *add(CLI::App &onnx, Invocation &invocation, const char *name,
                     const char *text, rt::Status (*run)(const OnnxOptions &),
                     std::shared_ptr<OnnxOptions> options) {
  CLI::App *command = onnx.add_subcommand(name, text);
  command->add_option("file", options->file, "ONNX file")->required();
  onChosen(*command, invocation, [options, run] { return run(*options); });
  return command;
}

static void addFlags(CLI::App &command, OnnxFlags &flags) {
  addFileOptions(command, flags.model);
  command.add_option("--freeze", flags.freeze,
                     "Weights that stay constants: a pattern of names");
}

void driver::addOnnxCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *onnx = app.add_subcommand("onnx", "Networks in ONNX files");
  onnx->require_subcommand(1);
  addExamples(*onnx, "  reprise onnx inspect net.onnx");
  auto options = std::make_shared<OnnxOptions>();
  CLI::App *command =
      add(*onnx, invocation, "inspect", "Lists a file's contents and refusals",
          inspect, options);
  addFlags(*command, options->flags);
  command->add_flag("--json", options->json, "Print JSON");
  addExamples(*command, "  reprise onnx inspect net.onnx --json");
  options = std::make_shared<OnnxOptions>();
  command = add(*onnx, invocation, "import",
                "Writes a file's network as textual MLIR", import, options);
  addFlags(*command, options->flags);
  command
      ->add_option("-o,--output", options->output,
                   "File to write (default: standard output)")
      ->check(writtenAs({".mlir"}), "");
  addExamples(*command, "  reprise onnx import net.onnx -o net.mlir");
  options = std::make_shared<OnnxOptions>();
  command = add(
      *onnx, invocation, "export", "Writes trained weights into a copy",
      [](const OnnxOptions &o) {
        return exportOnnx(o.file, o.state, o.output);
      },
      options);
  command->add_option("--state", options->state, "State or weights of a run")
      ->required();
  command->add_option("-o,--output", options->output, "File to write")
      ->required()
      ->check(writtenAs({".onnx"}), "");
  addExamples(*command, "  reprise onnx export a.onnx --state s -o b.onnx");
}
