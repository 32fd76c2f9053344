//===- Graph.cpp - A training graph ---------------------------------------===//

#include "reprise/NN/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "reprise/NN/Trace.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::nn;

static Type elementType(OpBuilder &builder, ElementType type) {
  switch (type) {
  case ElementType::F32:
    return builder.getF32Type();
  case ElementType::BF16:
    return builder.getBF16Type();
  case ElementType::F16:
    return builder.getF16Type();
  case ElementType::F64:
    return builder.getF64Type();
  case ElementType::I1:
    return builder.getI1Type();
  case ElementType::I8:
    return builder.getI8Type();
  case ElementType::I32:
    return builder.getI32Type();
  case ElementType::I64:
    return builder.getI64Type();
  }
  llvm_unreachable("unknown element type");
}

void Graph::input(std::string inputName, llvm::ArrayRef<int64_t> shape,
                  ElementType type, sg::BindingRole role) {
  inputs.push_back(
      {std::move(inputName), llvm::SmallVector<int64_t>(shape), type, role});
}

/// Returns "label" with its role, unless it is data.
static DictionaryAttr attributesOf(Builder &builder, llvm::StringRef name,
                                   sg::BindingRole role) {
  NamedAttrList attributes;
  attributes.set(sg::SgDialect::kNameAttr, builder.getStringAttr(name));
  if (role != sg::BindingRole::Data)
    attributes.set(
        sg::SgDialect::kBindingAttr,
        sg::BindingAttr::get(builder.getContext(), role, StringAttr()));
  return attributes.getDictionary(builder.getContext());
}

OwningOpRef<mlir::ModuleOp> Graph::emit(MLIRContext &context) {
  context.loadDialect<func::FuncDialect, sg::SgDialect>();
  OpBuilder builder(&context);
  Location loc = NameLoc::get(builder.getStringAttr(name));
  OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);

  llvm::SmallVector<Type> types;
  for (const Input &in : inputs) {
    if (llvm::any_of(in.shape, [](int64_t extent) { return extent < 1; })) {
      emitError(loc) << "input '" << in.name << "' has an extent below 1";
      return nullptr;
    }
    types.push_back(
        RankedTensorType::get(in.shape, elementType(builder, in.type)));
  }
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(builder, loc, name,
                                       builder.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);

  Trace trace(builder, *module, *this);
  Tensors arguments;
  for (auto [index, in] : llvm::enumerate(inputs)) {
    function.setArgAttrs(index, attributesOf(builder, in.name, in.role));
    arguments.push_back(Tensor(trace, entry->getArgument(index)));
  }
  std::vector<Output> outputs = build(arguments);
  llvm::SmallVector<Value> values;
  for (const Output &output : outputs)
    if (output.tensor)
      values.push_back(output.tensor.getValue());
  if (trace.hasFailed())
    return nullptr;
  if (values.size() != outputs.size()) {
    emitError(loc) << "an output of graph '" << name << "' is missing";
    return nullptr;
  }
  trace.finish();
  func::ReturnOp::create(builder, loc, values);
  function.setFunctionType(
      builder.getFunctionType(types, ValueRange(values).getTypes()));
  for (auto [index, output] : llvm::enumerate(outputs))
    function.setResultAttrs(index,
                            attributesOf(builder, output.name, output.role));
  if (failed(verify(*module)))
    return nullptr;
  return module;
}
