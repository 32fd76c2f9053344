//===- ModelFlags.h - Options of the zoo's models ---------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_MODELFLAGS_H
#define REPRISE_TOOLS_MODELFLAGS_H

#include "reprise/Runtime/Status.h"
#include "reprise/Zoo/Zoo.h"
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace reprise::tools {

/// Options of the zoo's models.
class ModelFlags {
public:
  void addTo(CLI::App &app);
  /// The options as the zoo wants them.
  rt::Expected<zoo::ModelOptions> options() const;
  /// Refuses what a model of the zoo has no use for.
  rt::Status checkFor(const zoo::ModelInfo &info) const;
  /// As if --image and --batch had been given.
  void setImage(const std::string &size) { image = size; }
  void setBatch(int64_t images) { batch = images; }
  /// The first option that was given, for a message; "" when none was.
  std::string firstGiven() const;
  bool hasClasses() const { return classes.has_value(); }
  /// Whether the option is one of these.
  static bool isOfModel(const CLI::Option &option);

private:
  CLI::App *command = nullptr;
  std::optional<int64_t> batch, classes, channels, width, frames, patch, views;
  std::optional<std::string> image, stem, annotate, viewPooling;
  std::optional<double> dropout, attentionDropout, stochasticDepth;
};

} // namespace reprise::tools

#endif // REPRISE_TOOLS_MODELFLAGS_H
