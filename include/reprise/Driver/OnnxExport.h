//===- OnnxExport.h - Trained weights for an ONNX file ----------*- C++ -*-===//
#ifndef REPRISE_DRIVER_ONNXEXPORT_H
#define REPRISE_DRIVER_ONNXEXPORT_H

#include "reprise/Runtime/Status.h"
#include <string>

namespace reprise::driver {

/// Writes a copy of an ONNX file with the parameters and running statistics of
/// a state or a file of weights, and its external data beside it.
rt::Status exportOnnx(const std::string &path, const std::string &state,
                      const std::string &output);

} // namespace reprise::driver

#endif // REPRISE_DRIVER_ONNXEXPORT_H
