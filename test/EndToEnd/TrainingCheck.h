//===- TrainingCheck.h - One graph through all modes ------------*- C++ -*-===//
//
// What checkpointing promises, checked on one model: every mode trains to the
// same bits, uses the bytes that were predicted, changes and reads none but its
// operands, and agrees with the reference evaluator.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_ENDTOEND_TRAININGCHECK_H
#define REPRISE_TEST_ENDTOEND_TRAININGCHECK_H

#include "CompiledRun.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::end_to_end {

/// The modes of sg-assign-checkpointing that are compared, `none` first.
std::vector<std::string> allModes();

/// No recomputation, and eight budgets from the smallest on.
std::vector<std::string> budgetModes();

/// What is wrong with training `model` for three steps in `modes`, or "".
/// Variables and inputs come from `seed`.
///
/// Bits are compared with the first mode's: outputs and variables after each
/// step, of each mode and of a schedule that takes another mode at each step.
/// Values are compared with the evaluator in double precision, which takes
/// every step from the variables that the program had before it, momentum
/// included, so that errors of one step are not those of the next: the loss
/// within 1e-4 of its size, each variable within 5e-3 of the largest element of
/// its update plus 1e-5 of its own. Kernels round every op to 24 bits; a graph
/// is some hundred ops deep and sums some thousand elements, so errors of 1e-4
/// are usual, and a wrong derivative is wrong by the order of the update. Five
/// times what rounding every op changes in the evaluator's own is added: a
/// gradient that cancels, as that of a scale which another normalization takes
/// out again, is nothing else.
///
/// Where values are bf16, of 8 bits, the evaluator rounds every op's results as
/// well. A sum that ends on the other side of a tie is then another number by
/// 1/256, which the layers behind it carry on, and a maximum or a relu that
/// falls otherwise moves a gradient: the loss within 2e-2, the distance of each
/// variable within a quarter of its update's length, and again five times what
/// this rounding changes, or variables that are off by half a place of bf16:
/// the sum of what a normalization behind takes out has no other size than
/// that. So it is where kept values are rounded, with a tenth of the longest
/// update more.
std::string checkTraining(mlir::ModuleOp model, uint64_t seed,
                          const std::vector<std::string> &modes,
                          Twin twin = Twin::None);

/// The values that checkTraining gives to variables and inputs.
ByteStore variablesOf(mlir::ModuleOp model, uint64_t seed);
ByteStore inputsOf(mlir::ModuleOp model, uint64_t seed);

/// The parts of checkTraining: the first difference of two runs' outputs and
/// variables, and of any of a run's steps from the reference's; the first step
/// begins with the values of `seed`.
std::string compareBits(const CompiledRun &a, const CompiledRun &b);
std::string compareWithReference(mlir::ModuleOp model, uint64_t seed,
                                 const CompiledRun &run);

/// The smallest model found that still fails in the way of `wrong`, a result of
/// checkTraining, by dropping ops one by one.
mlir::OwningOpRef<mlir::ModuleOp> reduceTraining(mlir::ModuleOp model,
                                                 uint64_t seed,
                                                 const std::string &wrong,
                                                 Twin twin = Twin::None);

} // namespace reprise::end_to_end

#endif // REPRISE_TEST_ENDTOEND_TRAININGCHECK_H
