//===- ReduceModule.h - A smaller module that still fails -------*- C++ -*-===//
#ifndef REPRISE_TOOLS_REDUCEMODULE_H
#define REPRISE_TOOLS_REDUCEMODULE_H

namespace reprise {

/// Registers the pass `reduction-tree`, in place of the pass of that name in
/// MLIR, which erases ops while others read their results, and then crashes.
void registerReductionPass();

} // namespace reprise

#endif // REPRISE_TOOLS_REDUCEMODULE_H
