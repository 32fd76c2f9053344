//===- EarlyOps.cpp - Earliest execution of ops that take no bytes --------===//
//
// Method:  an op without workspace, whose results are fixed, empty or views,
//          adds nothing to the live bytes, and operands without later readers
//          die with it. Moving it to where its last operand is computed never
//          increases a step's bytes: the update of a variable does not prolong
//          its gradient's life.
// Cost:    linear in the dependences.
//
//===----------------------------------------------------------------------===//
#include "OrderStrategies.h"

namespace reprise::plan {

static bool takesBytes(const OrderProblem &problem, OpId op) {
  const Op &of = problem.graph.ops[op];
  if (of.workspaceBytes)
    return true;
  for (ValueId output : of.outputs)
    if (problem.storages.rootOf[output] == output &&
        problem.storages.bytes[output])
      return true;
  return false;
}

std::vector<OpId> moveFreeOpsEarly(const OrderProblem &problem,
                                   const std::vector<OpId> &order) {
  std::vector<uint32_t> waiting(order.size());
  for (OpId op : order)
    waiting[op] = problem.dependences.before[op].size();
  std::vector<bool> done(order.size());
  std::vector<OpId> result, ready;
  for (OpId next : order) {
    if (done[next])
      continue;
    ready.push_back(next);
    while (!ready.empty()) {
      OpId op = ready.back();
      ready.pop_back();
      done[op] = true;
      result.push_back(op);
      const std::vector<OpId> &behind = problem.dependences.behind[op];
      for (auto other = behind.rbegin(); other != behind.rend(); ++other)
        if (--waiting[*other] == 0 && !takesBytes(problem, *other)) {
          ready.push_back(*other);
        }
    }
  }
  return result;
}

} // namespace reprise::plan
