//===- Head.h - The loss of an imported network -----------------*- C++ -*-===//
#ifndef REPRISE_ONNX_HEAD_H
#define REPRISE_ONNX_HEAD_H

#include "Importer.h"
#include "llvm/ADT/StringSet.h"

namespace reprise::onnx {

/// True if a convolution, a pool or another op on images reads a value,
/// directly or through ops element by element.
bool readsImages(const Graph &graph, std::string_view name);

/// The logits of a network whose loss is the cross entropy. A final Softmax is
/// cut, because the cross entropy contains it.
class Head {
public:
  Head(const Graph &graph, Importer &importer)
      : graph(graph), importer(importer) {}

  /// Finds the logits and the node to cut; refuses heads that have none.
  void find();

  bool isTraining() const { return importer.options.loss != Loss::None; }
  bool isCut(const Node &node) const { return &node == cut; }
  std::string_view logitsName() const { return name; }
  /// The logits (N,K); nothing after a refusal.
  std::optional<nn::Tensor> logits(Value &value);

private:
  const Node *producerOf(std::string_view value) const;

  const Graph &graph;
  Importer &importer;
  std::string_view name;
  const Node *cut = nullptr;
};

} // namespace reprise::onnx

#endif // REPRISE_ONNX_HEAD_H
