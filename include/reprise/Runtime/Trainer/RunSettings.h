//===- RunSettings.h - Settings that decide a run's bits --------*- C++ -*-===//
//
// A run's bits follow from its settings: learning rate, schedule, warm-up, the
// steps of a schedule, the optimizer's constants, threads, data. A state holds
// them, so that a resumed run continues unchanged, and a difference is reported
// by name.
//
// Names are those of the options in Settings.def: RUN_SETTINGs of the run, and
// PROGRAM_SETTINGs, facts about its environment and what the backend reports
// for the program. A schedule is one text with its numbers. Each number of sgd
// has a name of its own; another optimizer is one text with all its numbers.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_RUNSETTINGS_H
#define REPRISE_RUNTIME_TRAINER_RUNSETTINGS_H

#include "reprise/Runtime/Status.h"
#include "reprise/Runtime/Trainer/LearningRate.h"
#include <map>
#include <set>
#include <string>

namespace reprise::rt {

class Dataset;

/// Settings by name, as text: numbers with the fewest digits that restore them.
using RunSettings = std::map<std::string, std::string>;

/// A number in the format of the run settings.
std::string settingNumber(double value);

/// Adds lr, schedule and warmup.
void addLearningRate(const LearningRate &rate, RunSettings &runSettings);
/// The inverse; `file` is named in the error if they are damaged.
Status readLearningRate(const std::string &file, const RunSettings &runSettings,
                        LearningRate &rate);

/// The length of the run, "steps".
Status readSteps(const std::string &file, const RunSettings &runSettings,
                 uint64_t &steps);

/// Identifies data: the number of rows, the shape of the first column of data,
/// and a digest of 64 rows at equal distances.
Expected<std::string> describeData(const Dataset &data);

/// Reads whether each epoch has another order of rows.
Status readShuffle(const std::string &file, const RunSettings &runSettings,
                   bool &shuffles);

/// The settings for resuming a run.
struct SettingsRequest {
  /// The settings of the run without a state.
  RunSettings asked;
  /// Names that the user states; the state's values hold for others.
  std::set<std::string> given;
  /// Names that may differ from the state; "all" for every one.
  std::set<std::string> overridden;
};

/// The settings of a run that continues from the state in `file`. Fails with
/// every other difference, and both values.
Expected<RunSettings> continueSettings(const std::string &file,
                                       const RunSettings &stored,
                                       const SettingsRequest &request);

/// The names of all settings, "lr, schedule, ..., all".
std::string listOverrides();
/// Fails on a name that no run setting has.
Status checkOverrides(const std::set<std::string> &names);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_RUNSETTINGS_H
