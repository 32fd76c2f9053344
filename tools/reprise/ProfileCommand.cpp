//===- ProfileCommand.cpp - reprise profile -------------------------------===//
//
// Times the steps of a program one by one. The milliseconds of an op are the
// mean, over the steps that are the same op, of each step's median over runs:
// bursts of load on the machine have no effect, and the sum over the program
// remains.
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Flags.h"
#include "reprise/Bridge/CostModel.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Driver/MeasureOps.h"
#include "reprise/Driver/OpTimes.h"
#include "reprise/Program/ArtifactFile.h"
#include "reprise/Run/RunRanks.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Link.h"
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Text/Rates.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace reprise;
using namespace reprise::driver;

namespace {
struct ProfileOptions {
  std::string source, output, entry = "train_step";
  unsigned steps = 10, ops = 10;
  bool json = false, link = false;
  ModelSettings model;
  CompileSettings compile;
};
} // namespace

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static rt::Expected<ArtifactFile> openSource(const ProfileOptions &options) {
  REPRISE_EXPECT(artifact, isArtifact(options.source));
  if (*artifact) {
    std::vector<std::string> given =
        options.model.command->namesIn(kModelGroup);
    for (const std::string &flag :
         options.compile.command->namesIn(kCompileGroup))
      if (flag != "--roofline" && flag != "--profile")
        given.push_back(flag);
    REPRISE_RETURN_IF_ERROR(
        refuseFlag(options.source, given.empty() ? "" : given.front()));
    return ArtifactFile::open(options.source);
  }
  REPRISE_EXPECT(request,
                 readRequest(options.source, options.model, options.compile));
  Activity activity("compiling " + options.source);
  Compiler compiler;
  REPRISE_RETURN_IF_ERROR(compiler.load(request->source, request->model));
  REPRISE_RETURN_IF_ERROR(
      compiler.lower(request->compile, CompileLevel::Program));
  REPRISE_EXPECT(bytes, compiler.emit());
  return ArtifactFile::fromMemory(bytes->data(), bytes->size());
}

static const rt::fb::Entry *findEntry(const ArtifactFile &artifact,
                                      const std::string &name) {
  for (const rt::fb::Entry *entry : *artifact.root().entries())
    if (entry->name()->str() == name)
      return entry;
  return nullptr;
}

/// Returns the last-level cache of this processor; 0 if another device was
/// timed.
static uint64_t lastCacheBytes(const ArtifactFile &artifact) {
  long bytes = artifact.root().device()->str() == "cpu"
                   ? ::sysconf(_SC_LEVEL3_CACHE_SIZE)
                   : 0;
  return bytes > 0 ? uint64_t(bytes) : 0;
}

/// Describes the memory traffic of the compiled kernels as a part of the
/// machine's.
static std::string describeKernels(const std::vector<OpTime> &ops,
                                   const rt::Roofline &roofline) {
  OpTime all = kernelsTogether(ops);
  return text::formatFixed(all.milliseconds, 2) + " ms, " +
         text::formatFixed(all.gigabytesPerSecond(), 1) + " GB/s of the " +
         text::formatFixed(roofline.gigabytesPerSecond, 1) + " of the roofline";
}

static rt::Status show(const ProfileOptions &options,
                       const ArtifactFile &artifact, const Profile &profile,
                       const OpMeasurement &times,
                       const std::vector<OpTime> &ops, const CostModel &costs,
                       const Prices &predicted) {
  double sum = 0;
  for (double ms : times.steps)
    sum += ms;
  OpScale scale = {times.step, costs.roofline, lastCacheBytes(artifact)};
  if (options.json) {
    nlohmann::ordered_json json = {{"model", profile.model},
                                   {"entry", options.entry},
                                   {"threads", profile.threads},
                                   {"processor", profile.processor},
                                   {"library", profile.library},
                                   {"runs", options.steps},
                                   {"steps", times.steps.size()},
                                   {"distinct_ops", profile.ops.size()},
                                   {"sum_ms", sum},
                                   {"between_ms", scale.between(ops)},
                                   {"step_ms", times.step},
                                   {"predicted_ms", predicted.sum()},
                                   {"predicted_matched", predicted.matched},
                                   {"output", options.output},
                                   {"ops", toJson(ops, scale)}};
    return printJson(json);
  }
  auto compared = [&](double ms) {
    std::string text = text::formatFixed(ms, 2) + " ms";
    if (times.step > 0)
      text += ", " + text::formatPercent(ms / times.step) + " of the measured";
    return text;
  };
  text::Facts lines;
  lines.add("model", profile.model + ", " + options.entry + ", " +
                         std::to_string(times.steps.size()) + " steps, " +
                         std::to_string(profile.ops.size()) + " distinct");
  lines.add("machine", profile.processor + ", " +
                           std::to_string(profile.threads) + " threads, " +
                           profile.library);
  lines.add("measured", text::formatFixed(times.step, 2) +
                            " ms, the median of " +
                            std::to_string(options.steps) + " runs");
  lines.add("sum of the ops", compared(sum));
  lines.add("predicted",
            compared(predicted.sum()) + ", by " +
                (costs.profile ? std::to_string(predicted.matched) +
                                     " steps of the profile given"
                               : "a roofline of " +
                                     text::formatRoofline(costs.roofline)));
  lines.add("kernels", describeKernels(ops, costs.roofline));
  if (!options.output.empty())
    lines.add("written", options.output);
  std::string table = tableOf(ops, options.ops, scale);
  return print(lines.str() + (table.empty() ? "" : "\n" + table));
}

