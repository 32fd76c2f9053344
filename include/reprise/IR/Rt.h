//===- Rt.h - The rt dialect ------------------------------------*- C++ -*-===//
#ifndef REPRISE_IR_RT_H
#define REPRISE_IR_RT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "reprise/IR/Sg.h"
#include "reprise/LibraryFunctions.h"
#include "reprise/Limits.h"

#include "reprise/IR/RtDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "reprise/IR/RtAttrs.h.inc"

namespace reprise::rt_dialect {
/// Returns true if the arena can hold a value of this type: a statically shaped
/// tensor of one of sg's element types.
bool isStorable(mlir::Type type);

/// The reason that bytes of a kind are in memory; none if it depends on the
/// value.
std::optional<Reason> reasonOf(BufferKind kind);
} // namespace reprise::rt_dialect

#include "reprise/IR/RtInterfaces.h.inc"
#define GET_OP_CLASSES
#include "reprise/IR/RtOps.h.inc"

#endif // REPRISE_IR_RT_H
