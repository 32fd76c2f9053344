//===- Unread.cpp - Executions without readers ----------------------------===//
//
// Input:   a graph and executions that are valid.
// Output:  the executions without those whose results have no reader before the
//          op is executed again.
// Method:  a search runs ops for the first time in an order of its own, whether
//          or not they are needed then. Removing an execution may leave others
//          without readers, hence several rounds.
// Cost:    linear in the executions, a few times.
// Fails:   never: if the rest is not a valid schedule, or has a higher peak,
//          the executions stay as they are.
//
//===----------------------------------------------------------------------===//
#include "reprise/Plan/Recompute.h"

namespace reprise::plan {

static std::vector<bool> findUnread(const Graph &graph,
                                    const Executions &executions) {
  std::vector<bool> isUnread(executions.size(), false);
  std::vector<size_t> last(graph.ops.size(), SIZE_MAX);
  for (size_t at = 0; at < executions.size(); ++at) {
    OpId op = executions[at];
    for (ValueId input : graph.ops[op].inputs)
      if (OpId producer = graph.values[input].producer; producer != kNone)
        isUnread[last[producer]] = false;
    isUnread[at] = true;
    last[op] = at;
  }
  // There is no later one.
  for (size_t at : last)
    if (at != SIZE_MAX)
      isUnread[at] = false;
  return isUnread;
}

Executions withoutUnread(const Graph &graph, Executions executions) {
  uint64_t peak = maxLiveOf(graph, executions);
  for (;;) {
    std::vector<bool> isUnread = findUnread(graph, executions);
    Executions rest;
    for (size_t at = 0; at < executions.size(); ++at)
      if (!isUnread[at])
        rest.push_back(executions[at]);
    if (rest.size() == executions.size() ||
        !checkExecutions(graph, rest).empty() || maxLiveOf(graph, rest) > peak)
      return executions;
    executions = std::move(rest);
  }
}

} // namespace reprise::plan
