//===- ZooCommand.cpp - reprise zoo ---------------------------------------===//

#include "Command.h"
#include "Flags.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Driver/ModelSource.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

//===----------------------------------------------------------------------===//
// list
//===----------------------------------------------------------------------===//

namespace {
struct ListOptions {
  bool json = false;
};
} // namespace

static std::string imageText(const zoo::ModelOptions &defaults) {
  return std::to_string(*defaults.height) + "x" +
         std::to_string(*defaults.width) + "x" +
         std::to_string(*defaults.channels);
}

static rt::Status list(const ListOptions &options) {
  text::Table table({{"name", text::Align::Left},
                     {"parameters"},
                     {"multiply-adds"},
                     {"image"},
                     {"classes"},
                     {"description", text::Align::Left}});
  auto json = nlohmann::ordered_json::array();
  for (const zoo::ModelInfo &info : zoo::listModels()) {
    // Multiply-adds are shown per image.
    Compiler compiler;
    zoo::ModelOptions one;
    one.batch = 1;
    REPRISE_RETURN_IF_ERROR(compiler.load(info.name, one));
    zoo::ModelStatistics statistics = zoo::modelStatistics(compiler.module());
    table.add({info.name, text::formatInteger(statistics.parameters),
               text::formatCount(double(statistics.multiplyAdds)),
               imageText(info.defaults), std::to_string(*info.defaults.classes),
               info.description});
    json.push_back({{"name", info.name},
                    {"parameters", statistics.parameters},
                    {"multiply_adds", statistics.multiplyAdds},
                    {"height", *info.defaults.height},
                    {"width", *info.defaults.width},
                    {"channels", *info.defaults.channels},
                    {"classes", *info.defaults.classes},
                    {"batch", *info.defaults.batch},
                    {"description", info.description}});
  }
  return options.json ? printJson({{"models", json}}) : print(table.str());
}

static void addList(CLI::App &zoo, Invocation &invocation) {
  CLI::App *command = zoo.add_subcommand(
      "list", "Lists the models, with multiply-adds of one image");
  auto options = std::make_shared<ListOptions>();
  command->add_flag("--json", options->json, "Print JSON");
  addExamples(*command, "  reprise zoo list");
  onChosen(*command, invocation, [options] { return list(*options); });
}

//===----------------------------------------------------------------------===//
// emit
//===----------------------------------------------------------------------===//

namespace {
struct EmitOptions {
  std::string model, output = "-";
  ModelSettings flags;
};
} // namespace

static rt::Status emit(const EmitOptions &options) {
  REPRISE_EXPECT(wanted, options.flags.options());
  REPRISE_RETURN_IF_ERROR(checkOutput(options.output));
  Compiler compiler;
  REPRISE_RETURN_IF_ERROR(findModel(options.model).status());
  REPRISE_RETURN_IF_ERROR(compiler.load(options.model, *wanted));
  return writeText(options.output, compiler.print());
}

static void addEmit(CLI::App &zoo, Invocation &invocation) {
  CLI::App *command =
      zoo.add_subcommand("emit", "Writes a model as textual MLIR");
  auto options = std::make_shared<EmitOptions>();
  command->add_option("model", options->model, "Name of the model")->required();
  command
      ->add_option("-o,--output", options->output,
                   "File to write (default: standard output)")
      ->check(writtenAs({".mlir"}), "");
  addModelOptions(*command, options->flags);
  addExamples(*command,
              "  reprise zoo emit resnet50 --batch 32 -o resnet50.mlir\n"
              "  reprise zoo emit resnet18 --image 32x32 --stem cifar "
              "--classes 10");
  onChosen(*command, invocation, [options] { return emit(*options); });
}

void driver::addZooCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand("zoo", "Known networks");
  command->require_subcommand(1);
  addExamples(*command, "  reprise zoo list\n  reprise zoo emit resnet50");
  addList(*command, invocation);
  addEmit(*command, invocation);
}
