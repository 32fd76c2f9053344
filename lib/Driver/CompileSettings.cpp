//===- CompileSettings.cpp - Options of a compilation ---------------------===//

#include "reprise/Driver/CompileSettings.h"
#include "reprise/CheckpointingModes.h"
#include "reprise/Console/Console.h"
#include "reprise/Driver/SettingValues.h"
#include "reprise/Limits.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/HostProcessors.h"
#include "reprise/Target/Target.h"
#include "reprise/Text/Rates.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace reprise;
using namespace reprise::driver;

/// The limit of a plan's work: hours for a thousand ops.
static constexpr int kMostPlanWork = 10000;

CompileSettings::CompileSettings() {
  for (const OptimizerInfo &info : listOptimizers())
    for (const Hyperparameter &one : info.hyperparameters)
      numbers[one.name];
  LossSettings loss;
  LossSettings::visitNumbers(
      loss, [&](const std::string &name, double) { lossNumbers[name]; });
}

void CompileSettings::resume(const rt::RunSettings &runSettings) {
  takeSetting(runSettings, "threads", threads);
  takeSetting(runSettings, "amp", amp);
  takeSetting(runSettings, "lossy-kept", lossyKept);
  takeSetting(runSettings, "attention", attention);
  takeSetting(runSettings, "no-weight-decay", noWeightDecay);
  trained.resume(runSettings);
  resumeClipping(runSettings);
  resumeLoss(runSettings);
  takeSetting(runSettings, "ema", ema);
  takeSetting(runSettings, "accumulate", accumulate);
  syncBatchNorm |= runSettings.count("sync-batch-norm") != 0;
  auto it = runSettings.find("optimizer");
  llvm::SmallVector<llvm::StringRef> words = {termName(kDefaultOptimizer)};
  if (it != runSettings.end()) {
    words.clear();
    llvm::StringRef(it->second).split(words, ' ');
  }
  std::string name = words.front().str();
  HyperparameterValues values;
  for (llvm::StringRef word : llvm::drop_begin(words))
    (void)readHyperparameter(word, values);
  // With another optimizer, the state's settings do not apply.
  if (optimizer.value_or(name) != name)
    return;
  optimizer = name;
  for (auto &[key, number] : numbers) {
    takeSetting(runSettings, key, number);
    if (!number && values.count(key))
      number = values[key];
  }
}

void CompileSettings::addGiven(rt::RunSettings &runSettings,
                               const rt::RunSettings &stored) const {
  if (threads)
    runSettings["threads"] = std::to_string(*threads);
  if (amp && *amp != "none")
    runSettings["amp"] = *amp;
  if (lossyKept && (*lossyKept != "none" || stored.count("lossy-kept")))
    runSettings["lossy-kept"] = *lossyKept;
  if (attention && (*attention != "auto" || stored.count("attention")))
    runSettings["attention"] = *attention; // compared with the state's
  if (!noWeightDecay.empty())
    runSettings["no-weight-decay"] = llvm::join(noWeightDecay, " ");
  trained.addGiven(runSettings, stored);
  addGivenClipping(runSettings, stored);
  addGivenLoss(runSettings, stored);
  if (ema && (*ema != 0 || stored.count("ema")))
    runSettings["ema"] = rt::settingNumber(*ema);
  if (accumulate && (*accumulate != 1 || stored.count("accumulate")))
    runSettings["accumulate"] = std::to_string(*accumulate);
  if (syncBatchNorm)
    runSettings["sync-batch-norm"] = "true";
  CompileSettings resumed = *this;
  resumed.resume(stored);
  bool given = optimizer.has_value();
  for (const auto &[key, number] : numbers)
    given |= number.has_value();
  if (!given)
    return;
  OptimizerSettings settings;
  for (const auto &[key, number] : resumed.numbers)
    if (number)
      settings.values[key] = *number;
  // Errors are reported when the options are read.
  auto kind = termOf<OptimizerKind>(
      resumed.optimizer.value_or(termName(kDefaultOptimizer)));
  if (!kind)
    return;
  settings.kind = *kind;
  (void)completeHyperparameters(settings);
  if (settings.kind != kDefaultOptimizer) {
    runSettings["optimizer"] = settings.text();
    return;
  }
  // A state holds settings that have an effect.
  for (const auto &[key, number] : numbers)
    if (number && (settings.values.count(key) || stored.count(key)))
      runSettings[key] = rt::settingNumber(*number);
}

