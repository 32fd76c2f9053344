//===- RunFlags.h - Options of a run's program and data ---------*- C++ -*-===//
#ifndef REPRISE_TOOLS_RUNFLAGS_H
#define REPRISE_TOOLS_RUNFLAGS_H

#include "RequestFlags.h"
#include "reprise/Run/ProgramPlan.h"
#include "reprise/Run/RunSource.h"

namespace reprise::driver {

/// The common flags of train and eval.
struct RunFlags : RunSource {
  ModelFlags model;
  CompileFlags compile;

  void addTo(CLI::App &command);
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
  /// Settings of images that the command line says, as a course names them.
  std::set<std::string> givenImages() const;
};

} // namespace reprise::driver

#endif // REPRISE_TOOLS_RUNFLAGS_H
