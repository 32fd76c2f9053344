//===- AccumulateGradients.cpp - A step of several micro-batches ----------===//
//
// Input:   a flat, differentiated function, the step of one micro-batch, that
//          returns gradients and updates no parameter.
// Output:  the function on that many times the rows. Loss, metrics and
//          gradients are the means of those of its micro-batches, results of
//          rows are concatenated.
// Method:  all ops are repeated, after a barrier that waits for the gradients'
//          sums so far, so that one micro-batch ends before the next begins. A
//          variable that the model writes passes from one micro-batch to the
//          next as from step to step, and is written once, by the last. Each
//          micro-batch draws from streams of its own.
//
//   rows 0..b      ──► forward ──► backward ──► g0
//                         │ running statistics    │
//   rows b..2b     ──► barrier ──► forward ──► backward ──► g0 + g1 ──► / 2
//
// Cost:    linear in the ops, times the micro-batches.
// Fails:   on a function that is not as above, or whose inputs or results are
//          not rows where they must be.
//
//===----------------------------------------------------------------------===//

#include "FlattenOrigins.h"
#include "OwnStreams.h"
#include "mlir/IR/IRMapping.h"
#include "reprise/IR/Origin.h"
#include "reprise/Passes/Train.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

namespace reprise {
#define GEN_PASS_DEF_SGACCUMULATEGRADIENTS
#include "reprise/Passes/TrainPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {

/// The treatment of a result of the function.
enum class Joining { Mean, Rows };

class Accumulation {
public:
  Accumulation(func::FuncOp function, unsigned count)
      : function(function), body(function.getBody().front()), count(count),
        isMarked(saysOrigins(function)) {}

  /// Checks the function and collects its facts. Changes no IR.
  LogicalResult look();
  void rewrite();

private:
  LogicalResult lookAtOps();
  LogicalResult lookAtArguments();
  LogicalResult lookAtResults();
  bool isRepeated(Operation *op) const;
  /// Sets the origin of an op if the function's ops have origins.
  void mark(Operation *op, OriginAttr origin) {
    if (isMarked)
      setOrigin(op, origin);
  }

  /// Makes reads of the arguments, of all rows, wait until `after` exists.
  void guard(OpBuilder &builder, ValueRange after);
  /// Maps the arguments to the rows of micro-batch `k`.
  void takeRows(OpBuilder &builder, unsigned k, IRMapping &mapping);
  void widenArguments();
  void repeat(OpBuilder &builder, unsigned k, IRMapping &mapping);
  void setOwnStream(Operation *op, unsigned k);
  void setOwnInstance(Operation *op, unsigned k);
  void addResults(OpBuilder &builder, const IRMapping &mapping);
  SmallVector<Value> summedGradients() const;
  void returnJoined(OpBuilder &builder);
  OriginAttr originOfResult(unsigned index, Phase phase);

  func::FuncOp function;
  Block &body;
  unsigned count;
  const bool isMarked;
  int64_t rows = 0;              // of a micro-batch
  SmallVector<bool> isBatch;     // by argument: of rows
  SmallVector<Joining> joinings; // by result
  uint64_t instances = 0;        // more than the largest of them
  /// The ops to repeat, in program order, without the function's end.
  SmallVector<Operation *> repeated;
  /// The write of each variable, and its value after the micro-batches so far.
  llvm::MapVector<StringAttr, std::pair<WriteOp, Value>> written;
  SmallVector<Value> guarded;            // by argument
  SmallVector<Value> sums;               // by result; null for rows
  SmallVector<SmallVector<Value>> parts; // by result; empty for means
};

} // namespace

//===----------------------------------------------------------------------===//
// Looking
//===----------------------------------------------------------------------===//

static BindingRole roleOfArgument(func::FuncOp function, unsigned index) {
  return roleOf(function.getArgAttrDict(index));
}

static BindingRole roleOfResult(func::FuncOp function, unsigned index) {
  return roleOf(function.getResultAttrDict(index));
}