void CompileSettings::setMode(const std::string &mode) {
  llvm::StringRef rest = mode;
  budget.reset();
  checkpointing.reset();
  if (rest.consume_front("budget=")) {
    budget = rest.str();
    return;
  }
  checkpointing = mode;
  keep.clear(); // only for a budget's plan
}

std::vector<std::string> CompileSettings::files() const {
  std::vector<std::string> files;
  if (profile)
    files.push_back(*profile);
  std::string described = TargetName::parse(target.value_or("")).description;
  described.resize(std::min(described.find(','), described.size()));
  if (llvm::StringRef(described).ends_with(".json"))
    files.push_back(described);
  return files;
}

rt::Expected<CostSource> CompileSettings::costSource() const {
  CostSource source;
  if (roofline) {
    REPRISE_EXPECT(rates, text::parseRoofline(*roofline));
    source.roofline = *rates;
  }
  source.profile = profile.value_or(std::string());
  source.isWanted = roofline || profile || command->has("--sweep") ||
                    command->has("--compare");
  source.mayWarn = !command->has("--json");
  return source;
}

/// Reads "segments=4", and also sizes with units.
static rt::Expected<Checkpointing> readMode(const std::string &mode) {
  auto [name, value] = llvm::StringRef(mode).split('=');
  const CheckpointingMode *known = findCheckpointingMode(name);
  if (known && known->kind == CheckpointingMode::Kind::ThresholdBytes &&
      !value.empty()) {
    rt::Expected<uint64_t> bytes = text::parseSize(value.str());
    if (!bytes.ok())
      return misuse("--checkpointing " + mode + ": " +
                    bytes.status().message());
    return Checkpointing{known->kind, *bytes};
  }
  if (std::optional<Checkpointing> parsed = parseCheckpointing(mode))
    return *parsed;
  if (known && known->kind == CheckpointingMode::Kind::Segments)
    return misuse("--checkpointing " + mode +
                  ": give the number of segments as segments=4");
  std::string meant = text::nearest(mode, exampleModes());
  return misuse("'" + mode + "' is not a checkpointing mode" +
                (meant.empty() ? "" : "; did you mean '" + meant + "'?") +
                " (modes are " + listCheckpointingModes() + ")");
}

/// Reads "2GiB", "80%" or "auto".
static rt::Expected<plan::Budget> readBudget(const std::string &text) {
  if (text == "auto")
    return plan::Budget{};
  if (!text.empty() && text.back() == '%') {
    double percent = 0;
    if (llvm::StringRef(text).drop_back().getAsDouble(percent) ||
        !(percent > 0 && percent <= 1000))
      return misuse("--budget is '" + text +
                    "'; a share is above 0% and at most 1000%");
    return plan::Budget{plan::Budget::Kind::Percent, 0, percent};
  }
  rt::Expected<uint64_t> bytes = text::parseSize(text);
  if (!bytes.ok())
    return misuse("--budget: " + bytes.status().message() +
                  " (or say a share like 80%, or auto)");
  if (*bytes == 0)
    return misuse("--budget is 0; it must be above 0");
  if (*bytes <= 100 && llvm::all_of(text, llvm::isDigit))
    return misuse("--budget is " + text + " bytes; did you mean " + text +
                  "%?");
  return plan::Budget{plan::Budget::Kind::Bytes, *bytes, 0};
}

