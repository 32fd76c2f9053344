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
/// are not pointwise, by their decompositions. They work with any driver;
/// sg-decompose applies them by walks, which neither fold nor merge.
void populateDecomposePatterns(mlir::RewritePatternSet &patterns);

/// Patterns that split a large reduction along leading dimensions into two, the
/// first of which has parts for several threads. The split depends on the shape
/// alone, and so does the order of sums: apply these where sg-decompose would,
/// or nowhere. None matches the result of another. Sums of columns stay whole
/// for a target whose kernels add them by parts.
enum class ColumnSums { Split, Whole };
void populateSplitReductionPatterns(mlir::RewritePatternSet &patterns,
                                    ColumnSums columns);

} // namespace reprise

#endif // REPRISE_PASSES_FUSE_H
