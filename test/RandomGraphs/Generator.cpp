//===- Generator.cpp - Random training graphs -----------------------------===//
//
// A scope is a block with the values that can be read there. Each step of a
// scope adds a layer, a block, or a block that was there before with other
// inputs. The head of the model reads every value that nobody else has read,
// so that no part of the graph is dead.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "Layers.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::random_graphs;

namespace {
struct Scope {
  SmallVector<Value> values;
  SmallVector<sg::SgModuleOp> blocks;
  std::string path;
  unsigned depth;
};

/// Seeds of other kinds give what they gave before these kinds were there.
Layers::Kinds kindsOf(uint64_t seed, const GraphOptions &options) {
  return {options.mixTypes && seed % 4 == 3, seed % 8 == 5 || seed % 16 == 11,
          options.shareWeights || seed % 8 == 2 || seed % 8 == 7,
          options.annotate};
}

class GraphGenerator {
public:
  GraphGenerator(ModuleOp module, uint64_t seed, const GraphOptions &options)
      : module(module), options(options), random(seed, /*stream=*/0),
        rowChoices(seed, /*stream=*/3), volumeChoices(seed, /*stream=*/5),
        b(module.getContext()), state(module, random),
        layers(b, state, random, rowChoices, volumeChoices,
               kindsOf(seed, options)) {}

  void generate();

private:
  func::FuncOp createFunction();
  void fillScope(Scope &scope);
  void addLayer(Scope &scope, unsigned step);
  void addBlock(Scope &scope, unsigned step);
  bool addBlockAgain(Scope &scope, unsigned step);
  Value pickValue(const Scope &scope);
  void finish(Scope &scope);

  ModuleOp module;
  GraphOptions options;
  Random random, rowChoices, volumeChoices;
  OpBuilder b;
  State state;
  Layers layers;
};
} // namespace

/// Recent values are likelier, so that graphs grow deep as well as wide.
Value GraphGenerator::pickValue(const Scope &scope) {
  ArrayRef<Value> values = scope.values;
  if (!random.oneIn(3))
    values = values.take_back(2);
  return random.pick(values);
}

void GraphGenerator::addLayer(Scope &scope, unsigned step) {
  std::string path = scope.path + (scope.path.empty() ? "" : ".") + "layer" +
                     std::to_string(step);
  scope.values.push_back(layers.any(pickValue(scope), scope.values, path));
}

void GraphGenerator::addBlock(Scope &scope, unsigned step) {
  Scope inner;
  inner.path = scope.path + (scope.path.empty() ? "" : ".") + "block" +
               std::to_string(step);
  inner.depth = scope.depth + 1;
  llvm::SmallSetVector<Value, 3> inputs;
  for (int64_t i = random.between(1, 3); i > 0; --i)
    inputs.insert(pickValue(scope));
  // The results' types are known when the body is: the block is built aside.
  Location loc = b.getUnknownLoc();
  auto draft = sg::SgModuleOp::create(b, loc, TypeRange(), inputs.getArrayRef(),
                                      inner.path);
  Block *body = &draft.getBody().front();
  llvm::append_range(inner.values, body->getArguments());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(body);
  fillScope(inner);
  SmallVector<Value> made(inner.values.begin() + inputs.size(),
                          inner.values.end());
  llvm::SmallSetVector<Value, 3> results;
  results.insert(made.back());
  for (int64_t i = random.below(3); i > 0; --i)
    results.insert(random.pick<Value>(made));
  sg::YieldOp::create(b, loc, results.getArrayRef());
  b.setInsertionPoint(draft);
  auto block = sg::SgModuleOp::create(
      b, loc, TypeRange(ValueRange(results.getArrayRef())),
      inputs.getArrayRef(), inner.path);
  block.getBody().takeBody(draft.getBody());
  block.setActivationCheckpointing(options.annotate && random.oneIn(2));
  draft.erase();
  llvm::append_range(scope.values, block.getResults());
  scope.blocks.push_back(block);
}

/// The weights of an earlier block with other inputs, running statistics and
/// random numbers of its own.
bool GraphGenerator::addBlockAgain(Scope &scope, unsigned step) {
  if (scope.blocks.empty())
    return false;
  sg::SgModuleOp before = random.pick<sg::SgModuleOp>(scope.blocks);
  SmallVector<Value> inputs;
  for (Value input : before.getInputs()) {
    SmallVector<Value> choices;
    for (Value value : scope.values)
      if (value.getType() == input.getType())
        choices.push_back(value);
    inputs.push_back(random.pick<Value>(choices));
  }
  auto again = cast<sg::SgModuleOp>(b.clone(*before));
  again->setOperands(inputs);
  std::string suffix = ".again" + std::to_string(step);
  again.walk([&](Operation *op) {
    if (auto block = dyn_cast<sg::SgModuleOp>(op))
      block.setPath((block.getPath() + suffix).str());
    if (streamOf(op))
      op->setAttr("stream", b.getI64IntegerAttr(state.nextStream()));
    if (auto norm = dyn_cast<sg::BatchNormOp>(op)) {
      int64_t channels =
          cast<RankedTensorType>(norm.getGamma().getType()).getDimSize(0);
      norm.setRunningMeanAttr(
          state.statistic(again.getPath(), channels, sg::InitKind::Zeros));
      norm.setRunningVarianceAttr(
          state.statistic(again.getPath(), channels, sg::InitKind::Ones));
    }
  });
  again.setActivationCheckpointing(options.annotate && random.oneIn(2));
  llvm::append_range(scope.values, again.getResults());
  return true;
}

