//===- Recurrent.cpp - RNN, GRU and LSTM ----------------------------------===//
//
// Layers are unrolled: each step is ops of its own, so that derivatives and
// budgets work as everywhere. Products with the inputs are one for all steps.
//
//   h(t) = activation(x(t) W^T + h(t-1) R^T + b), with gates where there are
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;
using sg::ComparePredicate;

/// The limit of the steps of a direction; each is 10 to 30 ops.
static constexpr int64_t kMostSteps = 512;

namespace {
using Function = std::function<Tensor(Tensor)>;

/// The settings of a node. Inputs are (steps, batch, inputs).
struct Layer {
  int64_t gates, steps, batch, inputs, hidden, directions;
  /// The layout in which the batch comes first, in the inputs and elsewhere.
  bool isBatchFirst;
  std::optional<double> clip;
  llvm::SmallVector<Function> functions; // those of a direction one by one
};

/// The weights of a direction, and its part of the inputs.
struct Direction {
  const Layer &layer;
  Tensor projected; // (steps, batch, gates * hidden)
  Tensor recurrent; // (gates * hidden, hidden)
  Tensor bias;      // (gates * hidden), to be added to h R^T; or missing
  Tensor peepholes; // (3 * hidden) or missing
  llvm::ArrayRef<Function> functions;

  /// Part k of `hidden` elements each along the last dimension of x.
  Tensor part(Tensor x, int64_t k, int64_t count = 1) const {
    return nn::slice(x, x ? x.getType().getRank() - 1 : 0, k * layer.hidden,
                     (k + count) * layer.hidden);
  }
  /// Activation k of x, which is clipped before.
  Tensor apply(size_t k, Tensor x) const {
    if (layer.clip)
      x = atMost(atLeast(x, -*layer.clip), *layer.clip);
    return x ? functions[k](x) : x;
  }
  /// h R^T for gates first to first + count - 1.
  Tensor recur(Tensor h, int64_t first, int64_t count) const {
    Tensor r = recurrent;
    if (count != layer.gates)
      r = nn::slice(r, 0, first * layer.hidden, (first + count) * layer.hidden);
    return h && r ? nn::matmul(h, r, {false, true}) : h;
  }
};

struct State {
  Tensor h, c; // (batch, hidden); c for LSTM only
};
using Step = State (*)(const Direction &, Tensor x, State, bool variant);
} // namespace

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static State stepRnn(const Direction &d, Tensor x, State s, bool) {
  return {d.apply(0, x + d.recur(s.h, 0, 1)), s.c};
}

/// Gates z, r and the candidate. `isLinear`: the candidate's product is made
/// before it is reset.
static State stepGru(const Direction &d, Tensor x, State s, bool isLinear) {
  Tensor all = d.recur(s.h, 0, isLinear ? 3 : 2);
  if (all && d.bias)
    all = nn::addTrailing(all, d.bias);
  Tensor z = d.apply(0, d.part(x, 0) + d.part(all, 0));
  Tensor r = d.apply(0, d.part(x, 1) + d.part(all, 1));
  Tensor product = isLinear ? r * d.part(all, 2) : d.recur(r * s.h, 2, 1);
  Tensor candidate = d.apply(1, d.part(x, 2) + product);
  // (1 - z) candidate + z h.
  return {candidate + z * (s.h - candidate), s.c};
}

