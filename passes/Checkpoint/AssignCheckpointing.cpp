//===- AssignCheckpointing.cpp - Choose the blocks to checkpoint ----------===//
//
// Input:   a model.
// Output:  the model with the annotations of the mode.
// Method:  modes that work on blocks set attributes; modes that cut dissolve
//          the blocks and wrap runs of ops in new ones. Marks on ops that run
//          again in any case are removed.
// Fails:   on an unknown mode or a bad parameter, on a glob that matches no
//          block, on a differentiated function, on a mark with nothing to
//          recompute; in modes that cut also on several blocks and on ops of
//          other dialects.
//
//===----------------------------------------------------------------------===//

#include "CutSegments.h"
#include "Marks.h"
#include "reprise/CheckpointingModes.h"
#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Pattern.h"
#include "reprise/IR/WrapBlock.h"
#include "reprise/Passes/Checkpoint.h"
#include <cmath>

namespace reprise {
#define GEN_PASS_DEF_SGASSIGNCHECKPOINTING
#include "reprise/Passes/CheckpointPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static void annotate(func::FuncOp function,
                     llvm::function_ref<bool(SgModuleOp)> choose) {
  function.walk([&](SgModuleOp module) {
    module.setActivationCheckpointing(choose(module));
  });
}

static bool isInnermost(SgModuleOp module) {
  return !module.getBody()
              .walk([](SgModuleOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

/// Wraps consecutive ops in an annotated block, named after its number.
static void wrapSegment(ArrayRef<Operation *> ops, size_t number) {
  wrapInModule(ops, ("segment" + Twine(number)).str())
      .setActivationCheckpointing(true);
}

/// Wraps the runs that end at `cuts`; ops after the last cut are not wrapped,
/// because its backward pass begins at once.
static void wrapRuns(const FlatModel &model, ArrayRef<unsigned> cuts) {
  unsigned first = 0;
  for (auto [k, cut] : llvm::enumerate(cuts)) {
    wrapSegment(ArrayRef(model.ops).slice(first, cut + 1 - first), k + 1);
    first = cut + 1;
  }
}

/// Returns the articulations nearest to equal shares of the bytes.
static SmallVector<unsigned> cutEqually(const FlatModel &model,
                                        unsigned segments) {
  SmallVector<unsigned> candidates = findArticulations(model), cuts;
  if (model.ops.empty())
    return cuts;
  uint64_t total = model.bytesUpTo.back();
  for (unsigned k = 1; k < segments; ++k) {
    double share = static_cast<double>(total) * k / segments;
    auto distance = [&](unsigned c) {
      return std::abs(static_cast<double>(model.bytesUpTo[c]) - share);
    };
    unsigned best = UINT_MAX;
    for (unsigned c : candidates)
      if ((cuts.empty() || c > cuts.back()) &&
          (best == UINT_MAX || distance(c) < distance(best)))
        best = c;
    if (best != UINT_MAX)
      cuts.push_back(best);
  }
  return cuts;
}

static SmallVector<unsigned> cutEverySqrt(const FlatModel &model) {
  SmallVector<unsigned> candidates = findArticulations(model), cuts;
  if (candidates.empty())
    return cuts;
  unsigned stride = static_cast<unsigned>(
      std::ceil(std::sqrt(static_cast<double>(candidates.size()))));
  for (unsigned k = stride; k <= candidates.size(); k += stride)
    cuts.push_back(candidates[k - 1]);
  return cuts;
}

static bool isLibraryCall(Operation *op) {
  auto cost = dyn_cast<CostOpInterface>(op);
  return cost && cost.getKernelClass() == KernelClass::Library;
}

/// Wraps runs that end with a library call, or with the norm that spares it,
/// and hold a cheaper value of more than `threshold` bytes.
static void wrapAboveThreshold(const FlatModel &model, uint64_t threshold) {
  unsigned first = 0, count = 0;
  bool worth = false, isOver = false;
  for (auto [k, op] : llvm::enumerate(model.ops)) {
    isOver |= isLibraryCall(op);
    if (!isOver)
      worth |= llvm::any_of(op->getResults(), [&](Value v) {
        return !isFree(v) && byteSize(v.getType()) > threshold;
      });
    if (!isOver || model.isWithinNorm[k])
      continue;
    if (worth)
      wrapSegment(ArrayRef(model.ops).slice(first, k + 1 - first), ++count);
    first = k + 1;
    worth = isOver = false;
  }
}

using Mode = CheckpointingMode::Kind;

/// Returns true if a mode dissolves the model's blocks.
static bool cutsModel(Mode mode) {
  return mode == Mode::Sqrt || mode == Mode::Segments ||
         mode == Mode::ThresholdBytes;
}

/// Annotates the blocks that `pattern` names; `how` is for a message.
static LogicalResult annotateMatching(func::FuncOp function, StringRef pattern,
                                      Checkpointing how) {
  auto glob =
      parsePattern(pattern, [&] { return emitError(function.getLoc()); });
  if (failed(glob))
    return failure();
  bool matched = false;
  function.walk([&](SgModuleOp module) {
    if (!glob->match(module.getPath()) &&
        !glob->match(sourceOf(module.getLoc())))
      return;
    matched = true;
    module.setActivationCheckpointing(true);
  });
  if (matched)
    return success();
  InFlightDiagnostic error =
      emitError(function.getLoc())
      << "'" << pattern
      << "' matches no block and no source location of a block";
  if (cutsModel(how.kind))
    error << "; mode '" << how.text()
          << "' replaces the model's blocks by its own segments";
  return error;
}

namespace {
class AssignCheckpointing
    : public reprise::impl::SgAssignCheckpointingBase<AssignCheckpointing> {
public:
  using SgAssignCheckpointingBase::SgAssignCheckpointingBase;

  void runOnOperation() override {
    if (failed(assign(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult assign(func::FuncOp function);
  LogicalResult applyMode(func::FuncOp function, Checkpointing how);
  LogicalResult checkCuttable(func::FuncOp function);
  LogicalResult cut(func::FuncOp function, Checkpointing how);
  LogicalResult assignSegments(func::FuncOp function, uint64_t segments);
};
} // namespace

LogicalResult AssignCheckpointing::assignSegments(func::FuncOp function,
                                                  uint64_t segments) {
  FlatModel model = dissolve(function);
  SmallVector<unsigned> cuts = cutEqually(model, segments);
  if (cuts.size() + 1 < segments)
    function.emitWarning()
        << "can be cut into " << cuts.size() + 1
        << (cuts.empty() ? " segment" : " segments") << " at most, not into "
        << segments << " (a cut is where one value alone is needed later)";
  wrapRuns(model, cuts);
  return success();
}

/// Fails unless the function is one list of ops on tensors, as cutting
/// requires.
LogicalResult AssignCheckpointing::checkCuttable(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "segments are cut from a function of one block";
  WalkResult walk = function.getBody().walk([](Operation *op) {
    if (isa<OffloadOp, FetchOp>(op)) {
      op->emitOpError() << "is part of a schedule; segments are cut before one "
                           "is chosen";
      return WalkResult::interrupt();
    }
    if (isa<func::ReturnOp>(op) ||
        isa_and_present<SgDialect>(op->getDialect()) ||
        isa<CostOpInterface>(op))
      return WalkResult::advance();
    op->emitOpError() << "is not an op of sg and declares no cost; segments "
                         "are cut from ops with one";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// Applies the modes that dissolve blocks.
LogicalResult AssignCheckpointing::cut(func::FuncOp function,
                                       Checkpointing how) {
  if (function.isExternal())
    return success();
  if (failed(checkCuttable(function)))
    return failure();
  if (how.kind == Mode::Segments)
    return assignSegments(function, how.number);
  FlatModel model = dissolve(function);
  if (how.kind == Mode::ThresholdBytes)
    wrapAboveThreshold(model, how.number);
  else
    wrapRuns(model, cutEverySqrt(model));
  return success();
}

LogicalResult AssignCheckpointing::assign(func::FuncOp function) {
  bool differentiated =
      function.walk([](BackwardOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (differentiated)
    return function.emitError()
           << "annotations are assigned before differentiation";
  if (failed(checkMarks(function)))
    return failure();
  std::optional<Checkpointing> how = parseCheckpointing(mode);
  if (!how)
    return function.emitError() << "unknown checkpointing mode '" << mode
                                << "'; known are " << listCheckpointingModes();
  if (failed(applyMode(function, *how)))
    return failure();
  for (const std::string &pattern : recompute)
    if (failed(annotateMatching(function, pattern, *how)))
      return failure();
  dropMarksInSegments(function);
  return success();
}

LogicalResult AssignCheckpointing::applyMode(func::FuncOp function,
                                             Checkpointing how) {
  switch (how.kind) {
  case Mode::Annotated:
    return success();
  // Annotations of the model don't mix with those of a mode.
  case Mode::None:
    annotate(function, [](SgModuleOp) { return false; });
    return success();
  case Mode::PerBlock:
    annotate(function, isInnermost);
    return success();
  case Mode::Nested:
    annotate(function, [](SgModuleOp) { return true; });
    return success();
  case Mode::Segments:
  case Mode::Sqrt:
  case Mode::ThresholdBytes:
    return cut(function, how);
  }
  llvm_unreachable("every mode is handled");
}
