//===- RunOptions.cpp - Options of a run's program and data ---------------===//

#include "reprise/Run/RunOptions.h"
#include "reprise/Console/Console.h"
#include "reprise/Driver/ProgramCache.h"
#include "reprise/Run/RecipeKeys.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/State.h"
#include "reprise/Text/Table.h"

using namespace reprise;
using namespace reprise::driver;

std::set<std::string> RunOptions::givenImages() const {
  std::set<std::string> names;
  if (!images.training.empty())
    names.insert("train-images");
  if (!images.evaluation.empty())
    names.insert("eval-images");
  if (!images.normalize.empty())
    names.insert("normalize");
  if (!images.orientation.empty())
    names.insert("orientation");
  return names;
}

void RunOptions::takeOrientation(const rt::RunSettings &runSettings) {
  auto it = runSettings.find("orientation");
  if (it != runSettings.end() && images.orientation.empty())
    images.orientation = it->second;
}

rt::Status RunOptions::takeClassNames(const std::vector<std::string> &ofState,
                                      const std::string &file) {
  if (!classNames.empty() && !rt::traitsOf(dataSpec()).namesClasses)
    return misuse("--class-names is for folders of classes, and '" + data +
                  "' has none");
  if (!classNames.empty() && !ofState.empty() && classNames != ofState)
    return misuse("--class-names gives other names than those of the " +
                  std::to_string(ofState.size()) + " classes of '" + file +
                  "'; leave it out");
  if (!ofState.empty())
    classNames = ofState;
  return {};
}

rt::Status RunOptions::read() {
  REPRISE_EXPECT(artifact, isArtifact(source));
  if (*artifact)
    return refuseFlags(source, model, compile);
  REPRISE_EXPECT(read, readRequest(source, model, compile, Costs::Later));
  request = std::move(*read);
  return {};
}

rt::Status RunOptions::readModes(ProgramPlan &plan) const {
  REPRISE_RETURN_IF_ERROR(ProgramCache::ofUser().status());
  std::vector<ProgramMode *> modes;
  for (EpochPhase &phase : plan.phases)
    modes.push_back(&phase.mode);
  modes.push_back(&plan.onOutOfMemory);
  for (ProgramMode *mode : modes) {
    if (mode->isOwn())
      continue;
    CompileSettings with = compile;
    with.setMode(mode->text);
    rt::Expected<ModelRequest> read =
        readRequest(source, model, with, Costs::Later);
    if (!read.ok())
      return misuse("--checkpointing-schedule: " + read.status().message());
    mode->checkpointing = read->compile.checkpointing;
    mode->budget = read->compile.budget;
    bool isRounded = read->compile.lossyKept != LossyKept::None;
    REPRISE_EXPECT(own, compile.options());
    const EpochPhase &first = plan.phases.front();
    Checkpointing usual =
        first.mode.isOwn() ? own->checkpointing : first.mode.checkpointing;
    if (isRounded && mode->checkpointing != usual)
      return misuse("--checkpointing-schedule: '" + mode->text +
                    "' keeps other values than " + usual.text() +
                    ", so that --lossy-kept would round others; give modes "
                    "that keep the same values, as none and budgets do");
  }
  return {};
}

/// Takes model options from a recipe unless options are given.
static rt::Status takeModel(const std::string &recipe, GivenOptions &command) {
  recipe::Keys keys = allKeys();
  for (const recipe::Setting &setting :
       recipe::parse(recipe, keys, text::nearest).settings) {
    const std::string &option = keys.find(setting.path)->option;
    if (command.groupOf(option) != kModelGroup || command.has(option))
      continue;
    if (std::string error = command.set(option, setting.values); !error.empty())
      return rt::Status::error(RP_INTERNAL, error);
  }
  return {};
}

bool RunOptions::lacksWeights(const rt::EvaluateOptions &wanted) const {
  bool isOwn = optionsOf(source) == frontend::Options::File;
  return wanted.statePath.empty() == wanted.weightsPath.empty() &&
         !(isOwn && wanted.statePath.empty());
}

rt::Expected<RunningProgram>
RunOptions::openToEvaluate(rt::EvaluateOptions &wanted) {
  bool isOwn = wanted.statePath.empty() && wanted.weightsPath.empty();
  if (isOwn && wanted.weights == rt::EvaluatedWeights::Averages)
    return misuse("'" + source + "' has no moving averages of the weights");
  RunRequest required;
  required.split = wanted.split;
  required.onlyEvaluates = true;
  required.state = wanted.statePath;
  REPRISE_RETURN_IF_ERROR(read());
  REPRISE_EXPECT(running, RunningProgram::open(*this, required));
  wanted.data = dataSpec();
  wanted.given = givenImages();
  if (isOwn) {
    note("the weights are those of '" + source + "'");
    REPRISE_RETURN_IF_ERROR(running->backend().initialize(0));
  }
  return running;
}

rt::Status RunOptions::takeFromState(const std::string &state,
                                     const std::string &weights) {
  if (state.empty() && weights.empty())
    return {};
  if (state.empty()) {
    auto names = rt::readClassNames(weights);
    return names.ok() ? takeClassNames(*names, weights) : names.status();
  }
  REPRISE_EXPECT(position, rt::readStatePosition(state));
  REPRISE_RETURN_IF_ERROR(takeClassNames(position->classNames, state));
  compile.resume(position->runSettings);
  takeOrientation(position->runSettings);
  if (optionsOf(source) == frontend::Options::None)
    return {};
  return takeModel(position->recipe.empty() ? position->modelOptions
                                            : position->recipe,
                   *model.command);
}
