//===- CompileFlags.cpp - Options of a compilation ------------------------===//

#include "CompileFlags.h"
#include "CommandLine.h"
#include "reprise/CheckpointingModes.h"
#include "reprise/Console/Console.h"
#include "reprise/Limits.h"
#include "reprise/Runtime/HostProcessors.h"
#include "reprise/Target/Target.h"
#include "reprise/Text/Rates.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cmath>
#include <limits>
#include <set>

using namespace reprise;
using namespace reprise::driver;

/// A limit, since a program holds the steps of each.
static constexpr unsigned kMostMicroBatches = 1024;
/// The limit of a plan's work: hours for a thousand ops.
static constexpr int kMostPlanWork = 10000;

void CompileFlags::addTo(CLI::App &app) {
  command = &app;
  addMemoryOptions();
  addOptimizerOptions();
  addStepOptions();
  addClippingOptions();
  addLossOptions();
  addMachineOptions();
}

/// Options of kept values, recomputation and costs.
void CompileFlags::addMemoryOptions() {
  command
      ->add_option("--checkpointing", checkpointing,
                   "What to recompute in the backward pass: " +
                       listCheckpointingModes(ModeNotes::Yes))
      ->type_name("MODE")
      ->group(kCompileGroup);
  command
      ->add_option("--budget", budget,
                   "Bytes that the whole program may take (2GiB), a share of "
                   "the bytes without recomputation (80%), or auto; recomputes "
                   "what costs least (sets --checkpointing none)")
      ->type_name("SIZE")
      ->group(kCompileGroup);
  command
      ->add_option("--keep", keep,
                   "With --budget: modules (layer1.*) or source lines "
                   "(model.mlir:12) whose values are never recomputed")
      ->type_name("PATTERN")
      ->group(kCompileGroup);
  command
      ->add_option(
          "--recompute", recompute,
          "Blocks (layer1.*) or source lines (model.mlir:12) to recompute in "
          "the backward pass, in addition to those of the mode")
      ->type_name("PATTERN")
      ->group(kCompileGroup);
  command
      ->add_option("--roofline", roofline,
                   "With --budget: speed of the machine, as 400GFLOPS,35GB/s, "
                   "with ,16bit=2TFLOPS if bf16 has another rate (default: "
                   "measured once on this machine)")
      ->type_name("RATES")
      ->group(kCompileGroup);
  command
      ->add_option(
          "--profile", profile,
          "With --budget: times of the ops, measured by 'reprise profile'")
      ->type_name("FILE")
      ->group(kCompileGroup);
  command
      ->add_option("--plan-work", planWork,
                   "With --budget: factor of the work of the search for a plan "
                   "(default: 1)")
      ->group(kCompileGroup);
  command
      ->add_option(
          "--plan-effort", planEffort,
          "With --budget: effort of the search for a plan: quick, normal "
          "(default; some seconds for a thousand ops), thorough")
      ->type_name("EFFORT")
      ->group(kCompileGroup);
}

/// Options of a step's computations except the optimizer's arithmetic.
void CompileFlags::addStepOptions() {
  command
      ->add_option(
          "--no-weight-decay", noWeightDecay,
          "Parameters (*.relative_position_bias_table) without weight decay")
      ->type_name("PATTERN")
      ->group(kCompileGroup);
  command
      ->add_option("--amp", amp,
                   "Mixed precision: products in bf16 or f16, variables and "
                   "statistics in f32; none (default)")
      ->type_name("TYPE")
      ->group(kCompileGroup);
  command
      ->add_option("--attention", attention,
                   "How attention is computed: tiled (scores are not stored), "
                   "stored, or auto (default): whichever takes less time")
      ->type_name("FORM")
      ->group(kCompileGroup);
  command
      ->add_option("--fusion", fusion,
                   "Whether ops share kernels: on (default), or off for "
                   "comparison, with the same bits and more memory and time")
      ->type_name("SWITCH")
      ->group(kCompileGroup);
  command
      ->add_option(
          "--accumulate", accumulate,
          "Micro-batches of a step, run one after another: a step takes this "
          "many times the model's --batch and updates once (default: 1)")
      ->group(kCompileGroup);
}

/// Options of the target machine.
void CompileFlags::addMachineOptions() {
  command
      ->add_option("--threads", threads,
                   "Threads to run on; the bits of results depend on it "
                   "(default: the processors that this process may "
                   "use)")
      ->group(kCompileGroup);
  command
      ->add_option("--target", target,
                   "What to run on: cpu:native (default: this machine), "
                   "cpu:x86-64-v3 and other levels, cpu:haswell and others by "
                   "name, each with ,+FEATURE and ,-FEATURE; cuda:h100, "
                   "cuda:sm_90, or cuda:FILE.json that describes a GPU; the "
                   "bits of results depend on it")
      ->type_name("DEVICE:NAME")
      ->group(kCompileGroup);
}

std::string CompileFlags::firstGiven() const {
  return firstGivenOf(command, kCompileGroup);
}

