//===- ChangeLoss.cpp - Change a classifier's training loss ---------------===//
//
// Input:   a model whose loss is the mean of sg.cross_entropy over the rows, as
//          are the auxiliary losses that it adds.
// Output:  the same with smoothed labels (Szegedy et al. 2016, arXiv
//          1512.00567), weighted classes, mixed images (Zhang et al. 2018,
//          arXiv 1710.09412), ignored labels, or several of these. All but
//          mixing are those of PyTorch's CrossEntropyLoss.
// Method:  with x[y] the logit of a row's label and l = lse - x[y] its loss,
//          the mean over the classes of lse - x[k] is l + x[y] - mean x: no
//          second softmax is needed, forward or backward.
// Cost:    linear in the logits, and, mixed, in the images.
// Fails:   where the loss is a different one; where the number of weights is
//          not that of classes; where nothing can be mixed.
//
//===----------------------------------------------------------------------===//

#include "FinishStep.h"
#include "mlir/IR/Matchers.h"
#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/Origin.h"
#include "reprise/Passes/Train.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

namespace reprise {
#define GEN_PASS_DEF_SGCHANGELOSS
#include "reprise/Passes/TrainPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

//===----------------------------------------------------------------------===//
// The loss of a model
//===----------------------------------------------------------------------===//

namespace {

/// The mean cross-entropy over the rows, all of it in one block.
struct MeanCrossEntropy {
  CrossEntropyOp rows;
  Operation *mean = nullptr; // with the loss as its only result
};

struct LossChange {
  double smoothing = 0;     // 0: none
  ArrayRef<double> weights; // of classes; empty: none
  bool mixes = false;
  std::optional<int64_t> ignored; // label
  bool changesRows() const { return smoothing != 0 || !weights.empty(); }
};

} // namespace

/// Returns the number that all elements have.
static std::optional<double> splatOf(Value value) {
  DenseFPElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  APFloat number = elements.getSplatValue<APFloat>();
  return number.convertToDouble();
}

/// Returns the sum that a mean divides: the dividend of x / rows or the factor
/// of x * 1/rows.
static Value totalOf(Operation *op, double rows) {
  if (!op || op->getNumOperands() != 2)
    return {};
  std::optional<double> number = splatOf(op->getOperand(1));
  if (!number)
    return {};
  // The reciprocal was rounded to the loss's type.
  bool isMean = isa<DivOp>(op)   ? *number == rows
                : isa<MulOp>(op) ? std::abs(*number * rows - 1) < 1e-6
                                 : false;
  return isMean ? op->getOperand(0) : Value();
}

/// Returns nothing if `loss` is a different one.
static std::optional<MeanCrossEntropy> meanCrossEntropyOf(Value loss) {
  Operation *mean = definitionOf(loss).getDefiningOp();
  if (!mean || mean->getNumOperands() == 0)
    return std::nullopt;
  auto sum = mean->getOperand(0).getDefiningOp<ReduceSumOp>();
  auto rows =
      sum ? sum.getOperand().getDefiningOp<CrossEntropyOp>() : CrossEntropyOp();
  if (!rows || sum.getOperand() != rows.getLosses() ||
      sum.getDims() != ArrayRef<int64_t>{0})
    return std::nullopt;
  int64_t count =
      cast<RankedTensorType>(sum.getOperand().getType()).getDimSize(0);
  if (!totalOf(mean, static_cast<double>(count)))
    return std::nullopt;
  return MeanCrossEntropy{rows, mean};
}

/// Returns the losses whose weighted sum is the model's loss; none if one of
/// them is not a mean of cross entropies.
static SmallVector<MeanCrossEntropy, 1> findLossesOf(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  unsigned index = findLoss(function);
  if (index >= terminator->getNumOperands())
    return {};
  SmallVector<MeanCrossEntropy, 1> losses;
  SmallVector<Value> remaining = {terminator->getOperand(index)};
  while (!remaining.empty()) {
    Value loss = definitionOf(remaining.pop_back_val());
    if (auto sum = loss.getDefiningOp<AuxiliaryLossOp>()) {
      remaining.append({sum.getAuxiliary(), sum.getLoss()});
      continue;
    }
    std::optional<MeanCrossEntropy> mean = meanCrossEntropyOf(loss);
    if (!mean)
      return {};
    if (llvm::none_of(losses, [&](const MeanCrossEntropy &other) {
          return other.mean == mean->mean;
        }))
      losses.push_back(*mean);
  }
  return losses;
}

/// Returns the function's label argument for the rows.
static BlockArgument labelOf(func::FuncOp function, CrossEntropyOp rows) {
  auto label = dyn_cast<BlockArgument>(definitionOf(rows.getLabels()));
  bool isLabel =
      label && roleOf(function.getArgAttrDict(label.getArgNumber())) ==
                   BindingRole::Label;
  return isLabel ? label : BlockArgument();
}

/// Returns the arguments that are mixed.
static SmallVector<BlockArgument> dataOf(func::FuncOp function) {
  SmallVector<BlockArgument> data;
  for (BlockArgument argument : function.getArguments())
    if (roleOf(function.getArgAttrDict(argument.getArgNumber())) ==
        BindingRole::Data)
      data.push_back(argument);
  return data;
}

static LogicalResult checkMixing(func::FuncOp function, CrossEntropyOp rows) {
  auto labels = cast<RankedTensorType>(rows.getLabels().getType());
  if (!labelOf(function, rows))
    return rows.emitError() << "mixup needs a label for each sample, in the "
                               "model's argument of role label; this loss "
                               "takes other labels";
  if (labels.getDimSize(0) < 2)
    return rows.emitError() << "mixup mixes the images of a batch, and this "
                               "one has 1";
  for (BlockArgument argument : dataOf(function)) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !isa<FloatType>(type.getElementType()) ||
        type.getRank() == 0 || type.getDimSize(0) != labels.getDimSize(0))
      return function.emitError()
             << "mixup mixes rows of floating-point numbers, as many as labels "
                "("
             << labels.getDimSize(0) << "), and argument "
             << argument.getArgNumber() << " is " << argument.getType();
  }
  for (BlockArgument argument : function.getArguments())
    if (roleOf(function.getArgAttrDict(argument.getArgNumber())) ==
        BindingRole::MixRatio)
      return function.emitError() << "mixes its images itself";
  return success();
}

