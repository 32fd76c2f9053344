//===- ElementTypes.h - Element types of the compiler and the runtime -----===//
#ifndef REPRISE_BRIDGE_ELEMENTTYPES_H
#define REPRISE_BRIDGE_ELEMENTTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "reprise/Runtime/reprise.h"

namespace reprise {

/// The runtime's name of an element type of sg.
rp_element_type elementTypeOf(mlir::Type element);

} // namespace reprise

#endif // REPRISE_BRIDGE_ELEMENTTYPES_H
