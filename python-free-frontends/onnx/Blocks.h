//===- Blocks.h - Blocks of scopes of nodes' names --------------*- C++ -*-===//
#ifndef REPRISE_ONNX_BLOCKS_H
#define REPRISE_ONNX_BLOCKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/Onnx/Import.h"
#include "reprise/Onnx/Model.h"

namespace reprise::onnx {

/// Wraps runs of ops whose nodes have one scope in blocks, and annotates those
/// that `annotate` names. `ends` has for each node the last op of the function
/// after its import; null before the first one. Returns the number of blocks.
size_t formBlocks(mlir::func::FuncOp function, const Graph &graph,
                  llvm::ArrayRef<mlir::Operation *> ends,
                  zoo::Annotate annotate);

} // namespace reprise::onnx

#endif // REPRISE_ONNX_BLOCKS_H
