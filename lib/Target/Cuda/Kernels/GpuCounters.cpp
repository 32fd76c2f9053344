//===- GpuCounters.cpp - Blocks that share a sum --------------------------===//
//
// Counting releases the block's writes and acquires those of the others, with a
// fence on either side (PTX ISA, memory consistency model), since LLVM drops
// the memory order of an atomic op itself. No block waits, so any number of
// blocks may run at once. Counters are variables of the module, zero before and
// after every kernel; the kernels of a module run one after another.
//
//===----------------------------------------------------------------------===//

#include "GpuCounters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace reprise;

static constexpr llvm::StringLiteral kCounters = "arrived";

/// The module's counters.
static Value addressOfCounters(OpBuilder &b, gpu::GPUFuncOp function) {
  auto module = function->getParentOfType<gpu::GPUModuleOp>();
  Location loc = module.getLoc();
  constexpr unsigned global = 1;
  auto counters = module.lookupSymbol<LLVM::GlobalOp>(kCounters);
  if (!counters) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&module.getBodyRegion().front());
    auto type = LLVM::LLVMArrayType::get(b.getI32Type(), kMostCounters);
    counters = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/false,
                                      LLVM::Linkage::Internal, kCounters,
                                      Attribute(), /*alignment=*/4, global);
    b.createBlock(&counters.getInitializerRegion());
    LLVM::ReturnOp::create(b, loc, LLVM::ZeroOp::create(b, loc, type));
  }
  return LLVM::AddressOfOp::create(b, loc, counters);
}

/// Orders accesses before the fence with those after it, for the whole device.
static void fence(OpBuilder &b, Location loc) {
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acq_rel, "device");
}

/// Executed by one thread: returns true if the block is the last to arrive,
/// which also resets the count.
static Value count(OpBuilder &b, Location loc, gpu::GPUFuncOp function,
                   Value number, int64_t parts) {
  Type word = b.getI32Type();
  Value counters = addressOfCounters(b, function);
  Value counter = LLVM::GEPOp::create(b, loc, counters.getType(), word,
                                      counters, ArrayRef<LLVM::GEPArg>{number});
  Value one = arith::ConstantIntOp::create(b, loc, 1, 32);
  fence(b, loc);
  Value before =
      LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::add, counter, one,
                                LLVM::AtomicOrdering::monotonic, "device");
  fence(b, loc);
  Value last = arith::ConstantIntOp::create(b, loc, parts - 1, 32);
  Value is =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, before, last);
  auto branch = scf::IfOp::create(b, loc, is, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value none = arith::ConstantIntOp::create(b, loc, 0, 32);
  LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::xchg, counter, none,
                            LLVM::AtomicOrdering::monotonic, "device");
  return is;
}

Value reprise::arriveLast(OpBuilder &b, gpu::GPUFuncOp function, Value thread,
                          Value counter, int64_t parts) {
  Location loc = function.getLoc();
  Type word = b.getI32Type();
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  Value isLast = function.addWorkgroupAttribution(
      MemRefType::get({1}, word, MemRefLayoutAttrInterface(), space), loc);
  Value first = arith::ConstantIndexOp::create(b, loc, 0);
  // The writes of the block's threads precede its count.
  bool waits = true;
  if (waits)
    gpu::BarrierOp::create(b, loc);
  Value counts =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread,
                            arith::ConstantIntOp::create(b, loc, 0, 64));
  auto branch = scf::IfOp::create(b, loc, counts, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value is = count(b, loc, function, counter, parts);
    memref::StoreOp::create(b, loc, arith::ExtUIOp::create(b, loc, word, is),
                            isLast, first);
  }
  gpu::BarrierOp::create(b, loc);
  Value flag = memref::LoadOp::create(b, loc, isLast, first);
  Value none = arith::ConstantIntOp::create(b, loc, 0, 32);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, flag, none);
}
