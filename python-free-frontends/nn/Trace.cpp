//===- Trace.cpp - Emitting a network as sg ops ---------------------------===//
//
// Input:   a tree of modules.
// Output:  an sg.variable for each of its variables, and ops in the order in
//          which the modules' forward functions create them.
// Method:  a block's body is emitted first; values from outside that the body
//          uses in addition to its inputs become inputs.
// Fails:   with an error that names the module; emission then continues without
//          ops, so that a model's code runs to its end.
//
//===----------------------------------------------------------------------===//

#include "reprise/NN/Trace.h"
#include "mlir/Transforms/RegionUtils.h"
#include "reprise/IR/Origin.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::nn;

static constexpr llvm::StringLiteral kSeed = "rng.seed";
static constexpr llvm::StringLiteral kStep = "rng.step";

static std::string joinPath(llvm::StringRef path, llvm::StringRef name) {
  if (path.empty() || name.empty())
    return (path + name).str();
  return (path + "." + name).str();
}

Trace::Trace(OpBuilder &builder, mlir::ModuleOp module, const Module &root)
    : builder(builder), module(module), symbols(module) {
  declare(root, "");
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

void Trace::declare(const Module &node, const std::string &path) {
  if (!paths.try_emplace(&node, path).second)
    return; // A second parent: the variables are shared.
  for (const VariableSpec &variable : node.getVariables())
    declare(variable, joinPath(path, variable.name));
  for (const Module::Child &child : node.getChildren())
    declare(*child.module, joinPath(path, child.name));
}

/// Returns the parameter of its distribution, or its elements; null if it has
/// none.
static TypedAttr initialValue(Builder &builder, const VariableSpec &variable,
                              RankedTensorType type) {
  switch (variable.init) {
  case sg::InitKind::Constant:
  case sg::InitKind::Normal:
  case sg::InitKind::Uniform:
    return builder.getF64FloatAttr(variable.initParameter);
  case sg::InitKind::Elements:
    return cast<TypedAttr>(Attribute(
        DenseElementsAttr::get(type, llvm::ArrayRef(variable.elements))));
  default:
    return TypedAttr();
  }
}

void Trace::declare(const VariableSpec &variable, llvm::StringRef name) {
  Location loc = NameLoc::get(builder.getStringAttr(name));
  if (symbols.lookup(name)) {
    emitError(loc) << "two variables are named '" << name << "'";
    failedFlag = true;
    return;
  }
  if (llvm::any_of(variable.shape, [](int64_t extent) { return extent < 1; })) {
    emitError(loc) << "variable '" << name << "' has an extent below 1";
    failedFlag = true;
    return;
  }
  Type element =
      variable.role == sg::Role::Seed || variable.role == sg::Role::Counter
          ? Type(builder.getI64Type())
          : Type(builder.getF32Type());
  auto type = RankedTensorType::get(variable.shape, element);
  int64_t given = variable.elements.size();
  if (variable.init == sg::InitKind::Elements &&
      (!element.isF32() || given != type.getNumElements())) {
    emitError(loc) << "variable '" << name << "' of " << type.getNumElements()
                   << " elements of " << element << " begins with " << given
                   << " of f32";
    failedFlag = true;
    return;
  }
  DenseI32ArrayAttr permutation;
  if (!variable.filePermutation.empty())
    permutation = builder.getDenseI32ArrayAttr(variable.filePermutation);

  OpBuilder::InsertionGuard guard(builder);
  if (lastVariable)
    builder.setInsertionPointAfter(lastVariable);
  else
    builder.setInsertionPointToStart(module.getBody());
  MLIRContext *context = builder.getContext();
  auto op = sg::VariableOp::create(
      builder, loc, builder.getStringAttr(name), TypeAttr::get(type),
      sg::RoleAttr::get(context, variable.role),
      sg::InitAttr::get(context, variable.init,
                        initialValue(builder, variable, type)),
      permutation, DenseI64ArrayAttr());
  symbols.insert(op);
  lastVariable = op;
}

std::optional<std::string> Trace::nameOf(const Module &node,
                                         llvm::StringRef variable) const {
  auto found = paths.find(&node);
  if (found == paths.end())
    return std::nullopt;
  return joinPath(found->second, variable);
}

Tensor Trace::readSymbol(llvm::StringRef name) {
  auto variable = symbols.lookup<sg::VariableOp>(name);
  if (!variable)
    return fail("no variable is named '" + name + "'");
  return Tensor(*this, sg::ReadOp::create(builder, getLocation(),
                                          variable.getTensorType(),
                                          FlatSymbolRefAttr::get(variable)));
}

Tensor Trace::read(const Module &node, llvm::StringRef name) {
  std::optional<std::string> full = nameOf(node, name);
  if (!full)
    return fail("module is not registered in the graph");
  return readSymbol(*full);
}

bool Trace::claimWrite(llvm::StringRef variable) {
  return written.insert(builder.getStringAttr(variable)).second;
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

void Trace::declareGenerator() {
  if (symbols.lookup(kSeed))
    return;
  declare({"", {}, sg::Role::Seed, sg::InitKind::Zeros}, kSeed);
  declare({"", {}, sg::Role::Counter, sg::InitKind::Zeros}, kStep);
}

Tensor Trace::readSeed() {
  declareGenerator();
  return readSymbol(kSeed);
}

Tensor Trace::readStep() {
  declareGenerator();
  return readSymbol(kStep);
}

void Trace::finish() {
  if (failedFlag || !symbols.lookup(kStep) || !claimWrite(kStep))
    return;
  Tensor step = readSymbol(kStep);
  Tensor next =
      createAs<sg::AddOp>(step.getType(), {step, splat(step.getType(), 1.0)});
  sg::WriteOp::create(builder, getLocation(), kStep, next.getValue());
}

//===----------------------------------------------------------------------===//
// Ops and blocks
//===----------------------------------------------------------------------===//

Location Trace::getLocation() const {
  llvm::StringRef path = running.empty() ? "" : llvm::StringRef(running.back());
  if (path.empty())
    return builder.getUnknownLoc();
  return NameLoc::get(builder.getStringAttr(path));
}

Tensor Trace::fail(const llvm::Twine &message) {
  // The first error is the cause; later ones are its consequences.
  if (!failedFlag)
    emitError(getLocation()) << message;
  failedFlag = true;
  return Tensor(*this, nullptr);
}

llvm::SmallVector<Value> Trace::valuesOf(llvm::ArrayRef<Tensor> tensors) {
  llvm::SmallVector<Value> values;
  for (const Tensor &tensor : tensors)
    values.push_back(tensor.getValue());
  return values;
}

Tensor Trace::splat(RankedTensorType type, double value) {
  return Tensor(*this, sg::createSplat(builder, getLocation(), type, value));
}

Tensors Trace::call(Module &node, llvm::ArrayRef<Tensor> inputs) {
  if (node.segments && (inputs.size() == 1 || !node.isChain()))
    return {callInSegments(node, *node.segments, inputs.front())};
  return run(node, inputs, [&](llvm::ArrayRef<Tensor> arguments) {
    return node.forward(arguments);
  });
}

Tensor Trace::callInSegments(Module &node, int64_t segments,
                             const Tensor &input) {
  return run(node, input,
             [&](llvm::ArrayRef<Tensor> arguments) {
               return Tensors{runInSegments(node, segments, arguments.front())};
             })
      .front();
}

/// Returns the result of `node` for x, with all but the last segment of its
/// children in blocks.
Tensor Trace::runInSegments(Module &node, int64_t segments, Tensor x) {
  llvm::ArrayRef<Module::Child> children = node.getChildren();
  int64_t count = children.size();
  if (!node.isChain())
    return fail("checkpointing in segments is enabled on a module that is no "
                "Sequential and holds none");
  if (segments < 1 || segments > count)
    return fail("a Sequential of " + llvm::Twine(count) +
                (count == 1 ? " module" : " modules") +
                " cannot be checkpointed in " + llvm::Twine(segments) +
                " segments");
  auto runAll = [](llvm::ArrayRef<Module::Child> some, Tensor value) {
    for (const Module::Child &child : some)
      value = (*child.module)(value);
    return value;
  };
  int64_t size = count / segments;
  for (int64_t k = 0; k + 1 < segments; ++k) {
    std::string name = "segment" + std::to_string(k + 1);
    x = block(joinPath(paths.lookup(&node), name), /*checkpointed=*/true, x,
              [&](llvm::ArrayRef<Tensor> arguments) {
                return Tensors{
                    runAll(children.slice(k * size, size), arguments.front())};
              })
            .front();
  }
  return runAll(children.drop_front((segments - 1) * size), x);
}

/// Returns the results of `body` for the inputs, named after `node`, as a block
/// if it is configured as one.
Tensors Trace::run(Module &node, llvm::ArrayRef<Tensor> inputs, Body body) {
  for (const Tensor &input : inputs)
    if (!input)
      return {input};
  auto found = paths.find(&node);
  if (found == paths.end())
    return {fail("a module is called that is not registered in the graph")};
  std::string path = found->second;
  llvm::StringRef blockPath = node.config().getBlockName();
  if (blockPath.empty())
    blockPath = path;
  running.push_back(path.empty() ? blockPath.str() : path);
  sg::OriginScope scope(builder, running.back());
  Tensors results;
  if (!node.config().isBlock())
    results = body(inputs);
  else if (blockPath.empty())
    results = {fail("a block needs a name: give config().block one")};
  else
    results = block(blockPath, node.config().activation_checkpointing(), inputs,
                    body);
  running.pop_back();
  return results;
}

Tensors Trace::block(llvm::StringRef path, bool checkpointed,
                     llvm::ArrayRef<Tensor> inputs,
                     llvm::function_ref<Tensors(llvm::ArrayRef<Tensor>)> body) {
  for (const Tensor &input : inputs)
    if (!input)
      return {input};
  Location loc = getLocation();
  auto draft =
      sg::SgModuleOp::create(builder, loc, TypeRange(), valuesOf(inputs), path);
  Region &region = draft.getBody();
  Tensors arguments, results;
  for (Value argument : region.getArguments())
    arguments.push_back(Tensor(*this, argument));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&region.front());
    results = body(arguments);
    for (const Tensor &result : results)
      if (!result || failedFlag)
        return {Tensor(*this, nullptr)};
    sg::YieldOp::create(builder, loc, valuesOf(results));
  }

  // Values from outside that the body reads become inputs.
  llvm::SmallVector<Value> operands = valuesOf(inputs);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(region, region, captured);
  for (Value value : captured) {
    operands.push_back(value);
    Value argument = region.addArgument(value.getType(), value.getLoc());
    replaceAllUsesInRegionWith(value, argument, region);
  }

  auto op = sg::SgModuleOp::create(
      builder, loc, draft.getYield()->getOperandTypes(), operands, path);
  op.getBody().takeBody(region);
  op.setActivationCheckpointing(checkpointed);
  draft.erase();
  Tensors outputs;
  for (Value result : op.getResults())
    outputs.push_back(Tensor(*this, result));
  return outputs;
}