/// Returns true if a budget may be added later: by a schedule, or by the
/// process's limit.
static bool mayGetBudget(const GivenOptions &command) {
  return command.has("--memory-limit") ||
         llvm::any_of(
             command.valuesOf("--checkpointing-schedule"),
             [](llvm::StringRef entry) { return entry.contains("budget="); });
}

/// Reads the effort of the search for plans.
rt::Status CompileSettings::readEffort(CompileOptions &options) const {
  options.planWork = planWork.value_or(options.planWork);
  if (!(options.planWork > 0 && options.planWork <= kMostPlanWork))
    return misuse("--plan-work is " + rt::settingNumber(options.planWork) +
                  "; it must be above 0 and at most " +
                  std::to_string(kMostPlanWork));
  if (!planEffort)
    return {};
  std::optional<plan::Effort> effort = plan::effortOf(*planEffort);
  if (!effort)
    return misuse("--plan-effort is '" + *planEffort +
                  "'; it is quick, normal or thorough");
  options.planEffort = *effort;
  return {};
}

rt::Status CompileSettings::readHost(CompileOptions &options,
                                     const Target &device) const {
  if (hostLink && !hostBudget)
    return misuse("--host-link is the link of a --host-budget; give both");
  if (!hostBudget)
    return {};
  for (const char *other : {"--sweep", "--max-batch", "--compare"})
    if (command->has(other))
      return misuse(std::string(other) +
                    " is for plans of recomputation alone; leave out "
                    "--host-budget");
  if (!options.budget && !mayGetBudget(*command))
    return misuse("--host-budget needs a --budget of the device");
  rt::Expected<uint64_t> bytes = text::parseSize(*hostBudget);
  if (!bytes.ok())
    return misuse("--host-budget: " + bytes.status().message());
  if (*bytes == 0)
    return misuse("--host-budget is 0; leave it out to copy nothing");
  std::optional<HostLink> link = device.hostLink();
  if (!link)
    return misuse("--host-budget: programs for " + options.target.text() +
                  " do not copy to host memory");
  if (hostLink) {
    rt::Expected<rt::Link> given = text::parseLink(*hostLink);
    if (!given.ok())
      return misuse("--host-link: " + given.status().message());
    link = {given->gigabytesPerSecond * 1e6, given->microseconds * 1e-3};
  }
  options.host = {*bytes, *link};
  return {};
}

rt::Status CompileSettings::readAverages(CompileOptions &options) const {
  options.ema = ema.value_or(0);
  if (!(options.ema >= 0 && options.ema < 1))
    return misuse("--ema is " + rt::settingNumber(options.ema) +
                  "; it must be at least 0 and below 1");
  if (options.ema != 0 && !options.optimizer.updates())
    return misuse("--ema averages what an optimizer updates, and the optimizer "
                  "none updates nothing");
  return {};
}

