//===- Attention.cpp - Layers of transformers -----------------------------===//

#include "reprise/NN/Attention.h"
#include "reprise/NN/Trace.h"
#include <cmath>

using namespace reprise;
using namespace reprise::nn;

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Returns true if x is (B,N,3*H*D).
static bool isOfHeads(const Tensor &x, int64_t heads) {
  return x.getType().getRank() == 3 && heads >= 1 &&
         x.dim(2) % (3 * heads) == 0;
}

/// Reports that it is not.
static Tensor noHeads(const Tensor &x, int64_t heads) {
  if (!x)
    return x;
  return x.getTrace().fail(llvm::Twine(x.dim(x.getType().getRank() - 1)) +
                           " channels are not queries, keys and values of " +
                           llvm::Twine(heads) + " heads");
}

/// Scales the queries rather than the scores, as torch does: they are fewer.
Tensor nn::attention(const Tensor &q, const Tensor &k, const Tensor &v,
                     const AttentionOptions &options) {
  if (!q || !k || !v)
    return q ? k ? v : k : q;
  double width = q.dim(q.getType().getRank() - 1);
  Tensor scores =
      matmul(scale(q, 1.0 / std::sqrt(width)), k, {/*a=*/false, /*b=*/true});
  if (options.bias)
    scores = options.bias(scores);
  return matmul(dropout(softmax(scores), options.dropout), v);
}

/// Creates one op, so that it may be run by tiles.
Tensor nn::selfAttention(const Tensor &qkv, int64_t heads,
                         const SelfAttentionOptions &options) {
  if (!qkv || !isOfHeads(qkv, heads))
    return noHeads(qkv, heads);
  Trace &trace = qkv.getTrace();
  if (!(options.dropout >= 0.0 && options.dropout < 1.0))
    return trace.fail("attention drops weights with a probability in [0, 1), "
                      "not " +
                      llvm::Twine(std::to_string(options.dropout)));
  int64_t batch = qkv.dim(0), tokens = qkv.dim(1), channels = qkv.dim(2) / 3;
  Tensor parts = reshape(qkv, {batch, tokens, 3, heads, channels / heads});
  mlir::Builder &builder = trace.getBuilder();
  sg::AttentionOp::Properties properties;
  properties.scale = builder.getF64FloatAttr(
      options.scale.value_or(1.0 / std::sqrt(double(channels / heads))));
  llvm::SmallVector<Tensor> operands = {parts};
  if (options.bias)
    operands.push_back(*options.bias);
  int drops = options.dropout > 0.0 ? 1 : 0;
  if (drops) {
    operands.append({trace.readSeed(), trace.readStep()});
    properties.probability = builder.getF64FloatAttr(options.dropout);
    properties.stream = builder.getI64IntegerAttr(trace.nextStream());
  }
  properties.operandSegmentSizes = {1, options.bias ? 1 : 0, drops, drops};
  Tensor y = trace.create<sg::AttentionOp>(operands, properties).front();
  return reshape(y, {batch, tokens, channels});
}

MultiheadAttention::MultiheadAttention(int64_t channels, int64_t heads,
                                       double dropout)
    : heads(heads), dropout(dropout),
      outProj(add<Linear>(
          "out_proj", channels, channels,
          LinearInit{Initializer::uniform(1.0 / std::sqrt(channels)),
                     Initializer::zeros()})) {
  registerVariable(Initializer::xavierUniform(channels, 3 * channels)
                       .variable("in_proj_weight", {3 * channels, channels}));
  registerVariable(
      Initializer::zeros().variable("in_proj_bias", {3 * channels}));
}

Tensor MultiheadAttention::forward(Tensor x) {
  Trace &trace = x.getTrace();
  Tensor projected = addTrailing(linear(x, read(trace, "in_proj_weight")),
                                 read(trace, "in_proj_bias"));
  SelfAttentionOptions options;
  options.dropout = dropout;
  return outProj(selfAttention(projected, heads, options));
}

//===----------------------------------------------------------------------===//
// Layers around attention
//===----------------------------------------------------------------------===//

static LinearInit xavier(int64_t in, int64_t out) {
  return {Initializer::xavierUniform(in, out), Initializer::normal(1e-6)};
}

Perceptron::Perceptron(int64_t channels, int64_t hidden, double dropout,
                       std::optional<LinearInit> init)
    : first(add<Linear>("0", channels, hidden,
                        init.value_or(xavier(channels, hidden)))),
      second(add<Linear>("3", hidden, channels,
                         init.value_or(xavier(hidden, channels)))),
      dropout(dropout) {}

Tensor Perceptron::forward(Tensor x) {
  Tensor y = nn::dropout(gelu(first(x)), dropout);
  return nn::dropout(second(y), dropout);
}

Tensor StochasticDepth::forward(Tensor x) {
  return nn::dropout(x, probability, DropoutMode::Samples);
}
