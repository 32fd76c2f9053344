//===- Origin.h - Where an op comes from and when it runs -------*- C++ -*-===//
//
// What a pass may decide by is in attributes, and a verifier checks it:
//
//   sg.path    of an op within blocks: the leaf it belongs to, as the front end
//              calls it; without one an op belongs to the block around it
//   sg.origin  of an op of a flat function: path, phase and instance, from
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

/// Path of the leaf or of the innermost block an op belongs to, of a kernel
/// that of its last result; "" when it belongs to none.
llvm::StringRef pathOf(mlir::Operation *op);

/// When an op runs. What is inside of a kernel runs with the kernel.
Phase phaseOf(mlir::Operation *op);

/// The number of the innermost block, if the blocks are numbered.
std::optional<int64_t> instanceOf(mlir::Operation *op);

/// The origin as said by the op's own attribute; null when it has none.
OriginAttr originOf(mlir::Operation *op);
void setOrigin(mlir::Operation *op, OriginAttr origin);

/// Whether an op of a flat function must say where it comes from: all but
/// constants and reads, which cost nothing wherever they stand, and the end of
/// a block.
bool hasOrigin(mlir::Operation *op);

/// While it lives, what `builder` inserts belongs to the leaf of `source`, or
/// to the block that `source` is, and has its origin, unless it says otherwise
/// itself or the block around it does.
class OriginScope : private mlir::OpBuilder::Listener {
public:
  OriginScope(mlir::OpBuilder &builder, mlir::Operation *source);
  /// Of a leaf, for ops within blocks.
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

/// For messages. "file:line" of the source; "" when none is known.
std::string sourceOf(mlir::Location loc);

/// For messages. The outermost name in a location; "" when there is none.
llvm::StringRef nameIn(mlir::Location loc);

} // namespace reprise::sg

#endif // REPRISE_IR_ORIGIN_H