//===----------------------------------------------------------------------===//
// Another loss
//===----------------------------------------------------------------------===//

namespace {

/// Emits the new loss before the old one.
class LossBuilder {
public:
  LossBuilder(const MeanCrossEntropy &old, const LossChange &change)
      : builder(old.mean), scope(builder, old.mean), loc(old.mean->getLoc()),
        change(change), rows(old.rows) {
    losses = cast<RankedTensorType>(rows.getLosses().getType());
    auto type = cast<RankedTensorType>(rows.getLogits().getType());
    wide = type.clone(losses.getElementType());
    classes = static_cast<double>(type.getDimSize(1));
  }

  /// Returns the loss for labels whose unchanged losses are `plain`.
  Value lossOf(Value labels, Value plain) {
    if (!change.changesRows())
      return mean(plain, labels);
    Value logits = rows.getLogits();
    if (logits.getType() != wide)
      logits = CastOp::create(builder, loc, wide, logits);
    Value mask = maskOf(labels);
    Value chosen = pick(mask, logits);
    if (change.weights.empty())
      return mean(kept(smoothed(logits, plain, chosen), labels), labels);
    Value weights = weightsOfClasses();
    Value own = kept(pick(mask, weights), labels);
    Value rowLosses = weighted(logits, plain, chosen, weights, own);
    Value total = sum(kept(rowLosses, labels), {0});
    Value divisor = sum(own, {0});
    return DivOp::create(builder, loc, total, divisor);
  }

  /// Returns the loss with the labels of the neighbouring rows.
  Value lossOfNeighbours() {
    Value labels =
        RollOp::create(builder, loc, rows.getLabels(), ArrayRef<int64_t>{1});
    auto other = CrossEntropyOp::create(builder, loc, rows.getLogits(), labels,
                                        rows.getIgnoreIndexAttr());
    return lossOf(labels, other.getLosses());
  }

  /// Returns r a + (1 - r) b.
  Value mix(Value ratio, Value a, Value b) {
    return mixOf(builder, loc, ratio, a, b);
  }

  static Value mixOf(OpBuilder &builder, Location loc, Value ratio, Value a,
                     Value b) {
    auto scalar = cast<RankedTensorType>(ratio.getType());
    auto type = cast<RankedTensorType>(a.getType());
    Value one = createSplat(builder, loc, scalar, 1);
    Value rest = SubOp::create(builder, loc, one, ratio);
    Value first =
        MulOp::create(builder, loc, a, spread(builder, loc, ratio, type));
    Value second =
        MulOp::create(builder, loc, b, spread(builder, loc, rest, type));
    return AddOp::create(builder, loc, first, second);
  }

private:
  static Value spread(OpBuilder &builder, Location loc, Value scalar,
                      RankedTensorType type) {
    auto element = RankedTensorType::get({}, type.getElementType());
    if (scalar.getType() != element)
      scalar = CastOp::create(builder, loc, element, scalar);
    return BroadcastOp::create(builder, loc, type, scalar, ArrayRef<int64_t>());
  }

