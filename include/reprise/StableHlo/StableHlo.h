//===- StableHlo.h - The subset of StableHLO that steps use -----*- C++ -*-===//
#ifndef REPRISE_STABLEHLO_STABLEHLO_H
#define REPRISE_STABLEHLO_STABLEHLO_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "reprise/IR/Remat.h"

namespace reprise::stablehlo {

/// Returns true for an array of i64, or elements of that type.
bool isI64List(mlir::Attribute attribute);
/// Returns true for an array of i1, or elements of that type.
bool isFlagList(mlir::Attribute attribute);
/// The numbers of such a list in row-major order; none of a null attribute.
llvm::SmallVector<int64_t> integersOf(mlir::Attribute list);

/// Pairs of the first result and each operand of its type.
llvm::SmallVector<remat::InPlacePair> pairsOfSameType(mlir::Operation *op);

/// Adds stablehlo, chlo and sdy to a registry, unless it has dialects of these
/// names: those of the StableHLO project itself and of Shardy.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace reprise::stablehlo

#include "reprise/StableHlo/ChloDialect.h.inc"
#include "reprise/StableHlo/SdyDialect.h.inc"
#include "reprise/StableHlo/StableHloDialect.h.inc"
#include "reprise/StableHlo/StableHloEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "reprise/StableHlo/StableHloAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "reprise/StableHlo/StableHloTypes.h.inc"
#define GET_OP_CLASSES
#include "reprise/StableHlo/StableHloOps.h.inc"
#define GET_OP_CLASSES
#include "reprise/StableHlo/ChloOps.h.inc"
#define GET_OP_CLASSES
#include "reprise/StableHlo/SdyOps.h.inc"

#endif // REPRISE_STABLEHLO_STABLEHLO_H
