//===- HostMemory.h - Schedules that use host memory ------------*- C++ -*-===//
//
// Host memory as a second level: a value of the forward pass may be copied to
// the host after it is computed (an offload) and copied back before the
// backward pass reads it (a fetch). Copies run beside the ops, over a link with
// a rate for each direction. A value is kept, recomputed or offloaded;
// planWithHost decides that for all values together.
//
//   ops       | a | b | c | d | C | B | A |
//   offload     |--- a ---|                     a's bytes are free from here
//   fetch                     |--- a ---|       and taken again from here
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PLAN_HOSTMEMORY_H
#define REPRISE_PLAN_HOSTMEMORY_H

#include "reprise/Plan/Budget.h"
#include "reprise/Plan/Recompute.h"

namespace reprise::plan {

/// One step of a schedule with host copies.
struct HostStep {
  enum class Kind : uint8_t {
    Execute,
    Offload, // the copy has ended: the value's bytes may be free
    Fetch    // the copy begins: the value's bytes are taken
  };
  Kind kind = Kind::Execute;
  uint32_t id = kNone; // an OpId, or the ValueId that is copied
};

using HostSteps = std::vector<HostStep>;

/// Returns why `steps` is no schedule of `graph`, or "": the executions pass
/// checkExecutions, a value is offloaded at most once and after it was
/// computed, and fetched only after it was offloaded.
std::string checkHostSteps(const Graph &graph, const HostSteps &steps);

/// The graph in which every step is an op, as unroll returns it; opOf is kNone
/// for copies. An offload reads the value and has a result of no bytes, which
/// the fetches of the value read. `steps` must have passed checkHostSteps.
UnrolledGraph unroll(const Graph &graph, const HostSteps &steps);

/// The time of a schedule, by simulation: ops run one after another; an offload
/// begins when its value is computed, a fetch when its step is reached; copies
/// of one direction run one after another; an op waits for the fetches of its
/// operands, and the step of an offload for the copy's end.
struct HostTimes {
  double milliseconds = 0; // of the whole step
  /// By step: milliseconds in which ops wait for the copy, which is 0 for other
  /// steps; and their sum.
  std::vector<double> waitingFor;
  double waiting() const;
};
HostTimes simulate(const Graph &graph, const HostSteps &steps,
                   const HostLink &link);

struct HostOptions {
  /// Its budgetBytes are those of the device.
  SolverOptions solver;
  HostBudget host;
};

struct HostPlan {
  HostSteps steps; // empty: none was found within the budgets
  uint64_t maxLive = 0, hostBytes = 0;
  HostTimes times;
};

/// Chooses what to keep, recompute and offload, from a frontier of `graph` (see
/// computeFrontier). The same input gives the same plan on every machine.
HostPlan planWithHost(const Graph &graph,
                      const std::vector<FrontierPoint> &frontier,
                      const HostOptions &options);

/// Milliseconds that no schedule within the two budgets beats, whatever its
/// order, recomputation and copies; found to a thousandth of the step. At most
/// `known`, the time of a schedule.
double boundWithHost(const Graph &graph, const HostOptions &options,
                     double known);

/// The bytes of the device that every schedule needs, whatever the host holds.
ByteBound lowestBytesWithHost(const Graph &graph);

} // namespace reprise::plan

#endif // REPRISE_PLAN_HOSTMEMORY_H
