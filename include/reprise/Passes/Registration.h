//===- Registration.h - Dialects and passes, all at once --------*- C++ -*-===//
//
// Registers the dialects and passes of Reprise's tools in other compilers.
// The library is Reprise::RepriseRegistration.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_REGISTRATION_H
#define REPRISE_PASSES_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace reprise {

/// Registers Reprise's dialects, the upstream dialects that its tools read
/// (affine, arith, cf, func, linalg, math, memref, scf, tensor and tosa), and
/// the models of upstream ops for remat-to-budget.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers Reprise's passes and pipelines by name, and the devices that they
/// compile for. A program that creates passes itself needs registerAllTargets()
/// of reprise/Target/Target.h instead.
void registerPasses();

} // namespace reprise

#endif // REPRISE_PASSES_REGISTRATION_H
