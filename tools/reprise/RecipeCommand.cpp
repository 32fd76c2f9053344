//===- RecipeCommand.cpp - reprise recipe ---------------------------------===//
//
// Recipes without a run: checked like 'reprise train', written as templates,
// shown with all defaults.
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "CommandLine.h"
#include "RecipeCheck.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Driver/ModelSource.h"
#include "reprise/Runtime/Trainer/Dataset.h"
#include "reprise/Runtime/Trainer/RunSettings.h"
#include "reprise/Text/Table.h"
#include "llvm/ADT/StringRef.h"
#include <filesystem>
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

/// Returns the settings of a recipe without errors.
static rt::Expected<CheckedRecipe> checkedRecipe(const std::string &file) {
  rt::Expected<CheckedRecipe> checked = checkRecipe(file);
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
  rt::Expected<CheckedRecipe> checked = checkRecipe(file);
  if (!checked.ok())
    return checked.status();
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
  rt::Expected<CheckedRecipe> checked = checkedRecipe(options.file);
  if (!checked.ok())
    return checked.status();
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
    rt::Expected<std::string> text = readRecipeText(options.file);
    if (!text.ok())
      return text.status();
    return options.json
               ? showSettings(
                     options.file,
                     recipe::parse(*text, allKeys(), text::nearest).settings)
               : writeText(options.output, *text);
  }
  rt::Expected<CheckedRecipe> checked = checkedRecipe(options.file);
  if (!checked.ok())
    return checked.status();
  return options.json ? showSettings(options.file, checked->settings)
                      : writeText(options.output,
                                  recipe::write(checked->settings, allKeys()));
}

/// Drops the keys that the model has no option for, and sets the defaults of
/// the others unless they follow from the data.
static void takeModel(const zoo::ModelOptions &model, bool isSynthetic,
                      recipe::Keys &keys) {
  auto set = [&](const char *path, std::optional<std::string> value,
                 bool isOfData = false) {
    if (!value)
      keys.remove(path);
    else if (isOfData && !isSynthetic)
      keys.setExample(path, *value);
    else
      keys.setDefault(path, *value);
  };
  auto whole = [](std::optional<int64_t> value) {
    return value ? std::optional(std::to_string(*value)) : std::nullopt;
  };
  auto number = [](std::optional<double> value) {
    return value ? std::optional(rt::settingNumber(*value)) : std::nullopt;
  };
  auto word = [](auto value) {
    return value ? std::optional(stringify(*value).str()) : std::nullopt;
  };
  set("model.classes", whole(model.classes), true);
  set("model.image", *whole(model.height) + "x" + *whole(model.width), true);
  set("model.channels", whole(model.channels), true);
  set("model.width", whole(model.baseWidth));
  set("model.stem", word(model.stem));
  set("model.dropout", number(model.dropout));
  set("model.attention_dropout", number(model.attentionDropout));
  set("model.stochastic_depth", number(model.stochasticDepth));
  set("model.frames", whole(model.frames), true);
  set("model.num_views", whole(model.views));
  set("model.patch", whole(model.patch));
  set("model.annotate", word(model.annotate));
  if (!model.viewPooling)
    keys.remove("model.view_pooling");
  set("training.batch_size", whole(model.batch));
}

/// Drops keys without effect on data of this kind. The kind of data that does
/// not exist yet is unknown.
static void takeData(const std::string &source, recipe::Keys &keys) {
  std::error_code error;
  bool isSynthetic = source == "synthetic";
  if (!isSynthetic)
    keys.remove("data.synthetic_size");
  if (!isSynthetic && !std::filesystem::exists(source, error))
    return;
  rt::DataSpec spec;
  spec.source = source;
  rt::DataTraits traits = rt::traitsOf(spec);
  if (!traits.anySize)
    for (const char *name : {"data.train_images", "data.eval_images",
                             "data.buckets", "data.skip_large_buckets"})
      keys.remove(name);
  if (!traits.namesClasses)
    keys.remove("data.class_names");
  if (!traits.anySize && !traits.isScaled)
    keys.remove("data.normalize");
  keys.remove("data.orientation");
  if (!traits.anySize && !traits.hasFiles)
    keys.remove("data.skip_bad_files");
}

/// Returns the keys of a model's recipe, with their defaults for it.
static rt::Expected<recipe::Keys> keysOf(const RecipeOptions &options) {
  recipe::Keys keys = allKeys();
  takeData(options.data, keys);
  REPRISE_RETURN_IF_ERROR(isArtifact(options.model).status());
  if (const zoo::ModelInfo *info = zooModel(options.model)) {
    takeModel(info->defaults, options.data == "synthetic", keys);
    return keys;
  }
  // Model files contain their own options.
  for (const std::string &name : keys.namesIn("model"))
    if (name != "name" && name != "pretrained")
      keys.remove("model." + name);
  keys.remove("training.batch_size");
  return keys;
}

static rt::Status initRecipe(const RecipeOptions &options) {
  std::error_code error;
  if (std::filesystem::is_regular_file(options.output, error))
    return invalid("'" + options.output +
                   "' is there already, and is not replaced; name another "
                   "file, or remove it");
  rt::Expected<recipe::Keys> keys = keysOf(options);
  if (!keys.ok())
    return keys.status();
  std::vector<recipe::Setting> settings = {
      {"model.name", {options.model}},
      {"training.epochs", {"1"}},
      {"training.seed", {"0"}},
      {"optimizer.lr", {"0.05"}},
      {"schedule.name", {"cosine"}},
      {"data.source", {options.data}},
      {"output.save", {"state.safetensors"}}};
  return writeText(
      options.output,
      "# A recipe of 'reprise train --recipe FILE'. The line above a key is "
      "its\n# meaning. A key after '#' is not set: it has the default that is "
      "shown,\n# unless that is marked as an example.\n\n" +
          recipe::writeCommented(settings, *keys));
}

/// Adds a command that runs `action` on the options.
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
