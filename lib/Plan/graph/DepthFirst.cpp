//===- DepthFirst.cpp - Orders by post-order walks ------------------------===//
//
// Method:  Sethi and Ullman's numbering on a graph instead of a tree: need(v) =
//          max(over its operands, largest first, bytes of the operands done
//          before + need of this one; inputs + outputs + workspace). Shared
//          operands are counted for each reader, so the number is an estimate
//          that ranks operands, not a bound.
//
//===----------------------------------------------------------------------===//
#include "OrderStrategies.h"

#include <algorithm>

namespace reprise::plan {

static double definedBytes(const OrderProblem &problem, OpId op) {
  double bytes = 0;
  for (ValueId output : problem.graph.ops[op].outputs)
    bytes += problem.storages.bytes[output]; // 0 for views
  return bytes;
}

/// By OpId. In doubles, since sums over shared operands may be huge.
static std::vector<double>
sortByNeed(const OrderProblem &problem,
           std::vector<std::vector<OpId>> &operands) {
  std::vector<double> need(problem.graph.ops.size());
  for (OpId op = 0; op < need.size(); ++op) {
    std::stable_sort(operands[op].begin(), operands[op].end(),
                     [&](OpId a, OpId b) { return need[a] > need[b]; });
    double held = 0, most = 0;
    for (OpId operand : operands[op]) {
      most = std::max(most, held + need[operand]);
      held += definedBytes(problem, operand);
    }
    double running = held + definedBytes(problem, op) +
                     double(problem.graph.ops[op].workspaceBytes);
    need[op] = std::max(most, running);
  }
  return need;
}

std::vector<OpId> depthFirst(const OrderProblem &problem,
                             OperandOrder operandOrder) {
  // Ids are in a valid order, so the needs of operands are computed before use.
  std::vector<std::vector<OpId>> operands = problem.dependences.before;
  if (operandOrder == OperandOrder::LargestNeed)
    sortByNeed(problem, operands);
  uint32_t count = problem.graph.ops.size();
  std::vector<OpId> order;
  std::vector<bool> seen(count, false);
  std::vector<std::pair<OpId, uint32_t>> stack; // op, next operand
  for (OpId sink = 0; sink < count; ++sink) {
    if (!problem.dependences.behind[sink].empty())
      continue;
    seen[sink] = true;
    stack.push_back({sink, 0});
    while (!stack.empty()) {
      auto &[op, index] = stack.back();
      if (index == operands[op].size()) {
        order.push_back(op);
        stack.pop_back();
        continue;
      }
      OpId operand = operands[op][index++];
      if (!seen[operand]) {
        seen[operand] = true;
        stack.push_back({operand, 0});
      }
    }
  }
  return order;
}

} // namespace reprise::plan
