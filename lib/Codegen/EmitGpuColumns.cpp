//===- EmitGpuColumns.cpp - Sums of columns on a GPU ----------------------===//
//
// A block has columns side by side and rows of threads over them, which take
// rows of the tensor in turn and are added by a tree in shared memory. The
// first row of threads makes what is made of the sums.
//
// Where columns are long, several blocks have parts of them. Each leaves its
// sums in the workspace and counts itself; who finds that all others have come
// adds the parts, in their order, and goes on as a single block would:
//
//   block 0   rows    0 ..  99   sums -> workspace   count 0 -> 1
//   block 2   rows  200 .. 299   sums -> workspace   count 1 -> 2
//   block 1   rows  100 .. 199   sums -> workspace   count 2 -> 0, adds all
//
// See GpuCounters.h.
//
//===----------------------------------------------------------------------===//

#include "GpuCounters.h"
#include "GpuEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/Codegen/GpuKernels.h"
#include "reprise/Fault.h"

using namespace mlir;
using namespace reprise;

/// A thread's columns and rows.
struct GpuEmitter::ColumnThread {
  Value thread;
  /// The number of the kept point; of it and the columns at hand, which is that
  /// of the counter; of the part of the rows.
  Value point, columns, part;
  /// The row of threads, and the rows [first, end) of the tensor.
  Value row, first, end;
  /// Threads behind the last column have no rows.
  Value exists;
};

GpuEmitter::ColumnThread GpuEmitter::columnOf(Value block, Value thread) {
  const GpuTile &threads = shape.tile;
  int64_t tiles = llvm::divideCeilSigned(shape.vectors, threads.columns);
  ColumnThread self;
  self.thread = thread;
  self.columns = remainder(block, shape.kept * tiles);
  self.part = quotient(block, shape.kept * tiles);
  if (shape.parts == 1)
    self.columns = block;
  self.point = quotient(self.columns, tiles);
  Value column =
      e.add(e.multiply(remainder(self.columns, tiles), threads.columns),
            remainder(thread, threads.columns));
  self.row = quotient(thread, threads.columns);
  unflatten(self.point, shape.keptLoops);
  setLast(column);
  self.exists = isLess(column, e.constant(shape.vectors));
  REPRISE_FAULT("gpu-columns-behind-the-last",
                self.exists = isLess(column, e.constant(INT64_MAX)));
  self.first = self.row;
  Value end = e.constant(shape.swept);
  if (shape.parts > 1) {
    Value begin = e.multiply(self.part, shape.rowsOfPart);
    self.first = e.add(begin, self.row);
    end = arith::MinSIOp::create(b, e.loc, end, e.add(begin, shape.rowsOfPart));
    REPRISE_FAULT("gpu-parts-overlap", end = e.add(end, 1));
  }
  self.end = arith::SelectOp::create(b, e.loc, self.exists, end, e.constant(0));
  return self;
}

/// Adds the rows of threads by halves; the first row gets the totals.
SmallVector<Value> GpuEmitter::addRows(ArrayRef<Value> parts,
                                       const ColumnThread &self) {
  const GpuTile &threads = shape.tile;
  if (threads.rows == 1)
    return SmallVector<Value>(parts);
  SmallVector<Value> totals;
  // Parts of blocks are added where those of rows were: each thread has read
  // its own number last.
  SmallVector<Value> &buffers = rowBuffers;
  if (buffers.empty())
    for (Value part : parts)
      buffers.push_back(share(threads.columns * threads.rows, part.getType()));
  Value here = asIndex(self.thread);
  for (auto [part, buffer] : llvm::zip_equal(parts, buffers))
    memref::StoreOp::create(b, e.loc, part, buffer, here);
  for (int64_t half = threads.rows / 2; half >= 1; half /= 2) {
    REPRISE_FAULT("gpu-tree-does-not-wait", if (half == 1) continue);
    gpu::BarrierOp::create(b, e.loc);
    Value adds = isLess(self.row, e.constant(half));
    REPRISE_FAULT("gpu-rows-add-themselves",
                  adds = isLess(self.row, e.constant(half + 1)));
    ifThen(adds, [&] {
      Value there = asIndex(e.add(self.thread, half * threads.columns));
      for (auto [op, buffer] : llvm::zip_equal(pass->reductions, buffers)) {
        Value mine = memref::LoadOp::create(b, e.loc, buffer, here);
        Value other = memref::LoadOp::create(b, e.loc, buffer, there);
        memref::StoreOp::create(b, e.loc, combine(op, mine, other), buffer,
                                here);
      }
    });
  }
  // What a thread reads now it has written itself.
  for (Value buffer : buffers)
    totals.push_back(memref::LoadOp::create(b, e.loc, buffer, here));
  return totals;
}

