//===- TrainSettings.cpp - Options of a run -------------------------------===//

#include "reprise/Run/TrainSettings.h"
#include "reprise/Console/Console.h"
#include "reprise/Run/RecipeKeys.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Table.h"
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace reprise;
using namespace reprise::driver;

static rt::Status readSchedule(TrainSettings &options) {
  rt::LearningRate &rate = options.train.learningRate;
  if (options.schedule == "cosine")
    rate.schedule = rt::LearningRate::Schedule::Cosine;
  else if (options.schedule == "step")
    rate.schedule = rt::LearningRate::Schedule::Step;
  else if (options.schedule != "constant")
    return misuse("--schedule is '" + options.schedule +
                  "'; choose constant, step or cosine");
  for (const char *name : {"--step-size", "--gamma"})
    if (options.schedule != "step" && options.command->has(name))
      return misuse(std::string(name) + " needs --schedule step");
  if (rate.stepEpochs == 0)
    return misuse("--step-size is 0; it must be an epoch or more");
  if (!(rate.gamma > 0 && rate.gamma <= 1))
    return misuse("--gamma is " + rt::settingNumber(rate.gamma) +
                  "; it must be above 0 and at most 1");
  return {};
}

/// Rejects two options whose files would overwrite each other, or an input.
/// Paths other than files, such as /dev/null, accept several writers.
static rt::Status checkFiles(const TrainSettings &options) {
  std::vector<std::pair<std::string, std::string>> files =
      options.hooks.files();
  files.emplace_back("--save", options.train.savePath);
  files.emplace_back("--dump-gradients", options.train.gradientsPath);
  namespace fs = std::filesystem;
  auto addRead = [&](const char *what, const std::string &path) {
    std::error_code error;
    if (fs::is_regular_file(path, error))
      files.emplace(files.begin(), what, path);
  };
  if (options.run.data != "synthetic")
    addRead("--data", options.run.data);
  addRead("the model", fileOf(options.run.source));
  // A state may be resumed in place.
  if (!isSavedState(options.recipe.file()))
    addRead("--recipe", options.recipe.file());
  for (const std::string &file : options.run.compile.files())
    addRead("a file that compiling reads", file);
  std::map<fs::path, std::string> seen;
  for (const auto &[option, path] : files) {
    std::error_code error;
    if (path.empty() ||
        (fs::exists(path, error) && !fs::is_regular_file(path, error)))
      continue;
    fs::path whole = fs::weakly_canonical(path, error);
    auto [other, isNew] =
        seen.try_emplace(error ? fs::path(path) : whole, option);
    if (!isNew)
      return misuse(other->second + " and " + option +
                    " name the same file, '" + path + "'");
  }
  return {};
}

/// Checks that --new-head has weights of another number of classes to begin
/// from: a file's own count.
static rt::Status checkHead(const TrainSettings &options, bool isResumed) {
  const rt::TrainOptions &train = options.train;
  const RunOptions &run = options.run;
  if (isResumed || !train.weightsPath.empty())
    return {};
  bool isFile = optionsOf(run.source) == frontend::Options::File;
  if (train.newHead && !isFile)
    return misuse("--new-head is for a model with --weights; name them");
  if (isFile && train.newHead != run.model.classes.has_value())
    return misuse(train.newHead
                      ? "--new-head of '" + run.source + "' needs --classes N"
                      : "--classes gives '" + run.source +
                            "' a new last layer, which --new-head confirms");
  return {};
}

