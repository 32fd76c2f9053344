//===- RecipeCommand.cpp - reprise recipe ---------------------------------===//
//
// Recipes without a run: checked as 'reprise train' would, written to begin
// with, shown with everything that they leave to defaults.
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "CommandLine.h"
#include "Console.h"
#include "ModelSource.h"
#include "TrainFlags.h"
#include "llvm/ADT/StringRef.h"

using namespace reprise;
using namespace reprise::tools;

static rt::Status checkRecipe(const std::string &file) {
  auto settings = readRecipe(file);
  if (!settings.ok())
    return settings.status();
  REPRISE_RETURN_IF_ERROR(resolveRecipe(file).status());
  return print(file + ": " + std::to_string(settings->size()) + " keys, " +
               "nothing wrong\n");
}

static rt::Status showRecipe(const std::string &file,
                             const std::string &output) {
  // What a state holds was resolved by its run, whose files may be gone.
  if (llvm::StringRef(file).ends_with(".safetensors")) {
    rt::Expected<std::string> text = readRecipeText(file);
    return text.ok() ? writeText(output, *text) : text.status();
  }
  auto settings = resolveRecipe(file);
  if (!settings.ok())
    return settings.status();
  return writeText(output, recipe::write(*settings, allKeys()));
}

static rt::Status initRecipe(const std::string &model,
                             const std::string &output) {
  if (rt::Status known = classifySource(model).status(); !known.ok())
    return known;
  std::vector<recipe::Setting> settings = {
      {"model.name", {model}},
      {"training.epochs", {"1"}},
      {"training.seed", {"0"}},
      {"optimizer.lr", {"0.05"}},
      {"schedule.name", {"cosine"}},
      {"data.source", {"synthetic"}},
      {"output.save", {"state.safetensors"}}};
  return writeText(output,
                   "# A recipe of 'reprise train --recipe FILE'. A key behind "
                   "'#' is not said;\n# its value is the default, or an "
                   "example. The line above it is its meaning.\n\n" +
                       recipe::writeCommented(settings, allKeys()));
}

namespace {
struct RecipeOptions {
  std::string file, model, output = "-";
};
} // namespace

/// Adds a command that runs `action` of the options.
static CLI::App *
addAction(CLI::App &group, const char *name, const char *what,
          std::shared_ptr<RecipeOptions> options, Invocation &invocation,
          std::function<rt::Status(const RecipeOptions &)> action) {
  CLI::App *command = group.add_subcommand(name, what);
  command->callback([options, action, &invocation] {
    invocation = [options, action] {
      rt::Status status = action(*options);
      return status.ok() ? int(kSuccess) : fail(status);
    };
  });
  return command;
}

static void addOutput(CLI::App *command, RecipeOptions &options) {
  command->add_option("-o,--output", options.output,
                      "File to write (default: standard output)");
}

static void addFile(CLI::App *command, RecipeOptions &options) {
  command
      ->add_option("recipe", options.file,
                   "A recipe, or a saved state that holds one")
      ->required();
}

void tools::addRecipeCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *group = app.add_subcommand(
      "recipe", "Checks, shows and begins recipes of 'reprise train'");
  group->require_subcommand(1);
  auto options = std::make_shared<RecipeOptions>();
  CLI::App *check = addAction(
      *group, "check", "Tells what is wrong with a recipe", options, invocation,
      [](const RecipeOptions &o) { return checkRecipe(o.file); });
  addFile(check, *options);
  addExamples(*check, "  reprise recipe check recipe.yaml");
  CLI::App *init =
      addAction(*group, "init", "Writes a recipe to fill in, every key in it",
                options, invocation, [](const RecipeOptions &o) {
                  return initRecipe(o.model, o.output);
                });
  init->add_option("model", options->model,
                   "A model of 'reprise zoo list', a file of MLIR or an "
                   "artifact")
      ->required();
  addOutput(init, *options);
  addExamples(*init, "  reprise recipe init resnet18 -o recipe.yaml");
  CLI::App *show = addAction(
      *group, "show",
      "Prints what a run would be told, defaults that decide it included",
      options, invocation,
      [](const RecipeOptions &o) { return showRecipe(o.file, o.output); });
  addFile(show, *options);
  addOutput(show, *options);
  addExamples(*show, "  reprise recipe show recipe.yaml\n"
                     "  reprise recipe show state.safetensors -o again.yaml");
  CLI::App *schema = addAction(
      *group, "schema", "Prints the JSON Schema of recipes, for editors",
      options, invocation, [](const RecipeOptions &o) {
        return writeText(o.output, recipe::writeSchema(allKeys()));
      });
  addOutput(schema, *options);
  addExamples(*schema, "  reprise recipe schema -o recipe.schema.json");
}
