//===- RoundBFloat16.cpp - Rounding by an instruction ---------------------===//
//
// AVX512-BF16 rounds as integer arithmetic does, in one instruction instead of
// eight, except for numbers that are not normal: it flushes subnormal numbers
// to zero and keeps the payload of a NaN. A vector that contains one of these,
// which is rare, takes the other branch:
//
//   any of x is subnormal, or NaN?     no ──► vcvtneps2bf16
//                                      yes ─► integer arithmetic
//
//===----------------------------------------------------------------------===//

#include "RoundBFloat16.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace reprise;

/// Marks roundings that are left to integer arithmetic.
static constexpr StringLiteral kRare = "reprise.rare";
/// Classes of vfpclassps: quiet and signaling NaN, and subnormal.
static constexpr int32_t kNotNormal = 0x01 | 0x80 | 0x20;
/// The numbers in a register.
static constexpr int64_t kLanes = 16;

static Value callIntrinsic(OpBuilder &b, Location loc, Type result,
                           StringRef name, ValueRange arguments) {
  return LLVM::CallIntrinsicOp::create(b, loc, result, b.getStringAttr(name),
                                       arguments)
      .getResult(0);
}

namespace {
struct RoundByInstruction : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &b) const override {
    Value x = op.getIn();
    Type type = op.getType();
    if (x.getType() != VectorType::get(kLanes, b.getF32Type()) ||
        type != VectorType::get(kLanes, b.getBF16Type()) || op->hasAttr(kRare))
      return failure();
    Location loc = op.getLoc();
    auto branch = scf::IfOp::create(b, loc, type, isRare(b, loc, x),
                                    /*withElseRegion=*/true);
    OpBuilder rare = branch.getThenBodyBuilder(b.getListener());
    Value exact = arith::TruncFOp::create(rare, loc, type, x);
    exact.getDefiningOp()->setAttr(kRare, b.getUnitAttr());
    scf::YieldOp::create(rare, loc, exact);
    OpBuilder usual = branch.getElseBodyBuilder(b.getListener());
    scf::YieldOp::create(usual, loc,
                         callIntrinsic(usual, loc, type,
                                       "llvm.x86.avx512bf16.cvtneps2bf16.512",
                                       x));
    b.replaceOp(op, branch);
    return success();
  }

  /// Returns true if an element of x is not normal, which is marked as
  /// unlikely.
  static Value isRare(OpBuilder &b, Location loc, Value x) {
    int32_t looked = kNotNormal;
    Value classes =
        arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(looked));
    Value lanes = callIntrinsic(b, loc, VectorType::get(kLanes, b.getI1Type()),
                                "llvm.x86.avx512.fpclass.ps.512", {x, classes});
    Value word =
        LLVM::BitcastOp::create(b, loc, b.getIntegerType(kLanes), lanes);
    Value none =
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(word.getType(), 0));
    Value any =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, word, none);
    Value no = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
    return LLVM::ExpectOp::create(b, loc, any, no);
  }
};
} // namespace

void reprise::populateRoundingPatterns(RewritePatternSet &patterns,
                                       StringRef features) {
  SmallVector<StringRef> all;
  features.split(all, ',');
  for (StringRef needed : {"avx512bf16", "avx512dq"})
    if (!llvm::is_contained(all, needed))
      return;
  patterns.add<RoundByInstruction>(patterns.getContext(), /*benefit=*/2);
}
