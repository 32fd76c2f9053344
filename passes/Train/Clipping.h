//===- Clipping.h - Gradients of a bounded norm -----------------*- C++ -*-===//
//
// Clipping of all gradients together (Pascanu et al. 2013, arXiv 1211.5063), to
// a norm that is given or that follows from earlier steps. The averages are
// variables of the program, so that states hold them.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_TRAIN_CLIPPING_H
#define REPRISE_PASSES_TRAIN_CLIPPING_H

#include "ApplyOptimizer.h"
#include "reprise/Analysis/TrainingNote.h"

namespace reprise::sg {

/// The name of the result with the norm, and the prefix of the names of
/// variables.
inline constexpr llvm::StringLiteral kGradientNorm = "gradient_norm";

/// Returns the error in the numbers; empty if there is none.
std::string findWrong(const Clipping &clipping);

/// Fails where something else has the name of the result or of a variable.
mlir::LogicalResult checkClipping(mlir::func::FuncOp function,
                                  mlir::SymbolTable &symbols,
                                  const Clipping &clipping);

struct ClippedStep {
  mlir::Value norm;  // before clipping, an f32 scalar
  mlir::Value scale; // factor for gradients, an f32 scalar
};

/// Declares the variables and emits the norm, the scale and the next average.
ClippedStep emitClipping(mlir::OpBuilder &builder,
                         llvm::ArrayRef<ParameterGradient> gradients,
                         mlir::SymbolTable &symbols, const Clipping &clipping);

/// Returns `x` in f32, cast only if necessary.
mlir::Value toF32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);

/// Returns the sum over all elements.
mlir::Value sumOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_CLIPPING_H
