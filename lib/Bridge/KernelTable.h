//===- KernelTable.h - One kernel for each structure ------------*- C++ -*-===//
#ifndef REPRISE_LIB_BRIDGE_KERNELTABLE_H
#define REPRISE_LIB_BRIDGE_KERNELTABLE_H

#include "reprise/IR/Rt.h"
#include <map>

namespace reprise {

/// Creates one rt.kernel for all sg.kernels with equal bodies, which may differ
/// in locations and in the numbering of their values.
class KernelTable {
public:
  /// New kernels are created at the insertion point of `builder`.
  explicit KernelTable(mlir::OpBuilder builder) : builder(builder) {}

  /// The symbol of the kernel with this body.
  mlir::StringAttr symbolOf(sg::KernelOp kernel);

private:
  /// Uniqued pointers and value numbers: equal if and only if the bodies are.
  /// Only looked up, never iterated, so that their order does not matter.
  using Key = std::vector<std::uintptr_t>;
  static Key keyOf(mlir::Block &body);
  mlir::StringAttr create(sg::KernelOp kernel);

  mlir::OpBuilder builder;
  std::map<Key, mlir::StringAttr> symbols;
};

} // namespace reprise

#endif // REPRISE_LIB_BRIDGE_KERNELTABLE_H
