//===- Clipping.h - Gradients of a bounded norm -----------------*- C++ -*-===//
//
// Clipping of all gradients together (Pascanu et al. 2013, arXiv 1211.5063), to
// a norm that is given or that follows from the steps before. The averages are
// variables of the program, so that states hold them.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_TRAIN_CLIPPING_H
#define REPRISE_PASSES_TRAIN_CLIPPING_H

#include "ApplyOptimizer.h"
#include "reprise/Analysis/TrainingNote.h"

namespace reprise::sg {

/// The name of the result that is the norm, and the first part of those of
/// variables.
inline constexpr llvm::StringLiteral kGradientNorm = "gradient_norm";

/// What is wrong with the numbers; empty when nothing is.
std::string findWrong(const Clipping &clipping);

/// Fails where something else has the name of the result or of a variable.
mlir::LogicalResult checkClipping(mlir::func::FuncOp function,
                                  mlir::SymbolTable &symbols,
                                  const Clipping &clipping);

struct ClippedStep {
  mlir::Value norm;  // before clipping, an f32 scalar
  mlir::Value scale; // what gradients are to be multiplied by, an f32 scalar
};

/// Declares the variables and emits the norm, the scale and the next average.
ClippedStep emitClipping(mlir::OpBuilder &builder,
                         llvm::ArrayRef<ParameterGradient> gradients,
                         mlir::SymbolTable &symbols, const Clipping &clipping);

/// In f32; of another shape none.
mlir::Value toF32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);

/// Over all elements.
mlir::Value sumOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_CLIPPING_H
