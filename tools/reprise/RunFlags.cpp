//===- RunFlags.cpp - Options of a run's program and data -----------------===//

#include "Flags.h"
#include "reprise/CommandLine/SettingOptions.h"
#include "reprise/Console/Console.h"
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

static void addImageOptions(CLI::App &command, RunOptions &run) {
  SettingOptions options(command, "Files of images");
  rt::ImageSpec &images = run.images;
  options.add("--train-images", images.training)->check(checkSteps, "");
  options.add("--eval-images", images.evaluation)->check(checkSteps, "");
  options.add("--normalize", images.normalize)->check(checkScale, "");
  options.add("--orientation", images.orientation)->check(checkOrientation, "");
  options.addFlag("--skip-bad-files", images.skipBadFiles);
  options.add("--class-names", run.classNames);
  options.add("--loader-threads", run.loaderThreads)
      ->check(CLI::Range(1, 1024));
}

void driver::addRunOptions(CLI::App &command, RunOptions &run) {
  SettingOptions options(command);
  options
      .addText("model",
               [&run](const std::string &name) {
                 // Before other missing options are reported.
                 if (rt::Status known = isArtifact(name).status();
                     isMisuse(known))
                   throw CLI::ValidationError(known.message());
                 run.source = name;
               })
      ->required();
  options.add("--data", run.data)->required();
  options.add("--synthetic-size", run.syntheticSize);
  options.add("--device", run.device);
  options.addText("--memory-limit", [&run](const std::string &text) {
    rt::Expected<uint64_t> bytes = text::parseSize(text);
    if (!bytes.ok() || *bytes == 0)
      throw CLI::ValidationError("--memory-limit",
                                 bytes.ok() ? "a limit of 0 bytes"
                                            : bytes.status().message());
    run.memoryLimit = *bytes;
  });
  addImageOptions(command, run);
  addModelOptions(command, run.model);
  addCompileOptions(command, run.compile);
}
