//===- Remat.h - The planner's facts about ops of any dialect ---*- C++ -*-===//
//
// An op provides its facts by RematOpInterface, by discardable attributes of
// the remat dialect, or not at all; describeOp returns them in each case.
// Another dialect joins by implementing the interface, or by external models.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_IR_REMAT_H
#define REPRISE_IR_REMAT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "reprise/ProgramTerms.h"

#include <optional>

namespace reprise::remat {

/// The number of times an op may run, and in which order.
enum class Execution {
  Anywhere, // any number of times, wherever its operands exist
  Once,     // once, wherever its operands exist
  InOrder   // once, in program order with the other ops of this kind
};

/// (result, operand).
using InPlacePair = std::pair<unsigned, unsigned>;

/// Bytes of a value of `type`: of the elements of a ranked tensor or a memref
/// of static shape, each in a power of two of whole bytes. Nothing if they are
/// unknown: dynamic shapes, encodings, layouts, foreign elements, or 2^56 bytes
/// and more. 0 for a type that occupies no memory.
std::optional<uint64_t> bytesOf(mlir::Type type);

// The defaults of RematOpInterface, for any op.
uint64_t defaultFlops(mlir::Operation *op);
Execution defaultExecution(mlir::Operation *op);
std::optional<unsigned> defaultViewSource(mlir::Operation *op);
llvm::SmallVector<InPlacePair> defaultInPlacePairs(mlir::Operation *op);

/// The operand that the op's only result is a view of, by attribute, interface
/// or default.
std::optional<unsigned> viewSourceOf(mlir::Operation *op);
/// The pairs of a result and an operand that `op` may compute in place, by
/// attribute, interface or default.
llvm::SmallVector<InPlacePair> inPlacePairsOf(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// Storage that bufferization gives to results (lib/IR/RematStorage.cpp)
//===----------------------------------------------------------------------===//

/// The destinations of `op` that its results may take over: those that `op`
/// reads through no other operand and in no region. `mayRead` returns true for
/// another operand of the same value if reading it is harmless.
llvm::SmallVector<InPlacePair>
destinationPairs(mlir::Operation *op,
                 llvm::function_ref<bool(mlir::OpOperand &destination,
                                         mlir::OpOperand &other)>
                     mayRead);

/// The storages that a result may share without a copy.
struct StorageSources {
  llvm::SmallVector<mlir::Value> values; // created outside the op
  /// The op writes a destination: it shares the storage or copies all of it.
  bool isDestination = false;
  /// Deallocation frees the result only at the end of its block, since which of
  /// the storages it has is known only at run time.
  bool isFreedAtEnd = false;
  /// Deallocation cannot distinguish it from any other storage of the block.
  bool isOpaque = false;
};
StorageSources storageSourcesOf(mlir::OpResult result);

/// Returns true if `op` creates a constant, or folding may turn it into one.
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

/// For each result of a function, the argument whose storage its caller gives
/// up for it, or nothing: `tf.aliasing_output` of an argument numbers a result;
/// an argument with `jax.buffer_donor` is for the first result of its type that
/// no other one has.
llvm::SmallVector<std::optional<unsigned>>
donatedArguments(mlir::FunctionOpInterface function);

/// Returns true if `op` only creates a tensor without content that ops of its
/// block write. Each use may have its own tensor.
bool isOnlyDestination(mlir::Operation *op);

} // namespace reprise::remat

#include "reprise/IR/RematInterfaces.h.inc"

#include "reprise/IR/RematDialect.h.inc"
#define GET_OP_CLASSES
#include "reprise/IR/RematOps.h.inc"

namespace reprise::remat {

/// The facts about an op, from attributes, its interface or the defaults.
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

/// Fails, with an error at the op, if the bytes of a result are unknown or the
/// op's facts contradict each other.
mlir::FailureOr<OpFacts> describeOp(mlir::Operation *op);

/// Models of RematOpInterface for ops of linalg, tensor and tosa, attached when
/// their dialects are loaded.
void registerUpstreamModels(mlir::DialectRegistry &registry);

} // namespace reprise::remat

#endif // REPRISE_IR_REMAT_H