  Value sum(Value x, ArrayRef<int64_t> dims) {
    return ReduceSumOp::create(builder, loc, x, dims);
  }
  Value times(Value x, double factor) {
    auto type = cast<RankedTensorType>(x.getType());
    return MulOp::create(builder, loc, x,
                         createSplat(builder, loc, type, factor));
  }
  Value quotient(Value x, double divisor) {
    auto type = cast<RankedTensorType>(x.getType());
    return DivOp::create(builder, loc, x,
                         createSplat(builder, loc, type, divisor));
  }

  /// Returns `x`, which has one number a row, with 0 for ignored rows.
  Value kept(Value x, Value labels) {
    if (!change.ignored)
      return x;
    Value zero = createSplat(builder, loc, losses, 0);
    return SelectOp::create(builder, loc, isKept(labels), x, zero);
  }

  /// Returns a flag for each row that counts.
  Value isKept(Value labels) {
    auto type = cast<RankedTensorType>(labels.getType());
    auto ignored =
        builder.getIntegerAttr(type.getElementType(), *change.ignored);
    Value number =
        ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ignored));
    return CompareOp::create(builder, loc, ComparePredicate::NE, labels,
                             number);
  }

  /// Returns the mean over the rows that count; `rowLosses` is 0 for others.
  Value mean(Value rowLosses, Value labels) {
    Value total = sum(rowLosses, {0});
    if (!change.ignored)
      return quotient(total, losses.getDimSize(0));
    Value ones = CastOp::create(builder, loc, losses, isKept(labels));
    return DivOp::create(builder, loc, total, sum(ones, {0}));
  }

  /// Returns the (N,K) mask that is set where the label of row n is k.
  Value maskOf(Value labels) {
    auto type =
        wide.clone(cast<RankedTensorType>(labels.getType()).getElementType());
    Value numbers = IotaOp::create(builder, loc, type, 1);
    Value spread = broadcastLeading(builder, loc, labels, type);
    return CompareOp::create(builder, loc, ComparePredicate::EQ, numbers,
                             spread);
  }

  /// Returns the element of each row's label in an (N,K) tensor, 0 where the
  /// label is not a class.
  Value pick(Value mask, Value x) {
    Value zero = createSplat(builder, loc, wide, 0);
    return sum(SelectOp::create(builder, loc, mask, x, zero), {1});
  }

  /// Returns (1 - e) l + e (mean over k of lse - x[k]).
  Value smoothed(Value logits, Value plain, Value chosen) {
    Value mean = quotient(sum(logits, {1}), classes);
    Value away = SubOp::create(builder, loc, chosen, mean);
    return AddOp::create(builder, loc, plain, times(away, change.smoothing));
  }

  Value weightsOfClasses() {
    auto vector =
        RankedTensorType::get({wide.getDimSize(1)}, losses.getElementType());
    SmallVector<Attribute> numbers;
    for (double weight : change.weights)
      numbers.push_back(builder.getFloatAttr(losses.getElementType(), weight));
    Value constant = ConstantOp::create(
        builder, loc, DenseElementsAttr::get(vector, numbers));
    return broadcastTrailing(builder, loc, constant, wide);
  }

  /// Returns (1 - e) w[y] l + e/K (sum over k of w[k] (lse - x[k])).
  Value weighted(Value logits, Value plain, Value chosen, Value weights,
                 Value own) {
    Value sharp = MulOp::create(builder, loc, own, plain);
    if (change.smoothing == 0)
      return sharp;
    double all = 0;
    for (double weight : change.weights)
      all += weight;
    Value lse = AddOp::create(builder, loc, plain, chosen);
    Value dot = sum(MulOp::create(builder, loc, weights, logits), {1});
    Value soft = SubOp::create(builder, loc, times(lse, all), dot);
    return AddOp::create(builder, loc, times(sharp, 1 - change.smoothing),
                         times(soft, change.smoothing / classes));
  }

  OpBuilder builder;
  OriginScope scope;
  Location loc;
  const LossChange &change;
  CrossEntropyOp rows;
  RankedTensorType losses, wide;
  double classes = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Mixing
//===----------------------------------------------------------------------===//

/// Adds a last argument for the ratio.
static Value addRatio(func::FuncOp function) {
  Builder builder(function.getContext());
  auto binding = BindingAttr::get(function.getContext(), BindingRole::MixRatio,
                                  StringAttr());
  auto attributes = builder.getDictionaryAttr(
      {builder.getNamedAttr(SgDialect::kNameAttr,
                            builder.getStringAttr("mix_ratio")),
       builder.getNamedAttr(SgDialect::kBindingAttr, binding)});
  unsigned index = function.getNumArguments();
  // This fails only for a function without a body.
  LogicalResult inserted = function.insertArgument(
      index, RankedTensorType::get({}, builder.getF32Type()), attributes,
      function.getLoc());
  assert(succeeded(inserted) && "a model has a body");
  (void)inserted;
  return function.getArgument(index);
}

