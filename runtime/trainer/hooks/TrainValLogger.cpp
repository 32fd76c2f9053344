//===- TrainValLogger.cpp - Curves of a run -------------------------------===//
#include "EventFile.h"
#include "reprise/Runtime/Trainer/Hooks.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <optional>

using namespace reprise::rt;

namespace {

using Scalars = std::vector<std::pair<std::string, double>>;

class TrainValLogger final : public Hook {
public:
  explicit TrainValLogger(const LoggerOptions &options) : options(options) {}
  std::string name() const override { return "train_val_logger"; }
  Status begin(HookContext &run) override;
  Status afterStep(HookContext &run, const Progress &step) override;
  Status evaluated(HookContext &run, const EvaluateResult &result) override;
  Status end(HookContext &run, bool wasStopped) override {
    return file->flush();
  }
  Status failed(HookContext &run, const Status &error) override {
    return file->flush();
  }

private:
  LoggerOptions options;
  std::optional<EventFile> file;
  uint64_t steps = 0; // of this run
};

} // namespace

Status TrainValLogger::begin(HookContext &run) {
  Expected<EventFile> created = EventFile::create(options.directory);
  if (!created.ok())
    return created.status();
  file = std::move(*created);
  if (!options.text.empty())
    file->addText("run", options.text);
  return file->flush();
}

Status TrainValLogger::afterStep(HookContext &run, const Progress &step) {
  if (++steps <= options.skip || step.step % options.every != 0)
    return {};
  constexpr double kMebi = 1 << 20;
  Scalars scalars = {
      {"train/loss", step.loss},
      {"train/learning_rate", step.learningRate},
      {"train/images_per_second", step.imagesPerSecond},
      {"train/seconds_left", step.secondsLeft},
      {"memory/arena_mib", double(step.highWaterBytes) / kMebi},
      {"memory/process_mib", double(step.residentBytes) / kMebi}};
  for (const auto &[name, value] : step.metrics)
    scalars.emplace_back("train/" + name, value);
  file->addScalars(step.step, scalars);
  return file->flush();
}

Status TrainValLogger::evaluated(HookContext &run,
                                 const EvaluateResult &result) {
  Scalars scalars = {{"eval/loss", result.loss}};
  if (result.hasAccuracy)
    scalars.emplace_back("eval/accuracy", result.accuracy());
  if (result.hasTop5())
    scalars.emplace_back("eval/accuracy_top5", result.accuracyTop5());
  for (const auto &[name, value] : result.metrics)
    scalars.emplace_back("eval/" + name, value);
  file->addScalars(run.position().step, scalars);
  return file->flush();
}

std::unique_ptr<Hook>
reprise::rt::makeTrainValLogger(const LoggerOptions &options) {
  return std::make_unique<TrainValLogger>(options);
}
