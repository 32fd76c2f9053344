//===- InspectCommand.cpp - reprise inspect -------------------------------===//
//
// Shows the content of an artifact. A file that the runtime would reject is
// rejected here with the same message.
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Report/ArtifactText.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/OutputFile.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

namespace {
struct InspectOptions {
  std::string path, code;
  ArtifactParts parts;
  bool json = false;
};
} // namespace

/// Writes the kernels as a shared object, for a disassembler.
static rt::Status writeCode(const ArtifactFile &artifact,
                            const std::string &path) {
  auto *code = artifact.root().code();
  if (!code || code->size() == 0)
    return invalid("the artifact has no machine code: none of its steps is a "
                   "compiled kernel");
  REPRISE_RETURN_IF_ERROR(checkOutput(path));
  return rt::writeFile(path, code->data(), code->size());
}

static rt::Status inspect(const InspectOptions &options) {
  REPRISE_EXPECT(artifact, ArtifactFile::open(options.path));
  if (!options.code.empty())
    REPRISE_RETURN_IF_ERROR(writeCode(*artifact, options.code));
  return options.json ? printJson(toJson(*artifact, options.parts))
                      : print(toText(*artifact, options.parts));
}

void driver::addInspectCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command =
      app.add_subcommand("inspect", "Shows what is in an artifact (.rpx)");
  auto options = std::make_shared<InspectOptions>();
  command->add_option("artifact", options->path, "The file")->required();
  command->add_flag("--steps", options->parts.steps,
                    "List every step with the bytes it touches");
  command->add_flag("--variables", options->parts.variables,
                    "List the variables");
  command->add_flag("--buffers", options->parts.buffers,
                    "List the buffers of each entry");
  command
      ->add_option("--code", options->code,
                   "Write the kernels' machine code as a shared object, "
                   "for a disassembler")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print JSON");
  addExamples(*command, "  reprise inspect resnet50.rpx\n"
                        "  reprise inspect resnet50.rpx --steps --json");
  onChosen(*command, invocation, [options] { return inspect(*options); });
}
