//===- GpuAttention.h - Blocks of a GPU share an attention ------*- C++ -*-===//
//
// A kernel may be a single sg.attention or sg.attention_grad. Its scores are
// computed by tiles that never leave a block. A block owns rows of scores and
// iterates over their columns:
//
//   sweep      rows      columns   computes
//   Forward    queries   keys      the result and its log-sum-exp
//   Queries    queries   keys      gradients of queries
//   Keys       keys      queries   gradients of keys and values
//   Bias       queries   keys      the gradient of one tile of a bias, over
//                                  samples of one row of it
//
// A gradient is one launch of the last three, each with its own blocks, so that
// each sum is computed by one block, in an order that follows from the shape.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_TARGET_CUDA_KERNELS_GPUATTENTION_H
#define REPRISE_LIB_TARGET_CUDA_KERNELS_GPUATTENTION_H

#include "GpuSpaces.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "reprise/IR/Attention.h"

namespace reprise {

/// Shapes and parameters of an attention or its gradient.
struct AttentionForm {
  explicit AttentionForm(const sg::AttentionParts &parts);
  /// `op`: an attention or its gradient.
  explicit AttentionForm(mlir::Operation *op)
      : AttentionForm(*sg::attentionParts(op)) {}

  sg::AttentionParts parts;
  bool isGrad = false;
  int64_t samples, tokens, heads, width;
  int64_t biasRows = 0; // 0: there is no bias
  double scale;
  mlir::Type element;
  /// The probability that a weight is dropped; 0: none is.
  double probability = 0;
  int64_t stream = 0;
};

/// Returns the reason why blocks cannot run an attention, or "": types other
/// than f32, bf16 and f16, heads wider than 128.
std::string whyNoGpuAttention(const AttentionForm &form);

/// Returns the attention of a kernel; null if it has none.
mlir::Operation *attentionIn(mlir::Block &body);

enum class AttentionSweep { Forward, Queries, Keys, Bias };

/// The division of a sweep among blocks.
struct SweepShape {
  AttentionSweep sweep;
  /// The size of a tile of scores.
  int64_t rows, columns;
  int64_t rowTiles, columnTiles;
  /// Blocks that share the samples of a bias row.
  int64_t parts = 1;
  int64_t blocks = 0;
};

struct AttentionShape {
  explicit AttentionShape(const AttentionForm &form);

  GpuGrid grid() const;
  /// The bytes of the parts of a bias's gradient; 0 if it has one part.
  int64_t workspaceBytes() const;
  /// The number type of tiles in shared memory: the op's for tensor cores, else
  /// f32.
  mlir::Type numberType() const;
  /// The numbers that the sweep with the largest tiles needs, and the most
  /// queries of a tile, each of which has two f32.
  int64_t sharedNumbers() const;
  int64_t mostQueries() const;
  /// The distance between rows of a tile, in numbers: rows begin in different
  /// banks, at multiples of 16 bytes.
  int64_t pitchOf(int64_t columns) const {
    return columns + (usesTensorCores ? 8 : 4);
  }

  AttentionForm form;
  bool usesTensorCores;
  /// The numbers of a row, including the zeros after its end.
  int64_t width;
  std::vector<SweepShape> sweeps;
};

/// Fails with a message at the op if blocks cannot run a kernel that has an
/// attention: it must be the only op, read only the kernel's arguments, and be
/// yielded.
mlir::LogicalResult checkGpuAttention(mlir::Block &body);

/// Emits a checked attention between the function's arguments, in the order of
/// emitGpuKernel, and its return.
void emitGpuAttention(mlir::OpBuilder &b, mlir::gpu::GPUFuncOp function,
                      mlir::Block &body);

} // namespace reprise

#endif // REPRISE_LIB_TARGET_CUDA_KERNELS_GPUATTENTION_H
