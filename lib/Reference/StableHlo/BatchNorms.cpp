//===- BatchNorms.cpp - Values of batch normalizations --------------------===//
//
// Variances are those of the whole batch, not estimates: they divide by the
// number of elements of a feature. All sums run in double precision.
//
//===----------------------------------------------------------------------===//
#include "Models.h"

#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;
using namespace reprise::stablehlo;

namespace {
/// The elements of an array by their feature.
class Features {
public:
  Features(const Tensor &array, int64_t dimension) : array(array) {
    if (!array.isReal() || dimension < 0 || dimension >= array.getRank())
      return;
    extent = array.getDim(dimension);
    stride = hlo::stridesOf(array.getShape())[dimension];
  }

  /// True if the array has real features, of which each of `perFeature` holds
  /// one number.
  bool fit(hlo::Operands perFeature) const {
    return stride > 0 && llvm::all_of(perFeature, [&](const Tensor *tensor) {
             return tensor->getShape() == ArrayRef<int64_t>(extent) &&
                    tensor->getElementType() == array.getElementType();
           });
  }

  int64_t of(int64_t element) const { return element / stride % extent; }
  int64_t count() const { return extent; }
  double elements() const { return double(array.size()) / double(extent); }

  /// The sum of each feature's numbers, where element i has `number(i)`.
  std::vector<double> sum(llvm::function_ref<double(int64_t)> number) const {
    std::vector<double> sums(extent, 0.0);
    for (int64_t i = 0; i < array.size(); ++i)
      sums[of(i)] += number(i);
    return sums;
  }

private:
  const Tensor &array;
  int64_t extent = 0, stride = 0;
};
} // namespace

/// scale (x - mean) / sqrt(variance + epsilon) + offset.
template <typename Numbers>
static Tensor normalized(const Tensor &x, const Features &features,
                         const Tensor &scale, const Tensor &offset,
                         const Numbers &mean, const Numbers &variance,
                         double epsilon) {
  Tensor made(x.getType());
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t f = features.of(i);
    made.real(i) = scale.real(f) * (x.real(i) - mean[f]) /
                       std::sqrt(variance[f] + epsilon) +
                   offset.real(f);
  }
  made.roundToStorage();
  return made;
}

static Tensor rounded(RankedTensorType type, ArrayRef<double> numbers) {
  Tensor made(type);
  for (auto [i, number] : llvm::enumerate(numbers))
    made.real(i) = number;
  made.roundToStorage();
  return made;
}

hlo::Results hlo::evaluateTraining(BatchNormTrainingOp op, Operands operands) {
  const Tensor &x = *operands[0];
  Features features(x, op.getFeatureIndex());
  if (!features.fit(operands.drop_front()) || op.getNumResults() != 3)
    return misfit(op);
  std::vector<double> mean =
      features.sum([&](int64_t i) { return x.real(i) / features.elements(); });
  std::vector<double> variance = features.sum([&](int64_t i) {
    double centered = x.real(i) - mean[features.of(i)];
    return centered * centered / features.elements();
  });
  RankedTensorType type = operands[1]->getType();
  return SmallVector<Tensor>{normalized(x, features, *operands[1], *operands[2],
                                        mean, variance,
                                        op.getEpsilon().convertToDouble()),
                             rounded(type, mean), rounded(type, variance)};
}

hlo::Results hlo::evaluateInference(BatchNormInferenceOp op,
                                    Operands operands) {
  Features features(*operands[0], op.getFeatureIndex());
  if (!features.fit(operands.drop_front()) || op.getNumResults() != 1)
    return misfit(op);
  return SmallVector<Tensor>{normalized(*operands[0], features, *operands[1],
                                        *operands[2], operands[3]->getReals(),
                                        operands[4]->getReals(),
                                        op.getEpsilon().convertToDouble())};
}

/// For n elements x with gradients g, in the order of the specification:
/// scale / sqrt(v + e) / n (n g - sum g - (x - m) sum(g (x - m)) / (v + e)).
hlo::Results hlo::evaluateGradient(BatchNormGradOp op, Operands operands) {
  const Tensor &x = *operands[0], &scale = *operands[1], &mean = *operands[2],
               &variance = *operands[3], &g = *operands[4];
  Features features(x, op.getFeatureIndex());
  if (!features.fit(operands.slice(1, 3)) || g.getType() != x.getType() ||
      op.getNumResults() != 3)
    return misfit(op);
  double epsilon = op.getEpsilon().convertToDouble(), n = features.elements();
  auto centered = [&](int64_t i) {
    return x.real(i) - mean.real(features.of(i));
  };
  std::vector<double> sum = features.sum([&](int64_t i) { return g.real(i); });
  std::vector<double> product =
      features.sum([&](int64_t i) { return g.real(i) * centered(i); });
  Tensor made(x.getType());
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t f = features.of(i);
    double spread = variance.real(f) + epsilon;
    made.real(i) = scale.real(f) / std::sqrt(spread) / n *
                   (n * g.real(i) - sum[f] - centered(i) * product[f] / spread);
  }
  made.roundToStorage();
  std::vector<double> ofScale(product);
  for (auto [f, value] : llvm::enumerate(ofScale))
    value /= std::sqrt(variance.real(f) + epsilon);
  return SmallVector<Tensor>{made, rounded(scale.getType(), ofScale),
                             rounded(scale.getType(), sum)};
}
