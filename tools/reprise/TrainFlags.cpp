//===- TrainFlags.cpp - Options of a training run -------------------------===//

#include "Flags.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/CommandLine/ParsedOptions.h"
#include "reprise/CommandLine/SettingOptions.h"

using namespace reprise;
using namespace reprise::driver;

static void addTrainingOptions(CLI::App &command, TrainSettings &training) {
  SettingOptions options(command, "Training");
  rt::TrainOptions &train = training.train;
  options.add("--epochs", train.epochs);
  options.add("--steps", train.steps);
  options.add("--lr", training.rate);
  options.add("--schedule", training.schedule);
  options.add("--step-size", train.learningRate.stepEpochs);
  options.add("--gamma", train.learningRate.gamma);
  options.add("--warmup", train.learningRate.warmupSteps);
  options.add("--seed", train.seed);
  options.addFlag("--eval", training.evaluate);
  options.addFlag("--no-eval", training.noEvaluate);
  options.addFlag("--check-finite", training.checkFinite);
  options.add("--ranks", training.ranks.asked);
  options.add("--rank-timeout", training.ranks.timeoutSeconds);
  options.add("--reduce-bucket", training.run.compile.reduceBucket);
  options.add("--overlap-memory", training.run.compile.overlapMemory);
  options.addFlag("--fast-reduce", training.ranks.fastReduce);
  options.addFlag("--sync-batch-norm", training.run.compile.syncBatchNorm);
  options.addFlag("--shard-optimizer", training.run.compile.shardOptimizer);
  options.add("--max-skipped-steps", train.maxSkippedSteps);
  options.addFlag("--check-memory", training.run.checkMemory);
  options.addFlag("--shuffle", training.shuffle);
  options.addFlag("--no-shuffle", train.data.keepsOrder);
}

static void addPathOptions(CLI::App &command, TrainSettings &training) {
  SettingOptions options(command, "Files");
  rt::TrainOptions &train = training.train;
  options.add("--save", train.savePath)->check(writtenAs({".safetensors"}), "");
  options.add("--save-every", train.saveEvery);
  options.add("--resume", train.resumePath);
  CLI::Option *names = options.add("--override", training.overridden);
  names->delimiter(',')->description(names->get_description() +
                                     rt::listOverrides());
  options.add("--weights", train.weightsPath);
  options.addFlag("--new-head", train.newHead);
  options.add("--dump-gradients", train.gradientsPath)
      ->check(writtenAs({".safetensors"}), "");
}

namespace {
struct KindOptions final : HookOptions {
  explicit KindOptions(SettingOptions &options) : options(options) {}
  void add(const char *name, uint64_t &value) override {
    options.add(name, value);
  }
  void add(const char *name, double &value) override {
    options.add(name, value);
  }
  void add(const char *name, std::string &value) override {
    options.add(name, value);
  }
  SettingOptions &options;
};
} // namespace

static void addHookOptions(CLI::App &command, HookSettings &hooks) {
  SettingOptions options(command, "Hooks");
  options.add("--log-dir", hooks.logger.directory);
  options.add("--log-freq", hooks.logger.every);
  options.add("--log-skip", hooks.logger.skip);
  options.add("--save-best", hooks.best.directory);
  options.add("--test-freq", hooks.best.testEvery);
  options.add("--test-start", hooks.best.testStart);
  options.add("--save-freq", hooks.best.saveEvery);
  options.add("--save-start", hooks.best.saveStart);
  options.add("--save-cur-start", hooks.best.saveLatestStart);
  options.add("--save-cur-freq", hooks.best.saveLatestEvery);
  options.add("--keep-last", hooks.best.keep);
  options.add("--auto-checkpoint", hooks.checkpoint)
      ->check(writtenAs({".safetensors"}), "");
  options.add("--reload", hooks.reloadPath);
  options.add("--epoch-table", hooks.tablePath)->check(writtenAs({".csv"}), "");
  options.add("--profile-trace", hooks.trace.path)
      ->check(writtenAs({".json"}), "");
  options.add("--trace-steps", hooks.traceSteps);
  options.add("--hook", hooks.libraries);
  KindOptions ofKinds(options);
  for (const auto &kind : hooks.kinds)
    kind->addOptions(ofKinds);
}

static void addProgramOptions(CLI::App &command, ProgramSettings &programs) {
  SettingOptions options(command, "Several programs");
  options.add("--checkpointing-schedule", programs.schedule)->delimiter(',');
  options.add("--buckets", programs.buckets)->delimiter(',');
  options.addFlag("--skip-large-buckets", programs.skipsLarge);
}

/// Call it after adding the command's other options.
static void addRecipe(CLI::App &command, RunRecipe &recipe) {
  // The parser calls this after reading the whole command line.
  command
      .add_option_function<std::string>(
          "--recipe",
          [&recipe](const std::string &file) {
            if (int code = recipe.read(file, makeTraining))
              throw RecipeRefused{code};
          },
          "Take the settings that no option gives from a recipe (YAML), or "
          "from the recipe in a saved state")
      ->type_name("FILE");
}

void driver::addTrainOptions(CLI::App &command, TrainSettings &training) {
  training.command = training.recipe.command =
      std::make_shared<ParsedOptions>(command);
  addRunOptions(command, training.run);
  addTrainingOptions(command, training);
  addPathOptions(command, training);
  addHookOptions(command, training.hooks);
  addProgramOptions(command, training.programs);
  SettingOptions(command).addFlag("--json", training.json);
  addRecipe(command, training.recipe);
}

std::shared_ptr<TrainSettings> driver::makeTraining() {
  struct Command {
    CLI::App app = CLI::App("", "reprise train");
    TrainSettings settings;
  };
  auto command = std::make_shared<Command>();
  addTrainOptions(command->app, command->settings);
  guardValues(command->app);
  return {command, &command->settings};
}
