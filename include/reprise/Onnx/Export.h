//===- Export.h - Trained weights in a copy of an ONNX file -----*- C++ -*-===//
//
// Everything but the weights is copied byte by byte: names, nodes, opsets,
// metadata. A weight that a node computes (Constant, ConstantOfShape) becomes a
// node Constant; external data stay in files of their names. A last layer of
// another number of classes also changes the shapes that the file states.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_ONNX_EXPORT_H
#define REPRISE_ONNX_EXPORT_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace reprise::onnx {

/// Elements in the order of the file's dimensions.
struct TrainedWeight {
  std::vector<int64_t> shape;
  std::vector<float> elements;
  /// A file without it is no mistake.
  bool isOptional = false;
};
/// By the file's names.
using TrainedWeights = std::map<std::string, TrainedWeight>;

/// The contents of the copy and of the files of external data beside it, by
/// their paths from the model's folder.
struct Exported {
  size_t written = 0; // weights
  std::string model;
  std::map<std::string, std::string> external;
};

/// Returns the contents of a copy of a file that holds the weights. Fails, with
/// `error`, if the file has no tensor of a weight's name and shape.
std::optional<Exported> exportWeights(const std::string &path,
                                      const TrainedWeights &weights,
                                      std::string &error);

} // namespace reprise::onnx

#endif // REPRISE_ONNX_EXPORT_H
