//===- ModelValues.h - Checks of constants and initial values ---*- C++ -*-===//
#ifndef REPRISE_DRIVER_MODELVALUES_H
#define REPRISE_DRIVER_MODELVALUES_H

#include "mlir/IR/BuiltinOps.h"

namespace reprise::driver {

/// Warns of constants that hold NaN; infinity in a constant may be a mask's.
/// Returns false, with an error at the variable, if a parameter begins with a
/// value that is not finite.
bool checkModelValues(mlir::ModuleOp module);

} // namespace reprise::driver

#endif // REPRISE_DRIVER_MODELVALUES_H
