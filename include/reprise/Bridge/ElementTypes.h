//===- ElementTypes.h - Element types of the compiler and the runtime -----===//
#ifndef REPRISE_BRIDGE_ELEMENTTYPES_H
#define REPRISE_BRIDGE_ELEMENTTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "reprise/Runtime/reprise.h"

namespace reprise {

/// Returns true if tensors of this element type can be stored: f32, bf16, f16,
/// f64, i1, i8, i32 and i64.
bool isElementType(mlir::Type element);

/// The runtime's name of such an element type.
rp_element_type elementTypeOf(mlir::Type element);

} // namespace reprise

#endif // REPRISE_BRIDGE_ELEMENTTYPES_H
