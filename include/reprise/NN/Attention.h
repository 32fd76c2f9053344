//===- Attention.h - Layers of transformers ---------------------*- C++ -*-===//
//
// Names of variables are torch's and torchvision's.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_NN_ATTENTION_H
#define REPRISE_NN_ATTENTION_H

#include "reprise/NN/Layers.h"
#include <optional>

namespace reprise::nn {

/// softmax(q k^T / sqrt D + bias) v along the last but one dimension of k, for
/// q (...,M,D), k (...,N,D), v (...,N,E): (...,M,E). Leading dimensions are
/// equal.
struct AttentionOptions {
  /// Adds a learned term or a mask to the scores (...,M,N) before the softmax.
  /// Null for nothing.
  llvm::function_ref<Tensor(const Tensor &)> bias = nullptr;
  /// Probability of dropping a weight after the softmax.
  double dropout = 0.0;
};
Tensor attention(const Tensor &q, const Tensor &k, const Tensor &v,
                 const AttentionOptions &options = {});

struct SelfAttentionOptions {
  /// (P,H,N,N): row b mod P adds to the scores of sample b.
  std::optional<Tensor> bias = std::nullopt;
  /// The factor of products of queries and keys; absent: 1 / sqrt(D).
  std::optional<double> scale = std::nullopt;
  /// Probability of dropping a weight after the softmax.
  double dropout = 0.0;
};
/// Attention of the queries, keys and values concatenated in `qkv` (B,N,3*H*D),
/// in the order of 3, H, D: (B,N,H*D).
Tensor selfAttention(const Tensor &qkv, int64_t heads,
                     const SelfAttentionOptions &options = {});

/// Self-attention of x (B,N,C) in `heads` parts of C. Variables
/// `in_proj_weight` (3C,C), `in_proj_bias`; child `out_proj`.
class MultiheadAttention : public Module {
public:
  MultiheadAttention(int64_t channels, int64_t heads, double dropout = 0.0);

protected:
  Tensor forward(Tensor x) override;

private:
  int64_t heads;
  double dropout;
  Linear &outProj;
};

/// Two linear layers (C to `hidden` and back) with a GELU between: children "0"
/// and "3", as torchvision numbers them. Without `init`, weights are
/// initialized by Xavier's uniform distribution, biases with deviation 1e-6.
class Perceptron : public Module {
public:
  Perceptron(int64_t channels, int64_t hidden, double dropout = 0.0,
             std::optional<LinearInit> init = std::nullopt);

protected:
  Tensor forward(Tensor x) override;

private:
  Linear &first, &second;
  double dropout;
};

/// Zeros a sample (first dimension) with a probability and scales the others:
/// stochastic depth (Huang et al. 2016, arXiv 1603.09382).
class StochasticDepth : public Module {
public:
  explicit StochasticDepth(double probability) : probability(probability) {}

protected:
  Tensor forward(Tensor x) override;

private:
  double probability;
};

} // namespace reprise::nn

#endif // REPRISE_NN_ATTENTION_H
