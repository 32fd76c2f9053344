//===- AttentionParts.cpp - The operands and results of an attention ------===//

#include "reprise/IR/Attention.h"
#include "reprise/IR/Sg.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

template <typename OpTy> static AttentionParts commonOf(OpTy op) {
  AttentionParts parts;
  parts.scale = op.getScale().convertToDouble();
  parts.qkv = op.getQkv();
  parts.bias = op.getBias();
  parts.seed = op.getSeed();
  parts.step = op.getStep();
  if (!parts.seed)
    return parts;
  parts.probability = op.getProbability()->convertToDouble();
  parts.stream = static_cast<int64_t>(*op.getStream());
  return parts;
}

std::optional<AttentionParts> sg::attentionParts(Operation *op) {
  if (auto forward = dyn_cast<AttentionOp>(op)) {
    AttentionParts parts = commonOf(forward);
    parts.y = forward.getResult();
    parts.lse = forward.getLse();
    return parts;
  }
  auto grad = dyn_cast<AttentionGradOp>(op);
  if (!grad)
    return std::nullopt;
  AttentionParts parts = commonOf(grad);
  parts.isGrad = true;
  parts.y = grad.getY();
  parts.lse = grad.getLse();
  parts.dy = grad.getDy();
  parts.dqkv = grad.getDqkv();
  parts.dbias = grad.getDbias();
  return parts;
}
