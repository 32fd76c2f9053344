//===- GraphBuilder.cpp - Graphs for the planner's tests ------------------===//
#include "GraphBuilder.h"

#include <algorithm>

namespace reprise::plan::test {

namespace {

/// SplitMix64; the distributions of <random> differ between libraries.
struct Random {
  uint64_t state;
  uint64_t below(uint64_t limit) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % limit;
  }
};

} // namespace

Graph makeRandomGraph(uint64_t seed, const RandomGraphOptions &options) {
  Random random{seed * 0x2545f4914f6cdd1d + 1};
  GraphBuilder b;
  std::vector<ValueId> values = {b.input(64 * (1 + random.below(8))),
                                 b.fixed(64 * (1 + random.below(8)))};
  for (uint32_t i = 0; i < options.ops; ++i) {
    std::string name = "op" + std::to_string(i);
    std::vector<ValueId> inputs;
    for (uint64_t n = 1 + random.below(3); n > 0; --n) {
      // Mostly recent values, so that some die early.
      uint64_t back = std::min<uint64_t>(values.size(), 1 + random.below(6));
      inputs.push_back(values[values.size() - back]);
    }
    uint64_t firstBytes = b.graph.values[inputs[0]].bytes;
    if (options.views && random.below(5) == 0 &&
        b.graph.values[inputs[0]].storage != StorageClass::Fixed) {
      values.push_back(b.view(name, inputs[0], firstBytes));
      continue;
    }
    OpId op = b.op(name, inputs);
    if (random.below(3) == 0)
      b.graph.ops[op].workspaceBytes = 1 + random.below(400);
    if (i > 2 && random.below(4) == 0)
      b.graph.ops[op].after.push_back(random.below(i));
    bool inPlace = options.inPlace && random.below(2) == 0;
    for (uint64_t n = 1 + random.below(8) / 6; n > 0; --n) {
      uint64_t bytes = inPlace ? firstBytes : 1 + random.below(1000);
      auto storage = random.below(10) == 0 ? StorageClass::Output
                                           : StorageClass::Temporary;
      values.push_back(b.result(op, bytes, storage));
      if (inPlace)
        for (uint32_t input = 0; input < inputs.size(); ++input)
          if (input == 0 || random.below(2) == 0)
            b.graph.ops[op].inPlace.push_back(
                {uint32_t(b.graph.ops[op].outputs.size() - 1), input});
    }
  }
  return b.graph;
}

namespace {

class TrainingBuilder {
public:
  TrainingBuilder(uint64_t seed, const TrainingGraphOptions &options)
      : options(options), random{seed * 0x2545f4914f6cdd1d + 7} {}

  Graph build() {
    running = b.fixed(64);
    values.push_back(b.input(64 * (1 + random.below(8))));
    for (uint32_t i = 0; i < options.forwardOps; ++i)
      addForward();
    if (options.effects && readsRunning != kNone)
      addStatisticsWrite();
    addLoss();
    size_t firstBackward = b.graph.ops.size();
    for (size_t i = forward.size(); i-- > 0;)
      addBackward(forward[i]);
    for (ValueId weight : waiting)
      addUpdate(weight);
    for (OpId op = 0; op < b.graph.ops.size(); ++op) {
      b.graph.ops[op].backward = op >= firstBackward;
      b.graph.ops[op].cost = 0.125 * double(1 + random.below(40));
      if (options.workspaces && random.below(4) == 0)
        b.graph.ops[op].workspaceBytes = 1 + random.below(400);
    }
    return b.graph;
  }

private:
  bool chance(uint64_t one) { return random.below(one) == 0; }
  uint64_t bytesOf(ValueId id) const { return b.graph.values[id].bytes; }

  /// Lists op's input `index` as one that output 0 may overwrite.
  void maybeInPlace(OpId op, uint32_t index) {
    const Op &at = b.graph.ops[op];
    if (options.inPlace && bytesOf(at.inputs[index]) == bytesOf(at.outputs[0]))
      b.graph.ops[op].inPlace.push_back({0, index});
  }

  void addForward() {
    ValueId from = values[values.size() - 1 -
                          random.below(std::min<size_t>(values.size(), 2))];
    if (options.views && chance(7)) {
      values.push_back(b.view("view", from, bytesOf(from)));
      forward.push_back(b.graph.values.back().producer);
      return;
    }
    std::vector<ValueId> inputs = {from};
    if (chance(3))
      inputs.push_back(values[random.below(values.size())]);
    bool hasWeight = chance(3);
    if (hasWeight)
      inputs.push_back(b.fixed(64 * (1 + random.below(6))));
    bool reads = options.effects && chance(6);
    if (reads)
      inputs.push_back(running);
    OpId op = b.op("forward", inputs);
    if (reads)
      readsRunning = op;
    values.push_back(
        b.result(op, chance(2) ? bytesOf(from) : 64 * (1 + random.below(24))));
    maybeInPlace(op, 0);
    if (options.multipleOutputs && chance(4))
      b.result(op, 64 * (1 + random.below(4)));
    forward.push_back(op);
  }

