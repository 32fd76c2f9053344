//===- CheckGraph.cpp - Checks that a graph is well formed ----------------===//
//
// Input:   any graph, including a damaged one.
// Output:  "" or one sentence about the first error.
// Method:  ids first, since everything later indexes with them; then producers,
//          views and sizes; then the order of the ops, whose validity also
//          proves that there is no cycle.
//
//===----------------------------------------------------------------------===//
#include "reprise/Plan/Graph.h"

#include <cmath>
#include <limits>

namespace reprise::plan {

namespace {

class GraphChecker {
public:
  explicit GraphChecker(const Graph &graph) : graph(graph) {}

  std::string check() {
    for (auto rule : {&GraphChecker::checkIds, &GraphChecker::checkProducers,
                      &GraphChecker::checkViews, &GraphChecker::checkStorage,
                      &GraphChecker::checkSizes, &GraphChecker::checkInPlace,
                      &GraphChecker::checkOverwrites, &GraphChecker::checkCosts,
                      &GraphChecker::checkOrder})
      if (std::string error = (this->*rule)(); !error.empty())
        return error;
    return "";
  }

private:
  std::string nameOp(OpId id) const {
    return "op " + std::to_string(id) + " '" + graph.ops[id].name + "'";
  }
  std::string nameValue(ValueId id) const {
    return "value " + std::to_string(id) + " '" + graph.values[id].name + "'";
  }

  std::string checkIds() const {
    if (graph.ops.size() >= kNone || graph.values.size() >= kNone)
      return "graph has more than 2^32 - 2 ops or values";
    for (OpId id = 0; id < graph.ops.size(); ++id) {
      const Op &op = graph.ops[id];
      for (const std::vector<ValueId> *list :
           {&op.inputs, &op.outputs, &op.overwrites})
        for (ValueId value : *list)
          if (value >= graph.values.size())
            return nameOp(id) + " refers to value " + std::to_string(value) +
                   " of " + std::to_string(graph.values.size());
      for (OpId other : op.after)
        if (other >= graph.ops.size())
          return nameOp(id) + " comes after op " + std::to_string(other) +
                 " of " + std::to_string(graph.ops.size());
    }
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      const Value &value = graph.values[id];
      if (value.producer != kNone && value.producer >= graph.ops.size())
        return nameValue(id) + " has producer " +
               std::to_string(value.producer) + " of " +
               std::to_string(graph.ops.size());
      if (value.viewOf != kNone && value.viewOf >= graph.values.size())
        return nameValue(id) + " is a view of value " +
               std::to_string(value.viewOf) + " of " +
               std::to_string(graph.values.size());
    }
    return "";
  }

  /// Only an op that runs once changes bytes that outlive the step, and only
  /// those.
  std::string checkOverwrites() const {
    for (OpId id = 0; id < graph.ops.size(); ++id) {
      const Op &op = graph.ops[id];
      if (!op.overwrites.empty() && !op.runsOnce)
        return nameOp(id) + " overwrites a value but is not marked to run once";
      for (ValueId value : op.overwrites)
        if (graph.values[value].storage != StorageClass::Fixed)
          return nameOp(id) + " overwrites " + nameValue(value) +
                 ", which is not fixed";
    }
    return "";
  }

  /// Sums of costs are exact integers of picoseconds in the searches.
  std::string checkCosts() const {
    constexpr double most = kMostMilliseconds;
    double sum = 0;
    for (OpId id = 0; id < graph.ops.size(); ++id) {
      double cost = graph.ops[id].cost;
      if (!(cost >= 0))
        return nameOp(id) + " costs " + std::to_string(cost) + " milliseconds";
      if (!((sum += cost) <= most))
        return nameOp(id) + " takes the graph past 10^9 milliseconds";
    }
    return "";
  }

  std::string checkProducers() const {
    std::vector<bool> produced(graph.values.size(), false);
    for (OpId id = 0; id < graph.ops.size(); ++id)
      for (ValueId output : graph.ops[id].outputs) {
        if (produced[output])
          return nameValue(output) + " is produced twice";
        produced[output] = true;
        if (graph.values[output].producer != id)
          return nameValue(output) + " is an output of " + nameOp(id) +
                 " but names another producer";
      }
    for (ValueId id = 0; id < graph.values.size(); ++id)
      if (graph.values[id].producer != kNone && !produced[id])
        return nameValue(id) + " is not an output of its producer";
    return "";
  }