/// Returns true if sg ops support a tensor's elements.
static bool hasOurElements(RankedTensorType type) {
  Type element = type.getElementType();
  return isa<Float32Type, BFloat16Type, Float16Type, Float64Type>(element) ||
         llvm::any_of(ArrayRef<unsigned>{1, 8, 32, 64}, [&](unsigned width) {
           return element.isSignlessInteger(width);
         });
}

/// Returns true if `count` times its rows are a tensor of sg.
static bool areRows(RankedTensorType type, uint64_t count) {
  if (!type || type.getRank() == 0 || !hasOurElements(type) ||
      !hasSupportedShape(type))
    return false;
  SmallVector<int64_t> shape(type.getShape());
  return !llvm::MulOverflow(shape[0], int64_t(count), shape[0]) &&
         hasSupportedShape(type.clone(shape));
}

/// Returns true if the mean of such tensors has their type.
static bool hasMean(RankedTensorType type) {
  return type && hasOurElements(type) && hasSupportedShape(type) &&
         isa<FloatType>(type.getElementType());
}

LogicalResult Accumulation::look() {
  if (failed(lookAtArguments()) || failed(lookAtOps()) ||
      failed(lookAtResults()))
    return failure();
  return checkOwnStreams(function, count);
}

/// Checks that all data and labels have the batch's rows.
LogicalResult Accumulation::lookAtArguments() {
  for (BlockArgument argument : body.getArguments()) {
    BindingRole role = roleOfArgument(function, argument.getArgNumber());
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    bool isRows = role == BindingRole::Data || role == BindingRole::Label;
    isBatch.push_back(isRows);
    if (!isRows)
      continue;
    if (!areRows(type, 1))
      return function.emitError() << "argument " << argument.getArgNumber()
                                  << " is not rows of a batch, so it cannot be "
                                     "split into micro-batches";
    if (rows == 0)
      rows = type.getDimSize(0);
    if (type.getDimSize(0) != rows)
      return function.emitError()
             << "argument " << argument.getArgNumber() << " has "
             << type.getDimSize(0) << " rows, but others have " << rows;
    if (!areRows(type, count))
      return function.emitError() << count << " micro-batches of " << rows
                                  << " rows are more than a tensor holds";
  }
  if (rows == 0)
    return function.emitError() << "has no rows of a batch to take in parts";
  return success();
}

LogicalResult Accumulation::lookAtOps() {
  auto module = function->getParentOfType<mlir::ModuleOp>();
  SymbolTable symbols(module);
  for (auto write : body.getOps<WriteOp>()) {
    auto variable = symbols.lookup<VariableOp>(write.getVariable());
    if (variable && (variable.getRole() == Role::Parameter ||
                     variable.getRole() == Role::OptimizerState))
      return write.emitOpError()
             << "updates @" << write.getVariable()
             << "; gradients are accumulated before an optimizer takes them";
    written[write.getVariableAttr().getAttr()] = {write, Value()};
  }
  for (Operation &op : body.without_terminator()) {
    if (op.getNumRegions() != 0)
      return op.emitOpError() << "does not belong to a flat function of "
                                 "primitives; flatten it first";
    if (std::optional<int64_t> instance = instanceOf(&op))
      instances = std::max(instances, uint64_t(*instance) + 1);
  }
  return success();
}

LogicalResult Accumulation::lookAtResults() {
  bool hasGradient = false;
  for (unsigned k = 0; k < function.getNumResults(); ++k) {
    BindingRole role = roleOfResult(function, k);
    auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[k]);
    bool isMean = role == BindingRole::Loss || role == BindingRole::Metric ||
                  role == BindingRole::Gradient;
    bool isRows = (role == BindingRole::Data || role == BindingRole::Logits) &&
                  type && type.getRank() > 0 && type.getDimSize(0) == rows;
    if (isMean && !hasMean(type))
      return function.emitError()
             << "result " << k << " is of type " << function.getResultTypes()[k]
             << ", of which micro-batches have no mean";
    if (isRows && !areRows(type, count))
      return function.emitError() << count << " micro-batches of " << rows
                                  << " rows are more than a tensor holds";
    if (!isMean && !isRows)
      return function.emitError()
             << "result " << k
             << " is of one micro-batch: neither loss, metric "
             << "nor gradient, nor " << rows << " rows of a batch";
    joinings.push_back(isMean ? Joining::Mean : Joining::Rows);
    hasGradient |= role == BindingRole::Gradient;
  }
  if (!hasGradient)
    return function.emitError() << "returns no gradients to accumulate";
  return success();
}

