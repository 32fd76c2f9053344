//===- Knee.h - The knee of a budget curve ----------------------*- C++ -*-===//
#ifndef REPRISE_BRIDGE_KNEE_H
#define REPRISE_BRIDGE_KNEE_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <utility>

namespace reprise {

/// The knee of a curve of (bytes, milliseconds), by increasing bytes and
/// decreasing milliseconds: the point farthest below the line from the first to
/// the last one; the last one if there is none.
uint32_t kneeOf(llvm::ArrayRef<std::pair<uint64_t, double>> curve);

} // namespace reprise

#endif // REPRISE_BRIDGE_KNEE_H