void GraphGenerator::fillScope(Scope &scope) {
  int64_t steps = random.between(options.minSteps, options.maxSteps);
  // Deeper blocks are smaller.
  steps = std::max<int64_t>(1, steps / (scope.depth + 1));
  for (int64_t step = 0; step < steps; ++step) {
    bool isBlock = scope.depth < options.maxDepth && random.oneIn(2);
    if (isBlock && random.oneIn(3) && addBlockAgain(scope, step))
      continue;
    if (isBlock)
      addBlock(scope, step);
    else
      addLayer(scope, step);
  }
}

func::FuncOp GraphGenerator::createFunction() {
  int64_t batch = random.between(2, 4);
  auto image = RankedTensorType::get(
      {batch, random.between(4, 8), random.between(4, 8), random.between(1, 3)},
      b.getF32Type());
  auto label = RankedTensorType::get({batch}, b.getI32Type());
  auto logits =
      RankedTensorType::get({batch, random.between(2, 5)}, b.getF32Type());
  auto loss = RankedTensorType::get({}, b.getF32Type());
  b.setInsertionPointToEnd(module.getBody());
  auto function =
      func::FuncOp::create(b, b.getUnknownLoc(), "graph",
                           b.getFunctionType({image, label}, {loss, logits}));
  auto name = [&](StringRef text) { return b.getStringAttr(text); };
  StringRef key = sg::SgDialect::kNameAttr;
  function.setArgAttr(0, key, name("image"));
  function.setArgAttr(1, key, name("label"));
  function.setResultAttr(0, key, name("loss"));
  function.setResultAttr(1, key, name("logits"));
  auto role = [&](sg::BindingRole of) {
    return sg::BindingAttr::get(b.getContext(), of, StringAttr());
  };
  key = sg::SgDialect::kBindingAttr;
  function.setArgAttr(1, key, role(sg::BindingRole::Label));
  function.setResultAttr(0, key, role(sg::BindingRole::Loss));
  function.setResultAttr(1, key, role(sg::BindingRole::Logits));
  b.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

/// The classifier, its mean loss, and the step of the random numbers.
void GraphGenerator::finish(Scope &scope) {
  Location loc = b.getUnknownLoc();
  auto function = cast<func::FuncOp>(b.getBlock()->getParentOp());
  auto logitsType = cast<RankedTensorType>(function.getResultTypes()[1]);
  // The newest value has no reader yet.
  SmallVector<Value> features = {layers.toMatrix(scope.values.back())};
  for (Value value : ArrayRef(scope.values).drop_back())
    if (value.use_empty())
      features.push_back(layers.toMatrix(value));
  Value joined = features.front();
  if (features.size() > 1)
    joined = sg::ConcatOp::create(b, loc, features, 1);
  Value logits = layers.linear(joined, logitsType.getDimSize(1), "head");
  auto entropy =
      sg::CrossEntropyOp::create(b, loc, logits, function.getArgument(1),
                                 /*ignore_index=*/IntegerAttr());
  Value sum = sg::ReduceSumOp::create(b, loc, entropy.getLosses(),
                                      ArrayRef<int64_t>{0});
  Value count = sg::createSplat(b, loc, cast<RankedTensorType>(sum.getType()),
                                1.0 / logitsType.getDimSize(0));
  Value loss = sg::MulOp::create(b, loc, sum, count);
  if (state.usesRandomNumbers()) {
    Value step = state.counter(b, "rng.step", sg::Role::Counter);
    Value one =
        sg::createSplat(b, loc, cast<RankedTensorType>(step.getType()), 1.0);
    Value next = sg::AddOp::create(b, loc, step, one);
    sg::WriteOp::create(b, loc, "rng.step", next);
  }
  func::ReturnOp::create(b, loc, ValueRange{loss, logits});
}

void GraphGenerator::generate() {
  func::FuncOp function = createFunction();
  Scope scope;
  scope.depth = 0;
  scope.values.push_back(function.getArgument(0));
  fillScope(scope);
  finish(scope);
}

bool random_graphs::mixesTypes(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        if (isa<BFloat16Type, Float16Type>(tensor.getElementType()))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return walk.wasInterrupted();
}

OwningOpRef<ModuleOp>
random_graphs::generateGraph(MLIRContext *context, uint64_t seed,
                             const GraphOptions &options) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  GraphGenerator(*module, seed, options).generate();
  return module;
}