rt::Status driver::completeSettings(TrainSettings &options) {
  rt::TrainOptions &train = options.train;
  bool keepsOrder = train.data.keepsOrder;
  train.data = options.run.dataSpec();
  train.data.keepsOrder = keepsOrder;
  train.learningRate.base = options.rate;
  if (options.rate < 0)
    return misuse("--lr is " + rt::settingNumber(options.rate) +
                  "; it must not be negative");
  if (options.run.compile.optimizer == termName(OptimizerKind::None))
    return misuse("--optimizer none updates nothing, so that nothing is "
                  "trained; 'reprise compile' takes it");
  REPRISE_RETURN_IF_ERROR(options.ranks.check());
  REPRISE_RETURN_IF_ERROR(readSchedule(options));
  for (const char *name :
       {"--lr", "--schedule", "--warmup", "--steps", "--epochs", "--seed"})
    if (options.command->has(name))
      train.given.insert(name == std::string("--epochs") ? "steps" : name + 2);
  if (options.shuffle && keepsOrder)
    return misuse(
        "--shuffle and --no-shuffle are both given; keep one of them");
  if (options.shuffle || keepsOrder)
    train.given.insert("shuffle");
  for (const std::string &name : options.run.givenImages())
    train.given.insert(name);
  train.overridden.insert(options.overridden.begin(), options.overridden.end());
  REPRISE_EXPECT(plan, options.programs.read(*options.command));
  options.plan = std::move(*plan);
  REPRISE_RETURN_IF_ERROR(options.hooks.check(*options.command));
  if (options.hooks.traces() && options.run.checkMemory)
    return misuse("--check-memory runs each step of the program twice, so "
                  "--profile-trace cannot time it; keep one of them");
  REPRISE_RETURN_IF_ERROR(options.hooks.reload(train));
  bool isResumed = !train.resumePath.empty();
  bool both =
      options.command->has("--epochs") && options.command->has("--steps");
  bool none = !train.given.count("steps");
  if (both)
    return misuse("--epochs and --steps are both given; keep one of them");
  if (none && !isResumed)
    return misuse(
        "nothing says how long to train; give either --epochs N or --steps N");
  if (!none && train.epochs == 0 && train.steps == 0)
    return misuse("a run of 0 steps trains nothing; ask for one at least");
  if (!train.overridden.empty() && !isResumed)
    return misuse("--override is for the settings of a state; name one with "
                  "--resume");
  if (options.command->has("--save-every") && train.saveEvery == 0)
    return misuse("--save-every is 0; it must be a step or more");
  if (train.saveEvery && train.savePath.empty())
    return misuse("--save-every needs a file; name it with --save");
  if (!train.resumePath.empty() && !train.weightsPath.empty())
    return misuse("--resume and --weights are both given; keep one of them");
  REPRISE_RETURN_IF_ERROR(checkHead(options, isResumed));
  if (!train.savePath.empty())
    REPRISE_RETURN_IF_ERROR(checkOutput(train.savePath));
  if (!train.gradientsPath.empty())
    REPRISE_RETURN_IF_ERROR(checkOutput(train.gradientsPath));
  return checkFiles(options);
}

static bool isSaid(const std::vector<recipe::Setting> &settings,
                   const std::string &path) {
  for (const recipe::Setting &setting : settings)
    if (setting.path == path)
      return true;
  return false;
}

