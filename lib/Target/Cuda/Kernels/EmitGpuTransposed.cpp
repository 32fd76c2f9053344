//===- EmitGpuTransposed.cpp - Arguments read along other dimensions ------===//
//
// Tiles of such arguments pass through shared memory, where rows are an odd
// number of elements apart, so that a column's elements are in different banks.
// Neighbouring threads load neighbouring elements from memory, and store
// neighbouring elements to memory.
//
//===----------------------------------------------------------------------===//

#include "GpuEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace reprise;

/// Runs `then` for positions inside the tensor; the last tile may extend beyond
/// its end.
void GpuEmitter::ifInside(llvm::function_ref<void()> then) {
  Value rows = e.constant(space.extents[own.along]),
        columns = e.constant(space.extents.back());
  ifThen(arith::AndIOp::create(b, e.loc, isLess(at[own.along], rows),
                               isLess(at.back(), columns)),
         then);
}

/// Neighbouring threads load elements that are neighbours in memory.
void GpuEmitter::bringTile(ArrayRef<Value> buffers, Value thread, Value row,
                           Value column) {
  const GpuTile &tile = shape.tile;
  int64_t pitch = tile.rows | 1, threads = shape.grid().threads;
  loop(thread, e.constant(tile.rows * tile.columns), threads, [&](Value i) {
    Value r = remainder(i, tile.rows), c = quotient(i, tile.rows);
    at[own.along] = e.add(row, r);
    at.back() = e.add(column, c);
    ifInside([&] {
      Value place = asIndex(e.add(e.multiply(c, pitch), r));
      for (auto [argument, buffer] : llvm::zip_equal(own.staged, buffers)) {
        BlockArgument from = body.getArgument(argument.number);
        Index index;
        for (AffineExpr expr : argument.map.getResults()) {
          unsigned d = cast<AffineDimExpr>(expr).getPosition();
          index.at.push_back(at[d]);
          index.extents.push_back(space.extents[d]);
        }
        memref::StoreOp::create(b, e.loc, e.loadFromMemory(from, index), buffer,
                                place);
      }
    });
  });
}

void GpuEmitter::storeTile(ArrayRef<Value> buffers, Value thread, Value row,
                           Value column) {
  const GpuTile &tile = shape.tile;
  int64_t pitch = tile.rows | 1, threads = shape.grid().threads;
  loop(thread, e.constant(tile.rows * tile.columns), threads, [&](Value i) {
    Value c = remainder(i, tile.columns), r = quotient(i, tile.columns);
    at[own.along] = e.add(row, r);
    at.back() = e.add(column, c);
    ifInside([&] {
      Value place = asIndex(e.add(e.multiply(c, pitch), r));
      for (auto [argument, buffer] : llvm::zip_equal(own.staged, buffers))
        e.setStaged(argument.number,
                    memref::LoadOp::create(b, e.loc, buffer, place));
      storePointwise(indexAt(at));
    });
  });
  for (const StagedArgument &argument : own.staged)
    e.setStaged(argument.number, nullptr);
}

void GpuEmitter::emitStaged(Value block, Value thread) {
  Value column =
      e.multiply(remainder(block, shape.tileColumns), shape.tile.columns);
  block = quotient(block, shape.tileColumns);
  Value row = e.multiply(remainder(block, shape.tileRows), shape.tile.rows);
  unflatten(quotient(block, shape.tileRows), shape.keptLoops);
  SmallVector<Value> buffers;
  for (const StagedArgument &argument : own.staged) {
    auto type =
        cast<RankedTensorType>(body.getArgument(argument.number).getType());
    buffers.push_back(share(shape.tile.columns * (shape.tile.rows | 1),
                            type.getElementType()));
  }
  bringTile(buffers, thread, row, column);
  gpu::BarrierOp::create(b, e.loc);
  storeTile(buffers, thread, row, column);
}
