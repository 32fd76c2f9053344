//===- FuzzImport.cpp - Any bytes as an ONNX model ------------------------===//
//
// Input:   a model's bytes.
// Holds:   no crash; the file is imported, with a module that verifies, or
//          refused with a reason, for inference and for training.
//
//===----------------------------------------------------------------------===//
#include "../FuzzedFile.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "reprise/IR/Sg.h"
#include "reprise/Onnx/Import.h"

using namespace mlir;
using namespace reprise;

/// A context keeps every attribute it has seen, so none lives long.
static MLIRContext &freshContext() {
  constexpr unsigned kInputsOfAContext = 256;
  static std::unique_ptr<MLIRContext> context;
  static unsigned inputs = 0;
  if (!context || ++inputs % kInputsOfAContext == 0)
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  return *context;
}

static void import(const std::string &path,
                   const onnx::ImportOptions &options) {
  MLIRContext &context = freshContext();
  std::string error;
  std::optional<onnx::Imported> imported =
      onnx::importModel(context, path, options, error);
  fuzz::require(imported.has_value() == error.empty(), "an error has no text");
  if (!imported)
    return;
  fuzz::require(bool(imported->module) == imported->refusals.empty(),
                "a file is neither imported nor refused");
  for (const onnx::Refusal &refusal : imported->refusals)
    fuzz::require(!refusal.reason.empty(), "a refusal has no reason");
  if (imported->module)
    fuzz::require(succeeded(verify(*imported->module)),
                  "an imported module does not verify");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz::FuzzedFile file;
  file.write(data, size);
  onnx::ImportOptions options;
  import(file.path(), options);
  options.batch = 3;
  options.loss = onnx::Loss::SquaredError;
  import(file.path(), options);
  options.inspects = true;
  import(file.path(), options);
  return 0;
}
