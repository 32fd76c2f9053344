//===- Registration.h - What every MLIR tool of Reprise knows -----*- C++
//-*-===//
#ifndef REPRISE_TOOLS_REGISTRATION_H
#define REPRISE_TOOLS_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace reprise {

/// Reprise's dialects and the upstream dialects of its input.
void registerDialects(mlir::DialectRegistry &registry);

/// Reprise's passes, by name.
void registerPasses();

} // namespace reprise

#endif // REPRISE_TOOLS_REGISTRATION_H
