//===- EmitGpuColumns.cpp - Sums of columns on a GPU ----------------------===//
//
// A block has columns side by side and rows of threads over them, which take
// rows of the tensor in turn and are added by a tree in shared memory. The
// first row of threads makes what is made of the sums.
//
// Where columns are long, several blocks have parts of them: in turn as many
// rows as they have rows of threads, so that all blocks together go through the
// tensor once from its start to its end. Each leaves its sums in the workspace
// and counts itself; who finds that all others have come adds the parts, in
// their order, and goes on as a single block would:
//
//   block 0   rows  0 .. 15,  48 .. 63, ..   sums -> workspace   count 0 -> 1
//   block 2   rows 32 .. 47,  80 .. 95, ..   sums -> workspace   count 1 -> 2
//   block 1   rows 16 .. 31,  64 .. 79, ..   sums -> workspace   count 2 -> 0,
//                                                                adds all
//
// Where many blocks share columns, they do so in groups, and the last of each
// group counts itself among the groups: what a block adds is read from where
// others left it, so that some hundred parts took longer than the sweep of a
// small tensor. See GpuCounters.h.
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
  self.exists = isLess(column, e.constant(shape.vectors));
  // What the rows have in common is read in front of them, also by threads that
  // have none.
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

/// What the thread has of `count` parts from `first` on, each so many behind
/// the one before: every so many of them.
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

/// Leaves the sums of the block, or of its group, as those of part `part`.
void GpuEmitter::storePart(ArrayRef<Value> totals, const ColumnThread &self,
                           Value part) {
  ifThen(storesColumns(self), [&] {
    for (auto [r, total] : llvm::enumerate(totals))
      LLVM::StoreOp::create(b, e.loc, total, placeOfPart(r, self, part),
                            bytesOfPart(total.getType()));
  });
}

/// One thread of each column.
Value GpuEmitter::storesColumns(const ColumnThread &self) {
  return arith::AndIOp::create(b, e.loc, self.exists, isZero(self.row));
}

/// Adds what several blocks have, in the last of them.
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
  // Counters of groups are behind those of columns.
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

/// Arguments that have an element for each that is swept.
SmallVector<BlockArgument> GpuEmitter::longArguments() const {
  int64_t elements = shape.swept * shape.kept * shape.columns;
  return llvm::filter_to_vector(
      body.getArguments(), [&](BlockArgument argument) {
        return cast<ShapedType>(argument.getType()).getNumElements() >=
               elements;
      });
}

static constexpr size_t kFewArguments = 2, kSomeArguments = 4;

/// Whether elements take no more than two bytes.
static bool isNarrow(BlockArgument argument) {
  return getElementTypeOrSelf(argument.getType()).getIntOrFloatBitWidth() <= 16;
}

/// Rows that a thread reads before it adds them: enough for memory to be busy,
/// and no more than registers hold of many arguments.
int64_t GpuEmitter::rowsTogether() const {
  SmallVector<BlockArgument> arguments = longArguments();
  bool areNarrow = llvm::all_of(arguments, isNarrow);
  int64_t batch =
      arguments.size() <= (areNarrow ? kSomeArguments : kFewArguments) ? 4 : 2;
  // Of what is stored beside sums more would not stay in registers.
  if (arguments.size() == 1 && areNarrow && pass->stored.empty())
    batch = 8;
  if (arguments.size() == 2 && areNarrow && !pass->stored.empty())
    batch = 3;
  int64_t rows = shape.swept / (shape.tile.rows * shape.parts);
  return std::min(batch, std::max<int64_t>(rows, 1));
}

/// Four blocks at a time on a multiprocessor, where the assembler would take
/// just too many registers for that and can do with fewer: beside its sums the
/// kernel stores what is made of little, and not by polynomials.
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

/// Adds what the threads of a block have, and stores it or leaves it to the
/// last of several blocks.
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

/// A tile is what the rows of threads take in turn, as often as it has room:
/// row l of it is taken by row l % n of n rows of threads.
void GpuEmitter::emitTiles(ArgumentTiles &tiles, Value block, Value thread) {
  ColumnThread self = columnOf(block, thread);
  int64_t width = shape.tile.columns * shape.width, each = shape.tile.rows;
  int64_t parts = shape.parts, rows = tiles.rows();
  assert(space.vectorized && shape.columns % width == 0 && rows % each == 0 &&
         "blocks have whole tiles");
  Value column = e.multiply(
      remainder(self.columns, llvm::divideCeil(shape.columns, width)), width);
  Value own = e.multiply(remainder(thread, shape.tile.columns), shape.width);
  Value begin = e.multiply(self.part, each);
  if (parts == 1)
    begin = e.constant(0);
  // The row of the tensor that the row of threads `row` takes behind `taken`
  // others of its block.
  auto rowAt = [&](Value row, Value taken) {
    return e.add(e.add(begin, row), e.multiply(taken, parts));
  };
  auto minus = [&](Value x, Value y) -> Value {
    return arith::SubIOp::create(b, e.loc, x, y);
  };
  // How many rows of its block are in front of the end, for a row of threads.
  Value left = minus(e.constant(shape.swept - 1 + parts),
                     rowAt(self.row, e.constant(0)));
  Value count = arith::MaxSIOp::create(
      b, e.loc, e.constant(0),
      arith::DivSIOp::create(b, e.loc, left, e.constant(parts)));
  auto tile = [&](Value first, ValueRange sums) {
    tiles.compute(
        [&](Value row, int64_t behind) {
          Value low = remainder(row, each);
          return e.add(rowAt(low, e.add(first, minus(row, low))),
                       behind * parts);
        },
        column);
    Value end = arith::MinSIOp::create(b, e.loc, e.constant(rows),
                                       e.add(self.row, minus(count, first)));
    SmallVector<Value> next =
        sweep(self.row, end, each, rowsTogether(), sums, [&](Value row) {
          unflatten(rowAt(self.row, e.add(first, minus(row, self.row))),
                    shape.reducedLoops);
          e.setStaged(tiles.argument(), tiles.element(row, own, shape.width));
        });
    gpu::BarrierOp::create(b, e.loc);
    return next;
  };
  Value last = e.constant(llvm::divideCeil(shape.swept, parts));
  SmallVector<Value> sums = fold(e.constant(0), last, rows, zeros(), tile);
  e.setStaged(tiles.argument(), nullptr);
  endColumns(sums, self);
}
