//===- GradientSums.h - Gradients added in place by products ----*- C++ -*-===//
#ifndef REPRISE_PASSES_REWRITES_GRADIENTSUMS_H
#define REPRISE_PASSES_REWRITES_GRADIENTSUMS_H

#include "mlir/IR/Block.h"
#include <functional>

namespace reprise::sg {

/// Returns true if a library can add an op's result to a tensor in place.
using AddsInPlace = std::function<bool(mlir::Operation *)>;

/// Combines an addition in f32 and a gradient for an input that nothing else
/// reads into sg.conv2d_input_grad_add, if `adds` allows it, the other operand
/// is the result of another op and not read later, and no such sum is twice as
/// large. The gradients are left without users.
void addUpGradients(mlir::Block &block, const AddsInPlace &adds);

} // namespace reprise::sg

#endif // REPRISE_PASSES_REWRITES_GRADIENTSUMS_H
