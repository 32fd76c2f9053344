//===- Origin.h - Where a flat op came from ---------------------*- C++ -*-===//
//
// After sg-flatten an op's location is
//
//   fused<#sg.phase<recompute>>["layer1.0.conv1"(file.mlir:7:3)]
//
// a name (the leaf's where the front end gave one, else the block's path)
// around the source, and the phase as metadata around it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_ORIGIN_H
#define REPRISE_PASSES_ORIGIN_H

#include "mlir/IR/Location.h"
#include "reprise/IR/Sg.h"
#include <string>

namespace reprise::sg {

/// `loc` with a name, unless it has one.
mlir::Location withName(mlir::Location loc, llvm::StringRef name);

/// `loc` with a name, unless it has one, and a phase, unless it has one.
mlir::Location withOrigin(mlir::Location loc, llvm::StringRef path,
                          Phase phase);

/// The name of the leaf or block; "" when none is known.
llvm::StringRef originPath(mlir::Location loc);

/// The phase; forward when none is known.
Phase originPhase(mlir::Location loc);

/// "file:line" of the source; "" when none is known.
std::string originSource(mlir::Location loc);

} // namespace reprise::sg

#endif // REPRISE_PASSES_ORIGIN_H