/// Returns true if each micro-batch has an op of its own. Ops that depend only
/// on parameters are repeated too: a shared value would live from the first
/// micro-batch to the last.
bool Accumulation::isRepeated(Operation *op) const {
  auto read = dyn_cast<ReadOp>(op);
  if (read)
    return written.contains(read.getVariableAttr().getAttr());
  return !isa<WriteOp>(op) && !op->hasTrait<OpTrait::ConstantLike>();
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Widens the arguments to all rows; the ops still read those of the first
/// micro-batch, which `takeRows` provides.
void Accumulation::widenArguments() {
  for (BlockArgument argument : body.getArguments())
    if (isBatch[argument.getArgNumber()]) {
      auto type = cast<RankedTensorType>(argument.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape[0] *= count;
      argument.setType(type.clone(shape));
    }
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             body.getArgumentTypes(),
                                             function.getResultTypes()));
}

void Accumulation::guard(OpBuilder &builder, ValueRange after) {
  SmallVector<BlockArgument> used;
  for (BlockArgument argument : body.getArguments())
    if (!argument.use_empty() &&
        roleOfArgument(function, argument.getArgNumber()) !=
            BindingRole::LearningRate)
      used.push_back(argument);
  SmallVector<Value> inputs(used.begin(), used.end());
  auto barrier = BarrierOp::create(
      builder, function.getLoc(), ValueRange(inputs).getTypes(), inputs, after);
  mark(barrier, OriginAttr::get(function.getContext(), "", Phase::Forward,
                                std::nullopt));
  for (auto [argument, result] : llvm::zip_equal(used, barrier.getResults()))
    guarded[argument.getArgNumber()] = result;
}

void Accumulation::takeRows(OpBuilder &builder, unsigned k,
                            IRMapping &mapping) {
  OriginAttr origin =
      OriginAttr::get(function.getContext(), "", Phase::Forward, std::nullopt);
  for (BlockArgument argument : body.getArguments()) {
    Value value = guarded[argument.getArgNumber()];
    if (isBatch[argument.getArgNumber()] && !argument.use_empty()) {
      auto type = cast<RankedTensorType>(value.getType());
      SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()),
          strides(type.getRank(), 1);
      starts[0] = k * rows;
      limits[0] = starts[0] + rows;
      auto slice = SliceOp::create(builder, argument.getLoc(), value, starts,
                                   limits, strides);
      mark(slice, origin);
      value = slice;
    }
    mapping.map(argument, value);
  }
}

void Accumulation::setOwnStream(Operation *op, unsigned k) {
  std::optional<int64_t> drawn = streamOf(op);
  if (!drawn)
    return;
  auto type = op->getAttrOfType<IntegerAttr>("stream").getType();
  int64_t stream = ownStream(*drawn, k);
  op->setAttr("stream", IntegerAttr::get(type, stream));
}

/// Calls of a block in several micro-batches are several calls.
void Accumulation::setOwnInstance(Operation *op, unsigned k) {
  OriginAttr origin = originOf(op);
  if (!origin || !origin.getInstance())
    return;
  setOrigin(op, OriginAttr::get(
                    function.getContext(), origin.getPath(), origin.getPhase(),
                    int64_t(uint64_t(*origin.getInstance()) + k * instances)));
}

void Accumulation::repeat(OpBuilder &builder, unsigned k, IRMapping &mapping) {
  for (Operation *op : repeated) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      Value before = written[read.getVariableAttr().getAttr()].second;
      mapping.map(read.getResult(), before);
      continue;
    }
    Operation *copy = builder.clone(*op, mapping);
    setOwnStream(copy, k);
    setOwnInstance(copy, k);
  }
}

