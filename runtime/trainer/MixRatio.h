//===- MixRatio.h - The ratio of mixed images -------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_MIXRATIO_H
#define REPRISE_RUNTIME_TRAINER_MIXRATIO_H

#include <cstdint>

namespace reprise::rt {

/// Returns the ratio of a step, in [0, 1]: a draw of the Beta distribution of
/// alpha and alpha, which is above 0 and finite. Depends only on its arguments.
double mixRatio(double alpha, uint64_t seed, uint64_t step);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_MIXRATIO_H
