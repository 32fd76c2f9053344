//===- RunOptions.h - Options of a run's program and data -------*- C++ -*-===//
#ifndef REPRISE_RUN_RUNOPTIONS_H
#define REPRISE_RUN_RUNOPTIONS_H

#include "reprise/Driver/RequestSettings.h"
#include "reprise/Run/ProgramPlan.h"
#include "reprise/Run/RunSource.h"
#include "reprise/Runtime/Trainer/Trainer.h"

namespace reprise::driver {

/// The common options of training, evaluation and prediction.
struct RunOptions : RunSource {
  ModelSettings model;
  CompileSettings compile;

  /// Reads the model's options into `request`; rejects those that an artifact
  /// cannot take.
  rt::Status read();
  /// Reads the modes and budgets of a plan, whose text is known.
  rt::Status readModes(ProgramPlan &plan) const;
  /// Takes the class names of the state in `file`. Fails if the command line
  /// gives others, or gives some for data without class folders.
  rt::Status takeClassNames(const std::vector<std::string> &ofState,
                            const std::string &file);
  /// Takes the orientation of a state's run settings, which extents of volumes
  /// depend on, unless the command line says one.
  void takeOrientation(const rt::RunSettings &runSettings);
  /// Takes the options that are not given from `state`, since the variables of
  /// a program depend on the model's options and the optimizer, among others,
  /// and the names of classes; without a state, only the names, from `weights`.
  rt::Status takeFromState(const std::string &state,
                           const std::string &weights);
  /// True if a command must name a state or weights, but not both, and does
  /// not. A source may be a file that holds weights itself.
  bool lacksWeights(const rt::EvaluateOptions &wanted) const;
  /// Reads the options and opens a program to evaluate what is wanted, whose
  /// data become those of the run; loads the source's own weights, and says so,
  /// if no others are named.
  rt::Expected<RunningProgram> openToEvaluate(rt::EvaluateOptions &wanted);
  /// Settings of images that the command line says, as a course names them.
  std::set<std::string> givenImages() const;
};

} // namespace reprise::driver

#endif // REPRISE_RUN_RUNOPTIONS_H
