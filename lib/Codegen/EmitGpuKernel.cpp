//===- EmitGpuKernel.cpp - A kernel as a function of a GPU ----------------===//
//
// Pointwise: one thread for every 16 bytes of neighbouring elements, computed
// at once or, if a row is no longer than that, one by one. Each shape, and each
// group of stores without common operands, has blocks of its own. Transposed
// arguments: see EmitGpuTransposed.cpp.
//
// Reductions over the last loop: a team of threads for each kept point, a warp
// or, for long rows, a block. Each member sweeps every n-th vector of the row,
// pass by pass; then a tree over lanes, over the warp and over the block's
// warps adds the members' sums, and every member gets the total. Values with
// one element a row are computed by all members and stored by one, after a
// barrier: they may be placed over data that the others still read.
//
// Reductions over other loops: see EmitGpuColumns.cpp.
//
//===----------------------------------------------------------------------===//

#include "GpuAttention.h"
#include "GpuEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "reprise/Codegen/GpuKernels.h"
#include <algorithm>

using namespace mlir;
using namespace reprise;

void reprise::loadGpuDialects(MLIRContext &context) {
  loadKernelDialects(context);
  context
      .loadDialect<gpu::GPUDialect, memref::MemRefDialect, NVVM::NVVMDialect>();
}

GpuEmitter::GpuEmitter(ElementEmitter &e, const GpuSpace &own, Block &body,
                       gpu::GPUFuncOp function, Value workspace)
    : KernelParts(e, body), own(own), function(function), shape(own),
      workspace(workspace) {}

//===----------------------------------------------------------------------===//
// Loops and numbers
//===----------------------------------------------------------------------===//

Value GpuEmitter::remainder(Value x, int64_t by) {
  if (by == 1)
    return e.constant(0);
  return arith::RemUIOp::create(b, e.loc, x, e.constant(by));
}

Value GpuEmitter::quotient(Value x, int64_t by) {
  if (by == 1)
    return x;
  return arith::DivUIOp::create(b, e.loc, x, e.constant(by));
}

/// Sets loops from a flat number, the last of them innermost.
void GpuEmitter::unflatten(Value number, ArrayRef<unsigned> loops) {
  if (loops.empty())
    return;
  for (size_t k = loops.size() - 1; k > 0; --k) {
    int64_t extent = space.extents[loops[k]];
    Value low = remainder(number, extent), high = quotient(number, extent);
    e.setWhole(high, low, extent, number);
    at[loops[k]] = low;
    number = high;
  }
  at[loops.front()] = number;
}

void GpuEmitter::setLast(Value vector) {
  at.back() = e.multiply(vector, shape.width);
  e.setMultiple(at.back(), shape.width);
}

/// Returns begin + n stride, the first of the steps to `end` that remain after
/// whole batches of `batch`. `end` may be before `begin`.
Value GpuEmitter::behindBatches(Value begin, Value end, int64_t stride,
                                int64_t batch) {
  Value length = arith::MaxSIOp::create(
      b, e.loc, arith::SubIOp::create(b, e.loc, end, begin), e.constant(0));
  Value steps = quotient(e.add(length, stride - 1), stride);
  return e.add(begin, e.multiply(quotient(steps, batch), batch * stride));
}

/// Like fold, but while `batch` steps are left, reads all of them before adding
/// any, so that their loads overlap. They are added in the same order as in
/// fold.
SmallVector<Value> GpuEmitter::foldTogether(
    Value begin, Value end, int64_t stride, int64_t batch, ValueRange init,
    llvm::function_ref<void(unsigned, Value)> read, AddStep add) {
  auto steps = [&](Value from, Value to, int64_t count, ValueRange before) {
    return fold(from, to, count * stride, before,
                [&](Value i, ValueRange sums) {
                  for (int64_t n = 0; n < count; ++n)
                    read(n, e.add(i, n * stride));
                  SmallVector<Value> next(sums);
                  for (int64_t n = 0; n < count; ++n)
                    next = add(n, next);
                  return next;
                });
  };
  if (batch == 1)
    return steps(begin, end, 1, init);
  Value middle = behindBatches(begin, end, stride, batch);
  return steps(middle, end, 1, steps(begin, middle, batch, init));
}

/// Returns a zero for each reduction of the pass and each scalar of a thread.
SmallVector<Value> GpuEmitter::zeros() {
  SmallVector<Value> sums;
  for (Operation *op : pass->reductions)
    sums.append(shape.scalars, identity(op, space.vectorized));
  return sums;
}

