//===- LowerCheckpointing.cpp - Clone annotated segments ------------------===//
//
// Input:   a differentiated function; annotated sg.module ops return
//          residuals.
// Output:  annotated modules return their results and statistics only; each
//          mirror in the backward region is fed by a clone of the body after an
//          sg.barrier.
// Method:  last block first, so that a result kept as the input of a later
//          segment is known to be kept; outermost first, so that a clone's own
//          annotated modules are lowered in turn.
//
//   forward   a ───────────► b ───────────► loss
//             │ input        │ input
//   backward  └► barrier     └► barrier
//                └► clone(a)    └► clone(b) ► mirror(b)
//                     └► mirror(a) ◄───────── gradient
//
// Cost:    linear in the ops cloned, times the depth of nesting.
// Fails:   at an op of another dialect that a clone would repeat and that does
//          not declare that it has no effects.
//
//===----------------------------------------------------------------------===//

#include "CloneSegment.h"
#include "reprise/IR/BlockRewrite.h"
#include "reprise/Passes/Checkpoint.h"
#include <map>

namespace reprise {
#define GEN_PASS_DEF_SGLOWERCHECKPOINTING
#include "reprise/Passes/CheckpointPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {

/// The planned change of a mirror's operands, computed before anything changes.
struct Segment {
  Block *body;                      // of the annotated block
  Block *mirror;                    // body of its mirror
  SmallVector<unsigned> recomputed; // mirror arguments to feed from the clone
  SmallVector<Value> sources;       // for each, the value within the block
  SmallVector<unsigned> cotangents; // mirror operands the barrier waits for
};

class Lowering {
public:
  explicit Lowering(func::FuncOp function) : function(function) {}

  LogicalResult run() {
    findMirrors();
    for (Block &block : function.getBody())
      lowerWithin(block);
    pruneModules(function);
    return success(refused.empty());
  }

private:
  void findMirrors();
  void lowerWithin(Block &block);
  std::optional<Segment> look(SgModuleOp block);
  void refuse(const llvm::SetVector<Operation *> &ops);
  Block *lower(Segment segment);
  Value atMirror(Value value, Block *mirrorLevel);
  Value traceToBlock(Value value, Block *body);
  bool isKeptOtherwise(Value value, Block *mirror);
  Slice slice(Segment &segment);
  DenseMap<Value, Value> statisticsAtMirror(const Segment &segment);
  Value carryStatistic(Value statistic, const Segment &segment,
                       const DenseMap<Value, Value> &read);

  func::FuncOp function;
  /// The mirror's body by instance. Instances may be numbers that DenseMap
  /// reserves.
  std::map<int64_t, Block *> mirrors;
  Originals originals;
  /// Ops that should have been recomputed but must not repeat; each is reported
  /// once.
  llvm::DenseSet<Operation *> refused;
};

} // namespace

void Lowering::findMirrors() {
  function.walk([&](SgModuleOp module) {
    if (module.getPhase() == Phase::Backward && module.getInstance())
      mirrors[*module.getInstance()] = &module.getBody().front();
  });
}

/// Lowers the annotated blocks of `block`, last first, then those in plain
/// blocks and clones.
void Lowering::lowerWithin(Block &block) {
  SmallVector<Block *> bodies;
  for (Operation &op : block)
    if (auto module = dyn_cast<SgModuleOp>(op))
      if (module.getPhase() != Phase::Backward)
        bodies.push_back(&module.getBody().front());
  for (Block *body : llvm::reverse(bodies)) {
    SgModuleOp module = moduleOf(body);
    if (!module.getActivationCheckpointing()) {
      lowerWithin(*body);
      continue;
    }
    if (std::optional<Segment> segment = look(module))
      lowerWithin(*lower(*segment));
  }
}

/// Follows `value`, seen from a mirror, out through mirrors' inputs and into
/// blocks' results, until it is defined in `body` by an op or leads elsewhere.
/// Returns null unless it is a value that `body`'s module returns.
Value Lowering::traceToBlock(Value value, Block *body) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto module = dyn_cast<SgModuleOp>(argument.getOwner()->getParentOp());
      if (!module || argument.getOwner() == body)
        return Value();
      value = module.getInputs()[argument.getArgNumber()];
      continue;
    }
    auto result = cast<OpResult>(value);
    auto module = dyn_cast<SgModuleOp>(result.getOwner());
    if (!module || module.getPhase() == Phase::Backward)
      return Value();
    value = module.getYield().getOperand(result.getResultNumber());
    if (&module.getBody().front() == body)
      return value;
  }
}