  std::string checkViews() const {
    if (ValueId id = findViewOfItself(graph); id != kNone)
      return nameValue(id) + " is a view of itself";
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      const Value &value = graph.values[id];
      if (value.viewOf == kNone)
        continue;
      uint64_t base = graph.values[value.viewOf].bytes;
      if (value.bytes > base)
        return nameValue(id) + " of " + std::to_string(value.bytes) +
               " bytes views a value of " + std::to_string(base) + " bytes";
    }
    return "";
  }

  std::string checkStorage() const {
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      const Value &value = graph.values[id];
      bool isView = value.viewOf != kNone;
      if (value.storage == StorageClass::Input && value.producer != kNone)
        return nameValue(id) + " is an input of the step but has a producer";
      bool made = value.storage == StorageClass::Temporary ||
                  value.storage == StorageClass::Output;
      if (made && value.producer == kNone && !isView)
        return nameValue(id) + " has no producer and is neither an input, a "
                               "fixed value nor a view";
      // A fixed view of a temporary would claim bytes that nothing keeps.
      if (isView && value.storage == StorageClass::Fixed &&
          graph.values[value.viewOf].storage != StorageClass::Fixed)
        return nameValue(id) + " is fixed but views a value that is not";
    }
    return "";
  }

  std::string checkSizes() const {
    constexpr uint64_t limit = kMostBytes;
    uint64_t total = 0;
    auto add = [&](uint64_t bytes) {
      if (bytes > limit - kAlignment)
        return false;
      total += bytes + kAlignment; // more than alignment can add
      return total <= limit;
    };
    for (ValueId id = 0; id < graph.values.size(); ++id)
      if (!add(graph.values[id].bytes))
        return nameValue(id) + " takes the graph past 2^56 bytes";
    for (OpId id = 0; id < graph.ops.size(); ++id)
      if (!add(graph.ops[id].workspaceBytes))
        return "workspace of " + nameOp(id) +
               " takes the graph past 2^56 bytes";
    return "";
  }

  std::string checkInPlace() const {
    for (OpId id = 0; id < graph.ops.size(); ++id)
      for (auto [output, input] : graph.ops[id].inPlace)
        if (output >= graph.ops[id].outputs.size() ||
            input >= graph.ops[id].inputs.size())
          return nameOp(id) + " may write output " + std::to_string(output) +
                 " over input " + std::to_string(input) + ", but has " +
                 std::to_string(graph.ops[id].outputs.size()) +
                 " outputs and " + std::to_string(graph.ops[id].inputs.size()) +
                 " inputs";
    return "";
  }

  /// Views without an op of their own exist as soon as their base does, hence
  /// the walk along the chain.
  std::string checkAvailable(OpId id, ValueId value) const {
    for (; value != kNone; value = graph.values[value].viewOf) {
      OpId producer = graph.values[value].producer;
      if (producer != kNone && producer >= id)
        return nameOp(id) + " uses " + nameValue(value) +
               ", which is produced at op " + std::to_string(producer) +
               ": the ops are not in a valid order";
    }
    return "";
  }

  std::string checkOrder() const {
    for (OpId id = 0; id < graph.ops.size(); ++id) {
      const Op &op = graph.ops[id];
      for (OpId other : op.after)
        if (other >= id)
          return nameOp(id) + " must come after op " + std::to_string(other) +
                 ": the ops are not in a valid order";
      for (ValueId input : op.inputs)
        if (std::string error = checkAvailable(id, input); !error.empty())
          return error;
      for (ValueId output : op.outputs) {
        ValueId base = graph.values[output].viewOf;
        // An op may produce a value and a view of it together.
        while (base != kNone && graph.values[base].producer == id)
          base = graph.values[base].viewOf;
        if (std::string error = checkAvailable(id, base); !error.empty())
          return error;
      }
    }
    return "";
  }

  const Graph &graph;
};

} // namespace

int64_t picosecondsOf(double milliseconds) {
  constexpr double perMillisecond = 1e9;
  // 0.29 times 10^9 is just below a whole number.
  return static_cast<int64_t>(std::nextafter(
      milliseconds * perMillisecond, std::numeric_limits<double>::infinity()));
}

ValueId findViewOfItself(const Graph &graph) {
  // 0: not seen, 1: on the chain being walked, 2: known to end.
  std::vector<uint8_t> state(graph.values.size(), 0);
  for (ValueId start = 0; start < graph.values.size(); ++start) {
    ValueId at = start;
    for (; at != kNone && state[at] == 0; at = graph.values[at].viewOf)
      state[at] = 1;
    if (at != kNone && state[at] == 1)
      return at;
    for (at = start; at != kNone && state[at] == 1;
         at = graph.values[at].viewOf)
      state[at] = 2;
  }
  return kNone;
}

std::string checkGraph(const Graph &graph) {
  return GraphChecker(graph).check();
}

} // namespace reprise::plan
