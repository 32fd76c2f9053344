//===- Cost.cpp - The arithmetic and traffic of ops -----------------------===//
//
// Counted as in papers: a multiply-add is two operations, products with padding
// included, and any elementary function is one. Bytes are each distinct operand
// once and each result once. Composite ops count the operations of their
// decomposition. A kernel counts the code it runs: an op once in each pass over
// a row that needs it, but bytes once, since a row stays in a cache from pass
// to pass. A random number is Philox 4x32-10: ten rounds of two products, four
// exclusive ors and two additions, then a conversion and a product.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "reprise/IR/Activations.h"
#include "reprise/IR/KernelPasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <algorithm>

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static constexpr uint64_t kRandomFlops = 82;

static uint64_t elements(Value value) {
  return tensorOf(value).getNumElements();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static uint64_t noFlops(Operation *) { return 0; }

/// `count` operations per element of the first result.
template <uint64_t count> static uint64_t perResult(Operation *op) {
  return count * elements(op->getResult(0));
}

/// `count` operations per element of the first operand.
template <uint64_t count> static uint64_t perOperand(Operation *op) {
  return count * elements(op->getOperand(0));
}

template <typename OpTy> static uint64_t productFlops(Operation *op) {
  auto product = cast<OpTy>(op);
  auto lhs = tensorOf(product.getLhs());
  uint64_t contracted =
      lhs.getDimSize(lhs.getRank() - (product.getTransposeA() ? 2 : 1));
  return 2 * elements(product.getResult()) * contracted;
}

static uint64_t matMulBiasFlops(Operation *op) {
  return productFlops<MatMulBiasOp>(op) + elements(op->getResult(0));
}

/// 2 N H' W' O KH KW C/groups, for the result y (N,H',W',O) or its cotangent
/// and a filter (O,KH,KW,C/groups).
static uint64_t convolutionFlops(Value y, Value filter) {
  return 2 * elements(y) * (elements(filter) / tensorOf(filter).getDimSize(0));
}

static uint64_t convFlops(Operation *op) {
  auto conv = cast<Conv2DOp>(op);
  return convolutionFlops(conv.getResult(), conv.getFilter());
}

static uint64_t convInputGradFlops(Operation *op) {
  auto grad = cast<Conv2DInputGradOp>(op);
  return convolutionFlops(grad.getDy(), grad.getFilter());
}

static uint64_t convInputGradAddFlops(Operation *op) {
  auto grad = cast<Conv2DInputGradAddOp>(op);
  return convolutionFlops(grad.getDy(), grad.getFilter()) +
         elements(grad.getResult());
}

static uint64_t convFilterGradFlops(Operation *op) {
  auto grad = cast<Conv2DFilterGradOp>(op);
  return convolutionFlops(grad.getDy(), grad.getResult());
}

/// `count` operations per element of each window; `pooled` has one element per
/// window.
template <typename OpTy, uint64_t count>
static uint64_t windowFlops(OpTy op, Value pooled) {
  return count * elements(pooled) * op.getWindow()[0] * op.getWindow()[1];
}

static uint64_t maxPoolFlops(Operation *op) {
  return windowFlops<MaxPool2DOp, 1>(cast<MaxPool2DOp>(op), op->getResult(0));
}

static uint64_t avgPoolFlops(Operation *op) {
  return windowFlops<AvgPool2DOp, 1>(cast<AvgPool2DOp>(op), op->getResult(0)) +
         elements(op->getResult(0));
}

/// Finding the maximum again and adding.
static uint64_t maxPoolGradFlops(Operation *op) {
  auto grad = cast<MaxPool2DGradOp>(op);
  return windowFlops<MaxPool2DGradOp, 2>(grad, grad.getDy());
}

static uint64_t argmaxFlops(Operation *op) {
  return windowFlops<MaxPool2DArgmaxOp, 1>(cast<MaxPool2DArgmaxOp>(op),
                                           op->getResult(0));
}

static uint64_t scatterFlops(Operation *op) {
  auto scatter = cast<MaxPool2DScatterOp>(op);
  return windowFlops<MaxPool2DScatterOp, 1>(scatter, scatter.getDy());
}

static uint64_t avgPoolGradFlops(Operation *op) {
  auto grad = cast<AvgPool2DGradOp>(op);
  return windowFlops<AvgPool2DGradOp, 1>(grad, grad.getDy()) +
         elements(grad.getDy());
}

/// `products` of all queries with all keys, and `each` operations per score,
/// more if its weight may be dropped.
template <uint64_t products, uint64_t each>
static uint64_t attentionFlops(Operation *op) {
  auto qkv = tensorOf(op->getOperand(0));
  uint64_t tokens = qkv.getDimSize(1), width = qkv.getDimSize(4);
  uint64_t scores = qkv.getDimSize(0) * qkv.getDimSize(3) * tokens * tokens;
  uint64_t draw = each && streamOf(op) ? kRandomFlops + 2 : 0;
  return scores * (2 * width * products + each + draw);
}

/// Every row of the table is compared with every index.
static uint64_t gatherGradFlops(Operation *op) {
  auto grad = cast<GatherGradOp>(op);
  return 2 * elements(grad.getIndices()) * elements(grad.getResult());
}

static uint64_t flopsOf(Operation *op) {
  auto cost = dyn_cast<CostOpInterface>(op);
  return cost ? cost.getFlops() : 0;
}

/// The ops of a region, one after the other.
static uint64_t regionFlops(Operation *op) {
  uint64_t sum = 0;
  for (Operation &inner : op->getRegion(0).front())
    sum += flopsOf(&inner);
  return sum;
}

/// Operations of a pass, given `ofRow` and the arguments: each op once.
static uint64_t passFlops(Block &body, const KernelPass &pass,
                          const llvm::DenseSet<Operation *> &ofRow) {
  llvm::SmallSetVector<Operation *, 16> run(pass.reductions.begin(),
                                            pass.reductions.end());
  run.insert(pass.rowOps.begin(), pass.rowOps.end());
  for (unsigned i : pass.stored)
    if (Operation *op = body.getTerminator()->getOperand(i).getDefiningOp())
      run.insert(op);
  uint64_t sum = 0;
  for (size_t i = 0; i < run.size(); ++i) {
    sum += flopsOf(run[i]);
    for (Value operand : run[i]->getOperands())
      if (Operation *op = operand.getDefiningOp(); op && !ofRow.contains(op))
        run.insert(op);
  }
  return sum;
}

/// Each part of the kernel, for queries, keys or a tile of a bias, computes the
/// scores itself.
static uint64_t attentionGradKernelFlops(Operation *op) {
  bool hasBias = bool(cast<AttentionGradOp>(op).getBias());
  return hasBias ? attentionFlops<9, 3 * 7>(op) : attentionFlops<7, 2 * 7>(op);
}

static uint64_t kernelFlops(Operation *op) {
  Block &body = op->getRegion(0).front();
  if (isa<AttentionGradOp>(body.front()))
    return attentionGradKernelFlops(&body.front());
  KernelPasses work = passesOf(body);
  if (work.passes.size() == 1)
    return regionFlops(op);
  llvm::DenseSet<Operation *> ofRow;
  for (const KernelPass &pass : work.passes) {
    ofRow.insert(pass.reductions.begin(), pass.reductions.end());
    ofRow.insert(pass.rowOps.begin(), pass.rowOps.end());
  }
  uint64_t sum = 0;
  for (const KernelPass &pass : work.passes)
    sum += passFlops(body, pass, ofRow);
  return sum;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static uint64_t noBytes(Operation *) { return 0; }

static uint64_t operandsAndResults(Operation *op) {
  llvm::SmallSetVector<Value, 4> values(op->operand_begin(), op->operand_end());
  values.insert(op->result_begin(), op->result_end());
  uint64_t sum = 0;
  for (Value value : values)
    sum += byteSize(value.getType());
  return sum;
}

/// The bytes that a kernel reads of an argument: all, unless the ops that move
/// its elements read fewer.
static uint64_t bytesRead(BlockArgument argument) {
  uint64_t most = elements(argument), sum = 0;
  for (Operation *user : argument.getUsers())
    sum += isa<IndexMapOpInterface>(user) ? elements(user->getResult(0)) : most;
  auto bytes = byteSize(argument.getType());
  return sum < most ? bytes * sum / most : bytes;
}

/// Each distinct operand once, up to the sum of its readers' bytes, and the
/// results.
static uint64_t kernelBytes(Operation *op) {
  llvm::SmallMapVector<Value, uint64_t, 4> read;
  for (BlockArgument argument : op->getRegion(0).getArguments()) {
    Value operand = op->getOperand(argument.getArgNumber());
    uint64_t &sum = read[operand];
    sum = std::min(sum + bytesRead(argument), byteSize(operand.getType()));
  }
  uint64_t sum = 0;
  for (auto &[operand, bytes] : read)
    sum += bytes;
  for (Value result : op->getResults())
    sum += byteSize(result.getType());
  return sum;
}

/// Elements outside the slice are not read.
static uint64_t takenBytes(Operation *op) {
  return 2 * byteSize(op->getResult(0).getType());
}

static uint64_t regionBytes(Operation *op) {
  uint64_t sum = 0;
  for (Operation &inner : op->getRegion(0).front())
    if (auto cost = dyn_cast<CostOpInterface>(inner))
      sum += cost.getBytes();
  return sum;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

using Count = uint64_t (*)(Operation *);

template <typename OpTy, KernelClass kernelClass, Count flops, Count bytes>
struct CostModel
    : CostOpInterface::ExternalModel<CostModel<OpTy, kernelClass, flops, bytes>,
                                     OpTy> {
  uint64_t getFlops(Operation *op) const { return flops(op); }
  uint64_t getBytes(Operation *op) const { return bytes(op); }
  KernelClass getKernelClass(Operation *) const { return kernelClass; }
};

/// Products of a library, and its operations on the scores between them.
template <typename OpTy, uint64_t products, uint64_t each>
struct AttentionCostModel
    : CostOpInterface::ExternalModel<AttentionCostModel<OpTy, products, each>,
                                     OpTy> {
  uint64_t getFlops(Operation *op) const {
    return attentionFlops<products, each>(op);
  }
  uint64_t getProductFlops(Operation *op) const {
    return attentionFlops<products, 0>(op);
  }
  uint64_t getBytes(Operation *op) const { return operandsAndResults(op); }
  KernelClass getKernelClass(Operation *) const { return KernelClass::Library; }
};

/// A kernel moves its inputs and results only, and reduces if an op in it does.
struct KernelCostModel
    : CostOpInterface::ExternalModel<KernelCostModel, KernelOp> {
  uint64_t getFlops(Operation *op) const { return kernelFlops(op); }
  uint64_t getBytes(Operation *op) const { return kernelBytes(op); }
  KernelClass getKernelClass(Operation *op) const {
    bool reduces = llvm::any_of(op->getRegion(0).front(), [](Operation &inner) {
      auto cost = dyn_cast<CostOpInterface>(inner);
      return cost && cost.getKernelClass() == KernelClass::Reduction;
    });
    return reduces ? KernelClass::Reduction : KernelClass::Pointwise;
  }
};

template <KernelClass kernelClass, Count flops, Count bytes, typename... Ops>
static void attach(MLIRContext *context) {
  (Ops::template attachInterface<CostModel<Ops, kernelClass, flops, bytes>>(
       *context),
   ...);
}

template <Count flops, typename... Ops>
static void attachPointwise(MLIRContext *context) {
  attach<KernelClass::Pointwise, flops, operandsAndResults, Ops...>(context);
}

template <Count flops, typename... Ops>
static void attachReduction(MLIRContext *context) {
  attach<KernelClass::Reduction, flops, operandsAndResults, Ops...>(context);
}

template <Count flops, typename... Ops>
static void attachLibrary(MLIRContext *context) {
  attach<KernelClass::Library, flops, operandsAndResults, Ops...>(context);
}

static void registerLayerCosts(MLIRContext *context) {
  attachLibrary<productFlops<MatMulOp>, MatMulOp>(context);
  attachLibrary<matMulBiasFlops, MatMulBiasOp>(context);
  attachLibrary<convFlops, Conv2DOp>(context);
  attachLibrary<convInputGradFlops, Conv2DInputGradOp>(context);
  attachLibrary<convInputGradAddFlops, Conv2DInputGradAddOp>(context);
  attachLibrary<convFilterGradFlops, Conv2DFilterGradOp>(context);
  attachPointwise<maxPoolFlops, MaxPool2DOp>(context);
  attachPointwise<avgPoolFlops, AvgPool2DOp>(context);
  attachPointwise<maxPoolGradFlops, MaxPool2DGradOp>(context);
  attachPointwise<argmaxFlops, MaxPool2DArgmaxOp>(context);
  attachPointwise<scatterFlops, MaxPool2DScatterOp>(context);
  attachPointwise<avgPoolGradFlops, AvgPool2DGradOp>(context);
  attachReduction<perOperand<1>, GlobalAvgPoolOp>(context);
  attachReduction<perOperand<8>, BatchNormOp, BatchNormTrainingOp>(context);
  attachReduction<perOperand<10>, BatchNormGradOp>(context);
  attachPointwise<perResult<4>, NormalizeOp, BatchNormInferenceOp>(context);
  attachReduction<perResult<5>, SoftmaxOp>(context);
  attachReduction<perResult<4>, SoftmaxGradOp>(context);
  attachReduction<perOperand<5>, CrossEntropyOp>(context);
  attachPointwise<perResult<4>, CrossEntropyGradOp>(context);
  attachPointwise<perResult<kRandomFlops + 2>, DropoutOp>(context);
  AttentionOp::attachInterface<AttentionCostModel<AttentionOp, 2, 6>>(*context);
  AttentionGradOp::attachInterface<AttentionCostModel<AttentionGradOp, 5, 7>>(
      *context);
  attachReduction<perOperand<8>, LayerNormOp>(context);
  attachReduction<perOperand<14>, LayerNormGradOp>(context);
  forEachActivation(
      [&](auto op) { attachPointwise<perResult<5>, decltype(op)>(context); });
  attachReduction<gatherGradFlops, GatherGradOp>(context);
}

void sg::registerCostModels(MLIRContext *context) {
  attach<KernelClass::None, noFlops, noBytes, ReadOp, WriteOp, ConstantOp,
         ReshapeOp, BarrierOp, KeepOp, RecomputeOp>(context);
  attach<KernelClass::None, noFlops, operandsAndResults, CopyOp>(context);
  attach<KernelClass::None, regionFlops, regionBytes, sg::BlockOp, BackwardOp>(
      context);
  KernelOp::attachInterface<KernelCostModel>(*context);
  attachPointwise<perResult<1>, NegOp, AbsOp, ExpOp, LogOp, SqrtOp, RsqrtOp,
                  TanhOp, SigmoidOp, ErfOp, ReluOp, ReluGradOp, AddOp, SubOp,
                  MulOp, DivOp, MaximumOp, MinimumOp, CompareOp, SelectOp,
                  CastOp>(context);
  attachPointwise<noFlops, IotaOp, BroadcastOp, TransposeOp, PadOp, ConcatOp,
                  RollOp>(context);
  attach<KernelClass::Pointwise, noFlops, takenBytes, SliceOp, GatherOp>(
      context);
  attachPointwise<perResult<kRandomFlops>, RandomUniformOp>(context);
  attachReduction<perOperand<1>, ReduceSumOp, ReduceMaxOp>(context);
  registerLayerCosts(context);
}