/// Returns true if the backward pass reads `value`, a result of a block, other
/// than through `mirror`.
bool Lowering::isKeptOtherwise(Value value, Block *mirror) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isa<YieldOp>(user)) {
      auto module = dyn_cast<SgModuleOp>(user->getParentOp());
      if (module &&
          isKeptOtherwise(module->getResult(use.getOperandNumber()), mirror))
        return true;
      continue;
    }
    auto module = dyn_cast<SgModuleOp>(user);
    bool inBackward = user->getParentOfType<BackwardOp>() != nullptr;
    if (!inBackward)
      continue;
    if (!module || module.getPhase() != Phase::Backward)
      return true;
    Block *body = &module.getBody().front();
    if (body != mirror &&
        isKeptOtherwise(body->getArgument(use.getOperandNumber()), mirror))
      return true;
  }
  return false;
}

/// Returns true if `value`, seen from a mirror, was computed by the backward
/// pass.
static bool isCotangent(Value value) {
  while (auto argument = dyn_cast<BlockArgument>(value)) {
    auto module = dyn_cast<SgModuleOp>(argument.getOwner()->getParentOp());
    if (!module || module.getPhase() != Phase::Backward)
      return false;
    value = module.getInputs()[argument.getArgNumber()];
  }
  Operation *op = value.getDefiningOp();
  auto module = dyn_cast<SgModuleOp>(op);
  if (module && module.getPhase() != Phase::Backward)
    return false;
  return op->getParentOfType<BackwardOp>() && !isa<BarrierOp>(op);
}

/// Returns the segment's planned change, or nothing if the mirror reads nothing
/// that would be cloned. Changes no IR.
std::optional<Segment> Lowering::look(SgModuleOp block) {
  Segment segment;
  segment.body = &block.getBody().front();
  if (!block.getInstance() || !mirrors.count(*block.getInstance()))
    return std::nullopt;
  segment.mirror = mirrors.at(*block.getInstance());
  SgModuleOp mirror = moduleOf(segment.mirror);
  for (auto [k, input] : llvm::enumerate(mirror.getInputs())) {
    Value source = traceToBlock(input, segment.body);
    if (!source) {
      if (isCotangent(input))
        segment.cotangents.push_back(k);
      continue;
    }
    // An input returned unchanged needs no computation.
    if (isStatistics(source) || isa<BlockArgument>(source))
      continue;
    auto operands = block.getYield().getOperands();
    unsigned index =
        std::distance(operands.begin(), llvm::find(operands, source));
    bool isKept = index < block.getNumPrimalResults() &&
                  isKeptOtherwise(block->getResult(index), segment.mirror);
    if (isKept)
      continue;
    segment.recomputed.push_back(k);
    segment.sources.push_back(source);
  }
  if (segment.recomputed.empty())
    return std::nullopt;
  return segment;
}

/// Returns `value`, of a block around `level`, as a value of `level`.
static Value carryIn(Value value, Block *level) {
  if (value.getParentBlock() == level || !isa<SgModuleOp>(level->getParentOp()))
    return value;
  return exposeInput(level, carryIn(value, moduleOf(level)->getBlock()));
}

/// Returns `value`, of the level that holds an annotated block, as a value of
/// the level that holds its mirror. The nesting depths may differ: clones
/// inline plain blocks, mirrors do not.
Value Lowering::atMirror(Value value, Block *mirrorLevel) {
  Block *level = value.getParentBlock();
  if (!isa<SgModuleOp>(level->getParentOp()) ||
      level->getParent()->isAncestor(mirrorLevel->getParent()))
    return carryIn(value, mirrorLevel);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return atMirror(moduleOf(level).getInputs()[argument.getArgNumber()],
                    mirrorLevel);
  return atMirror(exposeResult(value), mirrorLevel);
}

/// Returns the statistics that the mirror already reads, by op result.
DenseMap<Value, Value> Lowering::statisticsAtMirror(const Segment &segment) {
  DenseMap<Value, Value> read;
  for (Value input : moduleOf(segment.mirror).getInputs())
    read.try_emplace(definitionOf(input), input);
  return read;
}

/// Returns a statistic that the clone reads, as a value of the mirror's level:
/// the value that the mirror already reads, or a new residual. A clone within a
/// clone reads the statistics of the forward pass.
Value Lowering::carryStatistic(Value statistic, const Segment &segment,
                               const DenseMap<Value, Value> &read) {
  Value original = originals.lookup(statistic);
  if (Value value = read.lookup(original ? original : statistic))
    return value;
  Block *level = moduleOf(segment.body)->getBlock();
  Block *mirrorLevel = moduleOf(segment.mirror)->getBlock();
  return atMirror(exposeAt(statistic, level), mirrorLevel);
}

/// Returns the part of the body to clone. Adds the missing statistics to the
/// residuals; this replaces ops and their results, so the segment is examined
/// again afterwards.
Slice Lowering::slice(Segment &segment) {
  Slice before = sliceBody(*segment.body, segment.sources);
  Block *level = moduleOf(segment.body)->getBlock();
  DenseMap<Value, Value> read = statisticsAtMirror(segment);
  bool exposed = false;
  for (Value statistic :
       llvm::concat<const Value>(before.statistics, before.kept)) {
    Value original = originals.lookup(statistic);
    if (read.contains(original ? original : statistic))
      continue;
    exposeAt(statistic, level);
    exposed = true;
  }
  if (!exposed)
    return before;
  segment = *look(moduleOf(segment.body));
  return sliceBody(*segment.body, segment.sources);
}

