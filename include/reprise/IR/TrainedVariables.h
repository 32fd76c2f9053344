//===- TrainedVariables.h - Notes on a variable's training ------*- C++ -*-===//
//
// Discardable attributes of sg.variable ops of role parameter, which
// sg-select-parameters sets or a model says itself. sg-differentiate reads
// them.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_IR_TRAINEDVARIABLES_H
#define REPRISE_IR_TRAINEDVARIABLES_H

#include "reprise/IR/Sg.h"

namespace reprise::sg {

/// A unit: training leaves the parameter unchanged and computes no gradient of
/// it.
inline constexpr llvm::StringLiteral kFrozenAttr = "sg.frozen";
/// An f64 above 0: the factor of the learning rate of the parameter's updates;
/// 1 if absent.
inline constexpr llvm::StringLiteral kRateScaleAttr = "sg.rate_scale";

/// Returns true if training changes the variable by its gradient.
bool isTrained(VariableOp variable);
double rateScaleOf(VariableOp variable);

/// Returns true if the attribute is one of these, in its form, on a parameter.
bool isTrainingNote(mlir::Operation *op, mlir::NamedAttribute attribute);

} // namespace reprise::sg

#endif // REPRISE_IR_TRAINEDVARIABLES_H