  /// Changes what some forward ops read: they can't be run again later.
  void addStatisticsWrite() {
    OpId write = b.op("write", {running, values.back()});
    b.result(write, 64, StorageClass::Fixed);
    b.graph.ops[write].runsOnce = true;
    b.graph.ops[write].overwrites = {running};
    addReadersBefore(write, running);
  }

  void addReadersBefore(OpId changer, ValueId value) {
    for (OpId op = 0; op < changer; ++op) {
      const std::vector<ValueId> &inputs = b.graph.ops[op].inputs;
      if (std::count(inputs.begin(), inputs.end(), value))
        b.graph.ops[changer].after.push_back(op);
    }
  }

  void addLoss() {
    OpId loss = b.op("loss", {values.back()});
    b.result(loss, 64, StorageClass::Output);
    gradientOf.assign(b.graph.values.size(), kNone);
    gradientOf[values.back()] =
        b.make("loss_gradient", {values.back()}, bytesOf(values.back()));
  }

  void addBackward(OpId of) {
    Op op = b.graph.ops[of];
    ValueId gradient = gradientOf[op.outputs[0]];
    if (gradient == kNone)
      return;
    for (ValueId input : op.inputs) {
      bool isWeight = b.graph.values[input].storage == StorageClass::Fixed;
      if (input == running ||
          b.graph.values[input].storage == StorageClass::Input)
        continue;
      std::vector<ValueId> reads = {gradient};
      for (ValueId id : op.inputs)
        if (id != running && chance(2))
          reads.push_back(id);
      for (ValueId id : op.outputs)
        if (chance(3))
          reads.push_back(id);
      ValueId made = b.make("gradient", reads, bytesOf(input));
      maybeInPlace(b.graph.ops.size() - 1, 0);
      addGradient(input, made);
      if (isWeight && options.effects && chance(2))
        waiting.push_back(input);
      else if (isWeight && options.effects)
        addUpdate(input);
    }
  }

  void addGradient(ValueId of, ValueId made) {
    if (gradientOf[of] != kNone) {
      made = b.make("sum", {gradientOf[of], made}, bytesOf(of));
      maybeInPlace(b.graph.ops.size() - 1, 0);
    }
    gradientOf[of] = made;
  }

  /// The readers of a weight are one forward op and its gradients; those that
  /// come behind an early update must not read it.
  void addUpdate(ValueId weight) {
    OpId update = b.op("update", {weight, gradientOf[weight]});
    b.result(update, bytesOf(weight), StorageClass::Fixed);
    b.graph.ops[update].runsOnce = true;
    b.graph.ops[update].overwrites = {weight};
    addReadersBefore(update, weight);
  }

  TrainingGraphOptions options;
  Random random;
  GraphBuilder b;
  ValueId running = kNone;
  OpId readsRunning = kNone;
  std::vector<ValueId> values; // what later forward ops may read
  std::vector<OpId> forward;
  std::vector<ValueId> gradientOf; // by forward value
  std::vector<ValueId> waiting;    // weights to update at the end
};

} // namespace

Graph makeRandomTrainingGraph(uint64_t seed,
                              const TrainingGraphOptions &options) {
  return TrainingBuilder(seed, options).build();
}

namespace {

/// A convolution and its batch norm: what the backward pass reads, and the
/// sizes that are needed to run it again.
struct Unit {
  ValueId in, convolved, out;
  ValueId weight, statistics;
  uint64_t inBytes, bytes, weightBytes;
  bool relu;
};

struct Block {
  std::vector<Unit> units;
  ValueId in, out;
  uint64_t inBytes, bytes;
};

class ResNetBuilder {
public:
  explicit ResNetBuilder(const ResNetOptions &options) : options(options) {}

  Graph build() {
    forward();
    size_t forwardOps = b.graph.ops.size();
    ValueId gradient = b.make("loss_gradient", {activation}, bytes);
    for (size_t i = blocks.size(); i-- > 0;)
      gradient = backward(blocks[i], gradient);
    for (auto [weight, weightGradient] : gradients) {
      OpId update = b.op("update", {weight, weightGradient});
      b.result(update, b.graph.values[weight].bytes, StorageClass::Fixed);
      b.graph.ops[update].runsOnce = true;
    }
    for (size_t op = forwardOps; op < b.graph.ops.size(); ++op)
      b.graph.ops[op].backward = true;
    setCosts();
    return b.graph;
  }

private:
  void setCosts() {
    for (Op &op : b.graph.ops) {
      uint64_t moved = 0;
      for (const std::vector<ValueId> *list : {&op.inputs, &op.outputs})
        for (ValueId id : *list)
          moved += b.graph.values[id].bytes;
      bool computes =
          op.name.rfind("conv", 0) == 0 || op.name.rfind("shortcut", 0) == 0;
      op.cost = double(moved) / 1e7 * (computes ? 6 : 1);
    }
  }