/// Returns a value of the function as seen in a block of it, possibly the
/// function's own.
static Value valueIn(Block *block, Value value) {
  if (value.getParentBlock() == block)
    return value;
  Block *outer = moduleOf(block)->getBlock();
  return exposeInput(block, valueIn(outer, value));
}

/// Replaces images by mixtures of themselves and the following ones.
static void mixData(func::FuncOp function, Value ratio) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  OriginScope scope(builder, "mixup");
  for (BlockArgument argument : dataOf(function)) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : argument.getUses())
      uses.push_back(&use);
    auto type = cast<RankedTensorType>(argument.getType());
    SmallVector<int64_t> shifts(type.getRank(), 0);
    shifts.front() = 1;
    Location loc = argument.getLoc();
    Value others = RollOp::create(builder, loc, argument, shifts);
    Value mixed = LossBuilder::mixOf(builder, loc, ratio, argument, others);
    for (OpOperand *use : uses)
      use->set(mixed);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
class ChangeLoss : public reprise::impl::SgChangeLossBase<ChangeLoss> {
public:
  using SgChangeLossBase::SgChangeLossBase;

private:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<double> numbers(classWeights.begin(), classWeights.end());
    LossChange change{labelSmoothing, numbers, mixup, std::nullopt};
    if (ignoreIndex != std::numeric_limits<int64_t>::min())
      change.ignored = ignoreIndex;
    if (!change.changesRows() && !change.mixes && !change.ignored)
      return;
    if (function.isExternal() || !function.getBody().hasOneBlock()) {
      function.emitError() << "a model is a function of one block";
      return signalPassFailure();
    }
    SmallVector<MeanCrossEntropy, 1> losses = findLossesOf(function);
    if (failed(check(function, change, losses)))
      return signalPassFailure();
    Value ratio = change.mixes ? addRatio(function) : Value();
    for (MeanCrossEntropy &loss : losses)
      rewrite(loss, change, ratio);
    if (change.mixes)
      mixData(function, function.getArguments().back());
  }

  static LogicalResult check(func::FuncOp function, const LossChange &change,
                             ArrayRef<MeanCrossEntropy> losses);
  static LogicalResult checkNumbers(MeanCrossEntropy loss,
                                    const LossChange &change);

  /// `ratio` is the function's argument, or null.
  static void rewrite(MeanCrossEntropy loss, LossChange change, Value ratio) {
    if (change.ignored)
      loss.rows.setIgnoreIndex(change.ignored);
    change.ignored = loss.rows.getIgnoreIndex();
    if (ratio)
      ratio = valueIn(loss.mean->getBlock(), ratio);
    LossBuilder builder(loss, change);
    Value next = builder.lossOf(loss.rows.getLabels(), loss.rows.getLosses());
    if (ratio)
      next = builder.mix(ratio, next, builder.lossOfNeighbours());
    loss.mean->getResult(0).replaceAllUsesWith(next);
    loss.mean->erase();
  }
};
} // namespace

LogicalResult ChangeLoss::checkNumbers(MeanCrossEntropy loss,
                                       const LossChange &change) {
  Operation *op = loss.rows;
  if (!(change.smoothing >= 0 && change.smoothing <= 1))
    return op->emitError() << "label-smoothing is " << change.smoothing
                           << "; it must be between 0 and 1";
  std::optional<int64_t> own = loss.rows.getIgnoreIndex();
  if (change.ignored && own && *own != *change.ignored)
    return op->emitError() << "ignores the label " << *own << ", and not "
                           << *change.ignored;
  if (change.weights.empty())
    return success();
  int64_t classes =
      cast<RankedTensorType>(loss.rows.getLogits().getType()).getDimSize(1);
  if (static_cast<int64_t>(change.weights.size()) != classes)
    return op->emitError() << "there are " << change.weights.size()
                           << " weights of classes, but the model tells "
                           << classes << " apart";
  double sum = 0;
  for (auto [k, weight] : llvm::enumerate(change.weights)) {
    if (!(weight >= 0) || !std::isfinite(weight))
      return op->emitError() << "the weight of class " << k << " is " << weight
                             << "; it must be finite and not negative";
    sum += weight;
  }
  if (sum == 0)
    return op->emitError() << "the weights of all classes are 0";
  return success();
}

LogicalResult ChangeLoss::check(func::FuncOp function, const LossChange &change,
                                ArrayRef<MeanCrossEntropy> losses) {
  if (losses.empty())
    return function.emitError()
           << "label smoothing, weights of classes, mixup and ignored labels "
              "are for a loss that is the mean of sg.cross_entropy over the "
              "rows, and this one is another";
  for (const MeanCrossEntropy &loss : losses)
    if (failed(checkNumbers(loss, change)) ||
        (change.mixes && failed(checkMixing(function, loss.rows))))
      return failure();
  return success();
}
