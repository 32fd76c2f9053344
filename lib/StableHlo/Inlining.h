//===- Inlining.h - Ops that may be inlined ---------------------*- C++ -*-===//
#ifndef REPRISE_LIB_STABLEHLO_INLINING_H
#define REPRISE_LIB_STABLEHLO_INLINING_H

#include "mlir/Transforms/InliningUtils.h"

namespace reprise::stablehlo {

/// Every op may be inlined, with its regions.
struct Inlining : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool,
                       mlir::IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(mlir::Region *, mlir::Region *, bool,
                       mlir::IRMapping &) const final {
    return true;
  }
};

} // namespace reprise::stablehlo

#endif // REPRISE_LIB_STABLEHLO_INLINING_H
