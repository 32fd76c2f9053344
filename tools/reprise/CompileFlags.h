//===- CompileFlags.h - Options of a compilation ----------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_COMPILEFLAGS_H
#define REPRISE_TOOLS_COMPILEFLAGS_H

#include "reprise/Passes/Optimizers.h"
#include "reprise/Passes/Pipelines.h"
#include "reprise/Runtime/Trainer/Course.h"
#include "llvm/ADT/StringRef.h"
#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace reprise::tools {

/// The optimizer of a run that names none.
constexpr llvm::StringLiteral kDefaultOptimizer = "sgd";
/// The heading of these options in help.
constexpr const char *kCompileGroup = "Compilation";

/// Values of --checkpointing; modes that take a number come with an example.
std::vector<std::string> checkpointingModes();

/// Options of a compilation.
class CompileFlags {
public:
  void addTo(CLI::App &app);
  /// Reads sizes and refuses numbers out of range.
  rt::Expected<CompileOptions> options() const;
  std::string firstGiven() const;
  /// All of the options that were given, as "--threads".
  std::vector<std::string> allGiven() const;
  /// What ops cost on `threads` threads: the roofline that was given, or that
  /// of the machine at hand as a `device`, and the profile.
  rt::Expected<CostModel> costs(Target &device, unsigned threads,
                                bool mayWarn) const;
  /// Where the profile is of another machine.
  void warnElsewhere(const CostModel &costs, const Target &device,
                     unsigned threads) const;
  /// Takes from a state's course what no option says: threads, mixed
  /// precision, the optimizer and its hyperparameters, what gradients are
  /// clipped to, micro-batches.
  void resume(const rt::Course &course);
  /// Those that options say, for a comparison with the course of a state.
  void addGiven(rt::Course &course, const rt::Course &stored) const;
  /// Of the training step: the optimizer's name, and all its numbers into
  /// `values`.
  rt::Expected<std::string> readOptimizer(HyperparameterValues &values) const;
  bool hasCheckpointing() const { return checkpointing.has_value(); }
  /// Of a step; 1 where no option says so.
  unsigned microBatches() const { return accumulate.value_or(1); }
  bool hasBudget() const { return budget.has_value(); }
  /// The label whose rows do not count.
  std::optional<int32_t> ignoredLabel() const { return ignored; }
  /// Whether weights of classes are to be made of their counts in the data.
  bool balancesClasses() const;
  /// The weights of classes as words, a file's read; what is wrong is said when
  /// the options are.
  std::vector<std::string> classWeightWords() const;
  bool hasTarget() const { return target.has_value(); }
  /// The device that programs are compiled for: "cpu" of "cpu:native".
  std::string device() const;
  /// As if --target had been given.
  void setTarget(std::string text) { target = std::move(text); }
  /// As if "budget=SIZE" stood for a --budget, and others for --checkpointing,
  /// in place of what was given.
  void setMode(const std::string &mode);
  bool hasSetMode() const { return wasSet; }
  /// Files that compiling reads beside the model.
  std::vector<std::string> files() const;
  /// As it was given; "" without one.
  std::string budgetText() const { return budget.value_or(""); }
  /// As if --budget had been given.
  void setBudget(std::string text) { budget = std::move(text); }

private:
  bool plansBudget() const;
  bool mayGetBudget() const;
  void addMemoryOptions();
  void addOptimizerOptions();
  void addStepOptions();
  void addClippingOptions();
  void addLossOptions();
  void addMachineOptions();
  /// What of a state says how gradients are clipped.
  void resumeClipping(const rt::Course &course);
  void addGivenClipping(rt::Course &course, const rt::Course &stored) const;
  rt::Status readClipping(CompileOptions &options) const;
  /// The same of training's loss.
  void resumeLoss(const rt::Course &course);
  void addGivenLoss(rt::Course &course, const rt::Course &stored) const;
  rt::Status readLoss(CompileOptions &options) const;
  /// Empty where none are given.
  rt::Expected<std::vector<double>> readClassWeights() const;
  /// What a training step does besides the model.
  rt::Status readEffort(CompileOptions &options) const;
  rt::Status readTraining(CompileOptions &options) const;
  /// What options say of the optimizer, with the defaults where they don't.
  rt::Expected<HyperparameterValues> hyperparameters() const;

  CLI::App *command = nullptr;
  std::optional<std::string> checkpointing, budget, roofline, profile, target;
  bool wasSet = false; // the mode, by setMode
  std::vector<std::string> keep, recompute, noWeightDecay;
  std::optional<std::string> optimizer, amp, attention, fusion;
  std::map<std::string, std::optional<double>> numbers; // by hyperparameter
  std::optional<double> clipGradNorm, clipTolerance, clipMomentum;
  std::optional<std::string> gradClipper, clipNormType;
  std::optional<double> labelSmoothing, mixup, planWork;
  std::optional<std::string> planEffort;
  std::vector<std::string> classWeights; // numbers, or a file
  std::optional<int32_t> ignored;        // label
  std::optional<unsigned> accumulate;
  std::optional<unsigned> threads;
};

} // namespace reprise::tools

#endif // REPRISE_TOOLS_COMPILEFLAGS_H
