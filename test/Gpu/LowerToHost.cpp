//===- LowerToHost.cpp - Functions to instrumented LLVM -------------------===//
//
// Rounding to bf16 is by integer arithmetic, to the nearest, as on a GPU: the
// CPU's instruction for it flushes small numbers.
//
//===----------------------------------------------------------------------===//

#include "HostKernels.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace reprise::gpu_test;

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// What the conversion has no patterns for.
static LogicalResult expand(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  arith::populateExpandBFloat16Patterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  memref::populateExpandStridedMetadataPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

static LogicalResult convert(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LLVMTypeConverter types(context);
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  populateVectorToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns,
                                       /*approximateLog1p=*/false);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
  populateFuncToLLVMConversionPatterns(types, patterns);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  return applyFullConversion(module, target, std::move(patterns));
}

LogicalResult reprise::gpu_test::lowerToLLVM(ModuleOp module) {
  return success(succeeded(expand(module)) && succeeded(convert(module)));
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void reprise::gpu_test::declareAccess(ModuleOp module) {
  OpBuilder b(module.getBodyRegion());
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  LLVM::LLVMFuncOp::create(
      b, module.getLoc(), kAccessSymbol,
      LLVM::LLVMFunctionType::get(pointer, {pointer, pointer, b.getI32Type()}));
}

/// Whether an op may touch memory in a way that nobody looks at.
static bool escapes(Operation *op) {
  return !isMemoryEffectFree(op) &&
         !isa<LLVM::LLVMFuncOp, LLVM::LoadOp, LLVM::StoreOp, LLVM::CallOp,
              LLVM::AllocaOp, LLVM::AssumeOp, LLVM::UnreachableOp>(op);
}

static void instrument(Operation *op, Value launch, Kernel &kernel) {
  OpBuilder b(op);
  auto load = dyn_cast<LLVM::LoadOp>(op);
  auto store = dyn_cast<LLVM::StoreOp>(op);
  Value at = load ? load.getAddr() : store.getAddr();
  Type type = load ? load.getType() : store.getValue().getType();
  DataLayout layout(op->getParentOfType<ModuleOp>());
  std::optional<uint64_t> stated =
      load ? load.getAlignment() : store.getAlignment();
  AccessSite site;
  site.bytes = unsigned(layout.getTypeSize(type).getFixedValue());
  site.alignment = unsigned(stated.value_or(layout.getTypeABIAlignment(type)));
  site.isStore = bool(store);
  site.text = describePlace(store ? "store" : "load", op->getLoc());
  Value number =
      LLVM::ConstantOp::create(b, op->getLoc(), b.getI32Type(),
                               b.getI32IntegerAttr(kernel.accesses.size()));
  kernel.accesses.push_back(std::move(site));
  Value checked =
      LLVM::CallOp::create(b, op->getLoc(), at.getType(), kAccessSymbol,
                           ValueRange{launch, at, number})
          .getResult();
  // The test goes on after an access that is out of line.
  if (load) {
    load.getAddrMutable().assign(checked);
    load.setAlignment(1);
    load.setInvariant(false);
  } else {
    store.getAddrMutable().assign(checked);
    store.setAlignment(1);
  }
}

LogicalResult reprise::gpu_test::instrumentAccesses(Operation *function,
                                                    unsigned launch,
                                                    Kernel &kernel) {
  SmallVector<Operation *> accesses;
  WalkResult walked = function->walk([&](Operation *op) {
    if (escapes(op)) {
      op->emitOpError("touches memory in a way that is not simulated");
      return WalkResult::interrupt();
    }
    if (isa<LLVM::LoadOp, LLVM::StoreOp>(op))
      accesses.push_back(op);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  Value argument = function->getRegion(0).getArgument(launch);
  for (Operation *op : accesses)
    instrument(op, argument, kernel);
  return success();
}
