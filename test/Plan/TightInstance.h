//===- TightInstance.h - Buffers without room between them ------*- C++ -*-===//
//
// Instances in the style of google/minimalloc, made by cutting: a rectangle of
// time and bytes is cut into pieces, and the pieces are the buffers. They fill
// the rectangle at each step, so that a placement at its height has no hole
// anywhere, and there is one.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_PLAN_TIGHTINSTANCE_H
#define REPRISE_TEST_PLAN_TIGHTINSTANCE_H

#include "reprise/Plan/Schedule.h"

#include <vector>

namespace reprise::plan::test {

/// Height and steps of the rectangle.
inline constexpr uint64_t kTightBytes = 1048576, kTightSteps = 1024;

/// At least `count` buffers, at most four more, shuffled. Bytes are multiples
/// of 1024. The same seed gives the same instance.
std::vector<Buffer> makeTightInstance(uint32_t count, uint64_t seed);

} // namespace reprise::plan::test

#endif // REPRISE_TEST_PLAN_TIGHTINSTANCE_H
