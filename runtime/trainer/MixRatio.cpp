//===- MixRatio.cpp - The ratio of mixed images ---------------------------===//
//
// X / (X + Y) of two draws of the Gamma distribution (Marsaglia and Tsang, "A
// simple method for generating gamma variables", ACM TOMS 26, 2000). The draws
// are logarithms: for a small alpha the draws themselves underflow.
//
//===----------------------------------------------------------------------===//
#include "MixRatio.h"
#include "reprise/Runtime/Philox.h"
#include <cmath>

using namespace reprise::rt;

namespace {

/// The random numbers of a step, each with a counter of its own.
class StepRandom {
public:
  StepRandom(uint64_t seed, uint64_t step) : seed(seed), index(step << 16) {}

  /// Returns a number in (0, 1).
  double uniform() { return uniformOpen(next().word[0]); }

  /// Returns a number of mean 0 and deviation 1 (Box and Muller).
  double normal() {
    PhiloxBlock block = next();
    double radius = std::sqrt(-2 * std::log(uniformOpen(block.word[0])));
    return radius * std::cos(2 * M_PI * uniformOpen(block.word[1]));
  }

private:
  // No variable has this name: initial values have streams by their names.
  static constexpr uint64_t kStream = fnv1a64("ratio of a step of mixup");

  PhiloxBlock next() { return philoxBlock(seed, kStream, index++); }

  uint64_t seed, index;
};

} // namespace

/// Returns the logarithm of a draw of the Gamma distribution of shape 1 or
/// more.
static double logGammaDraw(double shape, StepRandom &random) {
  double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    double x = random.normal(), root = 1 + c * x;
    if (root <= 0)
      continue;
    double v = root * root * root;
    double bound = x * x / 2 + d - d * v + d * std::log(v);
    if (std::log(random.uniform()) < bound)
      return std::log(d * v);
  }
}

/// Returns the logarithm of a draw; for a shape below 1, one with shape + 1,
/// times U^(1 / shape).
static double logDraw(double shape, StepRandom &random) {
  if (shape >= 1)
    return logGammaDraw(shape, random);
  double draw = logGammaDraw(shape + 1, random);
  return draw + std::log(random.uniform()) / shape;
}

double reprise::rt::mixRatio(double alpha, uint64_t seed, uint64_t step) {
  StepRandom random(seed, step);
  double x = logDraw(alpha, random), y = logDraw(alpha, random);
  return 1 / (1 + std::exp(y - x));
}
