//===- ModelSettings.h - Options of the zoo's models ------------*- C++ -*-===//
#ifndef REPRISE_DRIVER_MODELSETTINGS_H
#define REPRISE_DRIVER_MODELSETTINGS_H

#include "reprise/Console/GivenOptions.h"
#include "reprise/NN/Frontend.h"
#include "reprise/Runtime/Status.h"
#include "reprise/Zoo/Zoo.h"
#include <memory>
#include <optional>
#include <string>

namespace reprise::driver {

/// The heading of these options in the help.
constexpr const char *kModelGroup = "Model (of the zoo)";

/// Options of the zoo's models, as a user gives them.
struct ModelSettings {
  std::shared_ptr<GivenOptions> command = std::make_shared<GivenOptions>();
  std::optional<int64_t> batch, classes, channels, width, frames, patch, views;
  std::optional<std::string> image, stem, annotate, viewPooling;
  std::optional<double> dropout, attentionDropout, stochasticDepth;

  /// Returns the options in the zoo's form.
  rt::Expected<zoo::ModelOptions> options() const;
  /// Rejects options that a model of the zoo does not use.
  rt::Status checkFor(const zoo::ModelInfo &info) const;
  /// Returns the first given option that a front end does not take, for a
  /// message; "" if there is none.
  std::string firstGivenBeside(frontend::Options taken) const;
};

} // namespace reprise::driver

#endif // REPRISE_DRIVER_MODELSETTINGS_H
