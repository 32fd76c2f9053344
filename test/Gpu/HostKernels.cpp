//===- HostKernels.cpp - Kernels of a GPU as functions of the CPU ---------===//
//
// Input:   gpu.func on pointers, ops of arith, math, scf, vector, memref, LLVM.
// Output:  a module in the LLVM dialect; a kernel's function takes the kernel's
//          arguments, the launch, the thread and the block.
// Method:  address spaces are dropped, shared memory becomes global variables,
//          what threads do together becomes calls; lowered, then instrumented.
// Fails:   on kernels of another form, and on ops that do not lower.
//
//===----------------------------------------------------------------------===//

#include "HostKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include <set>

using namespace mlir;
using namespace reprise::gpu_test;

std::string reprise::gpu_test::describePlace(StringRef what,
                                             Location location) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << what << " at ";
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    stream << file.getFilename().getValue() << ":" << file.getLine() << ":"
           << file.getColumn();
  else
    stream << location;
  return text;
}

//===----------------------------------------------------------------------===//
// Form
//===----------------------------------------------------------------------===//

/// The first of three sizes, if the others are 1.
static FailureOr<int64_t> lengthOf(gpu::GPUFuncOp kernel,
                                   std::optional<ArrayRef<int32_t>> size,
                                   StringRef name) {
  if (!size || size->size() != 3 || (*size)[0] < 1 || (*size)[1] != 1 ||
      (*size)[2] != 1)
    return kernel.emitOpError() << "needs " << name << " = [n, 1, 1]";
  return int64_t((*size)[0]);
}

static FailureOr<Kernel> describeKernel(gpu::GPUFuncOp function) {
  Kernel kernel;
  kernel.name = function.getName().str();
  FailureOr<int64_t> threads =
      lengthOf(function, function.getKnownBlockSize(), "known_block_size");
  FailureOr<int64_t> blocks =
      lengthOf(function, function.getKnownGridSize(), "known_grid_size");
  if (failed(threads) || failed(blocks))
    return failure();
  if (*threads > kMostThreads)
    return function.emitOpError()
           << "has " << *threads << " threads in a block, more than "
           << kMostThreads;
  if (function.getNumPrivateAttributions())
    return function.emitOpError("has private attributions");
  for (Type type : function.getArgumentTypes())
    if (!isa<LLVM::LLVMPointerType>(type))
      return function.emitOpError()
             << "has an argument of type " << type << ", not !llvm.ptr";
  uint64_t shared = 0;
  for (BlockArgument buffer : function.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(buffer.getType());
    shared +=
        type.getNumElements() * DataLayout().getTypeSize(type.getElementType());
  }
  if (shared > kMostShared)
    return function.emitOpError()
           << "has " << shared << " bytes of shared memory, more than "
           << kMostShared;
  kernel.threads = unsigned(*threads);
  kernel.blocks = *blocks;
  kernel.parameters = function.getNumArguments();
  return kernel;
}

