//===- BatchNorms.cpp - Batch normalization -------------------------------===//

#include "Emit.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

/// Refuses what the op of a model does not do.
static bool checkBatchNorm(NodeImport &node) {
  for (size_t k = 1; k < node.node.outputs.size(); ++k)
    if (node.hasOutput(k))
      return node.refuse("its statistics (output " + std::to_string(k) +
                         ") are not outputs of a model");
  if (node.importer.fileOpset < 7 && !node.integer("is_test", 0))
    return node.refuse("batch statistics as a result (is_test = 0) are not "
                       "supported");
  if (node.integer("training_mode", 0) && !node.importer.mayTrain())
    return false;
  if (node.opset < 9 && !node.integer("spatial", 1))
    return node.refuse("statistics of single pixels (spatial = 0) are not "
                       "supported");
  onnx::Value &x = node.in(0);
  if (x.rank() < 2 || !onnx::isReal(x.type))
    return node.refuse("its input is " + nameOf(x.type) + " of rank " +
                       std::to_string(x.rank()) +
                       "; float of rank 2 or more is supported");
  for (size_t k = 1; k < 5; ++k)
    if (!node.has(k) || node.in(k).shape != Shape{x.shape[1]})
      return node.refuse("its input " + std::to_string(k) +
                         " does not have one number a channel");
  for (size_t k = 3; k < 5; ++k)
    if (!node.in(k).weight)
      return node.refuse(
          "its statistics are computed, not weights of the file");
  return true;
}

bool onnx::importBatchNormalization(NodeImport &node) {
  if (!checkBatchNorm(node))
    return false;
  Tensor x = node.last(0), scale = node.plain(1), bias = node.plain(2);
  auto mean = node.importer.declareStatistic(node.in(3));
  auto variance = node.importer.declareStatistic(node.in(4));
  if (!x || !scale || !bias || !mean || !variance)
    return false;
  Builder &builder = node.builder();
  sg::BatchNormOp::Properties properties;
  properties.epsilon = builder.getF64FloatAttr(node.number("epsilon", 1e-5f));
  // ONNX's momentum is the weight of the old statistic.
  properties.momentum =
      builder.getF64FloatAttr(1.0 - node.number("momentum", 0.9f));
  properties.running_mean = FlatSymbolRefAttr::get(builder.getContext(), *mean);
  properties.running_variance =
      FlatSymbolRefAttr::get(builder.getContext(), *variance);
  return node.setLast(0, node.trace().createAs<sg::BatchNormOp>(
                             x.getType(), {x, scale, bias}, properties));
}
