//===- Collective.h - Collective calls on processors ------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CPU_COLLECTIVE_H
#define REPRISE_RUNTIME_CPU_COLLECTIVE_H

#include "Team.h"
#include "reprise/Runtime/CollectivePlan.h"

namespace reprise::rt {

class BoundCollective {
public:
  BoundCollective(const CollectivePlan &plan, const std::vector<void *> &inputs,
                  const std::vector<void *> &outputs, void *workspace);
  /// Fails if `ranks`, which may be null, is not of the plan's size.
  Status run(Communicator *ranks, Team &team) const;

private:
  CollectivePlan plan;
  CollectiveOperands operands;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_COLLECTIVE_H
