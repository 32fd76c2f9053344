//===- Remat.h - What the planner asks of ops of any dialect ----*- C++ -*-===//
//
// An op answers by RematOpInterface, by discardable attributes of the remat
// dialect, or not at all; describeOp has the answer in each case. Another
// dialect joins by implementing the interface, or by external models.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_IR_REMAT_H
#define REPRISE_IR_REMAT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace reprise::remat {

enum class Phase { Forward, Backward };

/// How an op may run.
enum class Execution {
  Anywhere, // as often as wanted, wherever its operands exist
  Once,     // wherever its operands exist
  InOrder   // once, and in the order of all others like it
};

/// (result, operand).
using InPlacePair = std::pair<unsigned, unsigned>;

/// Bytes of a value of `type`: of the elements of a ranked tensor or a memref
/// of static shape, each in a power of two of whole bytes. Nothing where they
/// cannot be told: dynamic shapes, encodings, layouts, foreign elements, or
/// 2^56 bytes and more. None for a type that is no memory.
std::optional<uint64_t> bytesOf(mlir::Type type);

// The defaults of RematOpInterface, for any op.
uint64_t defaultFlops(mlir::Operation *op);
Execution defaultExecution(mlir::Operation *op);
std::optional<unsigned> defaultViewSource(mlir::Operation *op);
llvm::SmallVector<InPlacePair> defaultInPlacePairs(mlir::Operation *op);

/// Whether `op` reads the storage of an operand through that operand alone, but
/// for other operands for which `isElementwise` holds.
bool isReadThroughOneOperand(
    mlir::OpOperand &operand,
    llvm::function_ref<bool(mlir::OpOperand &)> isElementwise);

} // namespace reprise::remat

#include "reprise/IR/RematInterfaces.h.inc"

#include "reprise/IR/RematDialect.h.inc"
#define GET_OP_CLASSES
#include "reprise/IR/RematOps.h.inc"

namespace reprise::remat {

/// What an op answers, by attributes, by its interface or by the defaults.
struct OpFacts {
  std::optional<double> milliseconds;
  uint64_t flops = 0;
  llvm::SmallVector<uint64_t> resultBytes; // none of a view
  Execution execution = Execution::InOrder;
  std::optional<unsigned> viewSource;
  llvm::SmallVector<InPlacePair> inPlace;
  uint64_t workspaceBytes = 0;
  std::optional<Phase> phase;
};

/// Fails, with an error at the op, when the bytes of a result are not known or
/// what the op answers contradicts itself.
mlir::FailureOr<OpFacts> describeOp(mlir::Operation *op);

/// The most bytes of values made in the regions of `op` that live at once: of
/// one region and one iteration of a loop, without what a branch yields. Fails,
/// with an error at the inner op, when the bytes of a result are not known.
mlir::FailureOr<uint64_t> bytesMadeInside(mlir::Operation *op);

/// Models of RematOpInterface for ops of linalg, tensor and tosa, attached when
/// their dialects are loaded.
void registerUpstreamModels(mlir::DialectRegistry &registry);

} // namespace reprise::remat

#endif // REPRISE_IR_REMAT_H