  void forward() {
    uint64_t side = 56, width = 64;
    activation = b.input(options.batch * side * side * width * 4);
    bytes = b.graph.values[activation].bytes;
    for (size_t stage = 0; stage < options.blocks.size(); ++stage) {
      for (uint32_t i = 0; i < options.blocks[stage]; ++i) {
        if (stage > 0 && i == 0)
          side /= 2;
        addBlock(options.batch * side * side * width * 4, width);
      }
      width *= 2;
    }
  }

  void addBlock(uint64_t narrow, uint64_t width) {
    Block block;
    block.in = activation;
    block.inBytes = bytes;
    block.bytes = 4 * narrow;
    uint64_t weights[] = {width * width * 16, width * width * 36,
                          width * width * 16};
    uint64_t sizes[] = {narrow, narrow, 4 * narrow};
    ValueId at = block.in;
    uint64_t atBytes = bytes;
    for (int i = 0; i < 3; ++i) {
      Unit unit;
      unit.inBytes = atBytes;
      unit.bytes = sizes[i];
      unit.weightBytes = weights[i];
      unit.weight = b.fixed(weights[i]);
      unit.relu = i < 2;
      block.units.push_back(unit);
      atBytes = sizes[i];
    }
    block.out = runForward(block, at);
    activation = block.out;
    bytes = block.bytes;
    blocks.push_back(block);
  }

  ValueId runForward(Block &block, ValueId at) {
    ValueId in = at;
    for (Unit &unit : block.units) {
      unit.in = at;
      unit.convolved = b.make("conv", {at, unit.weight}, unit.bytes);
      b.graph.ops.back().workspaceBytes = unit.weightBytes;
      unit.statistics = b.make("statistics", {unit.convolved}, 1024);
      at = b.make(unit.relu ? "norm_relu" : "norm",
                  {unit.convolved, unit.statistics}, unit.bytes);
      unit.out = at;
    }
    ValueId shortcut = in;
    if (block.inBytes != block.bytes)
      shortcut = b.make("shortcut", {in}, block.bytes);
    ValueId out = b.make("add_relu", {at, shortcut}, block.bytes);
    b.allowInPlace(0);
    return out;
  }

  ValueId backward(Block &block, ValueId gradient) {
    if (options.keep == Keep::BlockInputs) {
      ValueId barrier = b.view("barrier", block.in, block.inBytes);
      b.graph.ops.back().after.push_back(b.graph.values[gradient].producer);
      block.out = runForward(block, barrier);
      block.in = barrier;
    }
    gradient = b.make("add_relu_gradient", {gradient, block.out}, block.bytes);
    b.allowInPlace(0);
    ValueId at = gradient;
    for (size_t i = block.units.size(); i-- > 0;)
      at = backward(block.units[i], at);
    ValueId shortcut = gradient;
    if (block.inBytes != block.bytes)
      shortcut = b.make("shortcut_gradient", {gradient}, block.inBytes);
    ValueId sum = b.make("sum", {at, shortcut}, block.inBytes);
    b.allowInPlace(0);
    return sum;
  }

  ValueId backward(const Unit &unit, ValueId gradient) {
    ValueId sums =
        b.make("norm_sums", {gradient, unit.convolved, unit.statistics}, 2048);
    ValueId convolved =
        b.make("norm_gradient", {gradient, unit.convolved, unit.out, sums},
               unit.bytes);
    b.allowInPlace(0);
    ValueId weight =
        b.make("conv_weight_gradient", {convolved, unit.in}, unit.weightBytes);
    b.graph.ops.back().workspaceBytes = 2 * unit.weightBytes;
    gradients.push_back({unit.weight, weight});
    ValueId in =
        b.make("conv_input_gradient", {convolved, unit.weight}, unit.inBytes);
    b.graph.ops.back().workspaceBytes = unit.weightBytes;
    return in;
  }

  ResNetOptions options;
  GraphBuilder b;
  ValueId activation = kNone;
  uint64_t bytes = 0;
  std::vector<Block> blocks;
  std::vector<std::pair<ValueId, ValueId>> gradients;
};

} // namespace

Graph makeResNetStep(const ResNetOptions &options) {
  return ResNetBuilder(options).build();
}

} // namespace reprise::plan::test