/// Gates i, o, f and the candidate. `isCoupled`: f is 1 - i.
static State stepLstm(const Direction &d, Tensor x, State s, bool isCoupled) {
  Tensor all = x + d.recur(s.h, 0, 4);
  auto gate = [&](int64_t k, int64_t peephole, const Tensor &cell) {
    Tensor sum = d.part(all, k);
    if (d.peepholes)
      sum = sum + nn::mulTrailing(cell, d.part(d.peepholes, peephole));
    return d.apply(0, sum);
  };
  Tensor i = gate(0, 0, s.c);
  Tensor f = isCoupled && i ? numberLike(i, 1.0) - i : gate(2, 2, s.c);
  Tensor c = f * s.c + i * d.apply(1, d.part(all, 3));
  Tensor o = gate(1, 1, c);
  return {c ? o * d.functions[2](c) : c, c};
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

namespace {
/// An activation by name; its defaults of alpha and beta, where it has them.
struct Activation {
  const char *name;
  std::optional<double> alpha, beta;
  Tensor (*apply)(Tensor x, double alpha, double beta);
};
} // namespace

static llvm::ArrayRef<Activation> activations() {
  static const Activation table[] = {
      {"Sigmoid",
       {},
       {},
       [](Tensor x, double, double) { return nn::sigmoid(x); }},
      {"Tanh", {}, {}, [](Tensor x, double, double) { return nn::tanh(x); }},
      {"Relu", {}, {}, [](Tensor x, double, double) { return nn::relu(x); }},
      {"Affine", 1.0, 0.0,
       [](Tensor x, double a, double b) { return plus(nn::scale(x, a), b); }},
      {"ScaledTanh", 1.0, 1.0,
       [](Tensor x, double a, double b) {
         return nn::scale(nn::tanh(nn::scale(x, b)), a);
       }},
      {"HardSigmoid", 0.2f, 0.5,
       [](Tensor x, double a, double b) {
         return atMost(nn::relu(plus(nn::scale(x, a), b)), 1.0);
       }},
      {"LeakyRelu",
       0.01f,
       {},
       [](Tensor x, double a, double) {
         return nn::select(compare(ComparePredicate::LT, x, numberLike(x, 0.0)),
                           nn::scale(x, a), x);
       }},
      {"Softsign", {}, {}, [](Tensor x, double, double) {
         return emit<sg::DivOp>({x, plus(emit<sg::AbsOp>(x), 1.0)});
       }}};
  return table;
}

/// Reads the activations of all directions. Those that have alpha take the next
/// of the list of alphas, and so for beta.
static bool readFunctions(NodeImport &node, Layer &layer,
                          llvm::ArrayRef<const char *> defaults) {
  llvm::SmallVector<std::string> names;
  size_t count = defaults.size() * layer.directions;
  const onnx::Attribute *given = node.find("activations");
  for (size_t k = 0; k < count; ++k)
    if (!given)
      names.push_back(defaults[k % defaults.size()]);
    else if (given->texts.size() == count)
      names.push_back(std::string(given->texts[k]));
  if (names.size() != count)
    return node.refuse("it has " + std::to_string(given->texts.size()) +
                       " activations; " + std::to_string(count) +
                       " are needed");
  size_t next[2] = {0, 0};
  auto numberOf = [&](size_t which, std::optional<double> otherwise) {
    const char *list = which == 0 ? "activation_alpha" : "activation_beta";
    const onnx::Attribute *numbers = node.find(list);
    size_t at = otherwise ? next[which]++ : 0;
    return otherwise && numbers && at < numbers->numbers.size()
               ? double(numbers->numbers[at])
               : otherwise.value_or(0.0);
  };
  for (const std::string &name : names) {
    const auto *found = llvm::find_if(
        activations(), [&](const Activation &a) { return a.name == name; });
    if (found == activations().end())
      return node.refuse("the activation '" + name + "' is not supported");
    double alpha = numberOf(0, found->alpha), beta = numberOf(1, found->beta);
    layer.functions.push_back([apply = found->apply, alpha, beta](Tensor x) {
      return apply(x, alpha, beta);
    });
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Reads the extents and checks those of the weights.
static std::optional<Layer> layerOf(NodeImport &node, int64_t gates) {
  auto refuse = [&](const std::string &reason) {
    node.refuse(reason);
    return std::nullopt;
  };
  for (size_t k = 0; k < node.inputs(); ++k)
    if (k != 4 && node.has(k) && !onnx::isReal(node.in(k).type))
      return refuse("its input " + std::to_string(k) + " is " +
                    nameOf(node.in(k).type));
  const Shape x = node.in(0).shape, w = node.in(1).shape, r = node.in(2).shape;
  if (x.size() != 3 || w.size() != 3 || r.size() != 3)
    return refuse("its inputs " + textOf(x) + ", " + textOf(w) + " and " +
                  textOf(r) + " are not of rank 3");
  std::string direction = node.text("direction", "forward");
  bool isBatchFirst = node.integer("layout", 0) != 0;
  Layer layer{gates,
              x[isBatchFirst],
              x[!isBatchFirst],
              x[2],
              r[2],
              direction == "bidirectional" ? 2 : 1,
              isBatchFirst,
              {},
              {}};
  if (direction != "forward" && direction != "reverse" &&
      direction != "bidirectional")
    return refuse("the direction '" + direction + "' is unknown");
  int64_t rows = gates * layer.hidden;
  if (w != Shape{layer.directions, rows, layer.inputs} ||
      r != Shape{layer.directions, rows, layer.hidden})
    return refuse("its weights " + textOf(w) + " and " + textOf(r) +
                  " do not fit");
  Shape bias = {layer.directions, 2 * rows},
        peepholes = {layer.directions, 3 * layer.hidden};
  for (auto [k, expected] : {std::pair(3, bias), std::pair(7, peepholes)})
    if (node.has(k) && node.in(k).shape != expected)
      return refuse("its input " + std::to_string(k) + " is " +
                    textOf(node.in(k).shape) + ", not " + textOf(expected));
  if (layer.steps > kMostSteps)
    return refuse(
        "it has " + std::to_string(layer.steps) +
        " steps, each of which becomes ops of its own; the limit is " +
        std::to_string(kMostSteps));
  if (double clip = node.number("clip", 0.0); clip > 0)
    layer.clip = clip;
  return layer;
}

/// Input k, of `shape`, which has the samples along an axis. Constants of the
/// file follow the batch where all samples are equal.
static Tensor perSample(NodeImport &node, size_t k, const Shape &shape,
                        size_t axis) {
  onnx::Value &value = node.in(k);
  Shape own = value.shape;
  bool fits = own.size() == shape.size();
  if (fits)
    own[axis] = shape[axis];
  if (fits && own == shape) {
    bool isConstant = value.constant || node.importer.isZeroState(value);
    if (!isConstant && value.shape == shape)
      return node.plain(k);
    auto elements = isConstant ? node.importer.constantOf(value) : nullptr;
    std::optional<Elements> all;
    if (elements)
      all = value.shape == shape ? *elements
                                 : withSamples(*elements, axis, shape[axis]);
    if (all)
      return node.importer.emitConstant(*all);
  }
  node.refuse("its input " + std::to_string(k) + " is " + textOf(value.shape) +
              ", not " + textOf(shape) + node.importer.batchHint());
  return Tensor(node.trace(), nullptr);
}

/// The number of steps of each sample; nothing if all have all steps, and a
/// missing tensor after a failure.
static std::optional<Tensor> lengthsOf(NodeImport &node, const Layer &layer) {
  if (!node.has(4))
    return std::nullopt;
  if (!isInteger(node.in(4).type)) {
    node.refuse("its lengths are " + nameOf(node.in(4).type));
    return Tensor(node.trace(), nullptr);
  }
  if (auto fixed = node.in(4).constant;
      fixed && llvm::all_of(fixed->integers, [&](int64_t length) {
        return length >= layer.steps;
      }))
    return std::nullopt;
  return castTo(perSample(node, 4, {layer.batch}, 0),
                node.builder().getI64Type());
}

/// Direction d of input k, without the dimension of directions.
static Tensor ofDirection(NodeImport &node, size_t k, int64_t d) {
  Tensor x = node.plain(k);
  if (!x)
    return x;
  Shape shape(x.getType().getShape().drop_front());
  return nn::reshape(x.dim(0) == 1 ? x : nn::slice(x, 0, d, d + 1), shape);
}

/// Direction d of the state of input k; zeros without one.
static Tensor stateOf(NodeImport &node, size_t k, const Layer &layer,
                      int64_t d) {
  Shape shape = {layer.batch, layer.hidden};
  if (!node.has(k))
    return nn::splat(node.trace(), shape, 0.0);
  Shape whole = {layer.directions, layer.batch, layer.hidden};
  if (layer.isBatchFirst)
    std::swap(whole[0], whole[1]);
  int64_t dim = layer.isBatchFirst;
  Tensor all = perSample(node, k, whole, !layer.isBatchFirst);
  return all ? nn::reshape(nn::slice(all, dim, d, d + 1), shape) : all;
}

/// x (steps, batch, inputs) times the weights, plus biases.
static std::optional<Direction> directionOf(NodeImport &node,
                                            const Layer &layer, Tensor x,
                                            int64_t d, bool addsLater) {
  int64_t rows = layer.gates * layer.hidden;
  size_t count = layer.functions.size() / layer.directions;
  Tensor none(node.trace(), nullptr);
  Direction made{
      layer, none, ofDirection(node, 2, d),
      none,  none, llvm::ArrayRef(layer.functions).slice(d * count, count)};
  Tensor w = ofDirection(node, 1, d);
  Tensor b = node.has(3) ? ofDirection(node, 3, d) : none;
  if (node.has(7))
    made.peepholes = ofDirection(node, 7, d);
  if (!x || !w || !made.recurrent || (node.has(3) && !b) ||
      (node.has(7) && !made.peepholes))
    return std::nullopt;
  Tensor flat = nn::reshape(x, {layer.steps * layer.batch, layer.inputs});
  made.projected = nn::matmul(flat, w, {false, true});
  if (b) {
    Tensor own = nn::slice(b, 0, 0, rows),
           other = nn::slice(b, 0, rows, 2 * rows);
    made.projected =
        nn::addTrailing(made.projected, addsLater ? own : own + other);
    if (addsLater)
      made.bias = other;
  }
  made.projected =
      nn::reshape(made.projected, {layer.steps, layer.batch, rows});
  return made;
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

namespace {
/// The outputs of a direction: (batch, hidden) for each step in the order of
/// time, and the last state.
struct Unrolled {
  llvm::SmallVector<Tensor> outputs;
  State last;
};
} // namespace

/// Steps behind the end of a sample leave its state alone, and output zeros.
static Unrolled unroll(const Direction &d, Step step, bool variant, State state,
                       std::optional<Tensor> lengths, bool isReverse) {
  const Layer &layer = d.layer;
  Unrolled result{{}, state};
  result.outputs.assign(layer.steps, state.h);
  for (int64_t k = 0; k < layer.steps && state.h; ++k) {
    int64_t t = isReverse ? layer.steps - 1 - k : k;
    Tensor x = nn::reshape(nn::slice(d.projected, 0, t, t + 1),
                           {layer.batch, layer.gates * layer.hidden});
    State next = step(d, x, state, variant);
    Tensor output = next.h;
    if (lengths && output) {
      Tensor isActive = nn::broadcast(compare(ComparePredicate::GT, *lengths,
                                              numberLike(*lengths, double(t))),
                                      {layer.batch, layer.hidden}, {0});
      output = nn::select(isActive, next.h, numberLike(next.h, 0.0));
      next.h = nn::select(isActive, next.h, state.h);
      if (next.c)
        next.c = nn::select(isActive, next.c, state.c);
    }
    result.outputs[t] = output;
    state = next;
  }
  result.last = state;
  return result;
}

/// Sets output k to the states of all directions.
static bool setStates(NodeImport &node, size_t k, const Layer &layer,
                      llvm::ArrayRef<Tensor> states) {
  if (!node.hasOutput(k))
    return true;
  llvm::SmallVector<Tensor> parts;
  Shape shape = {1, layer.batch, layer.hidden};
  if (layer.isBatchFirst)
    std::swap(shape[0], shape[1]);
  for (const Tensor &state : states)
    parts.push_back(nn::reshape(state, shape));
  return node.set(k, parts.size() == 1 ? parts.front()
                                       : nn::concat(parts, layer.isBatchFirst));
}

/// Sets output 0: (steps, directions, batch, hidden), or with the batch first
/// (batch, steps, directions, hidden).
static bool setOutputs(NodeImport &node, const Layer &layer,
                       llvm::ArrayRef<Unrolled> directions) {
  if (!node.hasOutput(0))
    return true;
  llvm::SmallVector<Tensor> sequences;
  for (const Unrolled &direction : directions) {
    llvm::SmallVector<Tensor> steps;
    for (const Tensor &output : direction.outputs)
      steps.push_back(nn::reshape(output, {1, 1, layer.batch, layer.hidden}));
    sequences.push_back(steps.size() == 1 ? steps.front()
                                          : nn::concat(steps, 0));
  }
  Tensor y =
      sequences.size() == 1 ? sequences.front() : nn::concat(sequences, 1);
  return node.set(0, layer.isBatchFirst ? permute(y, {2, 0, 1, 3}) : y);
}

static bool importRecurrent(NodeImport &node, int64_t gates, Step step,
                            bool variant, bool addsLater,
                            llvm::ArrayRef<const char *> defaults) {
  std::optional<Layer> layer = layerOf(node, gates);
  if (!layer || !readFunctions(node, *layer, defaults))
    return false;
  std::optional<Tensor> lengths = lengthsOf(node, *layer);
  Tensor x = node.plain(0);
  if (!x || (lengths && !*lengths))
    return false;
  if (layer->isBatchFirst)
    x = permute(x, {1, 0, 2});
  llvm::SmallVector<Unrolled> directions;
  llvm::SmallVector<Tensor> states, cells;
  bool isLstm = step == stepLstm;
  for (int64_t d = 0; d < layer->directions; ++d) {
    auto direction = directionOf(node, *layer, x, d, addsLater);
    State state{stateOf(node, 5, *layer, d),
                isLstm ? stateOf(node, 6, *layer, d)
                       : Tensor(node.trace(), nullptr)};
    if (!direction || !state.h || (isLstm && !state.c))
      return false;
    bool isReverse = d == 1 || node.text("direction", "") == "reverse";
    directions.push_back(
        unroll(*direction, step, variant, state, lengths, isReverse));
    states.push_back(directions.back().last.h);
    cells.push_back(directions.back().last.c);
    if (!states.back() || !directions.back().outputs.front())
      return false;
  }
  return setOutputs(node, *layer, directions) &&
         setStates(node, 1, *layer, states) &&
         (!isLstm || setStates(node, 2, *layer, cells));
}

bool onnx::importRNN(NodeImport &node) {
  return importRecurrent(node, 1, stepRnn, false, false, {"Tanh"});
}

bool onnx::importGRU(NodeImport &node) {
  bool isLinear = node.integer("linear_before_reset", 0) != 0;
  return importRecurrent(node, 3, stepGru, isLinear, isLinear,
                         {"Sigmoid", "Tanh"});
}

bool onnx::importLSTM(NodeImport &node) {
  return importRecurrent(node, 4, stepLstm,
                         node.integer("input_forget", 0) != 0, false,
                         {"Sigmoid", "Tanh", "Tanh"});
}