/// Gives all memory below `op` one address space.
static void dropAddressSpaces(Operation *op) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](LLVM::LLVMPointerType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  replacer.addReplacement([](MemRefType type) -> Type {
    return MemRefType::get(type.getShape(), type.getElementType(),
                           type.getLayout());
  });
  replacer.recursivelyReplaceElementsIn(op, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  op->walk([](Operation *cast) {
    if (!isa<LLVM::AddrSpaceCastOp, memref::MemorySpaceCastOp>(cast))
      return;
    cast->getResult(0).replaceAllUsesWith(cast->getOperand(0));
    cast->erase();
  });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
/// Makes a function of a gpu.func whose types have no address spaces.
class KernelConverter {
public:
  KernelConverter(gpu::GPUFuncOp source, ModuleOp module, Kernel &kernel,
                  const CompileOptions &options)
      : source(source), module(module), kernel(kernel), options(options),
        builder(module.getContext()) {}

  void convert();

private:
  void moveBody();
  void moveShared(BlockArgument buffer, size_t alignment);
  void convertOp(Operation *op);
  Value indexOf(Operation *op);
  void convertBarrier(Operation *op);
  void convertShuffle(gpu::ShuffleOp op);
  bool convertProduct(NVVM::MmaOp op);
  bool convertMatrices(NVVM::LdMatrixOp op);
  bool convertAtomic(LLVM::AtomicRMWOp op);
  unsigned addMeeting(StringRef what, Location location);
  Value constant(int64_t value);
  Value index(int64_t value);
  func::CallOp call(StringRef symbol, ValueRange operands, Type result);

  gpu::GPUFuncOp source;
  ModuleOp module;
  Kernel &kernel;
  const CompileOptions &options;
  OpBuilder builder;
  func::FuncOp function;
  Value launch, thread, block;
};
} // namespace

static std::string functionSymbol(const Kernel &kernel) {
  return "kernel." + kernel.name;
}

void KernelConverter::convert() {
  moveBody();
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<gpu::GPUDialect, NVVM::NVVMDialect>(op->getDialect()) ||
        isa<LLVM::AtomicRMWOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    convertOp(op);
  // Threads run one at a time.
  function.walk([](LLVM::FenceOp fence) { fence.erase(); });
}

/// Of shared memory number `i`: what it states, or its elements' own, as PTX
/// has it.
static size_t alignmentOf(gpu::GPUFuncOp function, int i) {
  auto stated =
      dyn_cast_or_null<IntegerAttr>(function.getWorkgroupAttributionAttr(
          i, LLVM::LLVMDialect::getAlignAttrName()));
  if (stated)
    return size_t(stated.getInt());
  auto type =
      cast<MemRefType>(function.getWorkgroupAttributions()[i].getType());
  return llvm::PowerOf2Ceil(DataLayout().getTypeSize(type.getElementType()));
}

void KernelConverter::moveBody() {
  SmallVector<size_t> alignments;
  for (int i = 0; i < int(source.getNumWorkgroupAttributions()); ++i)
    alignments.push_back(alignmentOf(source, i));
  Location loc = source.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  SmallVector<Type> types(kernel.parameters, pointer);
  types.append({pointer, builder.getIndexType(), builder.getIndexType()});
  builder.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(builder, loc, functionSymbol(kernel),
                                  builder.getFunctionType(types, {}));
  function.getBody().takeBody(source.getBody());
  Block &entry = function.getBody().front();
  // Shared memory follows the arguments.
  for (size_t alignment : alignments)
    moveShared(entry.getArgument(kernel.parameters), alignment);
  launch = entry.addArgument(pointer, loc);
  thread = entry.addArgument(builder.getIndexType(), loc);
  block = entry.addArgument(builder.getIndexType(), loc);
}

void KernelConverter::moveShared(BlockArgument buffer, size_t alignment) {
  auto type = cast<MemRefType>(buffer.getType());
  std::string symbol =
      "shared." + kernel.name + "." + std::to_string(kernel.shared.size());
  size_t bytes = size_t(type.getNumElements()) *
                 DataLayout(module).getTypeSize(type.getElementType());
  builder.setInsertionPointToStart(module.getBody());
  memref::GlobalOp::create(builder, buffer.getLoc(), symbol, StringAttr(), type,
                           builder.getUnitAttr(), /*constant=*/false,
                           builder.getI64IntegerAttr(128));
  builder.setInsertionPointToStart(buffer.getOwner());
  Value global =
      memref::GetGlobalOp::create(builder, buffer.getLoc(), type, symbol);
  buffer.replaceAllUsesWith(global);
  buffer.getOwner()->eraseArgument(buffer.getArgNumber());
  kernel.shared.push_back({symbol, bytes, alignment, nullptr});
}

Value KernelConverter::constant(int64_t value) {
  return arith::ConstantIntOp::create(builder, source.getLoc(), value, 32);
}

Value KernelConverter::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, source.getLoc(), value);
}

func::CallOp KernelConverter::call(StringRef symbol, ValueRange operands,
                                   Type result) {
  SmallVector<Type> results;
  if (result)
    results.push_back(result);
  if (!module.lookupSymbol(symbol)) {
    OpBuilder outside(module.getBodyRegion());
    auto type = builder.getFunctionType(operands.getTypes(), results);
    func::FuncOp::create(outside, module.getLoc(), symbol, type).setPrivate();
  }
  return func::CallOp::create(builder, source.getLoc(), symbol, results,
                              operands);
}

unsigned KernelConverter::addMeeting(StringRef what, Location location) {
  kernel.meetings.push_back({describePlace(what, location), ShuffleMode::Xor});
  return unsigned(kernel.meetings.size() - 1);
}

