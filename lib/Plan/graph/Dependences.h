//===- Dependences.h - Which op must run before which -----------*- C++ -*-===//
#ifndef REPRISE_LIB_PLAN_DEPENDENCES_H
#define REPRISE_LIB_PLAN_DEPENDENCES_H

#include "reprise/Plan/Graph.h"

namespace reprise::plan {

/// Data edges (a view also depends on the producers of its base) and Op::after,
/// by OpId, each sorted and without repetition.
struct Dependences {
  std::vector<std::vector<OpId>> before; // must run earlier
  std::vector<std::vector<OpId>> behind; // must run later
};

Dependences findDependences(const Graph &graph);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_DEPENDENCES_H
