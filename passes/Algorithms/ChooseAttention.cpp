//===- ChooseAttention.cpp - Tiles or stored scores -----------------------===//
//
// Input:   a model, before differentiation; a target.
// Output:  the same model: each attention is left to the target's library or to
//          a kernel of the target, which runs it by tiles, or is decomposed,
//          which stores its scores.
// Method:  the roofline of a forward and a backward execution of both forms.
//          Tiles recompute the scores; stored scores go through memory.
// Cost:    linear.
// Fails:   where there is no such target, or tiles are requested of one that
//          does not have them.
//
//===----------------------------------------------------------------------===//
#include "reprise/Bridge/ElementTypes.h"
#include "reprise/IR/Kernel.h"
#include "reprise/IR/Origin.h"
#include "reprise/Passes/Algorithms.h"
#include "reprise/Target/Target.h"
#include "llvm/Support/FormatVariadic.h"

namespace reprise {
#define GEN_PASS_DEF_SGCHOOSEATTENTION
#include "reprise/Passes/AlgorithmsPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;

namespace {
/// The extents of an attention.
struct Extent {
  explicit Extent(sg::AttentionOp op) {
    auto type = cast<RankedTensorType>(op.getQkv().getType());
    auto lse = cast<RankedTensorType>(op.getLse().getType());
    width = type.getDimSize(4);
    scores = lse.getNumElements() * type.getDimSize(1);
    scoreBytes = scores * lse.getElementTypeBitWidth() / 8;
    tokenBytes = sg::byteSize(type) / 3;
    hasBias = bool(op.getBias());
    isNarrow = type.getElementTypeBitWidth() == 16;
  }
  uint64_t width, scores, scoreBytes;
  uint64_t tokenBytes; // of q, k or v
  bool hasBias, isNarrow;

  uint64_t productFlops() const { return 2 * scores * width; }
};
} // namespace

/// Six products, two of them forward, each of which writes or reads scores;
/// between them, kernels that read and write scores: softmax, its gradient from
/// the weights and their cotangent, and the sum for a bias's gradient.
static double millisecondsStored(const Extent &e,
                                 const rt::Roofline &roofline) {
  double product = roofline.milliseconds(
      e.productFlops(), e.scoreBytes + 2 * e.tokenBytes, e.isNarrow);
  uint64_t passes = 2 + 3 + (e.hasBias ? 1 : 0);
  return 6 * product + roofline.milliseconds(0, passes * e.scoreBytes);
}

/// A kernel's products: two forward, three for queries, four for keys and
/// values, two for a bias; the same bytes as those of library tiles.
static double millisecondsOfKernels(const Extent &e,
                                    const rt::Roofline &roofline) {
  uint64_t backward = e.hasBias ? 9 : 7;
  return roofline.milliseconds(2 * e.productFlops(), 4 * e.tokenBytes,
                               e.isNarrow) +
         roofline.milliseconds(backward * e.productFlops(), 8 * e.tokenBytes,
                               e.isNarrow);
}

/// Seven products within a cache; operands are read and written once per
/// direction.
static double millisecondsTiled(const Extent &e, const rt::Roofline &roofline) {
  return roofline.milliseconds(2 * e.productFlops(), 4 * e.tokenBytes,
                               e.isNarrow) +
         roofline.milliseconds(5 * e.productFlops(), 8 * e.tokenBytes,
                               e.isNarrow);
}

namespace {
class ChooseAttention
    : public reprise::impl::SgChooseAttentionBase<ChooseAttention> {
public:
  using SgChooseAttentionBase::SgChooseAttentionBase;

private:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (form != "auto" && form != "tiled" && form != "stored") {
      function.emitError() << "knows no form '" << form
                           << "' of attention; auto, tiled and stored are "
                              "possible";
      return signalPassFailure();
    }
    SmallVector<sg::AttentionOp> all;
    function.walk([&](sg::AttentionOp op) { all.push_back(op); });
    if (all.empty())
      return;
    FailureOr<std::unique_ptr<Target>> device =
        createTargetFor(getOperation(), target);
    if (failed(device))
      return signalPassFailure();
    for (sg::AttentionOp op : all)
      if (failed(choose(op, **device)))
        return signalPassFailure();
    if (tiled)
      function.emitRemark()
          << tiled << " of " << all.size() << " attentions run by tiles: "
          << llvm::formatv("{0:f1} MiB", unstored / double(1 << 20)).str()
          << " of scores are not stored";
  }

  LogicalResult choose(sg::AttentionOp op, const Target &device) {
    Extent extent(op);
    extent.isNarrow |= narrow;
    bool isKernel = device.runsAsKernel(op);
    bool hasTiles = isKernel || runsTiles(op, device);
    if (form == "tiled" && !hasTiles)
      return op.emitOpError()
             << "has no tiles on target '" << device.device()
             << "', whose library has no such function of " << elementOf(op)
             << " with heads of " << extent.width << " numbers";
    rt::Roofline roofline{gflops, gbytesPerSecond, narrowGflops};
    double byTiles = isKernel ? millisecondsOfKernels(extent, roofline)
                              : millisecondsTiled(extent, roofline);
    double byStoring = millisecondsStored(extent, roofline);
    if (form == "tiled" ||
        (form == "auto" && hasTiles && byTiles <= byStoring)) {
      ++tiled;
      unstored += extent.scoreBytes;
      return success();
    }
    return decompose(op);
  }

  static Type elementOf(sg::AttentionOp op) {
    return cast<RankedTensorType>(op.getQkv().getType()).getElementType();
  }

  /// Returns true if the target runs tiles in the op's type, or in a narrower
  /// one that the op may get.
  static bool runsTiles(sg::AttentionOp op, const Target &device) {
    for (LibraryOp function :
         {LibraryOp::Attention, LibraryOp::AttentionGrad}) {
      std::vector<rp_element_type> taken = device.callElements(function);
      if (!llvm::is_contained(taken, elementTypeOf(elementOf(op))))
        return false;
    }
    return true;
  }

  static LogicalResult decompose(sg::AttentionOp op) {
    OpBuilder builder(op);
    FailureOr<SmallVector<Value>> values = failure();
    {
      sg::OriginScope scope(builder, op);
      values = cast<DecomposeOpInterface>(op.getOperation()).decompose(builder);
    }
    if (failed(values))
      return failure();
    op->replaceAllUsesWith(*values);
    op->erase();
    // The ops that compute the log-sum-exp, unless it is read.
    SmallVector<Operation *> dead = {values->back().getDefiningOp()};
    while (!dead.empty()) {
      Operation *last = dead.pop_back_val();
      if (!last || !isOpTriviallyDead(last))
        continue;
      for (Value operand : last->getOperands())
        dead.push_back(operand.getDefiningOp());
      last->erase();
    }
    return success();
  }

  unsigned tiled = 0;
  uint64_t unstored = 0;
};
} // namespace
