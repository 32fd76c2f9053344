//===- Graph.h - The planner's view of a step -------------------*- C++ -*-===//
//
// Plain data: operations with costs and workspaces, values with bytes and a
// storage class. No MLIR. Byte arithmetic is 64-bit and checked.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PLAN_GRAPH_H
#define REPRISE_PLAN_GRAPH_H

#include "reprise/Limits.h"
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::plan {

using OpId = uint32_t;
using ValueId = uint32_t;
constexpr uint32_t kNone = UINT32_MAX;

// Every offset and size is a multiple of it.
using reprise::kAlignment;

/// The largest graph: all values and workspaces together, each rounded up and
/// one unit more; and the cost of all ops, each run once. Sums within these
/// limits are exact.
constexpr uint64_t kMostBytes = uint64_t(1) << 56; // 64 PiB
constexpr double kMostMilliseconds = 1e9;          // eleven days

enum class StorageClass : uint8_t {
  Temporary, // lives from its producer to its last use
  Input,     // lives from the start of the step to its last use
  Output,    // lives from its producer to the end of the step
  Fixed      // variables and constants: outside the placed area, no bytes here
};

struct Value {
  std::string name;
  uint64_t bytes = 0; // rounded up to kAlignment by the planner
  StorageClass storage = StorageClass::Temporary;
  OpId producer = kNone; // kNone for inputs and fixed values
  /// This value is a view of (the whole or a part of) another one and needs no
  /// storage of its own. Chains are allowed.
  ValueId viewOf = kNone;
};

struct Op {
  std::string name;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  uint64_t workspaceBytes = 0; // in use while the op runs
  double cost = 0;             // milliseconds, see picosecondsOf
  /// Must run exactly once: it changes state, or the user asked to keep its
  /// results.
  bool runsOnce = false;
  /// May run beside the ops after it, until one reads its results: a call
  /// between ranks. See overlapCalls.
  bool runsBeside = false;
  /// The call only gathers what the updates after other calls computed. It does
  /// not make these calls urgent.
  bool gathersUpdates = false;
  /// (output index, input index): the output may take the storage of the input
  /// if the input's storage dies at this op and the sizes are equal.
  std::vector<std::pair<uint32_t, uint32_t>> inPlace;
  /// Ops whose first execution must come before this op's without a value
  /// between them (a variable's readers before its update).
  std::vector<OpId> after;
  /// Fixed values whose bytes this op changes: every execution of an op that
  /// reads one of them must come before this op.
  std::vector<ValueId> overwrites;
  /// Part of the backward pass or the optimizer. Solvers that cut the forward
  /// pass into segments look at the other ops only; nothing else depends on it.
  bool backward = false;
};

/// Costs count in whole picoseconds, rounded down, so that sums of them are
/// exact and rounding never lifts a bound above the cost it bounds.
int64_t picosecondsOf(double milliseconds);

struct Graph {
  std::vector<Op> ops; // in a valid order
  std::vector<Value> values;
};

/// Returns the error in a graph, or "" if it is well formed: ids in range, one
/// producer per value, acyclic, views without cycles, costs finite and not
/// negative, no more than kMostBytes and kMostMilliseconds.
std::string checkGraph(const Graph &graph);

/// A value that is a view of itself, directly or through others; kNone if there
/// is none. The bases of views are in range.
ValueId findViewOfItself(const Graph &graph);

} // namespace reprise::plan

#endif // REPRISE_PLAN_GRAPH_H
