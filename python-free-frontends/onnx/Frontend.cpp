//===- Frontend.cpp - ONNX files as models of the driver ------------------===//
//
// A file of ONNX has no loss: a model's is the cross entropy of its only output
// unless options say otherwise.
//
//===----------------------------------------------------------------------===//

#include "reprise/NN/Frontend.h"
#include "mlir/IR/Diagnostics.h"
#include "reprise/Onnx/Import.h"
#include "reprise/Zoo/Zoo.h"

using namespace mlir;
using namespace reprise;

std::optional<onnx::Loss> onnx::parseLoss(const std::string &word) {
  if (word == "cross-entropy")
    return Loss::CrossEntropy;
  if (word == "bce")
    return Loss::BinaryCrossEntropy;
  if (word == "mse")
    return Loss::SquaredError;
  return std::nullopt;
}

onnx::ImportOptions onnx::importOptionsOf(const zoo::ModelOptions &options,
                                          Loss otherwise) {
  ImportOptions import;
  import.batch = options.batch;
  import.classes = options.classes;
  import.annotate = options.annotate.value_or(zoo::Annotate::Stages);
  import.shapes = options.file.shapes;
  import.values = options.file.values;
  import.loss = options.file.loss
                    ? parseLoss(*options.file.loss).value_or(otherwise)
                    : otherwise;
  import.isLossAssumed = !options.file.loss;
  import.logits = options.file.logits.value_or("");
  import.label = options.file.label.value_or("label");
  return import;
}

OwningOpRef<ModuleOp> frontend::loadOnnx(const frontend::Source &source) {
  Location loc = UnknownLoc::get(&source.context);
  std::string error;
  std::optional<onnx::Imported> imported = onnx::importModel(
      source.context, source.name,
      onnx::importOptionsOf(source.options, onnx::Loss::CrossEntropy), error);
  if (!imported) {
    emitError(loc) << error;
    return nullptr;
  }
  if (!imported->refusals.empty())
    emitError(loc) << "'" << source.name << "' cannot be imported";
  for (const onnx::Refusal &refusal : imported->refusals)
    emitError(loc) << onnx::textOf(refusal);
  // The driver shows remarks that have the file's name.
  loc = NameLoc::get(StringAttr::get(&source.context, source.name));
  for (const std::string &note : imported->notes)
    emitRemark(loc) << note;
  return std::move(imported->module);
}
