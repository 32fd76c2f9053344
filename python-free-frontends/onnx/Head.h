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
  /// The shape of the targets that the loss takes beside the output: nothing
  /// for the labels (N) of logits (N,K), and for an output that is refused.
  std::optional<Shape> targetsOf(const Value &value) const;
  /// The loss of the output, and the output; none after a refusal.
  std::vector<nn::Graph::Output> outputs(Value &value,
                                         const nn::Tensor &labels);

private:
  void cutFinal();
  void renewLastLayer();
  /// The dimension of the output that numbers the classes.
  int64_t classAxis(const Value &value) const;
  /// The logits (N,K); or those of all positions, (N positions,K), of an output
  /// of more dimensions. Nothing after a refusal.
  std::optional<nn::Tensor> logits(Value &value);
  std::vector<nn::Graph::Output> crossEntropy(Value &value,
                                              const nn::Tensor &labels);

  const Graph &graph;
  Importer &importer;
  std::string_view name;
  const Node *cut = nullptr;
  /// The axis of the final Softmax that is cut, if its result is the output
  /// itself; negative axes count from the end. Before opset 13, the Softmax
  /// sums over the dimensions after it, too.
  std::optional<int64_t> cutAxis;
  bool cutFlattens = false;
};

} // namespace reprise::onnx

#endif // REPRISE_ONNX_HEAD_H
