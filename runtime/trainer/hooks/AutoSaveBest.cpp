//===- AutoSaveBest.cpp - The best states, and the last ones --------------===//
//
// Every state records the last evaluation and the best one, so that a resumed
// run keeps the best of the earlier runs, and evaluates an epoch that a signal
// interrupted.
//
//===----------------------------------------------------------------------===//
#include "Watched.h"
#include "reprise/Runtime/OutputFile.h"
#include "reprise/Runtime/Trainer/Hooks.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <algorithm>
#include <filesystem>

using namespace reprise::rt;
namespace fs = std::filesystem;

namespace {

class AutoSaveBest final : public Hook {
public:
  explicit AutoSaveBest(const SaveBestOptions &options) : options(options) {}
  std::string name() const override { return "auto_save_best"; }
  Status begin(HookContext &run) override;
  Status afterEpoch(HookContext &run) override;
  Status evaluated(HookContext &run, const EvaluateResult &result) override;
  Status end(HookContext &run, bool wasStopped) override;

private:
  std::string file(const std::string &name) const {
    return options.directory + "/" + name + ".safetensors";
  }
  Status evaluate(HookContext &run);
  Status dropOld(uint64_t epoch) const;

  SaveBestOptions options;
};

constexpr char kEpoch[] = "epoch-";

} // namespace

Status AutoSaveBest::begin(HookContext &run) {
  std::error_code error;
  fs::create_directories(options.directory, error);
  if (error)
    return systemError("make", options.directory, error.value());
  REPRISE_RETURN_IF_ERROR(checkWritable(file("best")));
  REPRISE_RETURN_IF_ERROR(run.checkEvaluation());
  // The end of an epoch whose evaluation was interrupted.
  bool atEnd = run.position().position == 0 && run.position().step > 0;
  Watched watched = Watched::read(run.memory(name()));
  uint64_t epoch = run.position().epoch;
  if (atEnd && watched.step < run.position().step &&
      isDue(epoch, options.testEvery, options.testStart))
    return evaluate(run);
  return {};
}

Status AutoSaveBest::evaluate(HookContext &run) {
  return run.evaluate().status();
}

Status AutoSaveBest::evaluated(HookContext &run, const EvaluateResult &result) {
  std::string &memory = run.memory(name());
  Watched watched = Watched::read(memory);
  if (!watched.add(run.position().step, watchedValue(result, false), 0)) {
    memory = watched.write();
    return {};
  }
  // The state records that it is the best; if saving fails, the record is
  // withdrawn.
  std::string before = memory;
  memory = watched.write();
  Status saved = run.save(file("best"));
  if (!saved.ok())
    memory = before;
  return saved;
}

/// Returns the epochs of the states in the directory, in order.
static std::vector<uint64_t> savedEpochs(const std::string &directory) {
  std::vector<uint64_t> epochs;
  std::error_code error;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(directory, error)) {
    std::string stem = entry.path().stem().string();
    const size_t begin = sizeof kEpoch - 1;
    if (entry.path().extension() != ".safetensors" ||
        stem.compare(0, begin, kEpoch) != 0)
      continue;
    std::string digits = stem.substr(begin);
    if (!digits.empty() && digits.size() < 19 &&
        std::all_of(digits.begin(), digits.end(),
                    [](char c) { return c >= '0' && c <= '9'; }))
      epochs.push_back(std::stoull(digits));
  }
  std::sort(epochs.begin(), epochs.end());
  return epochs;
}

/// Drops old states up to `epoch`: later ones belong to another run.
Status AutoSaveBest::dropOld(uint64_t epoch) const {
  std::vector<uint64_t> epochs = savedEpochs(options.directory);
  epochs.erase(std::upper_bound(epochs.begin(), epochs.end(), epoch),
               epochs.end());
  for (size_t i = 0; options.keep && i + options.keep < epochs.size(); ++i) {
    std::string old = file(kEpoch + std::to_string(epochs[i]));
    std::error_code error;
    fs::remove(old, error);
    if (error)
      return systemError("remove", old, error.value());
  }
  return {};
}

Status AutoSaveBest::afterEpoch(HookContext &run) {
  uint64_t epoch = run.position().epoch;
  Status first;
  auto note = [&first](Status status) {
    if (first.ok() && !status.ok())
      first = status;
  };
  // A failed evaluation does not stop the others.
  if (isDue(epoch, options.testEvery, options.testStart))
    note(evaluate(run));
  if (isDue(epoch, options.saveEvery, options.saveStart)) {
    Status saved = run.save(file(kEpoch + std::to_string(epoch)));
    note(saved);
    // If the new state was not saved, nothing is dropped.
    if (saved.ok())
      note(dropOld(epoch));
  }
  if (options.saveLatestStart > 0 &&
      isDue(epoch, options.saveLatestEvery, options.saveLatestStart))
    note(run.save(file("latest")));
  return first;
}

Status AutoSaveBest::end(HookContext &run, bool wasStopped) {
  Watched watched = Watched::read(run.memory(name()));
  if (wasStopped || watched.step >= run.position().step)
    return {};
  return evaluate(run);
}

std::unique_ptr<Hook>
reprise::rt::makeAutoSaveBest(const SaveBestOptions &options) {
  return std::make_unique<AutoSaveBest>(options);
}
