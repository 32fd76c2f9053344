//===- GraphBuilder.h - Graphs for the planner's tests ----------*- C++ -*-===//
#ifndef REPRISE_TEST_PLAN_GRAPHBUILDER_H
#define REPRISE_TEST_PLAN_GRAPHBUILDER_H

#include "reprise/Plan/Schedule.h"

#include <numeric>

namespace reprise::plan::test {

/// Builds a graph op by op; ids come back for use in later ops.
class GraphBuilder {
public:
  Graph graph;

  ValueId input(uint64_t bytes) { return add(bytes, StorageClass::Input); }
  ValueId fixed(uint64_t bytes) { return add(bytes, StorageClass::Fixed); }

  OpId op(const std::string &name, std::vector<ValueId> inputs) {
    Op op;
    op.name = name;
    op.inputs = std::move(inputs);
    graph.ops.push_back(op);
    return graph.ops.size() - 1;
  }

  ValueId result(OpId op, uint64_t bytes,
                 StorageClass storage = StorageClass::Temporary) {
    ValueId value = add(bytes, storage);
    graph.values[value].producer = op;
    graph.values[value].name = graph.ops[op].name;
    graph.ops[op].outputs.push_back(value);
    return value;
  }

  /// An op with one temporary result.
  ValueId make(const std::string &name, std::vector<ValueId> inputs,
               uint64_t bytes) {
    return result(op(name, std::move(inputs)), bytes);
  }

  /// An op whose result is a view of its input.
  ValueId view(const std::string &name, ValueId base, uint64_t bytes) {
    ValueId value = make(name, {base}, bytes);
    graph.values[value].viewOf = base;
    return value;
  }

  /// The last op's output 0 may overwrite its input `input`.
  void allowInPlace(uint32_t input) {
    graph.ops.back().inPlace.push_back({0, input});
  }

private:
  ValueId add(uint64_t bytes, StorageClass storage) {
    Value value;
    value.bytes = bytes;
    value.storage = storage;
    value.name = "v" + std::to_string(graph.values.size());
    graph.values.push_back(value);
    return graph.values.size() - 1;
  }
};

inline Schedule programOrder(const Graph &graph) {
  Schedule schedule;
  schedule.order.resize(graph.ops.size());
  std::iota(schedule.order.begin(), schedule.order.end(), 0);
  return schedule;
}

struct RandomGraphOptions {
  uint32_t ops = 12;
  bool views = true;
  bool inPlace = true;
};

/// Same seed, same graph, on every platform.
Graph makeRandomGraph(uint64_t seed, const RandomGraphOptions &options);

struct TrainingGraphOptions {
  uint32_t forwardOps = 10;
  bool multipleOutputs = true;
  bool views = true;
  bool inPlace = true;
  bool effects = true; // updates, and statistics written in the forward pass
  bool workspaces = true;
};

/// A forward pass with a weight here and there, and a backward pass that reads
/// its values, adds up gradients and updates the weights, some at once and
/// some at the end. All ops have costs. Same seed, same graph.
Graph makeRandomTrainingGraph(uint64_t seed,
                              const TrainingGraphOptions &options);

enum class Keep { All, BlockInputs };

struct ResNetOptions {
  std::vector<uint32_t> blocks = {3, 4, 6, 3}; // a stage
  uint64_t batch = 8;
  Keep keep = Keep::All; // BlockInputs: each block is checkpointed
};

/// A training step shaped like a ResNet of bottleneck blocks: convolutions
/// with workspaces, batch norms that keep their input, residual additions,
/// their gradients, and an update a parameter at the end of the step. An op
/// costs what its bytes take at 10 GB/s, a convolution six times that.
Graph makeResNetStep(const ResNetOptions &options);

} // namespace reprise::plan::test

#endif // REPRISE_TEST_PLAN_GRAPHBUILDER_H
