//===- CompileFlags.cpp - Options of models and compilations --------------===//

#include "Flags.h"
#include "reprise/CommandLine/ParsedOptions.h"
#include "reprise/CommandLine/SettingOptions.h"
#include <set>

using namespace reprise;
using namespace reprise::driver;

void driver::addFileOptions(CLI::App &command, ModelSettings &model) {
  SettingOptions options(command, kModelGroup);
  options.add("--batch", model.batch);
  options.add("--classes", model.classes);
  options.add("--annotate", model.annotate);
  options.add("--loss", model.loss);
  options.add("--logits", model.logits);
  options.add("--label", model.label);
  options.add("--input", model.inputs);
  options.add("--value", model.values);
}

void driver::addModelOptions(CLI::App &command, ModelSettings &model) {
  model.command = std::make_shared<ParsedOptions>(command);
  addFileOptions(command, model);
  SettingOptions options(command, kModelGroup);
  options.add("--image", model.image);
  options.add("--channels", model.channels);
  options.add("--width", model.width);
  options.add("--stem", model.stem);
  options.add("--dropout", model.dropout);
  options.add("--attention-dropout", model.attentionDropout);
  options.add("--frames", model.frames);
  options.add("--views", model.views);
  options.add("--view-pooling", model.viewPooling);
  options.add("--patch", model.patch);
  options.add("--stochastic-depth", model.stochasticDepth);
}

/// Returns the default of a hyperparameter for the help: " (default: 0.9)".
static std::string defaultOf(const Hyperparameter &one) {
  switch (one.kind) {
  case Hyperparameter::Kind::Number:
    return " (default: " + rt::settingNumber(one.value) + ")";
  case Hyperparameter::Kind::Exception:
    return " (default: as --" + std::string(one.otherwise) + ")";
  case Hyperparameter::Kind::Switch:
    return "";
  }
  return "";
}

/// Adds an option for each hyperparameter of any optimizer.
static void addOptimizerOptions(CLI::App &command, CompileSettings &compile) {
  std::string names;
  std::map<std::string, std::string> helps;
  std::set<std::string> switches;
  for (const OptimizerInfo &info : listOptimizers()) {
    names += (names.empty() ? "" : ", ") + info.name().str() +
             (names.empty() ? " (default)" : "");
    for (const Hyperparameter &one : info.hyperparameters) {
      std::string &help = helps[one.name];
      std::string meaning = one.meaning;
      help += !help.empty()     ? ", of "
              : meaning.empty() ? "Of "
                                : meaning + "; of ";
      help += info.name().str() + defaultOf(one);
      if (one.kind == Hyperparameter::Kind::Switch)
        switches.insert(one.name);
    }
  }
  command.add_option("--optimizer", compile.optimizer, "Optimizer: " + names)
      ->group(kCompileGroup);
  for (const auto &[name, help] : helps) {
    std::optional<double> &number = compile.numbers[name];
    CLI::Option *option =
        switches.count(name)
            ? command.add_flag_function(
                  "--" + name, [&number](int64_t count) { number = count > 0; },
                  help)
            : command.add_option("--" + name, number, help);
    option->group(kCompileGroup);
  }
}

void driver::addCompileOptions(CLI::App &command, CompileSettings &compile) {
  compile.command = std::make_shared<ParsedOptions>(command);
  SettingOptions options(command, kCompileGroup);
  options.add("--checkpointing", compile.checkpointing);
  options.add("--budget", compile.budget);
  options.add("--host-budget", compile.hostBudget);
  options.add("--host-link", compile.hostLink);
  options.add("--keep", compile.keep);
  options.add("--recompute", compile.recompute);
  options.add("--roofline", compile.roofline);
  options.add("--profile", compile.profile);
  options.add("--plan-work", compile.planWork);
  options.add("--plan-effort", compile.planEffort);
  addOptimizerOptions(command, compile);
  options.add("--no-weight-decay", compile.noWeightDecay);
  options.add("--freeze", compile.trained.freeze);
  options.addFlag("--freeze-norms", compile.trained.freezeNorms);
  options.add("--lr-scale", compile.trained.rateScales);
  options.add("--layer-decay", compile.trained.layerDecay);
  options.add("--amp", compile.amp);
  options.add("--lossy-kept", compile.lossyKept);
  options.add("--attention", compile.attention);
  options.add("--fusion", compile.fusion);
  options.add("--accumulate", compile.accumulate);
  options.add("--clip-grad-norm", compile.clipGradNorm);
  options.add("--grad-clipper", compile.gradClipper);
  options.add("--clip-tolerance", compile.clipTolerance);
  options.add("--clip-momentum", compile.clipMomentum);
  options.add("--clip-norm-type", compile.clipNormType);
  LossSettings loss;
  LossSettings::visitNumbers(loss, [&](const std::string &name, double) {
    options.add("--" + name, compile.lossNumbers[name]);
  });
  options.add("--class-weights", compile.classWeights)->delimiter(',');
  options.add("--ignore-index", compile.ignored);
  options.add("--ema", compile.ema);
  options.add("--threads", compile.threads);
  options.add("--target", compile.target);
}
