//===- RunFlags.cpp - Options of a run's program and data -----------------===//

#include "RunFlags.h"
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
  const char *group = "Files of images";
  auto add = [&](const char *name, std::string &value, const char *help,
                 std::string (*check)(const std::string &), const char *type) {
    command.add_option(name, value, help)
        ->check(check, "")
        ->type_name(type)
        ->group(group);
  };
  add("--train-images", flags.images.training,
      "Preprocessing of images in training, steps joined by "
      "commas: resize=N or HxW, center-crop, random-resized-crop, "
      "flip, jitter=B:C:S:H (default: random-resized-crop,flip)",
      checkSteps, "STEPS");
  add("--eval-images", flags.images.evaluation,
      "Preprocessing of images in evaluation (default: resize to "
      "8/7 of the model's size, center-crop)",
      checkSteps, "STEPS");
  add("--normalize", flags.images.normalize,
      "Mean and standard deviation of channels in the range 0 to "
      "1, as 0.5/0.5 (default) or M,M,M/S,S,S; imagenet; none; of "
      "volumes: volume (default)",
      checkScale, "M/S");
  add("--orientation", flags.images.orientation,
      "Directions to turn the axes x, y and z of volumes to, one letter "
      "each of R or L, A or P, S or I, as RAS (default: as stored)",
      checkOrientation, "CODE");
  command
      .add_flag("--skip-bad-files", flags.images.skipBadFiles,
                "Leave out files that cannot be decoded; decodes every file "
                "once to find them")
      ->group(group);
  command
      .add_option(
          "--class-names", flags.classNames,
          "Names of the classes by number, for folders of classes (default: "
          "those of the state, or the training folders sorted by name)")
      ->type_name("NAMES")
      ->group(group);
  command
      .add_option("--loader-threads", flags.loaderThreads,
                  "Threads that read and decode (default: one for each "
                  "processor); results do not depend on it")
      ->check(CLI::Range(1, 1024))
      ->group(group);
}

void RunFlags::addTo(CLI::App &command) {
  command
      .add_option_function<std::string>(
          "model",
          [this](const std::string &name) {
            // Before other missing options are reported.
            if (rt::Status known = classifySource(name).status();
                isMisuse(known))
              throw CLI::ValidationError(known.message());
            source = name;
          },
          "A model of 'reprise zoo list', a file of MLIR (.mlir) or an "
          "artifact (.rpx)")
      ->required();
  command
      .add_option(
          "--data", data,
          "A directory with a folder of JPEG or PNG files for each "
          "class (or with such in train and val), or of NIfTI volumes, tar "
          "shards of "
          "WebDataset's layout (DIR, or a pattern as "
          "'d/{00..11}.tar'), a directory of IDX files, a .safetensors "
          "file with a tensor for each of the model's inputs ('image' "
          "and 'label' for the zoo's), or synthetic")
      ->required()
      ->type_name("DIR|FILE|synthetic");
  command.add_option("--synthetic-size", syntheticSize,
                     "Number of synthetic images (default: 2048)");
  command.add_option(
      "--device", device,
      "Device to run on, as cuda:1; without --target a model is compiled for "
      "it (default: the one that the program is for)");
  command
      .add_option_function<std::string>(
          "--memory-limit",
          [this](const std::string &text) {
            rt::Expected<uint64_t> bytes = text::parseSize(text);
            if (!bytes.ok() || *bytes == 0)
              throw CLI::ValidationError("--memory-limit",
                                         bytes.ok() ? "a limit of 0 bytes"
                                                    : bytes.status().message());
            memoryLimit = *bytes;
          },
          "Memory the whole process may take; a model that is compiled here "
          "without a budget gets the one that fits (default: what the machine, "
          "the container and ulimit leave)")
      ->type_name("SIZE");
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
  rt::Expected<SourceKind> kind = classifySource(source);
  if (!kind.ok())
    return kind.status();
  if (*kind == SourceKind::Artifact)
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
