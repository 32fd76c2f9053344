//===- OnnxReport.h - ONNX files for people ---------------------*- C++ -*-===//
#ifndef REPRISE_DRIVER_ONNXREPORT_H
#define REPRISE_DRIVER_ONNXREPORT_H

#include "reprise/Driver/ModelSettings.h"
#include "reprise/Onnx/Import.h"
#include "reprise/Runtime/Status.h"
#include <nlohmann/json_fwd.hpp>

namespace reprise::driver {

/// Options of an import as the user wrote them. Without a loss, there is none.
struct OnnxFlags {
  ModelSettings model;
  std::vector<std::string> freeze; // weights that stay constants
};

/// Reads a file and builds its model, or only `inspects` it; fails if the file
/// is not ONNX.
rt::Expected<onnx::Imported> readOnnx(mlir::MLIRContext &context,
                                      const std::string &path,
                                      const OnnxFlags &flags, bool inspects);

/// The contents of a file, its parameters, notes and refusals.
std::string onnxText(const onnx::Imported &imported);
nlohmann::ordered_json onnxJson(const onnx::Imported &imported);

/// Returns a file's network as text and shows the notes; fails with all
/// refusals.
rt::Expected<std::string> importOnnx(const std::string &path,
                                     const OnnxFlags &flags);

} // namespace reprise::driver

#endif // REPRISE_DRIVER_ONNXREPORT_H
