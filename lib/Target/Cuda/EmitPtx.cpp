//===- EmitPtx.cpp - Functions of a GPU to PTX ----------------------------===//
//
// Input:   a gpu.module of loops, arith, vector and memory ops, and an
//          architecture.
// Output:  PTX.
// Method:  one conversion to the NVVM dialect, then LLVM. No flag allows a
//          rounding to change: no contraction of a product and a sum, and no
//          function of libdevice, whose exp is an estimate; the remaining math
//          ops have exact instructions. Kernels are vectorized already, so
//          LLVM's vectorizers stay off.
// Fails:   with a message if an op has no conversion.
//
//===----------------------------------------------------------------------===//

#include "../WriteCode.h"
#include "Ptx.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace mlir;
using namespace reprise;

void reprise::loadPtxDialects(MLIRContext &context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<cf::ControlFlowDialect, LLVM::LLVMDialect,
                      NVVM::NVVMDialect>();
}

static LogicalResult lowerToNvvm(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet rewrites(context);
  populateGpuRewritePatterns(rewrites);
  if (failed(applyPatternsGreedily(module, std::move(rewrites))))
    return failure();
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  LLVMTypeConverter types(context, options);
  configureGpuToNVVMTypeConverter(types);
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  populateVectorToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns,
                                       /*approximateLog1p=*/false,
                                       /*benefit=*/2);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
  populateGpuToNVVMConversionPatterns(types, patterns);
  LLVMConversionTarget target(*context);
  configureGpuToNVVMConversionLegality(target);
  // The conversion marks these as illegal so that libdevice is called; they
  // have exact instructions.
  target.addLegalOp<LLVM::SqrtOp, LLVM::FAbsOp, LLVM::FFloorOp, LLVM::FMAOp>();
  return applyPartialConversion(module, target, std::move(patterns));
}

/// Returns the number of "sm_90", 0 for other texts.
static unsigned numberOf(StringRef architecture) {
  unsigned number = 0;
  bool isNumber = architecture.consume_front("sm_") &&
                  !architecture.getAsInteger(10, number);
  return isNumber ? number : 0;
}

/// Returns PTX of CUDA 12.4, which has room for 4,000 arguments of a kernel;
/// for newer architectures, the first version that knows them.
static const char *ptxVersion(StringRef architecture) {
  constexpr unsigned hopper = 90;
  return numberOf(architecture) <= hopper ? "+ptx84" : "";
}

static std::unique_ptr<llvm::TargetMachine>
createMachine(StringRef architecture, std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  // LLVM would treat an unknown name as the oldest architecture.
  std::unique_ptr<llvm::MCSubtargetInfo> known(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!known || !known->isCPUStringValid(architecture)) {
    error = "LLVM knows no architecture '" + architecture.str() + "'";
    return nullptr;
  }
  // LLVM terminates the process if an instruction is missing.
  constexpr unsigned least = 80;
  if (numberOf(architecture) < least) {
    error = "kernels need sm_" + std::to_string(least) + " or newer, not " +
            architecture.str();
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, architecture, ptxVersion(architecture), options, std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Default));
}

FailureOr<std::string> reprise::emitPtx(gpu::GPUModuleOp module,
                                        StringRef architecture) {
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine =
      createMachine(architecture, error);
  if (!machine)
    return module.emitError() << error;
  if (failed(lowerToNvvm(module)))
    return module.emitError("kernels do not lower to the NVVM dialect");
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, "kernels");
  if (!code)
    return module.emitError("kernels do not become LLVM IR");
  code->setTargetTriple(machine->getTargetTriple());
  code->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> text;
  if (failed(writeCode(*code, *machine, llvm::CodeGenFileType::AssemblyFile,
                       text)))
    return module.emitError("LLVM cannot write PTX");
  return std::string(text.begin(), text.end());
}
