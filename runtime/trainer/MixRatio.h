//===- MixRatio.h - By what images are mixed --------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_MIXRATIO_H
#define REPRISE_RUNTIME_TRAINER_MIXRATIO_H

#include <cstdint>

namespace reprise::rt {

/// The ratio of a step, in [0, 1]: a draw of the Beta distribution of alpha and
/// alpha, which is above 0 and finite. A function of its arguments alone.
double mixRatio(double alpha, uint64_t seed, uint64_t step);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_MIXRATIO_H