/// A gradient's origin is its parameter; other results have none.
OriginAttr Accumulation::originOfResult(unsigned index, Phase phase) {
  auto binding = dyn_cast_if_present<BindingAttr>(
      function.getResultAttr(index, SgDialect::kBindingAttr));
  bool isGradient = binding && binding.getVariable();
  return OriginAttr::get(function.getContext(),
                         isGradient ? binding.getVariable().getValue() : "",
                         isGradient ? phase : Phase::Forward, std::nullopt);
}

SmallVector<Value> Accumulation::summedGradients() const {
  SmallVector<Value> gradients;
  for (auto [index, sum] : llvm::enumerate(sums))
    if (roleOfResult(function, index) == BindingRole::Gradient)
      gradients.push_back(sum);
  return gradients;
}

/// Adds a micro-batch's results to those of the ones before it.
void Accumulation::addResults(OpBuilder &builder, const IRMapping &mapping) {
  Operation *terminator = body.getTerminator();
  for (auto &[name, variable] : written)
    variable.second = mapping.lookupOrDefault(variable.first.getValue());
  sums.resize(joinings.size());
  parts.resize(joinings.size());
  for (auto [k, joining] : llvm::enumerate(joinings)) {
    Value value = mapping.lookupOrDefault(terminator->getOperand(k));
    if (joining == Joining::Rows) {
      parts[k].push_back(value);
      continue;
    }
    if (!sums[k]) {
      sums[k] = value;
      continue;
    }
    auto sum = AddOp::create(builder, value.getLoc(), sums[k], value);
    mark(sum, originOfResult(k, Phase::Backward));
    sums[k] = sum;
  }
}

void Accumulation::returnJoined(OpBuilder &builder) {
  Operation *terminator = body.getTerminator();
  for (auto [k, joining] : llvm::enumerate(joinings)) {
    Location loc = terminator->getOperand(k).getLoc();
    OriginAttr origin = originOfResult(k, Phase::Forward);
    Operation *joined;
    if (joining == Joining::Rows) {
      joined = ConcatOp::create(builder, loc, parts[k], 0);
    } else {
      auto type = cast<RankedTensorType>(sums[k].getType());
      double divisor = count;
      Value all = createSplat(builder, loc, type, divisor);
      joined = DivOp::create(builder, loc, sums[k], all);
    }
    mark(joined, origin);
    terminator->setOperand(k, joined->getResult(0));
  }
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             body.getArgumentTypes(),
                                             terminator->getOperandTypes()));
}

void Accumulation::rewrite() {
  for (Operation &op : llvm::drop_end(body))
    if (isRepeated(&op))
      repeated.push_back(&op);
  OpBuilder front = OpBuilder::atBlockBegin(&body);
  OpBuilder builder(body.getTerminator());
  widenArguments();
  // The first micro-batch is the existing code.
  IRMapping rowsOfFirst;
  guarded.assign(body.args_begin(), body.args_end());
  takeRows(front, 0, rowsOfFirst);
  addResults(builder, rowsOfFirst);
  for (unsigned k = 1; k < count; ++k) {
    IRMapping mapping;
    guard(builder, summedGradients());
    takeRows(builder, k, mapping);
    repeat(builder, k, mapping);
    addResults(builder, mapping);
  }
  for (Operation *op : repeated)
    for (OpOperand &operand : op->getOpOperands())
      operand.set(rowsOfFirst.lookupOrDefault(operand.get()));
  returnJoined(builder);
  for (auto &[name, variable] : written) {
    variable.first.getValueMutable().assign(variable.second);
    variable.first->moveBefore(body.getTerminator());
  }
}

namespace {
class AccumulateGradients
    : public reprise::impl::SgAccumulateGradientsBase<AccumulateGradients> {
public:
  using SgAccumulateGradientsBase::SgAccumulateGradientsBase;

private:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (microBatches == 0) {
      function.emitError() << "a step has one micro-batch at least, not 0";
      return signalPassFailure();
    }
    if (microBatches == 1 || function.isExternal())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError() << "accumulation needs a function of one block";
      return signalPassFailure();
    }
    Accumulation accumulation(function, microBatches);
    if (failed(accumulation.look()))
      return signalPassFailure();
    accumulation.rewrite();
  }
};
} // namespace
