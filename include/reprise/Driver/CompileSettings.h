//===- CompileSettings.h - Options of a compilation -------------*- C++ -*-===//
#ifndef REPRISE_DRIVER_COMPILESETTINGS_H
#define REPRISE_DRIVER_COMPILESETTINGS_H

#include "reprise/Console/GivenOptions.h"
#include "reprise/Driver/MachineCosts.h"
#include "reprise/Driver/TrainedPartOptions.h"
#include "reprise/Passes/Optimizers.h"
#include "reprise/Passes/Pipelines.h"
#include "reprise/Runtime/Trainer/RunSettings.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace reprise::driver {

/// The heading of these options in the help.
constexpr const char *kCompileGroup = "Compilation";

/// Options of a compilation, as a user gives them.
struct CompileSettings {
  /// Nothing is given; `numbers` and `lossNumbers` have every name.
  CompileSettings();

  std::shared_ptr<GivenOptions> command = std::make_shared<GivenOptions>();
  std::optional<std::string> checkpointing, budget, roofline, profile, target;
  std::optional<std::string> hostBudget, hostLink;
  std::vector<std::string> keep, recompute, noWeightDecay;
  TrainedPartOptions trained;
  std::optional<std::string> optimizer, amp, lossyKept, attention, fusion;
  std::map<std::string, std::optional<double>> numbers; // by hyperparameter
  std::optional<double> clipGradNorm, clipTolerance, clipMomentum;
  std::optional<std::string> gradClipper, clipNormType;
  std::map<std::string, std::optional<double>> lossNumbers; // by option
  std::optional<double> ema; // decay of moving averages
  std::optional<double> planWork;
  std::optional<std::string> planEffort;
  std::vector<std::string> classWeights; // numbers, or a file
  std::optional<int32_t> ignored;        // label
  std::optional<unsigned> accumulate;
  unsigned ranks = 1;                      // that run these micro-batches
  std::optional<std::string> reduceBucket; // bytes
  std::optional<double> overlapMemory;     // percent
  /// One rank holds all of the optimizer's variables anyway.
  bool shardOptimizer = false;
  /// Statistics of one process are those of its whole batch anyway.
  bool syncBatchNorm = false;
  std::optional<unsigned> threads;

  /// Reads sizes and rejects numbers out of range.
  rt::Expected<CompileOptions> options() const;
  /// Returns the source of costs that the options say.
  rt::Expected<CostSource> costSource() const;
  /// Takes from a state's run settings the settings without an option: threads,
  /// mixed precision, the optimizer and its hyperparameters, gradient clipping,
  /// micro-batches.
  void resume(const rt::RunSettings &runSettings);
  /// Adds the given settings, for a comparison with the course of a state.
  void addGiven(rt::RunSettings &runSettings,
                const rt::RunSettings &stored) const;
  /// Reads the optimizer of the training step, with all its numbers.
  rt::Expected<OptimizerSettings> readOptimizer() const;
  /// Returns the micro-batches of a step; 1 by default.
  unsigned microBatches() const { return accumulate.value_or(1); }
  /// Returns true if weights of classes are computed from their counts in the
  /// data.
  bool balancesClasses() const;
  /// Returns the weights of classes as words, those of a file included; errors
  /// are reported when the options are read.
  std::vector<std::string> classWeightWords() const;
  /// Sets "budget=SIZE" as --budget and other modes as --checkpointing, in
  /// place of the given ones.
  void setMode(const std::string &mode);
  /// Returns the files that compiling reads in addition to the model.
  std::vector<std::string> files() const;

private:
  /// Takes the clipping settings of a state.
  void resumeClipping(const rt::RunSettings &runSettings);
  void addGivenClipping(rt::RunSettings &runSettings,
                        const rt::RunSettings &stored) const;
  rt::Status readClipping(CompileOptions &options) const;
  /// The same for the training loss.
  void resumeLoss(const rt::RunSettings &runSettings);
  void addGivenLoss(rt::RunSettings &runSettings,
                    const rt::RunSettings &stored) const;
  rt::Status readLoss(CompileOptions &options) const;
  /// Returns nothing if none are given.
  rt::Expected<std::vector<double>> readClassWeights() const;
  /// These read the search effort, and the options of a training step that do
  /// not belong to the model.
  rt::Status readEffort(CompileOptions &options) const;
  rt::Status readHost(CompileOptions &options, const Target &device) const;
  rt::Status readAverages(CompileOptions &options) const;
  rt::Status readTraining(CompileOptions &options) const;
};

} // namespace reprise::driver

#endif // REPRISE_DRIVER_COMPILESETTINGS_H
