//===- ModelChecks.h - Checks of the models of files ------------*- C++ -*-===//
#ifndef REPRISE_DRIVER_MODELCHECKS_H
#define REPRISE_DRIVER_MODELCHECKS_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace reprise::driver {

/// Returns true if the module of a file is a model: one function whose
/// arguments and results have distinct names, one result is the loss, and
/// parameters begin with finite values. Otherwise reports the reason. Warns of
/// constants that hold NaN.
bool checkModel(mlir::ModuleOp module, const std::string &path);

} // namespace reprise::driver

#endif // REPRISE_DRIVER_MODELCHECKS_H
