//===- LeastBytes.h - Bytes that every schedule needs -----------*- C++ -*-===//
//
// Two arguments, each valid for every order and recomputation. While an op t
// runs, its inputs, outputs and workspace are live, together with storages that
// cannot be rebuilt. And earlier, when an op p computed the last of t's inputs,
// t's other inputs were already live, together with p's inputs and outputs:
//
//   t reads a, b;  a = p(c), b = q(d)
//   either b is live while p runs:  b + c + a,  or a while q runs:  a + d + b
//
// Just before p ran, b and c were live together, one of which was computed
// last, and so on.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_LEASTBYTES_H
#define REPRISE_LIB_PLAN_LEASTBYTES_H

#include "../bounds/CutRelaxation.h"

namespace reprise::plan {

struct LeastBytes {
  int64_t bytes = -1;
  Rank cut = kNone;              // the op that runs then
  std::vector<StorageId> pinned; // live then, largest first
};

/// Returns the larger of both arguments over all ops.
LeastBytes findLeastBytes(const CompactGraph &graph,
                          const Precedence &precedence);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_LEASTBYTES_H
