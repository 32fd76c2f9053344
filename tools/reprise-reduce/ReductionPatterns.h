//===- ReductionPatterns.h - Simpler forms of sg ops ------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_REDUCTIONPATTERNS_H
#define REPRISE_TOOLS_REDUCTIONPATTERNS_H

#include "mlir/IR/DialectRegistry.h"

namespace reprise {

/// Lets the reducer replace an op's results by constants, and dissolve blocks.
void registerReductionPatterns(mlir::DialectRegistry &registry);

} // namespace reprise

#endif // REPRISE_TOOLS_REDUCTIONPATTERNS_H
