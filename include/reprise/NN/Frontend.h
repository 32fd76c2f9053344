//===- Frontend.h - Sources of models ---------------------------*- C++ -*-===//
#ifndef REPRISE_NN_FRONTEND_H
#define REPRISE_NN_FRONTEND_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace reprise::zoo {
struct ModelOptions;
} // namespace reprise::zoo

namespace reprise::frontend {

/// A model to load.
struct Source {
  std::string name; // a model's, or the path of a file that can be opened
  mlir::MLIRContext &context; // receives errors and warnings
  llvm::SourceMgr &texts;     // the files whose lines diagnostics show
  const zoo::ModelOptions &options;
};

/// The model options that a front end takes.
enum class Options {
  None, // the model is what its file says
  File, // of a network in a file: batch, classes, annotations, zoo::FileOptions
  Zoo   // all but zoo::FileOptions
};

/// Loads a model: a module of one function, whose arguments and results have
/// names and one result is the loss. Returns null after an error, which is
/// reported to the context.
using Load = mlir::OwningOpRef<mlir::ModuleOp>(const Source &);

#define FRONTEND(NAME, ENDING, OPTIONS) Load load##NAME;
#include "reprise/Frontends.def"
#undef FRONTEND

} // namespace reprise::frontend

#endif // REPRISE_NN_FRONTEND_H
