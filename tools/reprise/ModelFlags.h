//===- ModelFlags.h - Options of the zoo's models ---------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_MODELFLAGS_H
#define REPRISE_TOOLS_MODELFLAGS_H

#include "reprise/NN/Frontend.h"
#include "reprise/Runtime/Status.h"
#include "reprise/Zoo/Zoo.h"
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace reprise::driver {

/// Options of the zoo's models.
class ModelFlags {
public:
  void addTo(CLI::App &app);
  /// Returns the options in the zoo's form.
  rt::Expected<zoo::ModelOptions> options() const;
  /// Rejects options that a model of the zoo does not use.
  rt::Status checkFor(const zoo::ModelInfo &info) const;
  /// Sets --image and --batch.
  void setImage(const std::string &size) { image = size; }
  void setBatch(int64_t images) { batch = images; }
  /// Returns the first given option, for a message; "" if there is none.
  std::string firstGiven() const;
  /// Returns the first option given that a front end does not take.
  std::string firstGivenBeside(frontend::Options taken) const;
  bool hasClasses() const { return classes.has_value(); }
  /// Returns true if the option is one of these.
  static bool isOfModel(const CLI::Option &option);

private:
  CLI::App *command = nullptr;
  std::optional<int64_t> batch, classes, channels, width, frames, patch, views;
  std::optional<std::string> image, stem, annotate, viewPooling;
  std::optional<double> dropout, attentionDropout, stochasticDepth;
};

} // namespace reprise::driver

#endif // REPRISE_TOOLS_MODELFLAGS_H
