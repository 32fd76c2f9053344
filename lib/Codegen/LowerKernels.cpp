//===- LowerKernels.cpp - Kernels to the LLVM dialect ---------------------===//
//
// The polynomials are MLIR's, except for erf; see ErrorFunction.cpp. 1/sqrt
// never becomes an estimate: kernels use only divisions and square roots, which
// are correctly rounded.
//
// Arithmetic on bf16 is done in f32 and rounded to bf16 by integer arithmetic,
// unless the target provides the same result: instructions for it may flush
// subnormal numbers to zero, and where there are none LLVM calls a function
// that not every C library has.
//
//===----------------------------------------------------------------------===//

#include "BFloat16Words.h"
#include "ErrorFunction.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "reprise/Codegen/Kernels.h"

using namespace mlir;
using namespace reprise;

void reprise::loadKernelDialects(MLIRContext &context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                      func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                      scf::SCFDialect, vector::VectorDialect>();
}

/// Returns true for the functions that MLIR approximates with a polynomial.
static bool isApproximated(StringRef name) {
  return name == math::ExpOp::getOperationName() ||
         name == math::LogOp::getOperationName() ||
         name == math::TanhOp::getOperationName();
}

/// Returns true for functions that compute in f32.
static bool isWidened(StringRef name) {
  return isApproximated(name) || name == math::ErfOp::getOperationName();
}

static LogicalResult expandFunctions(Operation *module) {
  RewritePatternSet patterns(module->getContext());
  populateMathF32ExpansionPatterns(patterns, isWidened);
  populateMathPolynomialApproximationPatterns(patterns, isApproximated);
  populateErrorFunctionPatterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

static bool isBFloat16(Type type) {
  return getElementTypeOrSelf(type).isBF16();
}

/// Makes ops on bf16 compute in f32, with each result rounded to bf16.
static void widenBFloat16(Operation *module) {
  auto widen = [](Type type) -> Type {
    Type single = Float32Type::get(type.getContext());
    auto vector = dyn_cast<VectorType>(type);
    return vector ? vector.clone(single) : single;
  };
  module->walk([&](Operation *op) {
    if (!isa_and_present<arith::ArithDialect, math::MathDialect>(
            op->getDialect()) ||
        isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp, arith::BitcastOp,
            arith::SelectOp>(op))
      return;
    OpBuilder before(op);
    for (OpOperand &operand : op->getOpOperands())
      if (Value x = operand.get(); isBFloat16(x.getType()))
        operand.set(
            arith::ExtFOp::create(before, op->getLoc(), widen(x.getType()), x));
    OpBuilder after(op->getContext());
    after.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      Type narrow = result.getType();
      if (!isBFloat16(narrow))
        continue;
      result.setType(widen(narrow));
      Operation *rounded =
          arith::TruncFOp::create(after, op->getLoc(), narrow, result);
      result.replaceAllUsesExcept(rounded->getResult(0), rounded);
    }
  });
}

namespace {
/// Rounds f64 to bf16 through f32 rounded to odd, which has more than two extra
/// bits and whose last bit records inexactness: only the second rounding
/// changes the result (Boldo and Melquiond 2008, "Emulation of a FMA and
/// correctly rounded sums: proved algorithms using rounding to odd").
struct RoundByOdd : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &b) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x.getType()).isF64() || !isBFloat16(op.getType()))
      return failure();
    Location loc = op.getLoc();
    auto typeOf = [&](Type element) -> Type {
      auto vector = dyn_cast<VectorType>(x.getType());
      return vector ? vector.clone(element) : element;
    };
    Type single = typeOf(b.getF32Type()), word = typeOf(b.getI32Type());
    Value near = arith::TruncFOp::create(b, loc, single, x);
    Value wide = arith::ExtFOp::create(b, loc, x.getType(), near);
    Value bits = arith::BitcastOp::create(b, loc, word, near);
    Value one = arith::ConstantOp::create(b, loc, b.getOneAttr(word));
    Value isFar = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                        math::AbsFOp::create(b, loc, wide),
                                        math::AbsFOp::create(b, loc, x));
    bits = arith::SelectOp::create(
        b, loc, isFar, arith::SubIOp::create(b, loc, bits, one), bits);
    Value isInexact =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, wide, x);
    bits = arith::SelectOp::create(
        b, loc, isInexact, arith::OrIOp::create(b, loc, bits, one), bits);
    Value odd = arith::BitcastOp::create(b, loc, single, bits);
    b.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), odd);
    return success();
  }
};

/// Extends bf16 to f64 through f32; both conversions are exact.
struct WidenBySingle : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &b) const override {
    Type type = op.getType();
    if (!isBFloat16(op.getIn().getType()) ||
        !getElementTypeOrSelf(type).isF64())
      return failure();
    auto vector = dyn_cast<VectorType>(type);
    Type single = b.getF32Type();
    if (vector)
      single = vector.clone(single);
    Value wide = arith::ExtFOp::create(b, op.getLoc(), single, op.getIn());
    b.replaceOpWithNewOp<arith::ExtFOp>(op, type, wide);
    return success();
  }
};
} // namespace

static LogicalResult expandBFloat16(Operation *module,
                                    RoundingPatterns roundings) {
  widenBFloat16(module);
  RewritePatternSet patterns(module->getContext());
  patterns.add<RoundByOdd, WidenBySingle>(module->getContext());
  if (roundings)
    roundings(patterns);
  arith::populateExpandBFloat16Patterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

LogicalResult reprise::expandMath(Operation *module,
                                  RoundingPatterns roundings) {
  return success(succeeded(expandFunctions(module)) &&
                 succeeded(expandBFloat16(module, roundings)));
}

static LogicalResult convertToLLVM(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LLVMTypeConverter types(context);
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  populateVectorToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns,
                                       /*approximateLog1p=*/false,
                                       /*benefit=*/2);
  populateMathToLibmConversionPatterns(patterns, /*benefit=*/1);
  populateFuncToLLVMConversionPatterns(types, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  return applyFullConversion(module, target, std::move(patterns));
}

LogicalResult reprise::lowerKernels(ModuleOp module,
                                    RoundingPatterns roundings) {
  LogicalResult expanded = expandMath(module, roundings);
  if (succeeded(expanded))
    replaceBFloat16ByWords(module);
  if (failed(expanded) || failed(convertToLLVM(module)))
    return module.emitError("kernels do not lower to the LLVM dialect");
  return success();
}
