//===- StrippedLocations.h - Compiling without locations --------*- C++ -*-===//
//
// Nothing may be decided by a location. Here a compilation loses all of them
// before the first and after every pass, and its program must be the one that
// comes out with them.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_ENDTOEND_STRIPPEDLOCATIONS_H
#define REPRISE_TEST_ENDTOEND_STRIPPEDLOCATIONS_H

#include "reprise/Passes/Pipelines.h"
#include <string>

namespace reprise::end_to_end {

/// What strip-debuginfo does.
void stripLocations(mlir::Operation *op);

/// `options` with every pass manager removing all locations around each pass.
CompileOptions withoutLocations(CompileOptions options);

/// What is wrong, or "": lowers a clone of `model` without locations and
/// compares its text with that of `program`, which came out with them.
std::string compareStripped(mlir::ModuleOp model, mlir::ModuleOp program,
                            const CompileOptions &options);

} // namespace reprise::end_to_end

#endif // REPRISE_TEST_ENDTOEND_STRIPPEDLOCATIONS_H
