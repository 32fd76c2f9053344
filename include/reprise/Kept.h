//===- Kept.h - What the forward pass leaves --------------------*- C++ -*-===//
//
// Kept is what lives on when the forward pass has ended: one definition, for
// who builds programs, for who checks them and for who shows them.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_KEPT_H
#define REPRISE_KEPT_H

#include <cstdint>

namespace reprise {

/// Whether what lives from step `first` to step `last`, both inclusive, is kept
/// where the forward pass is the first `forwardSteps` steps.
inline bool isKeptAfter(uint64_t forwardSteps, uint64_t first, uint64_t last) {
  return first < forwardSteps && last >= forwardSteps;
}

} // namespace reprise

#endif // REPRISE_KEPT_H
