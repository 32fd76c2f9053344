//===- DepthwiseRows.cpp - Rows of depthwise convolutions -----------------===//
//
// Sums of some pixels, or of some positions of the window, stay in registers
// over all that is added to them.
//
//===----------------------------------------------------------------------===//
#include "DepthwiseRows.h"
#include "InstructionSets.h"

#include <algorithm>
#include <cstring>

#define REPRISE_LOOPS "DepthwiseRowsLoops.h"
#include "EachInstructionSet.h"

namespace reprise::rt {

void depthwiseRow(const std::vector<DepthwiseRun> &runs,
                  const std::vector<DepthwiseSource> &sources,
                  rp_element_type from, rp_element_type to, void *result,
                  int64_t channels) {
  REPRISE_DISPATCH(depthwiseRow, runs, sources, from == RP_BF16, to == RP_BF16,
                   result, channels);
}

void depthwiseSums(const DepthwisePair &rows, rp_element_type from, float *sums,
                   int64_t channels, int64_t begin, int64_t end) {
  REPRISE_DISPATCH(depthwiseSums, rows, from == RP_BF16, sums, channels, begin,
                   end);
}

} // namespace reprise::rt