/// What an op that asks where it runs gives; null for others.
Value KernelConverter::indexOf(Operation *op) {
  Location loc = op->getLoc();
  auto along = [&](gpu::Dimension dimension, Value x, int64_t other) {
    return dimension == gpu::Dimension::x ? x : index(other);
  };
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    return along(id.getDimension(), thread, 0);
  if (auto id = dyn_cast<gpu::BlockIdOp>(op))
    return along(id.getDimension(), block, 0);
  if (auto size = dyn_cast<gpu::BlockDimOp>(op))
    return along(size.getDimension(), index(kernel.threads), 1);
  if (auto size = dyn_cast<gpu::GridDimOp>(op))
    return along(size.getDimension(), index(kernel.blocks), 1);
  if (isa<gpu::LaneIdOp>(op))
    return arith::RemUIOp::create(builder, loc, thread, index(kWarpSize));
  if (isa<gpu::SubgroupIdOp>(op))
    return arith::DivUIOp::create(builder, loc, thread, index(kWarpSize));
  if (isa<gpu::SubgroupSizeOp>(op))
    return index(kWarpSize);
  return nullptr;
}

void KernelConverter::convertBarrier(Operation *op) {
  if (kernel.barriers++ == options.droppedBarrier)
    return;
  if (auto warp = dyn_cast<NVVM::SyncWarpOp>(op)) {
    unsigned site = addMeeting("warp barrier", op->getLoc());
    call(kWarpBarrierSymbol, {launch, constant(site), warp.getMask()}, nullptr);
    return;
  }
  unsigned site = addMeeting("barrier", op->getLoc());
  call(kBarrierSymbol, {launch, constant(site)}, nullptr);
}

static ShuffleMode modeOf(gpu::ShuffleMode mode) {
  switch (mode) {
  case gpu::ShuffleMode::XOR:
    return ShuffleMode::Xor;
  case gpu::ShuffleMode::UP:
    return ShuffleMode::Up;
  case gpu::ShuffleMode::DOWN:
    return ShuffleMode::Down;
  case gpu::ShuffleMode::IDX:
    return ShuffleMode::Index;
  }
  llvm_unreachable("all modes have a case");
}

/// Values travel as 64 bits, whatever their type.
void KernelConverter::convertShuffle(gpu::ShuffleOp op) {
  Location loc = op.getLoc();
  Type type = op.getValue().getType(), wide = builder.getI64Type();
  Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
  unsigned site = addMeeting("shuffle", loc);
  kernel.meetings.back().mode = modeOf(op.getMode());
  Value value = op.getValue();
  if (type != bits)
    value = arith::BitcastOp::create(builder, loc, bits, value);
  if (bits != wide)
    value = arith::ExtUIOp::create(builder, loc, wide, value);
  value =
      call(kShuffleSymbol,
           {launch, constant(site), value, op.getOffset(), op.getWidth()}, wide)
          .getResult(0);
  if (bits != wide)
    value = arith::TruncIOp::create(builder, loc, bits, value);
  if (type != bits)
    value = arith::BitcastOp::create(builder, loc, type, value);
  Value valid =
      call(kShuffleValidSymbol,
           {launch, constant(site), op.getOffset(), op.getWidth()}, wide)
          .getResult(0);
  valid = arith::TruncIOp::create(builder, loc, builder.getI1Type(), valid);
  op.replaceAllUsesWith(ValueRange{value, valid});
}

