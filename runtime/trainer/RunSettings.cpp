//===- RunSettings.cpp - Settings that decide a run's bits ----------------===//
//
// Settings are compared as text, which is formatted in one place only, so that
// equal numbers are equal text.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/RunSettings.h"
#include "Digest.h"
#include "reprise/Runtime/Trainer/Dataset.h"
#include <algorithm>
#include <charconv>
#include <vector>

using namespace reprise::rt;

/// Settings that a resumed run takes from its state.
static constexpr const char *kOfRun[] = {
#define SETTING(...)
#define PROGRAM_SETTING(...)
#define RUN_SETTING(KIND, KEY, OPTION, ...) OPTION,
#include "reprise/Settings.def"
};

/// Settings of the program and the data; each number of sgd has a name.
static constexpr const char *kOfRest[] = {
#define SETTING(...)
#define RUN_SETTING(...)
#define PROGRAM_SETTING(KIND, KEY, OPTION, ...) OPTION,
#include "reprise/Settings.def"
    "optimizer", "momentum", "weight-decay", "norm-bias-weight-decay",
    "nesterov"};

static constexpr uint64_t kSamples = 64;

std::string reprise::rt::settingNumber(double value) {
  char text[64];
  auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

static constexpr const char *kSize = "step size=", *kGamma = " gamma=";

/// Returns "constant", "cosine", or "step size=30 gamma=0.1", with all of its
/// numbers.
static std::string scheduleText(const LearningRate &rate) {
  switch (rate.schedule) {
  case LearningRate::Schedule::Constant:
    break;
  case LearningRate::Schedule::Cosine:
    return "cosine";
  case LearningRate::Schedule::Step:
    return kSize + std::to_string(rate.stepEpochs) + kGamma +
           settingNumber(rate.gamma);
  }
  return "constant";
}

void reprise::rt::addLearningRate(const LearningRate &rate,
                                  RunSettings &runSettings) {
  runSettings["lr"] = settingNumber(rate.base);
  runSettings["schedule"] = scheduleText(rate);
  runSettings["warmup"] = std::to_string(rate.warmupSteps);
}

/// Reads a number; returns true if it is all of `text`.
template <typename Number>
static bool readNumber(std::string_view text, Number &number) {
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && !text.empty();
}

static Status damaged(const std::string &file, const char *name,
                      const std::string &text) {
  return Status::error(RP_DATA_LOSS, "'" + file +
                                         "' is not a state: its setting '" +
                                         name + "' is '" + text + "'");
}

template <typename Number>
static Status readSetting(const std::string &file,
                          const RunSettings &runSettings, const char *name,
                          Number &number) {
  auto it = runSettings.find(name);
  const std::string text = it == runSettings.end() ? "" : it->second;
  return readNumber(text, number) ? Status() : damaged(file, name, text);
}

/// Inverts scheduleText; returns false for other text.
static bool readSchedule(std::string_view text, LearningRate &rate) {
  if (text == "constant" || text == "cosine") {
    rate.schedule = text == "cosine" ? LearningRate::Schedule::Cosine
                                     : LearningRate::Schedule::Constant;
    return true;
  }
  rate.schedule = LearningRate::Schedule::Step;
  std::string_view size = kSize, gamma = kGamma;
  size_t middle = text.find(gamma);
  if (text.substr(0, size.size()) != size || middle == text.npos ||
      middle < size.size())
    return false;
  return readNumber(text.substr(size.size(), middle - size.size()),
                    rate.stepEpochs) &&
         readNumber(text.substr(middle + gamma.size()), rate.gamma);
}

Status reprise::rt::readLearningRate(const std::string &file,
                                     const RunSettings &runSettings,
                                     LearningRate &rate) {
  REPRISE_RETURN_IF_ERROR(readSetting(file, runSettings, "lr", rate.base));
  REPRISE_RETURN_IF_ERROR(
      readSetting(file, runSettings, "warmup", rate.warmupSteps));
  auto it = runSettings.find("schedule");
  const std::string schedule = it == runSettings.end() ? "" : it->second;
  return readSchedule(schedule, rate) ? Status()
                                      : damaged(file, "schedule", schedule);
}

Status reprise::rt::readSteps(const std::string &file,
                              const RunSettings &runSettings, uint64_t &steps) {
  return readSetting(file, runSettings, "steps", steps);
}

Status reprise::rt::readShuffle(const std::string &file,
                                const RunSettings &runSettings,
                                bool &shuffles) {
  auto it = runSettings.find("shuffle");
  const std::string text = it == runSettings.end() ? "" : it->second;
  shuffles = text == "true";
  return shuffles || text == "false" ? Status()
                                     : damaged(file, "shuffle", text);
}

Expected<std::string> reprise::rt::describeData(const Dataset &data) {
  uint64_t size = data.size(), count = std::min(size, kSamples);
  const Column *first = nullptr; // of the data
  for (const Column &column : data.columns())
    if (!first && column.role == RP_BINDING_DATA)
      first = &column;
  std::vector<uint8_t> bytes;
  Digest digest;
  for (uint64_t i = 0; i < count; ++i) {
    // i * size / count within 64 bits.
    uint64_t index = size / count * i + size % count * i / count;
    REPRISE_RETURN_IF_ERROR(data.identify(index, bytes));
    digest.add(bytes.data(), bytes.size());
  }
  return std::to_string(size) + " images " +
         (first ? formatRow(*first) : std::string()) + " (" +
         digest.hex().substr(0, 16) + ")";
}

//===----------------------------------------------------------------------===//
// Resuming
//===----------------------------------------------------------------------===//

/// Returns the name of a setting whose option is "--name" or "name".
static std::string_view nameOf(std::string_view option) {
  return option.substr(option.find_first_not_of('-'));
}

template <size_t Count>
static bool isOneOf(const std::string &name,
                    const char *const (&options)[Count]) {
  return std::any_of(options, options + Count, [&](const char *option) {
    return nameOf(option) == name;
  });
}

std::string reprise::rt::listOverrides() {
  std::string names;
  for (const char *option : kOfRun)
    names += std::string(nameOf(option)) + ", ";
  for (const char *option : kOfRest)
    names += std::string(nameOf(option)) + ", ";
  return names + "all";
}

Status reprise::rt::checkOverrides(const std::set<std::string> &names) {
  for (const std::string &name : names) {
    if (name == "all" || isOneOf(name, kOfRun) || isOneOf(name, kOfRest))
      continue;
    return Status::error(RP_INVALID_ARGUMENT,
                         "no setting of a state is named '" + name +
                             "'; there are " + listOverrides());
  }
  return Status();
}

/// Returns null if there is none.
static const std::string *find(const RunSettings &runSettings,
                               const std::string &name) {
  auto it = runSettings.find(name);
  return it == runSettings.end() ? nullptr : &it->second;
}

/// Returns true if a setting affects the course. The length of a run does so
/// only if the learning rate depends on it.
static bool isRunSetting(const std::string &name, const RunSettings &result) {
  const std::string *schedule = find(result, "schedule");
  return name != "steps" || !schedule || *schedule == "cosine";
}

/// Returns the name of an optimizer whose numbers are part of the text; the
/// default's are not.
static std::string optimizerOf(const std::string *text) {
  return text ? text->substr(0, text->find_first_of(" (,")) : "sgd";
}

static std::string difference(const std::string &name, const std::string *old,
                              const std::string *now) {
  if (name == "optimizer" && (!old || !now))
    return name + " is " + optimizerOf(old) + " in the state, " +
           optimizerOf(now) + " here";
  return name + (old ? " is " + *old : " is not set") + " in the state, " +
         (now ? *now : "not set") + " here";
}

Expected<RunSettings>
reprise::rt::continueSettings(const std::string &file,
                              const RunSettings &stored,
                              const SettingsRequest &request) {
  REPRISE_RETURN_IF_ERROR(checkOverrides(request.overridden));
  // Sorted by name, so that the schedule is known when the steps are compared.
  std::set<std::string> names;
  for (const auto &[name, value] : stored)
    names.insert(name);
  for (const auto &[name, value] : request.asked)
    names.insert(name);
  RunSettings result;
  std::string differences, list;
  bool isOther = false; // the optimizer itself, not only its numbers
  for (const std::string &name : names) {
    const std::string *old = find(stored, name),
                      *now = find(request.asked, name);
    bool mayTakeOld =
        old && isOneOf(name, kOfRun) && !request.given.count(name);
    bool mayTakeNow =
        request.overridden.count(name) || request.overridden.count("all");
    bool same = old && now && *old == *now;
    if (same || mayTakeOld) {
      result[name] = *old;
      continue;
    }
    if (now)
      result[name] = *now;
    // Averages that begin now change nothing else of the course.
    bool beginsAverages = name == "ema" && !old;
    if (mayTakeNow || beginsAverages || (old && !isRunSetting(name, result)))
      continue;
    differences +=
        (differences.empty() ? "" : "; ") + difference(name, old, now);
    list += (list.empty() ? "" : ",") + name;
    isOther |= name == "optimizer" && optimizerOf(old) != optimizerOf(now);
  }
  if (differences.empty())
    return result;
  // The optimizer's variables are of no use to another one.
  return Status::error(
      RP_INVALID_ARGUMENT,
      "'" + file + "' is the state of a run with other settings: " +
          differences + "; go on with the state's, or " +
          (isOther ? "begin anew with its weights (--weights)"
                   : "ask for the change with --override " + list));
}