/// Emits the block that recomputes `segment.sources` from `inputs` (one for
/// each of `arguments`: arguments of the body, reads in it or kept values) and
/// the values of the statistics.
static Operation *emitClone(OpBuilder &builder, const Segment &segment,
                            Originals &originals, const Slice &slice,
                            ArrayRef<Value> arguments, ValueRange inputs,
                            ValueRange statistics) {
  SgModuleOp mirror = moduleOf(segment.mirror);
  Location loc = mirror.getLoc();
  OperationState state(loc, SgModuleOp::getOperationName());
  Block &clone = state.addRegion()->emplaceBlock();
  IRMapping mapping;
  auto carry = [&](Value inside, Value value) {
    state.operands.push_back(value);
    mapping.map(inside, clone.addArgument(value.getType(), loc));
  };
  for (auto [argument, value] : llvm::zip_equal(arguments, inputs))
    carry(argument, value);
  for (auto [statistic, value] : llvm::zip_equal(slice.statistics, statistics))
    carry(statistic, value);
  OpBuilder inner(loc.getContext());
  inner.setInsertionPointToEnd(&clone);
  cloneSlice(inner, *segment.body, slice, mapping, originals);
  SmallVector<Value> yielded;
  for (Value source : segment.sources)
    yielded.push_back(mapping.lookup(source));
  YieldOp::create(inner, loc, yielded);
  state.addTypes(ValueRange(yielded).getTypes());
  state.addAttribute("path", mirror.getPathAttr());
  state.addAttribute("phase",
                     PhaseAttr::get(loc.getContext(), Phase::Recompute));
  state.addAttribute("instance", mirror.getInstanceAttr());
  return builder.create(state);
}

void Lowering::refuse(const llvm::SetVector<Operation *> &ops) {
  for (Operation *op : ops)
    if (refused.insert(op).second)
      op->emitOpError("is in a block that is recomputed, but is not marked as "
                      "free of effects (remat.pure)");
}

/// Inserts a clone before the mirror; returns the clone's body.
Block *Lowering::lower(Segment segment) {
  Slice slice = this->slice(segment);
  refuse(slice.once);
  Block *level = moduleOf(segment.body)->getBlock();
  Block *mirrorLevel = moduleOf(segment.mirror)->getBlock();

  SmallVector<Value> inputs, carried, arguments;
  for (BlockArgument argument : segment.body->getArguments()) {
    if (!slice.needed.contains(argument))
      continue;
    Value input = moduleOf(segment.body).getInputs()[argument.getArgNumber()];
    // A read or a constant is repeated rather than passed along.
    if (isFree(input) && level != mirrorLevel) {
      OpBuilder builder(moduleOf(segment.mirror));
      inputs.push_back(builder.clone(*input.getDefiningOp())->getResult(0));
    } else
      inputs.push_back(atMirror(input, mirrorLevel));
    arguments.push_back(argument);
  }
  for (Value root : slice.roots) {
    OpBuilder builder(moduleOf(segment.mirror));
    inputs.push_back(builder.clone(*root.getDefiningOp())->getResult(0));
    arguments.push_back(root);
  }
  DenseMap<Value, Value> read = statisticsAtMirror(segment);
  for (Value kept : slice.kept) {
    inputs.push_back(carryStatistic(kept, segment, read));
    arguments.push_back(kept);
  }
  for (Value statistic : slice.statistics)
    carried.push_back(carryStatistic(statistic, segment, read));

  SgModuleOp mirror = moduleOf(segment.mirror);
  OpBuilder builder(mirror);
  Location loc = mirror.getLoc();
  SmallVector<Value> after;
  for (unsigned k : segment.cotangents)
    after.push_back(mirror.getInputs()[k]);
  ValueRange fresh = inputs;
  BarrierOp barrier;
  bool isGuarded = !inputs.empty();
  if (isGuarded) {
    barrier = BarrierOp::create(builder, loc, fresh.getTypes(), inputs, after);
    fresh = barrier.getResults();
  }

  Operation *clone =
      emitClone(builder, segment, originals, slice, arguments, fresh, carried);
  for (auto [k, result] :
       llvm::zip_equal(segment.recomputed, clone->getResults())) {
    mirror->setOperand(k, result);
  }
  return &cast<SgModuleOp>(clone).getBody().front();
}

namespace {
class LowerCheckpointing
    : public reprise::impl::SgLowerCheckpointingBase<LowerCheckpointing> {
  void runOnOperation() override {
    if (failed(Lowering(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
