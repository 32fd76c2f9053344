//===- EmitGpuColumns.cpp - Sums of columns on a GPU ----------------------===//
//
// A block covers neighbouring columns with several rows of threads, which take
// the tensor's rows in turn; a tree in shared memory adds their sums. The first
// row of threads computes everything that depends on the sums.
//
// If columns are long, several blocks share them. They take turns, each with
// as many rows as it has rows of threads, so that all blocks together traverse
// the tensor once from start to end. Each stores its sums in the workspace and
// increments a counter; the block that finds that all others have arrived adds
// the parts, in their order, and continues as a single block would:
//
//   block 0   rows  0 .. 15,  48 .. 63, ..   sums -> workspace   count 0 -> 1
//   block 2   rows 32 .. 47,  80 .. 95, ..   sums -> workspace   count 1 -> 2
//   block 1   rows 16 .. 31,  64 .. 79, ..   sums -> workspace   count 2 -> 0,
//                                                                adds all
//
// If many blocks share columns, they form groups, and the last block of each
// group arrives at a counter of the groups. The final block reads each part
// from another block's memory, and reading several hundred parts would take
// longer than the sweep of a small tensor. See GpuCounters.h.
//
//===----------------------------------------------------------------------===//

#include "GpuCounters.h"
#include "GpuEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/Codegen/GpuKernels.h"

using namespace mlir;
using namespace reprise;

/// Parts of blocks that a thread reads before it adds them.
static constexpr int64_t kTogether = 8;

/// A thread's columns and rows.
struct GpuEmitter::ColumnThread {
  Value thread;
  /// The number of the kept point; the number of the kept point and columns
  /// together, which is that of the counter; the number of the part of the
  /// rows.
  Value point, columns, part;
  /// The row of threads, and the rows [first, end) of the tensor.
  Value row, first, end;
  /// False for threads after the last column, which have no rows.
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
  self.exists = isLess(column, e.constant(shape.vectors));
  // Values that all rows share are read before the loop over rows, even by
  // threads without rows.
  if (shape.vectors % threads.columns != 0)
    column = arith::SelectOp::create(b, e.loc, self.exists, column,
                                     e.constant(shape.vectors - 1));
  setLast(column);
  self.first = self.row;
  if (shape.parts > 1) {
    int64_t rows = threads.rows;
    self.first = e.add(e.multiply(self.part, rows), self.row);
  }
  self.end = arith::SelectOp::create(b, e.loc, self.exists,
                                     e.constant(shape.swept), e.constant(0));
  return self;
}

