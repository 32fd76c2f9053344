//===- MutateModule.h - Mutations of parsed IR ------------------*- C++ -*-===//
#ifndef REPRISE_FUZZ_MUTATEMODULE_H
#define REPRISE_FUZZ_MUTATEMODULE_H

#include "../ir/MutateText.h"
#include "mlir/IR/BuiltinOps.h"

namespace reprise::fuzz {

/// Changes `module` at one place: an op goes, comes twice, moves or reads
/// another value of the same type, an attribute goes, a function has another
/// argument. The result need not verify.
void mutateModule(mlir::ModuleOp module, Random &random);

} // namespace reprise::fuzz

#endif // REPRISE_FUZZ_MUTATEMODULE_H
