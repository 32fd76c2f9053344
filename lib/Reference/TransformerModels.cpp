//===- TransformerModels.cpp - Layers of transformers ---------------------===//

#include "Models.h"
#include "reprise/Reference/Philox.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;

//===----------------------------------------------------------------------===//
// Layer normalization
//===----------------------------------------------------------------------===//

static void layerNorm(sg::LayerNormOp op, Frame &frame, Operands operands,
                      Results results) {
  const Tensor &x = operands[0], &gamma = operands[1], &beta = operands[2];
  Tensor &y = results[0], &mean = results[1], &rstd = results[2];
  int64_t length = x.getShape().back();
  Type element = mean.getElementType();
  double epsilon = op.getEpsilon().convertToDouble();
  for (int64_t row = 0; row < mean.size(); ++row) {
    int64_t begin = row * length;
    double sum = 0.0, squares = 0.0;
    for (int64_t c = 0; c < length; ++c)
      sum += x.real(begin + c);
    mean.real(row) = frame.stored(element, sum / length);
    for (int64_t c = 0; c < length; ++c)
      squares += std::pow(x.real(begin + c) - sum / length, 2);
    rstd.real(row) =
        frame.stored(element, 1.0 / std::sqrt(squares / length + epsilon));
    for (int64_t c = 0; c < length; ++c)
      y.real(begin + c) = (x.real(begin + c) - mean.real(row)) *
                              rstd.real(row) * gamma.real(c) +
                          beta.real(c);
  }
}

static void layerNormGrad(sg::LayerNormGradOp op, Frame &, Operands operands,
                          Results results) {
  const Tensor &x = operands[0], &gamma = operands[1], &mean = operands[2],
               &rstd = operands[3], &dy = operands[4];
  Tensor &dx = results[0], &dgamma = results[1], &dbeta = results[2];
  int64_t length = x.getShape().back();
  for (int64_t row = 0; row < mean.size(); ++row) {
    int64_t begin = row * length;
    auto xhat = [&](int64_t c) {
      return (x.real(begin + c) - mean.real(row)) * rstd.real(row);
    };
    double sum = 0.0, dot = 0.0;
    for (int64_t c = 0; c < length; ++c) {
      double scaled = dy.real(begin + c) * gamma.real(c);
      sum += scaled;
      dot += scaled * xhat(c);
      dgamma.real(c) += dy.real(begin + c) * xhat(c);
      dbeta.real(c) += dy.real(begin + c);
    }
    for (int64_t c = 0; c < length; ++c)
      dx.real(begin + c) =
          rstd.real(row) * (dy.real(begin + c) * gamma.real(c) - sum / length -
                            xhat(c) * dot / length);
  }
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// The dropped weights: those whose random number is below the probability.
struct Dropping {
  int64_t seed, step, stream;
  double probability;

  double factor(int64_t index) const {
    double u = uniformElement(seed, step, stream, index);
    return u >= float(probability) ? 1.0 / (1.0 - probability) : 0.0;
  }
};

/// The positions of the numbers of one head of one sample.
struct Head {
  const Tensor &qkv;
  const Tensor *bias;
  double scale;
  const Dropping *dropping;
  int64_t sample, head;

  int64_t tokens() const { return qkv.getDim(1); }
  int64_t width() const { return qkv.getDim(4); }
  int64_t at(int64_t token, int64_t part, int64_t c) const {
    return qkv.position({sample, token, part, head, c});
  }
  double part(int64_t token, int64_t part, int64_t c) const {
    return qkv.real(at(token, part, c));
  }
  int64_t biasAt(int64_t query, int64_t key) const {
    return bias->position({sample % bias->getDim(0), head, query, key});
  }
  double score(int64_t query, int64_t key) const {
    double sum = 0.0;
    for (int64_t c = 0; c < width(); ++c)
      sum += part(query, 0, c) * part(key, 1, c);
    return scale * sum + (bias ? bias->real(biasAt(query, key)) : 0.0);
  }
  /// The factor of the weight.
  double keeps(int64_t query, int64_t key) const {
    int64_t heads = qkv.getDim(3);
    int64_t row = (sample * heads + head) * tokens() + query;
    return dropping ? dropping->factor(row * tokens() + key) : 1.0;
  }
};
} // namespace

/// Calls `run` for each head of each sample; `bias` is the number of the
/// operand that may be a bias.
template <typename OpTy>
static void forEachHead(OpTy op, Operands operands, unsigned bias,
                        llvm::function_ref<void(const Head &)> run) {
  const Tensor &qkv = operands[0];
  std::optional<Dropping> dropping;
  if (op.getSeed())
    dropping = {operands[operands.size() - 2].integer(0),
                operands[operands.size() - 1].integer(0),
                static_cast<int64_t>(*op.getStream()),
                op.getProbability()->convertToDouble()};
  for (int64_t b = 0; b < qkv.getDim(0); ++b)
    for (int64_t h = 0; h < qkv.getDim(3); ++h)
      run({qkv, op.getBias() ? &operands[bias] : nullptr,
           op.getScale().convertToDouble(), dropping ? &*dropping : nullptr, b,
           h});
}