rt::Status CompileSettings::readTraining(CompileOptions &options) const {
  REPRISE_EXPECT(settings, readOptimizer());
  options.optimizer = std::move(*settings);
  auto type = termOf<MixedPrecision>(amp.value_or("none"));
  if (!type)
    return misuse("--amp is '" + *amp + "'; choose bf16, f16 or none");
  options.amp = *type;
  auto kept = termOf<LossyKept>(lossyKept.value_or("none"));
  if (!kept)
    return misuse("--lossy-kept is '" + *lossyKept + "'; choose " +
                  listTerms<LossyKept>());
  options.lossyKept = *kept;
  auto form = termOf<AttentionChoice>(attention.value_or("auto"));
  if (!form)
    return misuse("--attention is '" + *attention + "'; choose " +
                  listTerms<AttentionChoice>());
  options.attention = *form;
  for (const std::string &pattern : noWeightDecay)
    if (pattern.empty() || pattern.find(' ') != std::string::npos)
      return misuse("--no-weight-decay '" + pattern +
                    "': a name of a parameter has no spaces");
  options.noWeightDecay = noWeightDecay;
  REPRISE_EXPECT(part, trained.read(options.optimizer.updates()));
  options.trained = std::move(*part);
  options.fuse = fusion.value_or("on") == "on";
  if (fusion && *fusion != "on" && *fusion != "off")
    return misuse("--fusion is '" + *fusion + "'; choose on or off");
  if (!options.fuse && options.lossyKept != LossyKept::None)
    return misuse("--fusion off keeps values that kernels else compute again, "
                  "so that --lossy-kept would round others; leave one of them "
                  "out");
  REPRISE_RETURN_IF_ERROR(readClipping(options));
  REPRISE_RETURN_IF_ERROR(readLoss(options));
  REPRISE_RETURN_IF_ERROR(readAverages(options));
  if (accumulate)
    REPRISE_RETURN_IF_ERROR(checkRange("--accumulate", *accumulate));
  options.microBatches = microBatches();
  options.ranks = ranks;
  if (reduceBucket) {
    rt::Expected<uint64_t> bytes = text::parseSize(*reduceBucket);
    if (!bytes.ok())
      return misuse("--reduce-bucket: " + bytes.status().message());
    options.bucketBytes = *bytes;
  }
  if (overlapMemory)
    REPRISE_RETURN_IF_ERROR(checkRange("--overlap-memory", *overlapMemory));
  options.overlapPercent =
      overlapMemory.value_or(ArtifactOptions().overlapPercent);
  options.shardOptimizer = shardOptimizer && ranks > 1;
  options.syncBatchNorm = syncBatchNorm && ranks > 1;
  if (syncBatchNorm && ranks == 1 && options.microBatches > 1)
    return misuse("--sync-batch-norm joins the statistics of ranks, and one "
                  "process runs the micro-batches of --accumulate one after "
                  "another; start ranks, or leave it out");
  return {};
}

rt::Expected<CompileOptions> CompileSettings::options() const {
  CompileOptions options;
  if (checkpointing) {
    REPRISE_EXPECT(mode, readMode(*checkpointing));
    options.checkpointing = *mode;
  }
  if (budget) {
    REPRISE_EXPECT(request, readBudget(*budget));
    options.budget = *request;
    if (overlapMemory)
      return misuse("--overlap-memory is for steps without a --budget, within "
                    "which sums over ranks take what the plan leaves");
    if (!checkpointing)
      options.checkpointing = {};
  }
  if (!budget && !keep.empty() && !mayGetBudget(*command))
    return misuse(
        "--keep needs a --budget; it names what the plan must not recompute");
  options.keep = keep;
  options.recompute = recompute;
  REPRISE_RETURN_IF_ERROR(readEffort(options));
  REPRISE_RETURN_IF_ERROR(readTraining(options));
  if (options.syncBatchNorm &&
      options.checkpointing.kind == CheckpointingMode::Kind::Nested)
    return misuse("--checkpointing nested recomputes statistics, and "
                  "--sync-batch-norm gathers them from the ranks once; choose "
                  "another mode");
  options.threads =
      threads ? *threads
              : std::min(rt::usableProcessors().processors, kMaxThreads);
  if (options.threads < 1 || options.threads > kMaxThreads)
    return misuse("--threads is " + std::to_string(options.threads) +
                  "; it must be between 1 and " + std::to_string(kMaxThreads));
  if (target)
    options.target = TargetName::parse(*target);
  rt::Expected<std::unique_ptr<Target>> device =
      createTarget(options.target, options.threads);
  if (!device.ok())
    return misuse("--target: " + device.status().message());
  if (target)
    REPRISE_RETURN_IF_ERROR((*device)->prepare());
  REPRISE_RETURN_IF_ERROR(readHost(options, **device));
  REPRISE_RETURN_IF_ERROR(costSource().status());
  return options;
}
