//===- GpuBlock.cpp - Operations of a block of threads --------------------===//

#include "GpuBlock.h"
#include "GpuKernels.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace reprise;

GpuBlock::GpuBlock(OpBuilder &builder, gpu::GPUFuncOp function, int64_t threads)
    : ElementBuilder(builder, function.getLoc(), /*lanes=*/1),
      function(function), threads(threads) {
  auto asNumber = [&](Value index) {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      index);
  };
  thread = asNumber(gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x));
  block = asNumber(gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x));
}

Value GpuBlock::load(BlockArgument, const Index &) {
  llvm_unreachable("blocks load what they say, no elements of values");
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

SmallVector<Value> GpuBlock::fold(Value begin, Value end, Value step,
                                  ValueRange init, FoldBody run) {
  auto loop =
      scf::ForOp::create(builder, loc, begin, end, step, init,
                         [](OpBuilder &, Location, Value, ValueRange) {});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      run(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, next);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> GpuBlock::fold(Value begin, int64_t end, int64_t step,
                                  ValueRange init, FoldBody run) {
  return fold(begin, constant(end), constant(step), init, run);
}

void GpuBlock::forEach(Value begin, int64_t end, int64_t step,
                       llvm::function_ref<void(Value)> run) {
  fold(begin, end, step, {}, [&](Value i, ValueRange) {
    run(i);
    return SmallVector<Value>();
  });
}

void GpuBlock::ifThen(Value condition, llvm::function_ref<void()> then) {
  auto branch =
      scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  then();
}

void GpuBlock::barrier() { gpu::BarrierOp::create(builder, loc); }

void GpuBlock::warpBarrier() {
  Value all = arith::ConstantIntOp::create(builder, loc, -1, 32);
  NVVM::SyncWarpOp::create(builder, loc, all);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value GpuBlock::remainder(Value x, int64_t by) {
  if (by == 1)
    return constant(0);
  return arith::RemUIOp::create(builder, loc, x, constant(by));
}

Value GpuBlock::quotient(Value x, int64_t by) {
  if (by == 1)
    return x;
  return arith::DivUIOp::create(builder, loc, x, constant(by));
}

Value GpuBlock::isLess(Value x, int64_t y) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, x,
                               constant(y));
}

Value GpuBlock::isZero(Value x) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, x,
                               constant(0));
}

Value GpuBlock::both(Value x, Value y) {
  return arith::AndIOp::create(builder, loc, x, y);
}

Value GpuBlock::below(Value x, int64_t end) {
  return arith::MinSIOp::create(builder, loc, x, constant(end - 1));
}

/// Returns `like`, a scalar or a vector type, with another element type.
static Type withElements(Type like, Type element) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(vector.clone(element)) : element;
}

Value GpuBlock::widened(Value x) {
  if (getElementTypeOrSelf(x.getType()).isF32())
    return x;
  return arith::ExtFOp::create(
      builder, loc, withElements(x.getType(), builder.getF32Type()), x);
}

Value GpuBlock::narrowed(Value x, Type element) {
  if (getElementTypeOrSelf(x.getType()) == element)
    return x;
  return arith::TruncFOp::create(builder, loc,
                                 withElements(x.getType(), element), x);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static unsigned bytesOf(Type type) {
  int64_t lanes = 1;
  if (auto vector = dyn_cast<VectorType>(type))
    lanes = vector.getNumElements();
  return lanes * getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
}

static Value addressOf(GpuBlock &g, Value pointer, Type element,
                       Value position) {
  return LLVM::GEPOp::create(g.builder, g.loc, pointer.getType(), element,
                             pointer, ValueRange{position},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value GpuBlock::loadGlobal(Value pointer, Type element, Value position,
                           int64_t lanes) {
  Value address = addressOf(*this, pointer, element, position);
  Type type = lanes == 1 ? element : VectorType::get({lanes}, element);
  return LLVM::LoadOp::create(builder, loc, type, address, bytesOf(type));
}

void GpuBlock::storeGlobal(Value value, Value pointer, Value position) {
  Type element = getElementTypeOrSelf(value.getType());
  Value address = addressOf(*this, pointer, element, position);
  LLVM::StoreOp::create(builder, loc, value, address, bytesOf(value.getType()));
}

Value GpuBlock::place(const SharedRows &rows, Value row, Value column) {
  Value at = add(add(multiply(row, rows.pitch), column), rows.begin);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), at);
}

Value GpuBlock::load(const SharedRows &rows, Value row, Value column,
                     int64_t lanes) {
  Type element = cast<MemRefType>(rows.memory.getType()).getElementType();
  auto type = VectorType::get({lanes}, element);
  Value vector = vector::LoadOp::create(
      builder, loc, type, rows.memory, ValueRange{place(rows, row, column)},
      /*nontemporal=*/false, llvm::MaybeAlign(bytesOf(type)));
  if (lanes > 1)
    return vector;
  return vector::ExtractOp::create(builder, loc, vector, int64_t{0});
}

void GpuBlock::store(Value value, const SharedRows &rows, Value row,
                     Value column) {
  if (!isa<VectorType>(value.getType()))
    value = vector::BroadcastOp::create(
        builder, loc, VectorType::get({1}, value.getType()), value);
  vector::StoreOp::create(
      builder, loc, value, rows.memory, ValueRange{place(rows, row, column)},
      /*nontemporal=*/false, llvm::MaybeAlign(bytesOf(value.getType())));
}

SmallVector<Value> GpuBlock::loadMatrices(const SharedRows &rows, Value row,
                                          Value column, int64_t count,
                                          bool areTurned) {
  MLIRContext *context = builder.getContext();
  auto pointerType = LLVM::LLVMPointerType::get(
      context, static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  Type element = cast<MemRefType>(rows.memory.getType()).getElementType();
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, rows.memory);
  address =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
  Value begin = LLVM::IntToPtrOp::create(builder, loc, pointerType, address);
  Value at = addressOf(*this, begin, element,
                       add(add(multiply(row, rows.pitch), column), rows.begin));
  SmallVector<Type> words(count, builder.getI32Type());
  Type type = count == 1 ? words.front()
                         : LLVM::LLVMStructType::getLiteral(context, words);
  Value loaded = NVVM::LdMatrixOp::create(
      builder, loc, type, at, count,
      areTurned ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
      NVVM::LdStMatrixEltType::B16);
  if (count == 1)
    return {loaded};
  SmallVector<Value> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(LLVM::ExtractValueOp::create(builder, loc, loaded, i));
  return result;
}

//===----------------------------------------------------------------------===//
// Teams
//===----------------------------------------------------------------------===//

Value GpuBlock::fromLane(Value x, int64_t offset) {
  return gpu::ShuffleOp::create(builder, loc, x, offset, kWarpThreads,
                                gpu::ShuffleMode::XOR)
      .getShuffleResult();
}

Value GpuBlock::teamSum(Value x, int64_t team) {
  for (int64_t offset = team / 2; offset >= 1; offset /= 2)
    x = arith::AddFOp::create(builder, loc, x, fromLane(x, offset));
  return x;
}

Value GpuBlock::teamMaximum(Value x, int64_t team) {
  for (int64_t offset = team / 2; offset >= 1; offset /= 2)
    x = arith::MaximumFOp::create(builder, loc, x, fromLane(x, offset));
  return x;
}
