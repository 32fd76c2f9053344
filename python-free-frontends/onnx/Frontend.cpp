//===- Frontend.cpp - ONNX files as models of the driver ------------------===//
//
// The model's loss is the cross entropy of its only output, since a file of
// ONNX has none. 'reprise onnx import' has options for other choices.
//
//===----------------------------------------------------------------------===//

#include "reprise/NN/Frontend.h"
#include "mlir/IR/Diagnostics.h"
#include "reprise/Onnx/Import.h"
#include "reprise/Zoo/Zoo.h"

using namespace mlir;
using namespace reprise;

OwningOpRef<ModuleOp> frontend::loadOnnx(const frontend::Source &source) {
  Location loc = UnknownLoc::get(&source.context);
  onnx::ImportOptions options;
  options.batch = source.options.batch;
  options.loss = onnx::Loss::CrossEntropy;
  std::string error;
  std::optional<onnx::Imported> imported =
      onnx::importModel(source.context, source.name, options, error);
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