/// Adds the rows of threads by halves; the first row gets the totals.
SmallVector<Value> GpuEmitter::addRows(ArrayRef<Value> parts,
                                       const ColumnThread &self) {
  const GpuTile &threads = shape.tile;
  if (threads.rows == 1)
    return SmallVector<Value>(parts);
  SmallVector<Value> totals;
  // Parts of blocks are added in the memory of the rows' sums: each thread was
  // the last reader of its own number.
  SmallVector<Value> &buffers = rowBuffers;
  if (buffers.empty())
    for (Value part : parts)
      buffers.push_back(share(threads.columns * threads.rows, part.getType()));
  Value here = asIndex(self.thread);
  for (auto [part, buffer] : llvm::zip_equal(parts, buffers))
    memref::StoreOp::create(b, e.loc, part, buffer, here);
  for (int64_t half = threads.rows / 2; half >= 1; half /= 2) {
    gpu::BarrierOp::create(b, e.loc);
    Value adds = isLess(self.row, e.constant(half));
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
  // The thread reads only numbers that it has written itself.
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

/// Returns the address of a part of a reduction of the pass in the workspace.
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

/// Returns the thread's sum over every n-th of `count` parts, which start at
/// `first` and are `apart` from one another; n is the number of rows of
/// threads.
SmallVector<Value> GpuEmitter::addParts(const ColumnThread &self, Value first,
                                        int64_t count, int64_t apart) {
  Value end = e.constant(count);
  end = arith::SelectOp::create(b, e.loc, self.exists, end, e.constant(0));
  SmallVector<Value> zeros;
  for (Operation *op : pass->reductions)
    zeros.push_back(identity(op, space.vectorized));
  int64_t batch = std::clamp<int64_t>(count / shape.tile.rows, 1, kTogether);
  SmallVector<SmallVector<Value>> others(batch);
  auto read = [&](unsigned step, Value i) {
    others[step].clear();
    Value part = e.add(first, e.multiply(i, apart));
    for (auto [r, zero] : llvm::enumerate(zeros))
      others[step].push_back(LLVM::LoadOp::create(b, e.loc, zero.getType(),
                                                  placeOfPart(r, self, part),
                                                  bytesOfPart(zero.getType())));
  };
  auto add = [&](unsigned step, ArrayRef<Value> sums) {
    SmallVector<Value> next;
    for (auto [r, op] : llvm::enumerate(pass->reductions))
      next.push_back(combine(op, sums[r], others[step][r]));
    return next;
  };
  return foldTogether(self.row, end, shape.tile.rows, batch, zeros, read, add);
}

/// Stores the sums of the block, or of its group, as those of part `part`.
void GpuEmitter::storePart(ArrayRef<Value> totals, const ColumnThread &self,
                           Value part) {
  ifThen(storesColumns(self), [&] {
    for (auto [r, total] : llvm::enumerate(totals))
      LLVM::StoreOp::create(b, e.loc, total, placeOfPart(r, self, part),
                            bytesOfPart(total.getType()));
  });
}

/// Returns true for one thread of each column.
Value GpuEmitter::storesColumns(const ColumnThread &self) {
  return arith::AndIOp::create(b, e.loc, self.exists, isZero(self.row));
}

/// Adds the sums of several blocks, in the last of them.
void GpuEmitter::addBlocks(ArrayRef<Value> totals, const ColumnThread &self) {
  int64_t groups = shape.groups, each = shape.parts / groups;
  auto addAll = [&](Value counter, Value first, int64_t count, int64_t apart,
                    llvm::function_ref<void(ArrayRef<Value>)> then) {
    ifThen(arriveLast(b, function, self.thread, counter, count),
           [&] { then(addRows(addParts(self, first, count, apart), self)); });
  };
  auto storeAll = [&](ArrayRef<Value> sums) {
    ifThen(storesColumns(self), [&] { storeColumns(sums); });
  };
  storePart(totals, self, self.part);
  if (groups == 1)
    return addAll(self.columns, e.constant(0), each, 1, storeAll);
  // Counters of groups follow those of columns.
  int64_t columns = shape.grid().blocks / shape.parts;
  Value group = quotient(self.part, each);
  Value counter =
      e.add(e.add(e.multiply(self.columns, groups), group), columns);
  Value first = e.multiply(group, each);
  int64_t apart = each;
  addAll(counter, first, each, 1, [&](ArrayRef<Value> sums) {
    // Its own first part, which was read by the threads that store.
    storePart(sums, self, first);
    addAll(self.columns, e.constant(0), groups, apart, storeAll);
  });
}

/// Returns the arguments with one element for each swept element.
SmallVector<BlockArgument> GpuEmitter::longArguments() const {
  int64_t elements = shape.swept * shape.kept * shape.columns;
  return llvm::filter_to_vector(
      body.getArguments(), [&](BlockArgument argument) {
        return cast<ShapedType>(argument.getType()).getNumElements() >=
               elements;
      });
}

static constexpr size_t kFewArguments = 2, kSomeArguments = 4;

/// Returns true if elements take at most two bytes.
static bool isNarrow(BlockArgument argument) {
  return getElementTypeOrSelf(argument.getType()).getIntOrFloatBitWidth() <= 16;
}

/// The rows that a thread reads before it adds them: enough to keep memory
/// busy, and few enough for registers to hold those of many arguments.
int64_t GpuEmitter::rowsTogether() const {
  SmallVector<BlockArgument> arguments = longArguments();
  bool areNarrow = llvm::all_of(arguments, isNarrow);
  int64_t batch =
      arguments.size() <= (areNarrow ? kSomeArguments : kFewArguments) ? 4 : 2;
  // If values are stored besides sums, more rows would not fit in registers.
  if (arguments.size() == 1 && areNarrow && pass->stored.empty())
    batch = 8;
  if (arguments.size() == 2 && areNarrow && !pass->stored.empty())
    batch = 3;
  int64_t rows = shape.swept / (shape.tile.rows * shape.parts);
  return std::min(batch, std::max<int64_t>(rows, 1));
}

/// Limits registers so that four blocks run at a time on a multiprocessor. The
/// assembler would use slightly too many registers, and can do with fewer if
/// the kernel stores, besides its sums, values of few operands and without
/// polynomials.
void GpuEmitter::limitRegisters() {
  constexpr int32_t blocks = 4;
  SmallVector<BlockArgument> arguments = longArguments();
  bool hasFunctions =
      function
          .walk([](Operation *op) {
            return isa_and_present<math::MathDialect>(op->getDialect())
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  if (pass->stored.empty() || hasFunctions ||
      arguments.size() > kFewArguments || !llvm::all_of(arguments, isNarrow))
    return;
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(blocks));
}

/// Adds the sums of the block's threads, and stores the total or leaves it to
/// the last of several blocks.
void GpuEmitter::endColumns(ArrayRef<Value> parts, const ColumnThread &self) {
  SmallVector<Value> totals = addRows(parts, self);
  if (shape.parts > 1)
    return addBlocks(totals, self);
  ifThen(storesColumns(self), [&] { storeColumns(totals); });
}

void GpuEmitter::emitColumns(Value block, Value thread) {
  ColumnThread self = columnOf(block, thread);
  int64_t stride = shape.tile.rows * shape.parts;
  int64_t batch = rowsTogether();
  SmallVector<Value> parts =
      sweep(self.first, self.end, stride, batch, zeros(),
            [&](Value i) { unflatten(i, shape.reducedLoops); });
  limitRegisters();
  endColumns(parts, self);
}