/// Accumulates into such sums the elements at begin, begin + stride, ... below
/// end, for the reductions of the pass; stores the pointwise results. A result
/// placed over an argument is stored after the loads at its own position,
/// regardless of the others' loads.
SmallVector<Value> GpuEmitter::sweep(Value begin, Value end, int64_t stride,
                                     int64_t batch, ValueRange init,
                                     llvm::function_ref<void(Value)> place) {
  // One for each step and scalar.
  SmallVector<Index> indices(batch * shape.scalars);
  SmallVector<SmallVector<Value>> elements(batch * shape.scalars);
  auto read = [&](unsigned step, Value i) {
    place(i);
    Value first = at.back();
    for (int64_t s = 0; s < shape.scalars; ++s) {
      at.back() = e.add(first, s);
      Index &index = indices[step * shape.scalars + s];
      index = indexAt(at);
      auto &own = elements[step * shape.scalars + s];
      own.clear();
      for (Operation *op : pass->reductions)
        own.push_back(accumulated(op, index));
      if (batch == 1)
        storePointwise(index);
      else
        evaluatePointwise(index);
    }
  };
  auto add = [&](unsigned step, ArrayRef<Value> sums) {
    SmallVector<Value> next(sums);
    for (int64_t s = 0; s < shape.scalars; ++s) {
      if (batch > 1)
        storePointwise(indices[step * shape.scalars + s]);
      for (auto [r, op] : llvm::enumerate(pass->reductions)) {
        Value &sum = next[r * shape.scalars + s];
        sum = combine(op, sum, elements[step * shape.scalars + s][r]);
      }
    }
    return next;
  };
  return foldTogether(begin, end, stride, batch, init, read, add);
}

