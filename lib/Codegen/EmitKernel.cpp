//===- EmitKernel.cpp - A kernel as a function ----------------------------===//
//
// A pointwise kernel iterates over elements (one loop) or rows, vector by
// vector along the last loop, with a masked remainder. A kernel that stores
// several shapes does so for each; the grains of one shape follow those of
// another.
//
// A reduction over leading loops keeps an accumulator for each of a tile's
// vectors and sweeps the reduced loops: a column's sum takes its elements in
// row-major order, in blocks (see KernelShape::sumBlock). A reduction over the
// last loop keeps a partial sum for each lane, which a fixed tree adds at the
// end. One sweep computes all reductions of a kernel and its pointwise results,
// unless reductions over the trailing dimensions are read again along their
// rows: then each row is swept pass by pass (see KernelPasses.h), and values
// with one element a row are scalars between the passes. Values computed from a
// reduction at its own index are computed after the sweep, those of columns by
// vectors. Reductions are rounded as they would be in memory.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "reprise/Codegen/KernelParts.h"

using namespace mlir;
using namespace reprise;

namespace {

class KernelEmitter : KernelParts {
public:
  using KernelParts::KernelParts;

  void emit(Value begin, Value end);

private:
  // Loops.
  void forEachItem(Value begin, Value end, LoopBody run);
  Value smaller(Value x, Value y) {
    return arith::MinSIOp::create(b, e.loc, x, y);
  }

  // Pointwise kernels.
  void emitFlat(Value begin, Value end);
  void emitRow(Value row);
  void storeLast();

  // Reductions.
  void emitKeptPoint(Value item);
  void runPass();
  void storeRow(unsigned level);
  void emitTile(Value item);
  void emitColumns(int64_t columns);
  void setKept(Value item, bool withLast);
  SmallVector<Value> identities(int64_t vectors);
  SmallVector<Value> sweep(unsigned level, int64_t vectors);
  SmallVector<Value> sweepLast();
  SmallVector<Value> contributions(int64_t vectors);
  using KernelParts::combine;
  SmallVector<Value> combine(ValueRange a, ValueRange b);
  void storeColumns(ArrayRef<Value> totals, int64_t vectors);
};

} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void KernelEmitter::forEachItem(Value begin, Value end, LoopBody run) {
  int64_t perGrain = space.itemsPerGrain();
  Value first = e.multiply(begin, perGrain);
  Value last = smaller(e.multiply(end, perGrain), e.constant(space.items()));
  loop(first, last, 1, run);
}

//===----------------------------------------------------------------------===//
// Pointwise kernels
//===----------------------------------------------------------------------===//

/// Elements [begin, end) in grains; the kernel's last grain has the remainder
/// that fills no vector.
void KernelEmitter::emitFlat(Value begin, Value end) {
  int64_t total = space.extents[0], lanes = space.lanes();
  int64_t perGrain = space.itemsPerGrain();
  // Grains begin at a multiple of the lanes.
  int64_t whole = total / lanes * lanes;
  Value first = e.multiply(begin, perGrain);
  Value last = e.multiply(end, perGrain);
  loop(first, smaller(last, e.constant(whole)), lanes,
       [&](Value i) { storePointwise(indexAt({i})); });
  if (whole == total)
    return;
  // Starts at the larger of `first` and `whole`: empty unless the end is here.
  Value rest = arith::MaxSIOp::create(b, e.loc, first, e.constant(whole));
  e.setActiveLanes(total - whole);
  loop(rest, smaller(last, e.constant(total)), lanes,
       [&](Value i) { storePointwise(indexAt({i})); });
  e.setActiveLanes(e.allLanes());
}

/// Stores along the last loop.
void KernelEmitter::storeLast() {
  int64_t columns = space.extents.back(), lanes = space.lanes();
  int64_t whole = columns / lanes * lanes;
  if (whole)
    loop(e.constant(0), e.constant(whole), lanes, [&](Value i) {
      at.back() = i;
      storePointwise(indexAt(at));
    });
  if (whole == columns)
    return;
  e.setActiveLanes(columns - whole);
  at.back() = e.constant(whole);
  storePointwise(indexAt(at));
  e.setActiveLanes(e.allLanes());
}

