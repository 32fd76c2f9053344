//===- GpuAttention.h - How blocks of a GPU share an attention --*- C++ -*-===//
//
// A kernel may be one sg.attention or sg.attention_grad and nothing else. Its
// scores are computed by tiles that a block keeps to itself. A block owns rows
// of scores and goes over their columns:
//
//   sweep      rows      columns   makes
//   Forward    queries   keys      the result and its log-sum-exp
//   Queries    queries   keys      gradients of queries
//   Keys       keys      queries   gradients of keys and values
//   Bias       queries   keys      the gradient of one tile of a bias, over
//                                  samples of one row of it
//
// A gradient is one launch of the last three, each by blocks of its own, so
// that every sum is one block's, in an order that follows from the shape.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_CODEGEN_GPUATTENTION_H
#define REPRISE_LIB_CODEGEN_GPUATTENTION_H

#include "GpuSpaces.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "reprise/IR/Attention.h"

namespace reprise {

/// What an attention, or its gradient, works on.
struct AttentionForm {
  explicit AttentionForm(const sg::AttentionParts &parts);
  /// Of an attention or its gradient.
  explicit AttentionForm(mlir::Operation *op)
      : AttentionForm(*sg::attentionParts(op)) {}

  sg::AttentionParts parts;
  bool isGrad = false;
  int64_t samples, tokens, heads, width;
  int64_t biasRows = 0; // 0: there is no bias
  double scale;
  mlir::Type element;
  /// Of dropping a weight; 0: none is.
  double probability = 0;
  int64_t stream = 0;
};

/// Why blocks cannot run an attention, or "": types other than f32, bf16 and
/// f16, heads wider than 128.
std::string whyNoGpuAttention(const AttentionForm &form);

/// The op of a kernel that is an attention; null for any other kernel.
mlir::Operation *attentionIn(mlir::Block &body);

enum class AttentionSweep { Forward, Queries, Keys, Bias };

/// How blocks share a sweep.
struct SweepShape {
  AttentionSweep sweep;
  /// Of a tile of scores.
  int64_t rows, columns;
  int64_t rowTiles, columnTiles;
  /// Blocks that share the samples of a bias row.
  int64_t parts = 1;
  int64_t blocks = 0;
};

struct AttentionShape {
  explicit AttentionShape(const AttentionForm &form);

  GpuGrid grid() const;
  /// What the parts of a bias's gradient take, 0 where it has one.
  int64_t workspaceBytes() const;
  /// Numbers of a tile in shared memory: those of the op for tensor cores, else
  /// f32.
  mlir::Type numberType() const;
  /// Such numbers that the sweep with the largest tiles takes, and the most
  /// queries of a tile, for each of which there are two f32.
  int64_t sharedNumbers() const;
  int64_t mostQueries() const;
  /// Numbers from one row of a tile to the next: rows begin in different banks,
  /// at multiples of 16 bytes.
  int64_t pitchOf(int64_t columns) const {
    return columns + (usesTensorCores ? 8 : 4);
  }

  AttentionForm form;
  bool usesTensorCores;
  /// Numbers of a row, with those behind its end that are zero.
  int64_t width;
  std::vector<SweepShape> sweeps;
};

/// Fails with a message at the op where blocks cannot run a kernel that has an
/// attention: it must be alone, of what the kernel is given, and be yielded.
mlir::LogicalResult checkGpuAttention(mlir::Block &body);

/// Emits a checked one between the function's arguments, as emitGpuKernel gives
/// them, and its return.
void emitGpuAttention(mlir::OpBuilder &b, mlir::gpu::GPUFuncOp function,
                      mlir::Block &body);

} // namespace reprise

#endif // REPRISE_LIB_CODEGEN_GPUATTENTION_H
