//===- Algorithms.h - Choices of algorithms ---------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_ALGORITHMS_H
#define REPRISE_PASSES_ALGORITHMS_H

#include "mlir/Pass/Pass.h"

namespace reprise {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "reprise/Passes/AlgorithmsPasses.h.inc"

} // namespace reprise

#endif // REPRISE_PASSES_ALGORITHMS_H
