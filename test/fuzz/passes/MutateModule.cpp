//===- MutateModule.cpp - Mutations of parsed IR --------------------------===//
#include "MutateModule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace reprise::fuzz;

/// Ops below the module that may go or move: no functions, no terminators.
static std::vector<Operation *> findOps(mlir::ModuleOp module) {
  std::vector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (op != module && !op->hasTrait<OpTrait::IsTerminator>())
      ops.push_back(op);
  });
  return ops;
}

template <typename T>
static const T &pick(const std::vector<T> &from, Random &random) {
  return from[random() % from.size()];
}

/// Values of `type` that `user`, or ops behind it in its block, may read; what
/// they may not read as well, sometimes: the verifier tells.
static std::vector<Value> findValues(Operation *user, Type type) {
  std::vector<Value> found;
  auto add = [&](Value value) {
    if (value.getType() == type)
      found.push_back(value);
  };
  for (Value argument : user->getBlock()->getArguments())
    add(argument);
  for (Operation &op : *user->getBlock()) {
    if (&op == user)
      break;
    for (Value result : op.getResults())
      add(result);
  }
  return found;
}

static void readAnotherValue(Operation *op, Random &random) {
  if (op->getNumOperands() == 0)
    return;
  OpOperand &operand = op->getOpOperand(random() % op->getNumOperands());
  std::vector<Value> values = findValues(op, operand.get().getType());
  if (!values.empty())
    operand.set(pick(values, random));
}

static void eraseOp(Operation *op, Random &random) {
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    std::vector<Value> values = findValues(op, result.getType());
    if (values.empty())
      return;
    result.replaceAllUsesWith(pick(values, random));
  }
  op->erase();
}

static void moveOp(Operation *op, Random &random) {
  Block *block = op->getBlock();
  size_t count = block->getOperations().size();
  op->moveBefore(&*std::next(block->begin(), random() % count));
}

/// An op that no parser makes lacks attributes with defaults, so only others
/// go.
static void dropAttribute(Operation *op, Random &random) {
  SmallVector<NamedAttribute> attributes(op->getDiscardableAttrs());
  if (!attributes.empty())
    op->removeDiscardableAttr(
        attributes[random() % attributes.size()].getName());
}

static Type foreignType(MLIRContext *context, Random &random) {
  Type single = Float32Type::get(context);
  switch (random() % 6) {
  case 0:
    return RankedTensorType::get({4}, ComplexType::get(single));
  case 1:
    return UnrankedTensorType::get(single);
  case 2:
    return RankedTensorType::get({ShapedType::kDynamic}, single);
  case 3:
    return IndexType::get(context);
  case 4:
    return RankedTensorType::get({INT32_MAX, INT32_MAX, INT32_MAX}, single);
  default:
    return RankedTensorType::get({4}, IndexType::get(context));
  }
}

static void addArgument(mlir::ModuleOp module, Random &random) {
  std::vector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    functions.push_back(function);
  if (functions.empty())
    return;
  func::FuncOp function = pick(functions, random);
  (void)function.insertArgument(
      function.getNumArguments(), foreignType(module.getContext(), random),
      DictionaryAttr::get(module.getContext()), function.getLoc());
}

void reprise::fuzz::mutateModule(mlir::ModuleOp module, Random &random) {
  std::vector<Operation *> ops = findOps(module);
  if (ops.empty())
    return;
  Operation *op = pick(ops, random);
  switch (random() % 8) {
  case 0:
  case 1:
  case 2:
    return readAnotherValue(op, random);
  case 3:
    return eraseOp(op, random);
  case 4:
    return moveOp(op, random);
  case 5:
    op->getBlock()->getOperations().insert(Block::iterator(op), op->clone());
    return;
  case 6:
    return dropAttribute(op, random);
  case 7:
    return addArgument(module, random);
  }
}
