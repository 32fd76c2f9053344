//===- ModelSettings.h - Options of models -----------------------*- C++
//-*-===//
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
constexpr const char *kModelGroup = "Model";

/// Options of the zoo's models and of networks in files, as a user gives them.
struct ModelSettings {
  std::shared_ptr<GivenOptions> command = std::make_shared<GivenOptions>();
  std::optional<int64_t> batch, classes, channels, width, frames, patch, views;
  std::optional<std::string> image, stem, annotate, viewPooling;
  std::optional<double> dropout, attentionDropout, stochasticDepth;
  // Options of networks in files.
  std::vector<std::string> inputs; // NAME=1x3x224x224
  std::vector<std::string> values; // NAME=1,2
  std::optional<std::string> loss, logits, label;

  /// Returns the options in the zoo's form.
  rt::Expected<zoo::ModelOptions> options() const;
  /// Rejects options that a model of the zoo does not use.
  rt::Status checkFor(const zoo::ModelInfo &info) const;
  /// Rejects options that the front end of a source does not take.
  rt::Status checkTaken(const std::string &source,
                        frontend::Options taken) const;
};

} // namespace reprise::driver

#endif // REPRISE_DRIVER_MODELSETTINGS_H
