//===- VerifyEffects.cpp - Effects happen exactly once --------------------===//
//
// Input:   a function at any level of sg.
// Output:  unchanged.
// Method:  one walk. A variable's write is its effect; a random stream's use
//          in the forward pass is its draw, which clones and derivatives
//          repeat but never add to. A collective is an effect too.
// Fails:   on a second write, a write outside the forward pass and the
//          optimizer, a shared stream, a stream that only a clone draws from;
//          on a collective that another op repeats.
//
//===----------------------------------------------------------------------===//

#include "reprise/IR/Origin.h"
#include "reprise/Passes/Train.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace reprise {
#define GEN_PASS_DEF_SGVERIFYEFFECTS
#include "reprise/Passes/TrainPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {
class VerifyEffects : public reprise::impl::SgVerifyEffectsBase<VerifyEffects> {
  void runOnOperation() override {
    writes.clear();
    draws.clear();
    repeats.clear();
    collectives.clear();
    WalkResult walk = getOperation().walk([&](Operation *op) {
      if (auto write = dyn_cast<WriteOp>(op))
        return WalkResult(checkWrite(write));
      if (auto collective = dyn_cast<CollectiveOpInterface>(op))
        return WalkResult(checkCollective(collective));
      if (std::optional<int64_t> stream = streamOf(op))
        return WalkResult(checkDraw(op, *stream));
      return WalkResult::advance();
    });
    if (walk.wasInterrupted() || failed(checkRepeats()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult checkWrite(WriteOp write) {
    if (phaseOf(write) != Phase::Forward)
      return write.emitOpError()
             << "writes " << write.getVariableAttr() << " in the "
             << termName(phaseOf(write)) << " phase";
    auto [place, isNew] =
        writes.try_emplace(write.getVariableAttr().getAttr(), write);
    if (isNew)
      return success();
    InFlightDiagnostic error = write.emitOpError()
                               << "writes " << write.getVariableAttr()
                               << " a second time in one step";
    error.attachNote(place->second->getLoc()) << "first written here";
    return error;
  }

  /// A rank that executes a collective alone waits for ever.
  LogicalResult checkCollective(CollectiveOpInterface op) {
    int64_t number = op.getSequenceNumber();
    if (phaseOf(op) == Phase::Recompute)
      return op->emitOpError()
             << "is collective " << number << " in the "
             << termName(phaseOf(op)) << " phase, which may repeat it";
    auto [place, isNew] = collectives.try_emplace(number, op);
    if (isNew)
      return success();
    InFlightDiagnostic error = op->emitOpError() << "is collective " << number
                                                 << " of a step a second time";
    error.attachNote(place->second->getLoc()) << "the first one";
    return error;
  }

  LogicalResult checkDraw(Operation *op, int64_t stream) {
    if (phaseOf(op) != Phase::Forward) {
      repeats.try_emplace(stream, op);
      return success();
    }
    auto [place, isNew] = draws.try_emplace(stream, op);
    if (isNew)
      return success();
    InFlightDiagnostic error = op->emitOpError()
                               << "draws from stream " << stream
                               << ", which another op draws from";
    error.attachNote(place->second->getLoc()) << "the other op";
    return error;
  }

  LogicalResult checkRepeats() {
    for (auto [stream, op] : repeats)
      if (!draws.count(stream))
        return op->emitOpError() << "repeats stream " << stream << " in the "
                                 << termName(phaseOf(op))
                                 << " phase, but no forward op draws from it";
    return success();
  }

  llvm::MapVector<StringAttr, Operation *> writes;
  /// Draws by stream. Not a DenseMap, which reserves two numbers.
  std::map<int64_t, Operation *> draws;
  std::map<int64_t, Operation *> collectives; // by number
  llvm::MapVector<int64_t, Operation *, std::map<int64_t, unsigned>> repeats;
};
} // namespace
