//===- RunFlags.cpp - Options of a run's program and data -----------------===//

#include "RunFlags.h"
#include "SettingOptions.h"
#include "reprise/Console/Console.h"
#include "reprise/Driver/ProgramCache.h"
#include "reprise/Text/Size.h"
#include <algorithm>

using namespace reprise;
using namespace reprise::driver;

/// Checks a value by its reader; an error is a mistake of the command line.
static std::string checkSteps(const std::string &text) {
  return rt::parseImageSteps(text).status().message();
}

static std::string checkOrientation(const std::string &text) {
  return rt::parseOrientation(text).status().message();
}

/// The same of a scale, of which nobody knows yet how many channels it is for.
static std::string checkScale(const std::string &text) {
  auto commas = std::count(text.begin(), text.end(), ',');
  if (text == "volume")
    return "";
  for (int64_t channels = 1; channels <= commas + 3; ++channels)
    if (rt::parseChannelScale(text, channels).ok())
      return "";
  return "'" + text +
         "' is not a scale; use none, imagenet, volume, M/S or M,M,M/S,S,S "
         "with "
         "deviations above 0";
}

static void addImageOptions(CLI::App &command, RunFlags &flags) {
  SettingOptions options(command, "Files of images");
  rt::ImageSpec &images = flags.images;
  options.add("--train-images", images.training)->check(checkSteps, "");
  options.add("--eval-images", images.evaluation)->check(checkSteps, "");
  options.add("--normalize", images.normalize)->check(checkScale, "");
  options.add("--orientation", images.orientation)->check(checkOrientation, "");
  options.addFlag("--skip-bad-files", images.skipBadFiles);
  options.add("--class-names", flags.classNames);
  options.add("--loader-threads", flags.loaderThreads)
      ->check(CLI::Range(1, 1024));
}

void RunFlags::addTo(CLI::App &command) {
  SettingOptions options(command);
  options
      .addText("model",
               [this](const std::string &name) {
                 // Before other missing options are reported.
                 if (rt::Status known = isArtifact(name).status();
                     isMisuse(known))
                   throw CLI::ValidationError(known.message());
                 source = name;
               })
      ->required();
  options.add("--data", data)->required();
  options.add("--synthetic-size", syntheticSize);
  options.add("--device", device);
  options.addText("--memory-limit", [this](const std::string &text) {
    rt::Expected<uint64_t> bytes = text::parseSize(text);
    if (!bytes.ok() || *bytes == 0)
      throw CLI::ValidationError("--memory-limit",
                                 bytes.ok() ? "a limit of 0 bytes"
                                            : bytes.status().message());
    memoryLimit = *bytes;
  });
  addImageOptions(command, *this);
  model.addTo(command);
  compile.addTo(command);
}

std::set<std::string> RunFlags::givenImages() const {
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

void RunFlags::takeOrientation(const rt::RunSettings &runSettings) {
  auto it = runSettings.find("orientation");
  if (it != runSettings.end() && images.orientation.empty())
    images.orientation = it->second;
}

rt::Status RunFlags::takeClassNames(const std::vector<std::string> &ofState,
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

rt::Status RunFlags::read() {
  rt::Expected<bool> artifact = isArtifact(source);
  if (!artifact.ok())
    return artifact.status();
  if (*artifact)
    return refuseFlags(source, model, compile);
  rt::Expected<ModelRequest> read =
      readRequest(source, model, compile, Costs::Later);
  if (!read.ok())
    return read.status();
  request = std::move(*read);
  return {};
}

rt::Status RunFlags::readModes(ProgramPlan &plan) const {
  REPRISE_RETURN_IF_ERROR(ProgramCache::ofUser().status());
  std::vector<ProgramMode *> modes = {&plan.onOutOfMemory};
  for (EpochPhase &phase : plan.phases)
    modes.push_back(&phase.mode);
  for (ProgramMode *mode : modes) {
    if (mode->isOwn())
      continue;
    CompileFlags with = compile;
    with.setMode(mode->text);
    rt::Expected<ModelRequest> read =
        readRequest(source, model, with, Costs::Later);
    if (!read.ok())
      return misuse("--checkpointing-schedule: " + read.status().message());
    mode->checkpointing = read->compile.checkpointing;
    mode->budget = read->compile.budget;
  }
  return {};
}
