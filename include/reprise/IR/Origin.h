//===- Origin.h - The origin and phase of an op -----------------*- C++ -*-===//
//
// The facts that passes may base decisions on are in attributes, and a verifier
// checks them:
//
//   sg.path    on an op within blocks: the leaf it belongs to, as the front end
//              calls it; without one an op belongs to the block around it
//   sg.origin  on an op of a flat function: path, phase and instance, from
//              sg-flatten on
//
// Locations are for people to read.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_IR_ORIGIN_H
#define REPRISE_IR_ORIGIN_H

#include "mlir/IR/Builders.h"
#include "reprise/IR/Sg.h"
#include <string>

namespace reprise::sg {

/// The path of the leaf or of the innermost block that an op belongs to; for a
/// kernel, that of its last result; "" if it belongs to none.
llvm::StringRef pathOf(mlir::Operation *op);

/// The phase in which an op runs. Ops inside a kernel run with the kernel.
Phase phaseOf(mlir::Operation *op);

/// The number of the innermost block, if the blocks are numbered.
std::optional<int64_t> instanceOf(mlir::Operation *op);

/// The origin in the op's own attribute; null if it has none.
OriginAttr originOf(mlir::Operation *op);
void setOrigin(mlir::Operation *op, OriginAttr origin);

/// Returns true if an op of a flat function must have an origin: all but
/// constants and reads, which cost nothing anywhere, and terminators.
bool hasOrigin(mlir::Operation *op);

/// While it exists, the ops that `builder` inserts belong to the leaf of
/// `source`, or to the block `source`, and have its origin, unless they or the
/// block around them have one of their own.
class OriginScope : private mlir::OpBuilder::Listener {
public:
  OriginScope(mlir::OpBuilder &builder, mlir::Operation *source);
  /// Sets the path of a leaf, for ops within blocks.
  OriginScope(mlir::OpBuilder &builder, llvm::StringRef path);
  ~OriginScope() override;
  OriginScope(const OriginScope &) = delete;
  OriginScope &operator=(const OriginScope &) = delete;

private:
  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint previous) override;

  mlir::OpBuilder &builder;
  mlir::OpBuilder::Listener *outer;
  mlir::StringAttr path; // null: none
  OriginAttr origin;     // null: none
};

/// "file:line" of the source, for messages; "" if unknown.
std::string sourceOf(mlir::Location loc);

/// The outermost name in a location, for messages; "" if there is none.
llvm::StringRef nameIn(mlir::Location loc);

} // namespace reprise::sg

#endif // REPRISE_IR_ORIGIN_H
