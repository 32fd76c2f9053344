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
/// The same for pairs.
llvm::SmallVector<InPlacePair> inPlacePairsOf(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// What bufferization makes of results (lib/IR/RematStorage.cpp)
//===----------------------------------------------------------------------===//

/// The destinations of `op` that its results may take over: those that `op`
/// reads through no other operand and in no region. `mayRead` says of another
/// operand of the same value that reading it does no harm.
llvm::SmallVector<InPlacePair>
destinationPairs(mlir::Operation *op,
                 llvm::function_ref<bool(mlir::OpOperand &destination,
                                         mlir::OpOperand &other)>
                     mayRead);

/// Where a result may be stored without a copy.
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

/// Whether `op` makes a constant, or folding may turn it into one.
bool mayFoldToConstant(mlir::Operation *op);

/// Whether an op that reads `tensor`, or a view of it, may write its storage.
bool mayBeWritten(mlir::Value tensor);

/// Whether all iterations of a loop have this carried value in one storage.
bool isCarriedInPlace(mlir::LoopLikeOpInterface loop, unsigned index);

/// Whether `op` reshapes a tensor: it copies what does not lie contiguously.
bool isReshape(mlir::Operation *op);

/// Whether the elements of a tensor lie in memory one after another, whatever
/// the caller passes: what reshapes others copies them.
bool isContiguous(mlir::Value tensor);

/// Whether `op` makes a tensor of no content that ops of its block write, and
/// nothing else. Each use may have a tensor of its own.
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