static void attention(sg::AttentionOp op, Frame &, Operands operands,
                      Results results) {
  forEachHead(op, operands, 1, [&](const Head &h) {
    SmallVector<double> scores(h.tokens());
    for (int64_t query = 0; query < h.tokens(); ++query) {
      double top = -INFINITY, sum = 0.0;
      for (int64_t key = 0; key < h.tokens(); ++key) {
        scores[key] = h.score(query, key);
        // NaN is propagated.
        top = scores[key] > top || std::isnan(scores[key]) ? scores[key] : top;
      }
      for (double &score : scores)
        sum += score = std::exp(score - top);
      results[1].real(results[1].position({h.sample, h.head, query})) =
          std::log(sum) + top;
      for (int64_t c = 0; c < h.width(); ++c) {
        double mixed = 0.0;
        for (int64_t key = 0; key < h.tokens(); ++key)
          mixed += scores[key] / sum * h.keeps(query, key) * h.part(key, 2, c);
        results[0].real(results[0].position({h.sample, query, h.head, c})) =
            mixed;
      }
    }
  });
}

static void attentionGrad(sg::AttentionGradOp op, Frame &, Operands operands,
                          Results results) {
  const Tensor &y = operands[1], &lse = operands[2], &dy = operands[3];
  Tensor &dqkv = results[0];
  double scale = op.getScale().convertToDouble();
  forEachHead(op, operands, 4, [&](const Head &h) {
    for (int64_t query = 0; query < h.tokens(); ++query) {
      auto row = [&](int64_t c) {
        return y.position({h.sample, query, h.head, c});
      };
      double delta = 0.0;
      for (int64_t c = 0; c < h.width(); ++c)
        delta += y.real(row(c)) * dy.real(row(c));
      double total = lse.real(lse.position({h.sample, h.head, query}));
      for (int64_t key = 0; key < h.tokens(); ++key) {
        double p = std::exp(h.score(query, key) - total), dp = 0.0;
        for (int64_t c = 0; c < h.width(); ++c)
          dp += dy.real(row(c)) * h.part(key, 2, c);
        double kept = h.keeps(query, key);
        double ds = p * (kept * dp - delta);
        for (int64_t c = 0; c < h.width(); ++c) {
          dqkv.real(h.at(query, 0, c)) += scale * ds * h.part(key, 1, c);
          dqkv.real(h.at(key, 1, c)) += scale * ds * h.part(query, 0, c);
          dqkv.real(h.at(key, 2, c)) += p * kept * dy.real(row(c));
        }
        if (h.bias)
          results[1].real(h.biasAt(query, key)) += ds;
      }
    }
  });
}

//===----------------------------------------------------------------------===//
// Moving by index
//===----------------------------------------------------------------------===//

static void roll(sg::RollOp op, Frame &, Operands operands, Results results) {
  const Tensor &from = operands[0];
  Tensor &to = results[0];
  forEachIndex(from.getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> target;
    for (auto [d, shift] : llvm::enumerate(op.getShifts()))
      target.push_back((index[d] + shift + from.getDim(d)) % from.getDim(d));
    to.copyElement(to.position(target), from, from.position(index));
  });
}

/// Calls `visit` with the numbers of an element of the table and of the
/// gathered rows, for each; indices outside the table have none.
static void
forEachGathered(const Tensor &table, const Tensor &indices,
                llvm::function_ref<void(int64_t table, int64_t rows)> visit) {
  int64_t length = table.size() / table.getDim(0);
  for (int64_t n = 0; n < indices.size(); ++n) {
    int64_t row = indices.integer(n);
    if (row < 0 || row >= table.getDim(0))
      continue;
    for (int64_t c = 0; c < length; ++c)
      visit(row * length + c, n * length + c);
  }
}

static void gather(sg::GatherOp, Frame &, Operands operands, Results results) {
  const Tensor &table = operands[0];
  forEachGathered(table, operands[1], [&](int64_t from, int64_t to) {
    results[0].copyElement(to, table, from);
  });
}

static void gatherGrad(sg::GatherGradOp, Frame &, Operands operands,
                       Results results) {
  Tensor &table = results[0];
  forEachGathered(table, operands[0], [&](int64_t to, int64_t from) {
    table.real(to) += operands[1].real(from);
  });
}

void reference::registerTransformerModels(MLIRContext *context) {
  attach<sg::LayerNormOp, layerNorm>(context);
  attach<sg::LayerNormGradOp, layerNormGrad>(context);
  attach<sg::AttentionOp, attention>(context);
  attach<sg::AttentionGradOp, attentionGrad>(context);
  attach<sg::RollOp, roll>(context);
  attach<sg::GatherOp, gather>(context);
  attach<sg::GatherGradOp, gatherGrad>(context);
}