void KernelEmitter::emitRow(Value row) {
  for (int64_t d = int64_t(at.size()) - 2; d >= 0; --d) {
    Value extent = e.constant(space.extents[d]);
    at[d] = d ? Value(arith::RemUIOp::create(b, e.loc, row, extent)) : row;
    if (d)
      row = arith::DivUIOp::create(b, e.loc, row, extent);
  }
  storeLast();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelEmitter::combine(ValueRange x, ValueRange y) {
  SmallVector<Value> result;
  size_t vectors = x.size() / pass->reductions.size();
  for (size_t i = 0; i < x.size(); ++i)
    result.push_back(combine(pass->reductions[i / vectors], x[i], y[i]));
  return result;
}

SmallVector<Value> KernelEmitter::identities(int64_t vectors) {
  SmallVector<Value> result;
  for (Operation *op : pass->reductions) {
    Value zero = identity(op, space.vectorized);
    result.append(vectors, zero);
  }
  return result;
}

/// Computes one step of a sweep over leading loops: for each reduction,
/// `vectors` neighbours starting at the current column; the last may be partly
/// active.
SmallVector<Value> KernelEmitter::contributions(int64_t vectors) {
  SmallVector<Value> result(vectors * pass->reductions.size());
  int64_t active = e.getActiveLanes();
  Value column = at.back();
  for (int64_t v = 0; v < vectors; ++v) {
    e.setActiveLanes(v + 1 == vectors ? active : e.allLanes());
    SmallVector<Value> position = at;
    position.back() = e.add(column, v * space.lanes());
    Index index = indexAt(position);
    for (auto [r, op] : llvm::enumerate(pass->reductions))
      result[r * vectors + v] = accumulated(op, index);
    storePointwise(index);
  }
  return result;
}

/// Reduces loop `level` and the loops inside it.
SmallVector<Value> KernelEmitter::sweep(unsigned level, int64_t vectors) {
  unsigned loops = space.extents.size();
  while (level < loops && !space.reduced[level])
    ++level;
  if (level == loops)
    return contributions(vectors);
  if (level + 1 == loops)
    return sweepLast();
  auto step = [&](Value i, ValueRange sums) {
    at[level] = i;
    return combine(sums, sweep(level + 1, vectors));
  };
  int64_t extent = space.extents[level];
  SmallVector<Value> zeros = identities(vectors);
  if (extent <= 2 * space.target.sumBlock)
    return fold(e.constant(0), e.constant(extent), 1, zeros, step);
  return fold(
      e.constant(0), e.constant(extent), space.target.sumBlock, zeros,
      [&](Value start, ValueRange sums) {
        Value end =
            smaller(e.add(start, space.target.sumBlock), e.constant(extent));
        return combine(sums, fold(start, end, 1, identities(vectors), step));
      });
}

/// Reduces the last loop into lanes.
SmallVector<Value> KernelEmitter::sweepLast() {
  int64_t columns = space.extents.back(), lanes = space.lanes();
  int64_t whole = columns / lanes * lanes;
  auto step = [&](Value i, ValueRange sums) {
    at.back() = i;
    return combine(sums, contributions(1));
  };
  SmallVector<Value> sums = identities(1);
  int64_t block = space.target.sumBlock * lanes;
  if (whole > 2 * block)
    sums = fold(e.constant(0), e.constant(whole), block, sums,
                [&](Value start, ValueRange outer) {
                  Value end = smaller(e.add(start, block), e.constant(whole));
                  return combine(outer,
                                 fold(start, end, lanes, identities(1), step));
                });
  else if (whole)
    sums = fold(e.constant(0), e.constant(whole), lanes, sums, step);
  if (whole == columns)
    return sums;
  e.setActiveLanes(columns - whole);
  at.back() = e.constant(whole);
  SmallVector<Value> rest = contributions(1);
  Value mask = e.laneMask();
  e.setActiveLanes(e.allLanes());
  for (auto [op, part] : llvm::zip(pass->reductions, rest))
    part = arith::SelectOp::create(b, e.loc, mask, part,
                                   identity(op, /*lanes=*/true));
  return combine(sums, rest);
}

/// Sets the kept loops from the number of a kept point.
void KernelEmitter::setKept(Value item, bool withLast) {
  int64_t last = static_cast<int64_t>(space.extents.size()) - 1;
  for (int64_t d = withLast ? last : last - 1; d >= 0; --d) {
    if (space.reduced[d])
      continue;
    Value extent = e.constant(space.extents[d]);
    at[d] = arith::RemUIOp::create(b, e.loc, item, extent);
    item = arith::DivUIOp::create(b, e.loc, item, extent);
  }
}

/// Stores, for each of `vectors` neighbours, the totals of the reductions and
/// the values computed from them at their index.
void KernelEmitter::storeColumns(ArrayRef<Value> totals, int64_t vectors) {
  Index index = keptIndex();
  int64_t active = e.getActiveLanes();
  for (int64_t v = 0; v < vectors; ++v) {
    e.setActiveLanes(v + 1 == vectors ? active : e.allLanes());
    Index here = index;
    if (v)
      here.at.back() = e.add(index.at.back(), v * space.lanes());
    for (auto [r, op] : llvm::enumerate(pass->reductions)) {
      Value total = totals[r * vectors + v];
      e.setRowElement(op->getResult(0), rounded(op, total, here));
    }
    setRowOps(here);
    storeRowResults(here);
    e.forgetRow();
  }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Stores the results of the pass in loop `level` and the loops inside it.
void KernelEmitter::storeRow(unsigned level) {
  if (level + 1 == space.extents.size())
    return storeLast();
  loop(e.constant(0), e.constant(space.extents[level]), 1, [&](Value i) {
    at[level] = i;
    storeRow(level + 1);
  });
}

void KernelEmitter::runPass() {
  if (pass->reductions.empty())
    return storeRow(llvm::find(space.reduced, true) - space.reduced.begin());
  SmallVector<Value> totals = sweep(0, 1);
  Index row = keptIndex();
  for (auto [op, total] : llvm::zip(pass->reductions, totals)) {
    Value one = space.vectorized ? acrossLanes(op, total) : total;
    e.setRowElement(op->getResult(0), rounded(op, one, row));
  }
  setRowOps(row);
}

void KernelEmitter::emitKeptPoint(Value item) {
  setKept(item, /*withLast=*/true);
  for (const KernelPass &each : space.work.passes) {
    pass = &each;
    runPass();
  }
  storeRowResults(keptIndex());
  e.forgetRow();
}

//===----------------------------------------------------------------------===//
// Tiles of columns
//===----------------------------------------------------------------------===//

/// Computes the columns of a tile, starting at at.back().
void KernelEmitter::emitColumns(int64_t columns) {
  int64_t lanes = space.lanes();
  int64_t vectors = llvm::divideCeil(columns, lanes);
  e.setActiveLanes(columns - (vectors - 1) * lanes);
  SmallVector<Value> totals = sweep(0, vectors);
  storeColumns(totals, vectors);
  e.setActiveLanes(e.allLanes());
}

void KernelEmitter::emitTile(Value item) {
  int64_t width = space.tileColumns(), columns = space.extents.back();
  int64_t whole = columns / width, rest = columns % width;
  Value tiles = e.constant(whole + (rest ? 1 : 0));
  Value tile = arith::RemUIOp::create(b, e.loc, item, tiles);
  setKept(arith::DivUIOp::create(b, e.loc, item, tiles), /*withLast=*/false);
  at.back() = e.multiply(tile, width);
  if (!rest || !whole)
    return emitColumns(rest ? rest : width);
  Value full = arith::CmpIOp::create(b, e.loc, arith::CmpIPredicate::slt, tile,
                                     e.constant(whole));
  auto branch = scf::IfOp::create(b, e.loc, full, /*withElseRegion=*/true);
  SmallVector<Value> position = at;
  OpBuilder::InsertionGuard guard(b);
  for (int64_t count : {width, rest}) {
    Block *block = count == width ? branch.thenBlock() : branch.elseBlock();
    b.setInsertionPointToStart(block);
    e.forget();
    at = position;
    emitColumns(count);
  }
  e.forget();
}

void KernelEmitter::emit(Value begin, Value end) {
  if (!space.hasReductions() && space.extents.size() == 1)
    return emitFlat(begin, end);
  forEachItem(begin, end, [&](Value item) {
    if (!space.hasReductions())
      emitRow(item);
    else if (space.reducesLast())
      emitKeptPoint(item);
    else
      emitTile(item);
  });
}

/// Emits, for each space, its share of the grains that the function is called
/// with.
static void emitSpaces(OpBuilder &b, Block &body, ArrayRef<KernelSpace> spaces,
                       ArrayRef<Value> pointers) {
  Location loc = b.getUnknownLoc();
  ValueRange asked = b.getInsertionBlock()->getArguments().drop_front();
  int64_t before = 0;
  for (const KernelSpace &space : spaces) {
    ElementEmitter elements(b, loc, space, pointers);
    SmallVector<Value> share;
    for (Value grain : asked) {
      if (spaces.size() > 1) {
        grain = elements.add(grain, -before);
        grain = arith::MaxSIOp::create(b, loc, grain, elements.constant(0));
        grain = arith::MinSIOp::create(b, loc, grain,
                                       elements.constant(space.grains()));
      }
      share.push_back(grain);
    }
    KernelEmitter(elements, body).emit(share[0], share[1]);
    before += space.grains();
  }
}

LogicalResult reprise::emitKernel(ModuleOp module, StringRef symbol,
                                  Block &body, const KernelShape &shape) {
  FailureOr<std::vector<KernelSpace>> spaces = readKernelSpaces(body, shape);
  if (failed(spaces))
    return failure();
  OpBuilder b(module.getBodyRegion());
  b.setInsertionPointToEnd(module.getBody());
  Location loc = b.getUnknownLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type tensor = LLVM::LLVMPointerType::get(b.getContext(), shape.addressSpace);
  Type type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  {pointer, b.getI64Type(), b.getI64Type()});
  auto function = LLVM::LLVMFuncOp::create(b, loc, symbol, type);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  SmallVector<Value> pointers;
  unsigned count =
      body.getNumArguments() + body.getTerminator()->getNumOperands();
  for (unsigned i = 0; i < count; ++i) {
    Value slot =
        LLVM::GEPOp::create(b, loc, pointer, pointer, entry->getArgument(0),
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    pointers.push_back(LLVM::LoadOp::create(b, loc, tensor, slot, 8));
  }
  emitSpaces(b, body, *spaces, pointers);
  LLVM::ReturnOp::create(b, loc, ValueRange{});
  return success();
}
