//===- KernelTable.h - Kernels of equal structure are one -------*- C++ -*-===//
#ifndef REPRISE_LIB_BRIDGE_KERNELTABLE_H
#define REPRISE_LIB_BRIDGE_KERNELTABLE_H

#include "reprise/IR/Rt.h"
#include <map>

namespace reprise {

/// Makes one rt.kernel for all sg.kernels of equal bodies, which may differ in
/// locations and in the numbering of their values.
class KernelTable {
public:
  /// New kernels are created by `builder`, where it stands.
  explicit KernelTable(mlir::OpBuilder builder) : builder(builder) {}

  /// The symbol of the kernel with this body.
  mlir::StringAttr symbolOf(sg::KernelOp kernel);

private:
  /// Uniqued pointers and value numbers: equal if and only if the bodies are.
  /// Only looked up, never iterated, so that their order is of no consequence.
  using Key = std::vector<std::uintptr_t>;
  static Key keyOf(mlir::Block &body);
  mlir::StringAttr create(sg::KernelOp kernel);

  mlir::OpBuilder builder;
  std::map<Key, mlir::StringAttr> symbols;
};

} // namespace reprise

#endif // REPRISE_LIB_BRIDGE_KERNELTABLE_H