/// mma.m16n8k16 of bf16 and f16 with sums in f32, row by column.
bool KernelConverter::convertProduct(NVVM::MmaOp op) {
  Location loc = op.getLoc();
  Type word = builder.getI32Type(), real = builder.getF32Type();
  std::optional<NVVM::MMATypes> type = op.getMultiplicandAPtxType();
  bool isBFloat = type == NVVM::MMATypes::bf16;
  bool isKnown =
      (isBFloat || type == NVVM::MMATypes::f16) &&
      op.getMultiplicandBPtxType() == type && op.getShape().getM() == 16 &&
      op.getShape().getN() == 8 && op.getShape().getK() == 16 &&
      !op.getB1Op() && op.getLayoutA() == NVVM::MMALayout::row &&
      op.getLayoutB() == NVVM::MMALayout::col && op.getOperandC().size() == 4 &&
      llvm::all_of(op.getOperandC().getTypes(),
                   [](Type each) { return each.isF32(); });
  if (!isKnown)
    return false;
  unsigned site = addMeeting("product", loc);
  SmallVector<Value> operands = {launch, constant(site), constant(isBFloat)};
  for (ValueRange part : {op.getOperandA(), op.getOperandB(), op.getOperandC()})
    for (Value x : part)
      operands.push_back(
          x.getType() == word
              ? x
              : LLVM::BitcastOp::create(builder, loc, word, x).getResult());
  call(kMultiplySymbol, operands, nullptr);
  Value made = LLVM::UndefOp::create(builder, loc, op.getType());
  for (int64_t k = 0; k < 4; ++k) {
    Value bits =
        call(kMultipliedSymbol, {launch, constant(k)}, word).getResult(0);
    Value sum = LLVM::BitcastOp::create(builder, loc, real, bits);
    made = LLVM::InsertValueOp::create(builder, loc, made, sum, k);
  }
  op.getResult().replaceAllUsesWith(made);
  return true;
}

/// ldmatrix of 8 by 8 numbers of 16 bits: each lane loads a row.
bool KernelConverter::convertMatrices(NVVM::LdMatrixOp op) {
  Location loc = op.getLoc();
  Type word = builder.getI32Type();
  NVVM::LdStMatrixShapeAttr shape = op.getShape();
  if (shape.getM() != 8 || shape.getN() != 8 ||
      op.getEltType() != NVVM::LdStMatrixEltType::B16)
    return false;
  unsigned site = addMeeting("matrices", loc);
  Value row =
      LLVM::LoadOp::create(builder, loc, VectorType::get({kRowWords}, word),
                           op.getPtr(), kRowWords * sizeof(uint32_t));
  SmallVector<Value> operands = {launch, constant(site)};
  for (int64_t k = 0; k < kRowWords; ++k)
    operands.push_back(vector::ExtractOp::create(builder, loc, row, k));
  call(kExchangeSymbol, operands, nullptr);
  bool isTurned = op.getLayout() == NVVM::MMALayout::col;
  SmallVector<Value> words;
  for (unsigned i = 0; i < op.getNum(); ++i)
    words.push_back(
        call(kExchangedSymbol, {launch, constant(i), constant(isTurned)}, word)
            .getResult(0));
  Value made = words.front();
  if (words.size() > 1) {
    made = LLVM::UndefOp::create(builder, loc, op.getType());
    for (auto [i, each] : llvm::enumerate(words))
      made = LLVM::InsertValueOp::create(builder, loc, made, each, i);
  }
  op.getResult().replaceAllUsesWith(made);
  return true;
}

/// Whether an op orders all memory for the device.
static bool isFence(Operation *op) {
  auto fence = dyn_cast_or_null<LLVM::FenceOp>(op);
  return fence && fence.getOrdering() == LLVM::AtomicOrdering::acq_rel &&
         fence.getSyncscope() == "device";
}

/// Of variables of the module alone: they are no buffers.
bool KernelConverter::convertAtomic(LLVM::AtomicRMWOp op) {
  Value variable = op.getPtr();
  if (auto place = variable.getDefiningOp<LLVM::GEPOp>())
    variable = place.getBase();
  // The first one's address is that of all.
  bool isVariable = bool(variable.getDefiningOp<LLVM::AddressOfOp>());
  bool adds = op.getBinOp() == LLVM::AtomicBinOp::add;
  bool replaces = op.getBinOp() == LLVM::AtomicBinOp::xchg;
  if (!isVariable || !(adds || replaces) || !op.getType().isInteger(32))
    return false;
  // An order of its own does not reach PTX.
  bool isOrdered = isFence(op->getPrevNode()) && isFence(op->getNextNode());
  uint32_t flags =
      (adds ? kChangeAdds : 0) | (isOrdered ? kChangeIsOrdered : 0);
  op.replaceAllUsesWith(
      call(kChangeSymbol, {launch, op.getPtr(), op.getVal(), constant(flags)},
           op.getType())
          .getResult(0));
  return true;
}