static rt::Status profileSource(const ProfileOptions &options) {
  if (options.steps < 1 || options.steps > 100000)
    return misuse("--steps is " + std::to_string(options.steps) +
                  "; it must be between 1 and 100000");
  if (!options.output.empty())
    REPRISE_RETURN_IF_ERROR(
        checkOutput(options.output, {fileOf(options.source)}));
  REPRISE_EXPECT(artifact, openSource(options));
  const rt::fb::Entry *entry = findEntry(*artifact, options.entry);
  if (!entry)
    return invalid("'" + options.source + "' has no entry '" + options.entry +
                   "'");
  const rt::fb::Program &root = artifact->root();
  REPRISE_EXPECT(target,
                 createTargetOf(root.device()->str(),
                                root.target() ? root.target()->str() : "",
                                root.threads()));
  REPRISE_EXPECT(source, options.compile.costSource());
  REPRISE_EXPECT(costs, costModelOf(*source, **target, root.threads()));
  if (*isArtifact(options.source))
    warnElsewhere(*source, *costs, **target, root.threads());
  rt::Expected<OpMeasurement> times = [&] {
    Activity activity("timing " + options.source);
    return measureOps(*artifact, options.entry, options.steps);
  }();
  if (!times.ok())
    return times.status();
  Profile profile =
      makeProfile(*artifact, *entry, *times, (*target)->machine());
  if (!options.output.empty())
    REPRISE_RETURN_IF_ERROR(writeText(options.output, profile.print()));
  return show(options, *artifact, profile, *times,
              timesByOp(*entry, times->steps), *costs, predict(*entry, *costs));
}

/// Measures the link between the processes that a launcher started.
static rt::Status profileLink(bool json) {
  constexpr double kTimeout = 60; // seconds
  REPRISE_EXPECT(ranks, joinToMeasure(kTimeout));
  rt::Expected<rt::Link> link = [&] {
    Activity activity("measuring the link");
    return rt::measureLink(**ranks);
  }();
  if (!link.ok())
    return link.status();
  REPRISE_RETURN_IF_ERROR((*ranks)->close());
  if ((*ranks)->rank() != 0)
    return {};
  std::string rate = text::formatFixed(link->gigabytesPerSecond, 3),
              latency = text::formatFixed(link->microseconds, 1);
  std::string option = rate + "GB/s," + latency + "us";
  if (json)
    return printJson({{"ranks", (*ranks)->size()},
                      {"gigabytes_per_second", link->gigabytesPerSecond},
                      {"latency_microseconds", link->microseconds},
                      {"link", option}});
  text::Facts lines;
  lines.add("ranks", std::to_string((*ranks)->size()));
  lines.add("rate", rate + " GB/s, sent to the others while as much arrives");
  lines.add("latency", latency + " us");
  lines.add("for plan", "--link " + option);
  return print(lines.str());
}

static rt::Status run(const ProfileOptions &options) {
  if (options.link)
    return profileLink(options.json);
  if (options.source.empty())
    return misuse("profile times the ops of a model: name it; or give --link");
  return profileSource(options);
}

void driver::addProfileCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "profile", "Times the ops of a program, for the costs of a plan");
  auto options = std::make_shared<ProfileOptions>();
  CLI::Option *model = command->add_option(
      "model", options->source,
      "A model of 'reprise zoo list', a file of MLIR (.mlir) or "
      "an artifact (.rpx)");
  command
      ->add_option("-o,--output", options->output,
                   "File to write, for --profile of plan and compile")
      ->check(writtenAs({".json"}), "");
  command->add_option("--steps", options->steps,
                      "Runs to take the median of (default: 10)");
  command->add_option("--ops", options->ops,
                      "Number of slowest ops to show (default: 10)");
  command->add_option("--entry", options->entry,
                      "The entry to time: train_step (default), eval_step");
  command
      ->add_flag("--link", options->link,
                 "Measure the link between processes of mpirun in place of "
                 "a model, for --link of plan")
      ->excludes(model);
  command->add_flag("--json", options->json, "Print JSON");
  addModelOptions(*command, options->model);
  addCompileOptions(*command, options->compile);
  addExamples(*command,
              "  reprise profile resnet50 --batch 8 --checkpointing none -o "
              "r50.profile.json\n"
              "  reprise compile resnet50 --batch 8 --budget 60% --profile "
              "r50.profile.json");
  onChosen(*command, invocation, [options] { return run(*options); });
}
