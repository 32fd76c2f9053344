//===- SpareNormOperands.cpp - Norms whose operands are not reread --------===//
//
// Input:   a model, before differentiation; a target.
// Output:  the same model, where batch norms of large 1x1 convolutions are
//          marked: their gradients are computed without the norms' operands.
// Cost:    linear in the ops.
// Fails:   where some are large and there is no such target.
//
//===----------------------------------------------------------------------===//
#include "reprise/IR/SparedNorms.h"
#include "reprise/Passes/Algorithms.h"
#include "reprise/Target/Target.h"
#include "llvm/Support/FormatVariadic.h"

namespace reprise {
#define GEN_PASS_DEF_SGSPARENORMOPERANDS
#include "reprise/Passes/AlgorithmsPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// Returns true if only `reader` reads a value or a mark on it.
static bool isReadBy(Value value, Operation *reader) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == reader || (isa<KeepOp, RecomputeOp>(user) &&
                              isReadBy(user->getResult(0), reader));
  });
}

/// Products of weights take little time compared with those of rows, and these
/// little compared with reading x again: in multiply-adds, n I I of 2 n I O,
/// and O I I of n I O.
static bool isWorthSparing(Conv2DOp convolution) {
  constexpr int64_t wider = 2, longer = 8;
  ArrayRef<int64_t> filter = tensorOf(convolution.getFilter()).getShape();
  int64_t outputs = filter.front(), inputs = filter.back();
  int64_t rows = tensorOf(convolution.getResult()).getNumElements() / outputs;
  return outputs >= wider * inputs && rows >= longer * outputs;
}

namespace {
class SpareNormOperands
    : public reprise::impl::SgSpareNormOperandsBase<SpareNormOperands> {
public:
  using SgSpareNormOperandsBase::SgSpareNormOperandsBase;

private:
  void runOnOperation() override {
    SmallVector<BatchNormOp> large = findLarge();
    if (large.empty())
      return;
    FailureOr<std::unique_ptr<Target>> device =
        createTargetFor(getOperation(), target);
    if (failed(device))
      return signalPassFailure();
    if (!(*device)->sparesNormOperands())
      return;
    uint64_t bytes = 0;
    for (BatchNormOp norm : large) {
      norm.setSparesX(true);
      bytes += byteSize(norm.getX().getType());
    }
    getOperation().emitRemark()
        << large.size() << (large.size() == 1 ? " norm is" : " norms are")
        << " differentiated without their convolutions, "
        << llvm::formatv("{0:f1} MiB", bytes / double(1 << 20)).str();
  }

  SmallVector<BatchNormOp> findLarge() {
    SmallVector<BatchNormOp> large;
    getOperation().walk([&](BatchNormOp norm) {
      Conv2DOp convolution = pointConvolutionBehind(norm.getX(), norm);
      if (convolution && !norm.getSparesX() &&
          byteSize(norm.getX().getType()) >= leastBytes &&
          isReadBy(convolution.getResult(), norm) &&
          isWorthSparing(convolution))
        large.push_back(norm);
    });
    return large;
  }
};
} // namespace
