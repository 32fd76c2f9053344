//===- GradientSums.h - Gradients that add up where they are made -*- C++
//-*-===//
#ifndef REPRISE_IR_GRADIENTSUMS_H
#define REPRISE_IR_GRADIENTSUMS_H

#include "mlir/IR/Block.h"
#include <functional>

namespace reprise::sg {

/// Whether a library adds what an op computes to a tensor in that one's bytes.
using AddsInPlace = std::function<bool(mlir::Operation *)>;

/// Makes sg.conv2d_input_grad_add of an addition in f32 and a gradient for an
/// input that nothing else reads, where `adds` says so, the other operand is
/// another op's and not read any more, and no such sum is twice as large. The
/// gradients are left without users.
void addUpGradients(mlir::Block &block, const AddsInPlace &adds);

} // namespace reprise::sg

#endif // REPRISE_IR_GRADIENTSUMS_H
