//===- TrainValLogger.cpp - Curves of a run -------------------------------===//
#include "PlanPicture.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/Hooks.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <optional>
#include <set>

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
  Status showPlan(HookContext &run, const Progress &step);

  LoggerOptions options;
  std::set<std::string> shown; // programs
  std::optional<EventFile> file;
  uint64_t steps = 0; // of this run
};

} // namespace

Status TrainValLogger::begin(HookContext &run) {
  REPRISE_EXPECT(created, EventFile::create(options.directory));
  file = std::move(*created);
  if (uint64_t done = run.position().step; done > 0)
    file->addStart(done + 1);
  if (!options.text.empty())
    file->addText("run", options.text);
  return file->flush();
}

/// Adds the plan of a program after its first run.
Status TrainValLogger::showPlan(HookContext &run, const Progress &step) {
  if (shown.count(step.program))
    return {};
  Expected<PlanMemory> plan = run.planMemory();
  // Another step of the program adds it, or there is none.
  if (plan.status().code() == RP_UNAVAILABLE)
    return {};
  if (!plan.ok())
    return plan.status();
  shown.insert(step.program);
  if (plan->steps.empty())
    return {};
  REPRISE_EXPECT(picture, drawPlan(*plan));
  std::string program = step.program.empty() ? "" : ", " + step.program;
  // A tag has one kind of summary.
  file->addImage("plan/memory" + program, *picture, step.step);
  file->addText("plan/legend" + program, picture->description, step.step);
  return {};
}

static Scalars scalarsOf(const Progress &step) {
  constexpr double kMebi = 1 << 20;
  Scalars scalars = {
      {"train/loss", step.loss},
      {"train/learning_rate", step.learningRate},
      {"train/images_per_second", step.imagesPerSecond},
      {"train/seconds_left", step.secondsLeft},
      {"train/data_wait_seconds", step.waitSeconds},
      {"memory/arena_mib", double(step.highWaterBytes) / kMebi},
      {"memory/process_mib", double(step.residentBytes) / kMebi}};
  for (const auto &[name, value] : step.metrics)
    scalars.emplace_back("train/" + name, value);
  return scalars;
}

Status TrainValLogger::afterStep(HookContext &run, const Progress &step) {
  Status status = showPlan(run, step);
  if (++steps > options.skip && step.step % options.every == 0)
    file->addScalars(step.step, scalarsOf(step));
  Status written = file->flush();
  return status.ok() ? written : status;
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
