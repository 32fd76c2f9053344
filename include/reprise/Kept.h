//===- Kept.h - Values kept after the forward pass --------------*- C++ -*-===//
//
// A kept value is one that is live when the forward pass has ended: one
// definition for the code that builds programs, checks them and shows them.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_KEPT_H
#define REPRISE_KEPT_H

#include <cstdint>

namespace reprise {

/// Returns true if a value that lives from step `first` to step `last`, both
/// inclusive, is kept, where the forward pass is the first `forwardSteps`
/// steps.
inline bool isKeptAfter(uint64_t forwardSteps, uint64_t first, uint64_t last) {
  return first < forwardSteps && last >= forwardSteps;
}

} // namespace reprise

#endif // REPRISE_KEPT_H