static std::vector<std::string> wordsOf(const std::string &text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// Adds the settings of a resumed run that had no recipe. Its optimizer's
/// numbers are in the options already.
static void addSettings(const rt::RunPosition &position,
                        const RunOptions &flags,
                        std::vector<recipe::Setting> &settings) {
  recipe::Keys keys = allKeys();
  auto add = [&](const std::string &option, std::vector<std::string> values) {
    const recipe::Key *key = keys.findOption(option);
    if (key && !values.empty() && !isSaid(settings, key->path))
      settings.push_back({key->path, std::move(values)});
  };
  add("--seed", {std::to_string(position.seed)});
  uint64_t batch = position.batch / std::max(1u, flags.compile.microBatches());
  add("--batch", {std::to_string(batch)});
  if (flags.data == "synthetic")
    add("--synthetic-size", {std::to_string(position.images)});
  bool hasLength = isSaid(settings, "training.epochs");
  for (const auto &[name, value] : position.runSettings) {
    if (name == "schedule") {
      // "step size=3 gamma=0.1"
      std::vector<std::string> words = wordsOf(value);
      add("--schedule", {words.front()});
      for (size_t i = 1; i < words.size(); ++i) {
        size_t sign = words[i].find('=');
        std::string number = words[i].substr(0, sign);
        add(number == "size" ? "--step-size" : "--" + number,
            {words[i].substr(sign + 1)});
      }
    } else if (name == "shuffle" && value == "false") {
      add("--shuffle", {value});
    } else if (name == "freeze-norms" || name == "sync-batch-norm") {
      add("--" + name, {value});
    } else if (const recipe::Key *key = keys.findOption("--" + name);
               key && key->kind == recipe::Kind::List) {
      add("--" + name, wordsOf(value));
    } else if (name != "optimizer" && name != "data" && name != "model" &&
               !(name == "steps" && hasLength) && !value.empty()) {
      const recipe::Key *key = keys.findOption("--" + name);
      if (key && key->kind != recipe::Kind::Switch)
        add("--" + name, {value});
    }
  }
}

rt::Status driver::takeFromState(TrainSettings &options,
                                 std::optional<int64_t> &batch) {
  rt::TrainOptions &train = options.train;
  REPRISE_EXPECT(position, rt::readStatePosition(train.resumePath));
  options.epoch = position->epoch;
  REPRISE_RETURN_IF_ERROR(
      options.run.takeClassNames(position->classNames, train.resumePath));
  train.data.classNames = options.run.classNames;
  if (!position->recipe.empty())
    options.stored =
        recipe::parse(position->recipe, allKeys(), text::nearest).settings;
  rt::RunSettings all, given, stored;
  rt::addLearningRate(train.learningRate, all);
  for (const char *name : {"lr", "schedule", "warmup"})
    if (train.given.count(name))
      given[name] = all[name];
  options.run.compile.addGiven(given, position->runSettings);
  for (const auto &[name, value] : position->runSettings)
    if (given.count(name))
      stored[name] = value;
  REPRISE_RETURN_IF_ERROR(
      misfit(rt::continueSettings(train.resumePath, stored,
                                  {given, train.given, train.overridden})
                 .status()));
  options.run.compile.resume(position->runSettings);
  options.run.takeOrientation(position->runSettings);
  addSettings(*position, options.run, options.stored);
  if (!options.command->has("--synthetic-size"))
    options.run.syntheticSize = train.data.syntheticSize = position->images;
  batch = int64_t(position->batch /
                  std::max(1u, options.run.compile.microBatches()));
  return {};
}

//===----------------------------------------------------------------------===//
// Recipes of settings
//===----------------------------------------------------------------------===//

/// Adds the optimizer and all its numbers.
static rt::Status addOptimizer(const TrainSettings &options,
                               std::vector<recipe::Setting> &settings) {
  REPRISE_EXPECT(optimizer, options.run.compile.readOptimizer());
  if (!isSaid(settings, "optimizer.name"))
    settings.push_back({"optimizer.name", {termName(optimizer->kind)}});
  recipe::Keys keys = allKeys();
  for (const auto &[number, value] : optimizer->values) {
    const recipe::Key *key = keys.findOption("--" + number);
    if (!key || isSaid(settings, key->path))
      continue;
    bool isSwitch = key->kind == recipe::Kind::Switch;
    settings.push_back(
        {key->path, {isSwitch ? "true" : rt::settingNumber(value)}});
  }
  return {};
}

rt::Expected<std::vector<recipe::Setting>>
driver::resolvedSettings(const TrainSettings &options) {
  std::vector<recipe::Setting> settings = options.recipe.settings();
  // The file may have changed by the time the recipe is read.
  for (recipe::Setting &setting : settings)
    if (setting.path == "training.class_weights" &&
        !options.run.compile.balancesClasses())
      setting.values = options.run.compile.classWeightWords();
  bool takesLength = !options.train.given.count("steps");
  for (const recipe::Setting &setting : options.stored) {
    bool isLength =
        setting.path == "training.epochs" || setting.path == "training.steps";
    if (!isSaid(settings, setting.path) && (!isLength || takesLength))
      settings.push_back(setting);
  }
  const std::pair<const char *, std::string> defaults[] = {
      {"training.seed", std::to_string(options.train.seed)},
      {"optimizer.lr", rt::settingNumber(options.rate)},
      {"schedule.name", options.schedule}};
  for (const auto &[path, value] : defaults)
    if (!isSaid(settings, path))
      settings.push_back({path, {value}});
  REPRISE_EXPECT(artifact, isArtifact(options.run.source));
  // An artifact contains its optimizer.
  if (!*artifact)
    REPRISE_RETURN_IF_ERROR(addOptimizer(options, settings));
  return settings;
}

std::string driver::modelRecipe(const TrainSettings &options) {
  recipe::Keys keys = allKeys();
  std::vector<recipe::Setting> ofModel;
  for (const recipe::Setting &setting : options.recipe.settings())
    if (options.command->groupOf(keys.find(setting.path)->option) ==
        kModelGroup)
      ofModel.push_back(setting);
  // A state says the rows of a micro-batch, whoever ran it.
  for (recipe::Setting &setting : ofModel)
    if (setting.path == "training.batch_size" && options.run.model.batch)
      setting.values = {std::to_string(*options.run.model.batch)};
  return ofModel.empty() ? "" : recipe::write(ofModel, keys);
}

/// Returns true if a recipe can hold the name: UTF-8.
static bool isText(const std::string &name) {
  using nlohmann::json;
  return json::parse(json(name).dump(-1, ' ', false,
                                     json::error_handler_t::ignore)) == name;
}

/// Adds the names of the classes, so that the recipe keeps their numbers.
static rt::Status addClassNames(const RunOptions &flags,
                                std::vector<recipe::Setting> &settings) {
  rt::DataSpec spec = flags.dataSpec();
  if (isSaid(settings, "data.class_names") || !rt::traitsOf(spec).namesClasses)
    return {};
  spec.images = flags.images.ofRows();
  REPRISE_EXPECT(data, rt::openDataset(spec, rt::Split::Train, {}));
  const std::vector<std::string> names = (*data)->classNames();
  if (std::all_of(names.begin(), names.end(), isText))
    settings.push_back({"data.class_names", names});
  return {};
}

rt::Expected<std::string> driver::repeatingRecipe(const TrainSettings &options,
                                                  RunningProgram &running) {
  REPRISE_EXPECT(settings, resolvedSettings(options));
  REPRISE_EXPECT(artifact, isArtifact(options.run.source));
  if (!*artifact && !isSaid(*settings, "training.threads"))
    settings->push_back(
        {"training.threads", {std::to_string(running.threads())}});
  REPRISE_RETURN_IF_ERROR(addClassNames(options.run, *settings));
  if (!running.target().empty() && !isSaid(*settings, "training.target"))
    settings->push_back({"training.target", {running.target()}});
  recipe::Keys keys = allKeys();
  std::vector<recipe::Setting> ofRun;
  for (const recipe::Setting &setting : *settings)
    if (keys.find(setting.path)->isOfRun)
      ofRun.push_back(setting);
  return recipe::write(ofRun, keys);
}
