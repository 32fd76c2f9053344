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
#include "mlir/Interfaces/LoopLikeInterface.h"
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

/// The operand whose view the op's only result is, by attribute, interface or
/// default.
std::optional<unsigned> viewSourceOf(mlir::Operation *op);
/// The pairs of a result and an operand that `op` may compute in place, by
/// attribute, interface or default.
llvm::SmallVector<InPlacePair> inPlacePairsOf(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// Storage that bufferization gives to results (lib/IR/RematStorage.cpp)
//===----------------------------------------------------------------------===//

/// The destinations of `op` that its results may take over: those that `op`
/// reads through no other operand and in no region. `mayRead` says of another
/// operand of the same value that reading it does no harm.
llvm::SmallVector<InPlacePair>
destinationPairs(mlir::Operation *op,
                 llvm::function_ref<bool(mlir::OpOperand &destination,
                                         mlir::OpOperand &other)>
                     mayRead);

/// The storages that a result may share without a copy.
struct StorageSources {
  llvm::SmallVector<mlir::Value> values; // made outside of the op
  /// The op writes a destination: it shares the storage or copies all of it.
  bool isDestination = false;
  /// Deallocation frees the result at the end of its block only, since which
  /// of the storages it has is known when the program runs.
  bool isFreedAtEnd = false;
  /// Deallocation cannot tell it from any other storage of the block.
  bool isOpaque = false;
};
StorageSources storageSourcesOf(mlir::OpResult result);

/// Returns true if `op` makes a constant, or folding may turn it into one.
bool mayFoldToConstant(mlir::Operation *op);

/// Returns true if an op that reads `tensor` or a view of it may write its
/// storage.
bool mayBeWritten(mlir::Value tensor);

/// Returns true if all iterations of a loop keep this carried value in one
/// storage.
bool isCarriedInPlace(mlir::LoopLikeOpInterface loop, unsigned index);

/// Returns true if `op` reshapes a tensor. A reshape copies elements that are
/// not contiguous.
bool isReshape(mlir::Operation *op);

/// Returns true if the elements of a tensor are contiguous in memory whatever
/// the caller passes. Reshapes copy other tensors.
bool isContiguous(mlir::Value tensor);

/// Returns true if `op` only makes a tensor without content that ops of its
/// block write. Each use may have its own tensor.
bool isOnlyDestination(mlir::Operation *op);

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

/// Models of RematOpInterface for ops of linalg, tensor and tosa, attached when
/// their dialects are loaded.
void registerUpstreamModels(mlir::DialectRegistry &registry);

} // namespace reprise::remat

#endif // REPRISE_IR_REMAT_H
