//===- Fuse.h - Composite ops to kernels ------------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_FUSE_H
#define REPRISE_PASSES_FUSE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "reprise/IR/Sg.h"

namespace reprise {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "reprise/Passes/FusePasses.h.inc"

/// Patterns that replace composite ops, those with a DecomposeOpInterface that
/// are not pointwise, by what they are made of. For any driver; sg-decompose
/// applies them by walks, which fold and merge nothing.
void populateDecomposePatterns(mlir::RewritePatternSet &patterns);

/// Patterns that make two reductions of a large one along leading dimensions,
/// the first of which has parts for several threads. Where to split depends on
/// the shape alone, and so does the order of sums: apply these where
/// sg-decompose would, or nowhere. None matches what another has made.
/// Sums of columns stay whole for a target whose kernels add them by parts.
enum class ColumnSums { Split, Whole };
void populateSplitReductionPatterns(mlir::RewritePatternSet &patterns,
                                    ColumnSums columns);

} // namespace reprise

#endif // REPRISE_PASSES_FUSE_H