/// Leaves what it does not know: that does not lower.
void KernelConverter::convertOp(Operation *op) {
  builder.setInsertionPoint(op);
  if (Value index = indexOf(op)) {
    op->getResult(0).replaceAllUsesWith(index);
  } else if (isa<gpu::BarrierOp, NVVM::SyncWarpOp>(op)) {
    convertBarrier(op);
  } else if (isa<gpu::ReturnOp>(op)) {
    func::ReturnOp::create(builder, op->getLoc());
  } else if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op);
             shuffle && shuffle.getValue().getType().isIntOrFloat() &&
             shuffle.getValue().getType().getIntOrFloatBitWidth() <= 64) {
    convertShuffle(shuffle);
  } else if (auto product = dyn_cast<NVVM::MmaOp>(op)) {
    if (!convertProduct(product))
      return;
  } else if (auto matrices = dyn_cast<NVVM::LdMatrixOp>(op)) {
    if (!convertMatrices(matrices))
      return;
  } else if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op)) {
    if (!convertAtomic(atomic))
      return;
  } else {
    return;
  }
  op->erase();
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// Adds the function that takes a kernel's arguments out of an array.
static void addEnterFunction(ModuleOp module, const Kernel &kernel) {
  Location loc = module.getLoc();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  Type nothing = LLVM::LLVMVoidType::get(module.getContext());
  auto enter = LLVM::LLVMFuncOp::create(
      b, loc, enterSymbol(kernel.name),
      LLVM::LLVMFunctionType::get(
          nothing, {pointer, pointer, b.getI64Type(), b.getI64Type()}));
  Block *body = enter.addEntryBlock(b);
  b.setInsertionPointToStart(body);
  SmallVector<Value> operands;
  for (unsigned i = 0; i < kernel.parameters; ++i) {
    Value place =
        LLVM::GEPOp::create(b, loc, pointer, pointer, body->getArgument(0),
                            ArrayRef<LLVM::GEPArg>{int32_t(i)});
    operands.push_back(LLVM::LoadOp::create(b, loc, pointer, place));
  }
  llvm::append_range(operands, body->getArguments().drop_front());
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(functionSymbol(kernel));
  function.setLinkage(LLVM::Linkage::Internal);
  LLVM::CallOp::create(b, loc, function, operands);
  LLVM::ReturnOp::create(b, loc, ValueRange());
}

static void loadDialects(MLIRContext &context) {
  context
      .loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                   func::FuncDialect, LLVM::LLVMDialect, memref::MemRefDialect,
                   ub::UBDialect, vector::VectorDialect>();
}

/// Variables of modules of a GPU, whose kernels go to one module.
static void moveVariables(Operation *source, ModuleOp module) {
  source->walk([&](LLVM::GlobalOp variable) {
    OpBuilder b(module.getBodyRegion());
    cast<LLVM::GlobalOp>(b.clone(*variable)).setAddrSpace(0);
  });
}

static LogicalResult convertKernels(Operation *source,
                                    const CompileOptions &options,
                                    HostKernels &host) {
  std::set<std::string> names;
  WalkResult walked = source->walk([&](gpu::GPUFuncOp function) {
    FailureOr<Kernel> kernel = describeKernel(function);
    if (failed(kernel))
      return WalkResult::interrupt();
    if (!names.insert(kernel->name).second) {
      function.emitOpError("has the name of another kernel");
      return WalkResult::interrupt();
    }
    host.kernels.push_back(std::move(*kernel));
    KernelConverter(function, *host.module, host.kernels.back(), options)
        .convert();
    return WalkResult::skip();
  });
  if (walked.wasInterrupted())
    return failure();
  if (host.kernels.empty())
    return source->emitOpError("holds no gpu.func");
  return success();
}

FailureOr<HostKernels>
reprise::gpu_test::makeHostKernels(Operation *source,
                                   const CompileOptions &options) {
  loadDialects(*source->getContext());
  OwningOpRef<Operation *> clone = source->clone();
  dropAddressSpaces(*clone);
  HostKernels host;
  host.module = ModuleOp::create(source->getLoc());
  moveVariables(*clone, *host.module);
  if (failed(convertKernels(*clone, options, host)) ||
      failed(lowerToLLVM(*host.module)))
    return failure();
  declareAccess(*host.module);
  for (Kernel &kernel : host.kernels) {
    Operation *function = host.module->lookupSymbol(functionSymbol(kernel));
    if (failed(instrumentAccesses(function, kernel.parameters, kernel)))
      return failure();
    addEnterFunction(*host.module, kernel);
  }
  return host;
}
