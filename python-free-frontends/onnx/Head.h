//===- Head.h - The loss of an imported network -----------------*- C++ -*-===//
#ifndef REPRISE_ONNX_HEAD_H
#define REPRISE_ONNX_HEAD_H

#include "Importer.h"
#include "reprise/NN/Graph.h"
#include "llvm/ADT/StringSet.h"

namespace reprise::onnx {

/// True if a convolution, a pool or another op on images reads an input,
/// directly or through ops element by element; or if the input has one channel
/// or three and is flattened or reshaped.
bool readsImages(const Graph &graph, const ValueInfo &input);

/// The output that the loss reads. A final Softmax, or Sigmoid, is cut for a
/// cross entropy, because that contains it.
class Head {
public:
  Head(const Graph &graph, Importer &importer)
      : graph(graph), importer(importer) {}

  /// Finds the output and the node to cut, and makes the last layer a new one
  /// if options ask for other classes; refuses heads that have none.
  void find();

  bool isTraining() const { return importer.options.loss != Loss::None; }
  bool isCut(const Node &node) const { return &node == cut; }
  std::string_view outputName() const { return name; }
  /// The loss of the output, and the output; none after a refusal.
  std::vector<nn::Graph::Output> outputs(Value &value,
                                         const nn::Tensor &labels);

private:
  void cutFinal();
  void renewLastLayer();
  /// The logits (N,K); nothing after a refusal.
  std::optional<nn::Tensor> logits(Value &value);

  const Graph &graph;
  Importer &importer;
  std::string_view name;
  const Node *cut = nullptr;
};

} // namespace reprise::onnx

#endif // REPRISE_ONNX_HEAD_H
