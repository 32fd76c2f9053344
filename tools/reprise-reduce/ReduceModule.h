//===- ReduceModule.h - Reduce a failing module -----------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_REDUCEMODULE_H
#define REPRISE_TOOLS_REDUCEMODULE_H

namespace reprise {

/// Registers the pass `reduction-tree` in place of MLIR's pass of that name,
/// which erases ops while others read their results, and then crashes.
void registerReductionPass();

} // namespace reprise

#endif // REPRISE_TOOLS_REDUCEMODULE_H