/// Takes a number of the run settings, if it has one.
template <typename Number>
static void takeSetting(const rt::RunSettings &runSettings, const char *name,
                        std::optional<Number> &option) {
  auto it = runSettings.find(name);
  double value = 0;
  if (!option && it != runSettings.end() && llvm::to_float(it->second, value))
    option = Number(value);
}

/// Splits "adamw beta1=0.9 beta2=0.999".
static HyperparameterValues parseOptimizer(const std::string &text,
                                           std::string &name) {
  HyperparameterValues values;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(text).split(words, ' ');
  name = words.front().str();
  for (llvm::StringRef word : llvm::drop_begin(words)) {
    auto [key, number] = word.split('=');
    double value = 0;
    if (llvm::to_float(number, value))
      values[key.str()] = value;
  }
  return values;
}

/// The inverse, in the form of the compiler's note.
static std::string writeOptimizer(const std::string &name,
                                  const HyperparameterValues &values) {
  std::string text = name;
  for (const auto &[key, value] : values)
    text += " " + key + "=" + rt::settingNumber(value);
  return text;
}

void CompileFlags::resume(const rt::RunSettings &runSettings) {
  takeSetting(runSettings, "threads", threads);
  if (auto type = runSettings.find("amp"); type != runSettings.end() && !amp)
    amp = type->second;
  if (auto form = runSettings.find("attention");
      form != runSettings.end() && !attention)
    attention = form->second;
  if (auto globs = runSettings.find("no-weight-decay");
      globs != runSettings.end() && noWeightDecay.empty()) {
    llvm::SmallVector<llvm::StringRef> words;
    llvm::StringRef(globs->second).split(words, ' ');
    noWeightDecay.assign(words.begin(), words.end());
  }
  resumeClipping(runSettings);
  resumeLoss(runSettings);
  takeSetting(runSettings, "accumulate", accumulate);
  auto it = runSettings.find("optimizer");
  std::string name = kDefaultOptimizer.str();
  HyperparameterValues values;
  if (it != runSettings.end())
    values = parseOptimizer(it->second, name);
  // With another optimizer, the state's settings do not apply.
  if (optimizer.value_or(name) != name)
    return;
  optimizer = name;
  for (auto &[key, number] : numbers) {
    takeSetting(runSettings, key.c_str(), number);
    if (!number && values.count(key))
      number = values[key];
  }
}

void CompileFlags::addGiven(rt::RunSettings &runSettings,
                            const rt::RunSettings &stored) const {
  if (threads)
    runSettings["threads"] = std::to_string(*threads);
  if (amp && *amp != "none")
    runSettings["amp"] = *amp;
  if (attention && (*attention != "auto" || stored.count("attention")))
    runSettings["attention"] = *attention; // compared with the state's
  if (!noWeightDecay.empty())
    runSettings["no-weight-decay"] = llvm::join(noWeightDecay, " ");
  addGivenClipping(runSettings, stored);
  addGivenLoss(runSettings, stored);
  if (accumulate && (*accumulate != 1 || stored.count("accumulate")))
    runSettings["accumulate"] = std::to_string(*accumulate);
  CompileFlags resumed = *this;
  resumed.resume(stored);
  bool given = optimizer.has_value();
  for (const auto &[key, number] : numbers)
    given |= number.has_value();
  if (!given)
    return;
  std::string name = resumed.optimizer.value_or(kDefaultOptimizer.str());
  HyperparameterValues values;
  for (const auto &[key, number] : resumed.numbers)
    if (number)
      values[key] = *number;
  // Errors are reported when the options are read.
  (void)completeHyperparameters(name, values);
  if (name != kDefaultOptimizer) {
    runSettings["optimizer"] = writeOptimizer(name, values);
    return;
  }
  // A state holds settings that have an effect.
  for (const auto &[key, number] : numbers)
    if (number && (values.count(key) || stored.count(key)))
      runSettings[key] = rt::settingNumber(*number);
}

std::vector<std::string> CompileFlags::allGiven() const {
  std::vector<std::string> names;
  for (const CLI::Option *option :
       command->get_options([](const CLI::Option *o) {
         return o->get_group() == kCompileGroup && o->count();
       }))
    names.push_back(option->get_name());
  return names;
}

