//===- KernelTable.cpp - One kernel for each structure --------------------===//
#include "KernelTable.h"

#include "mlir/IR/IRMapping.h"
#include "reprise/IR/Sg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace reprise;

/// The computation of an op: several steps run one kernel, whatever the origin
/// of their ops.
static DictionaryAttr attributesOf(Operation &op) {
  NamedAttrList attributes(op.getAttrDictionary());
  attributes.erase(sg::SgDialect::kOriginAttr);
  return attributes.getDictionary(op.getContext());
}

KernelTable::Key KernelTable::keyOf(Block &body) {
  Key key;
  llvm::DenseMap<Value, std::uintptr_t> numbers;
  auto define = [&](Value value) {
    numbers.try_emplace(value, numbers.size());
    key.push_back(
        reinterpret_cast<std::uintptr_t>(value.getType().getAsOpaquePointer()));
  };
  key.push_back(body.getNumArguments());
  for (BlockArgument argument : body.getArguments())
    define(argument);
  for (Operation &op : body) {
    assert(op.getNumRegions() == 0 && "primitives have no regions");
    key.push_back(
        reinterpret_cast<std::uintptr_t>(op.getName().getAsOpaquePointer()));
    key.push_back(reinterpret_cast<std::uintptr_t>(
        attributesOf(op).getAsOpaquePointer()));
    key.push_back(op.getNumOperands());
    for (Value operand : op.getOperands())
      key.push_back(numbers.lookup(operand));
    key.push_back(op.getNumResults());
    for (Value result : op.getResults())
      define(result);
  }
  return key;
}

StringAttr KernelTable::create(sg::KernelOp kernel) {
  // A C identifier: it becomes a symbol of the code image.
  std::string name = "k" + std::to_string(symbols.size()) + "_";
  for (char c : kernel.getPath())
    name += llvm::isAlnum(c) ? c : '_';
  auto created = rt_dialect::KernelOp::create(builder, kernel.getLoc(), name);
  IRMapping mapping;
  kernel.getBody().cloneInto(&created.getBody(), mapping);
  for (Operation &op : created.getBody().front())
    op.removeAttr(sg::SgDialect::kOriginAttr);
  return created.getSymNameAttr();
}

StringAttr KernelTable::symbolOf(sg::KernelOp kernel) {
  Key key = keyOf(kernel.getBody().front());
  if (auto found = symbols.find(key); found != symbols.end())
    return found->second;
  StringAttr symbol = create(kernel);
  symbols.emplace(std::move(key), symbol);
  return symbol;
}