void GpuEmitter::ifThen(Value condition, llvm::function_ref<void()> then) {
  auto branch =
      scf::IfOp::create(b, e.loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> position = at;
  e.forget();
  then();
  e.forget();
  at = position;
}

Value GpuEmitter::share(int64_t elements, Type type) {
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto memory =
      MemRefType::get({elements}, type, MemRefLayoutAttrInterface(), space);
  return function.addWorkgroupAttribution(memory, e.loc);
}

//===----------------------------------------------------------------------===//
// Pointwise kernels
//===----------------------------------------------------------------------===//

void GpuEmitter::emitPointwise(Value block, Value thread) {
  int64_t count = shape.kept * shape.vectors;
  Value number = e.add(e.multiply(block, kBlockThreads), thread);
  auto store = [&] {
    setLast(shape.keptLoops.empty() ? number
                                    : remainder(number, shape.vectors));
    if (!shape.keptLoops.empty())
      unflatten(quotient(number, shape.vectors), shape.keptLoops);
    SmallVector<Index> indices;
    Value first = at.back();
    for (int64_t s = 0; s < shape.scalars; ++s) {
      at.back() = e.add(first, s);
      indices.push_back(indexAt(at));
      evaluatePointwise(indices.back());
    }
    // All loads before any store: an output may overlap an input.
    for (const Index &index : indices)
      storePointwise(index);
  };
  ifThen(isLess(number, e.constant(count)), store);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void GpuEmitter::waitForTeam() {
  if (shape.isWide) {
    gpu::BarrierOp::create(b, e.loc);
    return;
  }
  Value all = arith::ConstantIntOp::create(b, e.loc, -1, 32);
  NVVM::SyncWarpOp::create(b, e.loc, all);
}

/// Returns the value of the lane whose number differs by `offset`. One exchange
/// moves 32 bits.
Value GpuEmitter::fromLane(Value value, int64_t offset) {
  Type type = value.getType(), word = b.getI32Type(), wide = b.getI64Type();
  unsigned bits = type.getIntOrFloatBitWidth();
  auto shuffle = [&](Value x) {
    return gpu::ShuffleOp::create(b, e.loc, x, offset, kWarpThreads,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (bits == 32)
    return shuffle(value);
  if (bits < 32)
    return arith::TruncIOp::create(
        b, e.loc, type, shuffle(arith::ExtUIOp::create(b, e.loc, word, value)));
  Value all = arith::BitcastOp::create(b, e.loc, wide, value);
  Value by = arith::ConstantIntOp::create(b, e.loc, 32, 64);
  Value low = shuffle(arith::TruncIOp::create(b, e.loc, word, all));
  Value high = shuffle(arith::TruncIOp::create(
      b, e.loc, word, arith::ShRUIOp::create(b, e.loc, all, by)));
  low = arith::ExtUIOp::create(b, e.loc, wide, low);
  high = arith::ExtUIOp::create(b, e.loc, wide, high);
  high = arith::ShLIOp::create(b, e.loc, high, by);
  return arith::BitcastOp::create(b, e.loc, type,
                                  arith::OrIOp::create(b, e.loc, low, high));
}

/// A tree over the lanes of the warp, whose members all get the total.
Value GpuEmitter::addWarp(Operation *op, Value part) {
  for (int64_t offset = kWarpThreads / 2; offset >= 1; offset /= 2) {
    part = combine(op, part, fromLane(part, offset));
  }
  return part;
}

/// Adds a thread's lanes, or as many scalars, by the same tree.
Value GpuEmitter::addLanes(Operation *op, ArrayRef<Value> sums) {
  if (space.vectorized)
    return acrossLanes(op, sums.front());
  SmallVector<Value> left(sums);
  for (; left.size() > 1; left.truncate(left.size() / 2))
    for (size_t i = 0; i < left.size() / 2; ++i)
      left[i] = combine(op, left[i], left[i + left.size() / 2]);
  return left.front();
}

/// Returns the team's total of each reduction of the pass.
SmallVector<Value> GpuEmitter::addTeam(ArrayRef<Value> sums) {
  SmallVector<Value> parts;
  for (auto [r, op] : llvm::enumerate(pass->reductions))
    parts.push_back(addWarp(
        op, addLanes(op, sums.slice(r * shape.scalars, shape.scalars))));
  if (!shape.isWide)
    return parts;
  SmallVector<Value> buffers;
  for (Value part : parts)
    buffers.push_back(share(kBlockThreads / kWarpThreads, part.getType()));
  ifThen(isZero(lane), [&] {
    for (auto [part, buffer] : llvm::zip_equal(parts, buffers))
      memref::StoreOp::create(b, e.loc, part, buffer, asIndex(warp));
  });
  gpu::BarrierOp::create(b, e.loc);
  for (auto [op, part, buffer] :
       llvm::zip_equal(pass->reductions, parts, buffers)) {
    part = Value();
    for (int64_t w = 0; w < kBlockThreads / kWarpThreads; ++w) {
      Value other =
          memref::LoadOp::create(b, e.loc, buffer, asIndex(e.constant(w)));
      part = part ? combine(op, part, other) : other;
    }
  }
  return parts;
}

void GpuEmitter::runPass() {
  Value end = e.constant(shape.swept * shape.vectors);
  auto place = [&](Value i) {
    setLast(shape.reducedLoops.empty() ? i : remainder(i, shape.vectors));
    if (!shape.reducedLoops.empty())
      unflatten(quotient(i, shape.vectors), shape.reducedLoops);
  };
  SmallVector<Value> parts = sweep(member, end, team(), 1, zeros(), place);
  if (pass->reductions.empty())
    return;
  Index row = keptIndex();
  SmallVector<Value> totals = addTeam(parts);
  for (auto [op, total] : llvm::zip_equal(pass->reductions, totals))
    e.setRowElement(op->getResult(0), rounded(op, total, row));
  setRowOps(row);
}

void GpuEmitter::emitRow() {
  for (const KernelPass &each : space.work.passes) {
    pass = &each;
    runPass();
  }
  waitForTeam();
  Index row = keptIndex();
  // Emitted here, where all members execute it, and not only in the storing
  // member.
  Value stores = isZero(member);
  ifThen(stores, [&] { storeRowResults(row); });
  e.forgetRow();
}

void GpuEmitter::emitRows(Value block, Value thread) {
  int64_t points = shape.kept, warps = kBlockThreads / kWarpThreads;
  lane = remainder(thread, kWarpThreads);
  warp = quotient(thread, kWarpThreads);
  member = shape.isWide ? thread : lane;
  Value point = shape.isWide ? block : e.add(e.multiply(block, warps), warp);
  auto row = [&] {
    unflatten(point, shape.keptLoops);
    emitRow();
  };
  // Whole blocks or whole warps take the same branch.
  if (shape.isWide || points % warps == 0)
    row();
  else
    ifThen(isLess(point, e.constant(points)), row);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Numbers blocks from the end. Products and sums of columns traverse tensors
/// from the beginning and leave the end in the cache that all blocks share; a
/// kernel between two of them therefore starts at the end.
Value GpuEmitter::fromTheEnd(Value block) {
  return arith::SubIOp::create(b, e.loc, e.constant(shape.grid().blocks - 1),
                               block);
}

void GpuEmitter::emit(Value block, Value thread) {
  if (shape.isStaged)
    emitStaged(fromTheEnd(block), thread);
  else if (shape.isPointwise)
    emitPointwise(fromTheEnd(block), thread);
  else if (space.reducesLast())
    emitRows(fromTheEnd(block), thread);
  else
    emitColumns(block, thread);
}

/// Emits the code between the function's arguments and its return.
static void emitSpaces(OpBuilder &b, gpu::GPUFuncOp function, Block &body,
                       ArrayRef<GpuSpace> spaces) {
  Location loc = function.getLoc();
  SmallVector<Value> pointers(function.getArguments());
  Value workspace =
      workspaceBytesOf(spaces) ? pointers.pop_back_val() : Value();
  auto number = [&](Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  };
  Value thread = number(gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x));
  Value block = number(gpu::BlockIdOp::create(b, loc, gpu::Dimension::x));
  int64_t begin = 0;
  for (const GpuSpace &space : spaces) {
    ElementEmitter elements(b, loc, space, pointers);
    GpuEmitter emitter(elements, space, body, function, workspace);
    GpuGrid own = GpuShape(space).grid();
    Value first = elements.add(block, -begin);
    begin += own.blocks;
    if (own.blocks == 0)
      continue;
    if (spaces.size() == 1) {
      emitter.emit(first, thread);
      continue;
    }
    // As unsigned numbers, earlier blocks are large.
    Value isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                        first, elements.constant(own.blocks));
    auto branch = scf::IfOp::create(b, loc, isOwn, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    emitter.emit(first, thread);
  }
}

/// Returns true if an op in a loop may be hoisted out of it, once its operands
/// are: it only computes, or it reads an argument of the kernel at a position
/// that does not change. Stores in the loop never overlap data read at another
/// position.
static bool mayLeaveLoop(Operation *op) {
  if (isMemoryEffectFree(op))
    return isSpeculatable(op);
  auto load = dyn_cast<LLVM::LoadOp>(op);
  if (!load || load.getVolatile_() ||
      load.getOrdering() != LLVM::AtomicOrdering::not_atomic)
    return false;
  Value pointer = load.getAddr();
  while (auto address = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = address.getBase();
  return isa<BlockArgument>(pointer);
}

/// Hoists loads such as the numbers of a channel, which are the same in all
/// rows of a column.
static void hoistLoads(gpu::GPUFuncOp function) {
  function.walk([&](scf::ForOp loop) {
    moveLoopInvariantCode(
        loop.getLoopRegions(),
        [&](Value value, Region *) {
          return loop.isDefinedOutsideOfLoop(value);
        },
        [](Operation *op, Region *) { return mayLeaveLoop(op); },
        [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
  });
}

/// Rejects functions of f64, which would become calls of a C library.
static LogicalResult checkFunctions(gpu::GPUFuncOp function, Block &body) {
  WalkResult walk = function.walk([&](Operation *op) {
    if (!isa<math::ExpOp, math::LogOp, math::TanhOp, math::ErfOp>(op) ||
        !getElementTypeOrSelf(op->getResult(0).getType()).isF64())
      return WalkResult::advance();
    body.getParentOp()->emitOpError("computes ")
        << op->getName().stripDialect()
        << " of f64, of which a GPU has no code";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// Creates the function of a kernel that passed analyzeGpuKernel, with only its
/// return; leaves `b` before it.
static gpu::GPUFuncOp createFunction(OpBuilder &b, StringRef symbol,
                                     Block &body, GpuGrid grid,
                                     int64_t workspaceBytes) {
  constexpr unsigned global = 1; // in NVPTX, AMDGPU and SPIR-V alike
  Type pointer = LLVM::LLVMPointerType::get(b.getContext(), global);
  unsigned count = body.getNumArguments() +
                   body.getTerminator()->getNumOperands() +
                   (workspaceBytes > 0);
  auto type = b.getFunctionType(SmallVector<Type>(count, pointer), {});
  auto function = gpu::GPUFuncOp::create(b, b.getUnknownLoc(), symbol, type);
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  auto sizes = [&](int64_t x) {
    return b.getDenseI32ArrayAttr({static_cast<int32_t>(x), 1, 1});
  };
  function.setKnownBlockSizeAttr(sizes(grid.threads));
  function.setKnownGridSizeAttr(sizes(grid.blocks));
  b.setInsertionPointToStart(&function.getBody().front());
  b.setInsertionPoint(gpu::ReturnOp::create(b, function.getLoc()));
  return function;
}

FailureOr<gpu::GPUFuncOp>
reprise::emitGpuKernel(gpu::GPUModuleOp module, StringRef symbol, Block &body) {
  OpBuilder b(module.getBodyRegion());
  b.setInsertionPointToEnd(&module.getBodyRegion().front());
  if (Operation *op = attentionIn(body)) {
    if (failed(checkGpuAttention(body)))
      return failure();
    AttentionShape shape{AttentionForm(op)};
    auto function =
        createFunction(b, symbol, body, shape.grid(), shape.workspaceBytes());
    emitGpuAttention(b, function, body);
    return function;
  }
  FailureOr<std::vector<GpuSpace>> spaces = readGpuSpaces(body);
  if (failed(spaces))
    return failure();
  auto function = createFunction(b, symbol, body, gridOf(*spaces),
                                 workspaceBytesOf(*spaces));
  emitSpaces(b, function, body, *spaces);
  hoistLoads(function);
  if (failed(checkFunctions(function, body)))
    return failure();
  return function;
}