void CompileFlags::setMode(const std::string &mode) {
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

std::vector<std::string> CompileFlags::files() const {
  std::vector<std::string> files;
  if (profile)
    files.push_back(*profile);
  std::string text = target.value_or("");
  llvm::StringRef described =
      llvm::StringRef(text).split(':').second.split(',').first;
  if (described.ends_with(".json"))
    files.push_back(described.str());
  return files;
}

static bool isGiven(const CLI::App *command, const char *name) {
  const CLI::Option *option = command->get_option_no_throw(name);
  return option && option->count();
}

rt::Expected<CostSource> CompileFlags::costSource() const {
  CostSource source;
  if (roofline) {
    rt::Expected<rt::Roofline> rates = text::parseRoofline(*roofline);
    if (!rates.ok())
      return rates.status();
    source.roofline = *rates;
  }
  source.profile = profile.value_or(std::string());
  source.isWanted = roofline || profile || isGiven(command, "--sweep") ||
                    isGiven(command, "--compare");
  source.mayWarn = !isGiven(command, "--json");
  return source;
}

/// Converts a mode to the form of sg-assign-checkpointing: sizes in bytes.
static rt::Expected<std::string> readMode(const std::string &mode) {
  std::optional<ParsedMode> parsed = parseCheckpointingMode(mode);
  auto [name, value] = llvm::StringRef(mode).split('=');
  const CheckpointingMode *known = findCheckpointingMode(name);
  bool isSegments = known && known->kind == CheckpointingMode::Kind::Segments;
  if (known && known->kind == CheckpointingMode::Kind::ThresholdBytes &&
      !value.empty()) {
    rt::Expected<uint64_t> bytes = text::parseSize(value.str());
    if (!bytes.ok())
      return misuse("--checkpointing " + mode + ": " +
                    bytes.status().message());
    return known->with(std::to_string(*bytes));
  }
  if (isSegments && !(parsed && parsed->number > 0 &&
                      parsed->number <= std::numeric_limits<unsigned>::max()))
    return misuse("--checkpointing " + mode +
                  ": give the number of segments as segments=4");
  if (parsed)
    return mode;
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
bool CompileFlags::mayGetBudget() const {
  const char *schedule = "--checkpointing-schedule";
  return isGiven(command, "--memory-limit") ||
         (isGiven(command, schedule) &&
          llvm::any_of(
              command->get_option(schedule)->results(),
              [](llvm::StringRef entry) { return entry.contains("budget="); }));
}

/// Reads the effort of the search for plans.
rt::Status CompileFlags::readEffort(CompileOptions &options) const {
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

rt::Status CompileFlags::readTraining(CompileOptions &options) const {
  rt::Expected<HyperparameterValues> values = hyperparameters();
  if (!values.ok())
    return values.status();
  options.optimizer = optimizer.value_or(kDefaultOptimizer.str());
  options.hyperparameters = std::move(*values);
  if (amp && *amp != "none")
    options.amp = *amp;
  if (!options.amp.empty() && options.amp != "bf16" && options.amp != "f16")
    return misuse("--amp is '" + *amp + "'; choose bf16, f16 or none");
  options.attention = attention.value_or("auto");
  if (options.attention != "auto" && options.attention != "tiled" &&
      options.attention != "stored")
    return misuse("--attention is '" + *attention +
                  "'; choose auto, tiled or stored");
  for (const std::string &pattern : noWeightDecay)
    if (pattern.empty() || pattern.find(' ') != std::string::npos)
      return misuse("--no-weight-decay '" + pattern +
                    "': a name of a parameter has no spaces");
  options.noWeightDecay = noWeightDecay;
  options.fuse = fusion.value_or("on") == "on";
  if (fusion && *fusion != "on" && *fusion != "off")
    return misuse("--fusion is '" + *fusion + "'; choose on or off");
  REPRISE_RETURN_IF_ERROR(readClipping(options));
  REPRISE_RETURN_IF_ERROR(readLoss(options));
  if (accumulate && (*accumulate < 1 || *accumulate > kMostMicroBatches))
    return misuse("--accumulate is " + std::to_string(*accumulate) +
                  "; it must be between 1 and " +
                  std::to_string(kMostMicroBatches));
  options.microBatches = microBatches();
  return {};
}

rt::Expected<CompileOptions> CompileFlags::options() const {
  CompileOptions options;
  if (checkpointing) {
    rt::Expected<std::string> mode = readMode(*checkpointing);
    if (!mode.ok())
      return mode.status();
    options.checkpointing = *mode;
  }
  if (budget) {
    rt::Expected<plan::Budget> request = readBudget(*budget);
    if (!request.ok())
      return request.status();
    options.budget = *request;
    if (!checkpointing)
      options.checkpointing = "none";
  }
  if (!budget && !keep.empty() && !mayGetBudget())
    return misuse(
        "--keep needs a --budget; it names what the plan must not recompute");
  options.keep = keep;
  options.recompute = recompute;
  REPRISE_RETURN_IF_ERROR(readEffort(options));
  REPRISE_RETURN_IF_ERROR(readTraining(options));
  options.threads =
      threads ? *threads
              : std::min(rt::usableProcessors().processors, kMaxThreads);
  if (options.threads < 1 || options.threads > kMaxThreads)
    return misuse("--threads is " + std::to_string(options.threads) +
                  "; it must be between 1 and " + std::to_string(kMaxThreads));
  options.target = target.value_or(options.target);
  rt::Expected<std::unique_ptr<Target>> device =
      createTarget(options.target, options.threads);
  if (!device.ok())
    return misuse("--target: " + device.status().message());
  if (target)
    REPRISE_RETURN_IF_ERROR((*device)->prepare());
  REPRISE_RETURN_IF_ERROR(costSource().status());
  return options;
}
