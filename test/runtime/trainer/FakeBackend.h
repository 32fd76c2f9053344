//===- FakeBackend.h - A linear model behind the trainer --------*- C++ -*-===//
//
// logits = flatten(image) * weight, cross-entropy, SGD with momentum, and one
// variable of each role, so that the trainer is tested without an artifact.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_RUNTIME_TRAINER_FAKEBACKEND_H
#define REPRISE_TEST_RUNTIME_TRAINER_FAKEBACKEND_H

#include "reprise/Runtime/Trainer/Backend.h"
#include "reprise/Runtime/Trainer/Dataset.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <functional>
#include <map>

namespace reprise::rt::test {

class FakeBackend final : public Backend {
public:
  FakeBackend(size_t batch, ImageShape image, int32_t classes);

  std::string model() const override { return "linear"; }
  std::map<std::string, std::string> settings() const override {
    return runSettings;
  }
  const std::vector<TensorInfo> &variables() const override { return vars; }
  const EntryInfo *entry(const std::string &name) const override;
  Status initialize(uint64_t seed) override;
  Status setInput(const std::string &entry, const std::string &name,
                  const void *data, size_t bytes) override;
  Status run(const std::string &entry) override;
  Status getOutput(const std::string &entry, const std::string &name,
                   void *data, size_t bytes) override;
  Status readVariable(const std::string &name, void *data,
                      size_t bytes) override;
  Status writeVariable(const std::string &name, const void *data,
                       size_t bytes) override;
  Expected<rp_memory_stats> memory() override;

  /// The bytes of every variable, for comparison to the bit.
  std::map<std::string, std::vector<uint8_t>> bits;
  std::vector<TensorInfo> vars;
  std::vector<EntryInfo> entries;
  /// What of the program decides the course of a run.
  std::map<std::string, std::string> runSettings;
  /// Whether inputs wait beside those of the run until the next one.
  bool stages = false;
  bool stagesInputs() const override { return stages; }
  /// "on" and "off", each with the runs before it, as setProfile was asked.
  std::string profiled;
  Status setProfile(bool profile) override {
    profiled += (profile ? " on" : " off") + std::to_string(runs);
    return {};
  }
  /// Two steps of a run, of 2 and 1 microseconds, with a wait of 3 between
  /// them; the first one goes on beside the second.
  Expected<std::vector<rp_step_times>> stepTimes(const std::string &) override {
    return std::vector<rp_step_times>{{0, 2e-6, 1e-6, 4e-6},
                                      {5e-6, 6e-6, 0, 0}};
  }
  uint64_t runs = 0; // of train_step

  /// "in", "run" and "out", as the trainer asks.
  std::string asked;
  /// Called after each training step with its number and loss.
  std::function<void(uint64_t step, float &loss)> afterStep;
  /// Labels of each training batch, in the order of the steps; seed and step
  /// that were fed, where the program takes "chance" and "time".
  std::vector<std::vector<int32_t>> seenLabels;
  std::vector<std::pair<uint64_t, uint64_t>> seenTimes;
  /// What was fed to "share", where the program takes it.
  std::vector<float> seenShares;
  /// The outputs "norm", the number of the step, and "bad".
  float norm = 0;
  uint8_t bad = 0;

private:
  void *inputOf(const std::string &name);
  Status forward();
  Status update();
  float *floats(const std::string &name);

  size_t batch, features;
  int32_t classes;
  std::vector<float> image, logits, gradient;
  std::vector<int32_t> label;
  float rate = 0, loss = 0, share = 0;
  uint64_t seed = 0, time = 0;
  std::map<std::string, std::vector<uint8_t>> staged;
};

/// Images of runs on it.
inline constexpr ImageShape kImage = {4, 4, 1};

/// 8 batches of 8, 6 images dropped.
inline TrainOptions syntheticRun(uint64_t steps) {
  TrainOptions options;
  options.data.source = "synthetic";
  options.data.syntheticSize = 70;
  options.steps = steps;
  options.learningRate.base = 0.05;
  options.learningRate.schedule = LearningRate::Schedule::Cosine;
  options.seed = 3;
  return options;
}

} // namespace reprise::rt::test

#endif // REPRISE_TEST_RUNTIME_TRAINER_FAKEBACKEND_H
