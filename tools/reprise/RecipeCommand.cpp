//===- RecipeCommand.cpp - reprise recipe ---------------------------------===//
//
// Recipes without a run: checked like 'reprise train', written as templates,
// shown with all defaults.
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Flags.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Run/RecipeCheck.h"
#include "reprise/Run/RecipeKeys.h"
#include "reprise/Run/RecipeTemplate.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Table.h"
#include "llvm/ADT/StringRef.h"
#include <filesystem>
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

/// Returns the settings of a recipe without errors.
static rt::Expected<CheckedRecipe> checkedRecipe(const std::string &file) {
  rt::Expected<CheckedRecipe> checked = checkRecipe(makeTraining, file);
  if (!checked.ok() || checked->problems.empty())
    return checked;
  showProblems(checked->problems);
  return misuse(""); // shown already
}

namespace {
struct RecipeOptions {
  std::string file, model, data = "synthetic", output = "-";
  bool json = false;
};
} // namespace

static rt::Status answerCheck(const std::string &file) {
  REPRISE_EXPECT(checked, checkRecipe(makeTraining, file));
  nlohmann::ordered_json answer = {{"file", file},
                                   {"keys", checked->keys},
                                   {"problems", nlohmann::json::array()}};
  for (const FileProblem &problem : checked->problems)
    answer["problems"].push_back({{"file", problem.file},
                                  {"line", problem.line},
                                  {"column", problem.column},
                                  {"message", problem.message}});
  if (checked->problems.empty())
    return printJson(answer);
  answer["error"] = "'" + file + "' has problems";
  showProblems(checked->problems);
  REPRISE_RETURN_IF_ERROR(printJson(answer));
  return misuse(""); // shown already
}

static rt::Status checkFile(const RecipeOptions &options) {
  if (options.json)
    return answerCheck(options.file);
  REPRISE_EXPECT(checked, checkedRecipe(options.file));
  return print(options.file + ": " + std::to_string(checked->keys) +
               " keys, no problems\n");
}

static nlohmann::ordered_json valueOf(const recipe::Setting &setting,
                                      recipe::Kind kind) {
  using recipe::Kind;
  if (kind == Kind::List || kind == Kind::Pairs)
    return setting.values;
  const std::string &text = setting.values.front();
  if (kind == Kind::Switch)
    return text == "true";
  uint64_t whole = 0;
  if (kind == Kind::Whole && !llvm::StringRef(text).getAsInteger(10, whole))
    return whole;
  double number = 0;
  if (kind == Kind::Number && !llvm::StringRef(text).getAsDouble(number))
    return number;
  return text;
}

static rt::Status showSettings(const std::string &file,
                               const std::vector<recipe::Setting> &settings) {
  recipe::Keys keys = allKeys();
  nlohmann::ordered_json answer = {
      {"file", file}, {"settings", nlohmann::ordered_json::object()}};
  for (const recipe::Setting &setting : settings)
    answer["settings"][setting.path] =
        valueOf(setting, keys.find(setting.path)->kind);
  return printJson(answer);
}

static rt::Status showRecipe(const RecipeOptions &options) {
  if (options.json && options.output != "-")
    return misuse("--json prints to standard output; leave out -o");
  // The run resolved a state's recipe already, and its files may be gone.
  if (llvm::StringRef(options.file).ends_with(".safetensors")) {
    REPRISE_EXPECT(text, readRecipeText(options.file));
    return options.json
               ? showSettings(
                     options.file,
                     recipe::parse(*text, allKeys(), text::nearest).settings)
               : writeText(options.output, *text);
  }
  REPRISE_EXPECT(checked, checkedRecipe(options.file));
  return options.json ? showSettings(options.file, checked->settings)
                      : writeText(options.output,
                                  recipe::write(checked->settings, allKeys()));
}

static rt::Status initRecipe(const RecipeOptions &options) {
  std::error_code error;
  if (std::filesystem::is_regular_file(options.output, error))
    return invalid("'" + options.output +
                   "' is there already, and is not replaced; name another "
                   "file, or remove it");
  rt::Expected<std::string> text = recipeTemplate(options.model, options.data);
  return text.ok() ? writeText(options.output, *text) : text.status();
}

/// Adds a command that runs `action` on the options.
static CLI::App *
addAction(CLI::App &group, const char *name, const char *what,
          std::shared_ptr<RecipeOptions> options, Invocation &invocation,
          std::function<rt::Status(const RecipeOptions &)> action) {
  CLI::App *command = group.add_subcommand(name, what);
  onChosen(*command, invocation,
           [options, action] { return action(*options); });
  return command;
}

static void addOutput(CLI::App *command, RecipeOptions &options) {
  command
      ->add_option("-o,--output", options.output,
                   "File to write (default: standard output)")
      ->check(writtenAs({".yaml", ".yml", ".json"}), "");
}

static void addFile(CLI::App *command, RecipeOptions &options) {
  command
      ->add_option("recipe", options.file,
                   "A recipe, or a saved state that holds one")
      ->required();
}

void driver::addRecipeCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *group = app.add_subcommand(
      "recipe", "Checks, shows and creates recipes of 'reprise train'");
  group->require_subcommand(1);
  auto options = std::make_shared<RecipeOptions>();
  CLI::App *check =
      addAction(*group, "check", "Reports what is wrong with a recipe", options,
                invocation, checkFile);
  addFile(check, *options);
  check->add_flag("--json", options->json,
                  "Print the problems as JSON, with line and column");
  addExamples(*check, "  reprise recipe check recipe.yaml");
  CLI::App *init = addAction(
      *group, "init", "Writes a recipe template with every key", options,
      invocation, [](const RecipeOptions &o) { return initRecipe(o); });
  init->add_option("model", options->model,
                   "A model of 'reprise zoo list', a file of MLIR or an "
                   "artifact")
      ->required();
  init->add_option("--data", options->data,
                   "Value of data.source (default: synthetic)")
      ->type_name("DIR|FILE|synthetic");
  addOutput(init, *options);
  addExamples(*init, "  reprise recipe init resnet18 --data "
                     "/usr/share/datasets/fashion-mnist -o recipe.yaml");
  CLI::App *show = addAction(
      *group, "show",
      "Prints the settings of a run, with the defaults that affect it", options,
      invocation, showRecipe);
  addFile(show, *options);
  show->add_flag("--json", options->json, "Print JSON");
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