void GpuEmitter::storeColumns(ArrayRef<Value> totals) {
  Index index = keptIndex();
  for (auto [op, total] : llvm::zip_equal(pass->reductions, totals))
    e.setRowElement(op->getResult(0), rounded(op, total, index));
  setRowOps(index);
  storeRowResults(index);
  e.forgetRow();
}

//===----------------------------------------------------------------------===//
// Columns of several blocks
//===----------------------------------------------------------------------===//

/// The alignment of a thread's sums: they are rows of whole vectors.
static unsigned bytesOfPart(Type type) {
  int64_t lanes = 1;
  if (auto vector = dyn_cast<VectorType>(type))
    lanes = vector.getNumElements();
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8 * lanes;
}

/// Where the workspace has a part of a reduction of the pass.
Value GpuEmitter::placeOfPart(unsigned reduction, const ColumnThread &self,
                              Value part) {
  Type type = accumulatorType(pass->reductions[reduction]);
  int64_t columns = space.extents.back();
  int64_t offset = shape.offsetOfParts(pass->reductions, reduction);
  Value row = e.add(e.multiply(part, shape.kept), self.point);
  Value element = e.add(e.multiply(row, columns), at.back());
  Value base =
      LLVM::GEPOp::create(b, e.loc, workspace.getType(), b.getI8Type(),
                          workspace, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  return LLVM::GEPOp::create(b, e.loc, base.getType(), type, base,
                             ArrayRef<LLVM::GEPArg>{element});
}

/// What the thread has of the parts: every so many of them.
SmallVector<Value> GpuEmitter::addParts(const ColumnThread &self) {
  Value end = e.constant(shape.parts);
  REPRISE_FAULT("gpu-parts-end-early", end = e.constant(shape.parts - 1));
  end = arith::SelectOp::create(b, e.loc, self.exists, end, e.constant(0));
  SmallVector<Value> zeros;
  for (Operation *op : pass->reductions)
    zeros.push_back(identity(op, space.vectorized));
  return fold(
      self.row, end, shape.tile.rows, zeros, [&](Value part, ValueRange sums) {
        SmallVector<Value> next;
        for (auto [r, op] : llvm::enumerate(pass->reductions)) {
          Type type = sums[r].getType();
          Value other = LLVM::LoadOp::create(
              b, e.loc, type, placeOfPart(r, self, part), bytesOfPart(type));
          next.push_back(combine(op, sums[r], other));
        }
        return next;
      });
}

/// Adds what several blocks have, in the last of them.
void GpuEmitter::addBlocks(ArrayRef<Value> totals, const ColumnThread &self) {
  Value isFirstRow = isZero(self.row);
  Value stores = arith::AndIOp::create(b, e.loc, self.exists, isFirstRow);
  ifThen(stores, [&] {
    for (auto [r, total] : llvm::enumerate(totals))
      LLVM::StoreOp::create(b, e.loc, total, placeOfPart(r, self, self.part),
                            bytesOfPart(total.getType()));
  });
  ifThen(arriveLast(b, function, self.thread, self.columns, shape.parts), [&] {
    SmallVector<Value> sums = addRows(addParts(self), self);
    ifThen(stores, [&] { storeColumns(sums); });
  });
}

void GpuEmitter::emitColumns(Value block, Value thread) {
  ColumnThread self = columnOf(block, thread);
  SmallVector<Value> parts =
      sweep(self.first, self.end, shape.tile.rows,
            [&](Value i) { unflatten(i, shape.reducedLoops); });
  SmallVector<Value> totals = addRows(parts, self);
  if (shape.parts > 1)
    return addBlocks(totals, self);
  Value stores = arith::AndIOp::create(b, e.loc, self.exists, isZero(self.row));
  ifThen(stores, [&] { storeColumns(totals); });
}
