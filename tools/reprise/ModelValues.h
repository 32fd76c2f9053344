//===- ModelValues.h - Checks of constants and initial values ---*- C++ -*-===//
#ifndef REPRISE_TOOLS_MODELVALUES_H
#define REPRISE_TOOLS_MODELVALUES_H

#include "mlir/IR/BuiltinOps.h"

namespace reprise::tools {

/// Warns of constants that hold NaN; infinity in a constant may be a mask's.
/// Returns false, with an error at the variable, if a parameter begins with a
/// value that is not finite.
bool checkModelValues(mlir::ModuleOp module);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_MODELVALUES_H
