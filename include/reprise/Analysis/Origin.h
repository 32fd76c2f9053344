//===- Origin.h - Where an op came from -------------------------*- C++ -*-===//
#ifndef REPRISE_ANALYSIS_ORIGIN_H
#define REPRISE_ANALYSIS_ORIGIN_H

#include "reprise/IR/Sg.h"
#include <optional>
#include <string>

namespace reprise {

/// What the location of a flat function's op says.
struct Origin {
  std::string module; // path of the sg.module, e.g. "layer1.0.conv1", or ""
  std::string file;   // "model.mlir:12", or ""
  std::optional<sg::Phase> phase; // none: outside of forward and backward
};

/// Reads the outermost name, the first phase and the first file in a location.
/// Names and files are searched depth first, in order.
Origin findOrigin(mlir::Location loc);

} // namespace reprise

#endif // REPRISE_ANALYSIS_ORIGIN_H
