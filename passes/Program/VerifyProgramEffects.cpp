//===- VerifyProgramEffects.cpp - Effects happen exactly once -------------===//
//
// Input:   an rt.program whose ops pass their own verifiers.
// Output:  nothing; errors at the steps that are wrong.
// Method:  the checks of sg-verify-effects on the steps of each entry: a step
//          that writes a variable's bytes is the variable's write; a launch of
//          a kernel with a random op draws from its stream, and so does a call
//          that names a stream; collective calls have the numbers 0, 1, ...
// Cost:    linear in the steps' views.
// Fails:   on a second write, a write in the backward pass or a recomputation,
//          a shared stream, a stream that only a clone or a derivative draws
//          from; on a collective that is repeated or out of order.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/Program.h"

#include <map>
#include <set>

namespace reprise {
#define GEN_PASS_DEF_RTVERIFYEFFECTS
#include "reprise/Passes/ProgramPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::rt_dialect;

namespace {

class EffectsVerifier {
public:
  explicit EffectsVerifier(ProgramOp program);
  LogicalResult run();

private:
  LogicalResult checkEntry(EntryOp entry);
  LogicalResult checkWrites(StepOpInterface step);
  std::set<int64_t> streamsOfStep(Operation *step) const;
  LogicalResult checkDraws(StepOpInterface step);
  LogicalResult checkRepeats();
  LogicalResult checkCollective(StepOpInterface step);

  ProgramOp program;
  std::map<uint64_t, VariableOp> variables;           // by buffer
  std::map<std::string, std::set<int64_t>> streamsOf; // by kernel

  // State of the current entry.
  std::map<uint64_t, Operation *> writers; // by buffer of a variable
  std::map<int64_t, Operation *> draws, repeats;
  int64_t collectives = 0; // so far
};

} // namespace

/// Returns true if a step is part of the forward pass itself: clones and
/// derivatives repeat it.
static bool isFirst(Phase phase) {
  return phase == Phase::Forward || phase == Phase::Update;
}

EffectsVerifier::EffectsVerifier(ProgramOp program) : program(program) {
  for (auto variable : program.getBody().getOps<VariableOp>())
    variables.try_emplace(variable.getView().getBuffer(), variable);
  for (auto kernel : program.getBody().getOps<KernelOp>())
    kernel->walk([&](Operation *op) {
      if (std::optional<int64_t> stream = streamOf(op))
        streamsOf[kernel.getSymName().str()].insert(*stream);
    });
}

LogicalResult EffectsVerifier::checkWrites(StepOpInterface step) {
  for (ViewAttr view : step.getWrites()) {
    auto found = variables.find(view.getBuffer());
    if (found == variables.end())
      continue;
    Phase phase = step.getStepInfo().getPhase();
    StringRef name = found->second.getName();
    bool mayWrite = isFirst(phase);
    if (!mayWrite)
      return step->emitOpError() << "writes variable '" << name << "' in the "
                                 << termName(phase) << " phase";
    auto [writer, isNew] = writers.try_emplace(view.getBuffer(), step);
    if (isNew)
      continue;
    InFlightDiagnostic error = step->emitOpError()
                               << "writes variable '" << name
                               << "' a second time in one step of training";
    error.attachNote(writer->second->getLoc()) << "first written here";
    return error;
  }
  return success();
}

std::set<int64_t> EffectsVerifier::streamsOfStep(Operation *step) const {
  if (auto launch = dyn_cast<LaunchOp>(step)) {
    auto streams = streamsOf.find(launch.getKernel().str());
    if (streams != streamsOf.end())
      return streams->second;
  }
  if (auto call = dyn_cast<CallOp>(step))
    if (std::optional<int64_t> stream = call.getRandomStream())
      return {*stream};
  return {};
}

LogicalResult EffectsVerifier::checkDraws(StepOpInterface step) {
  bool isDraw = isFirst(step.getStepInfo().getPhase());
  for (int64_t stream : streamsOfStep(step)) {
    auto [place, isNew] = (isDraw ? draws : repeats).try_emplace(stream, step);
    if (isNew || !isDraw)
      continue;
    InFlightDiagnostic error = step->emitOpError()
                               << "draws from stream " << stream
                               << ", which another step draws from";
    error.attachNote(place->second->getLoc()) << "the other step";
    return error;
  }
  return success();
}

LogicalResult EffectsVerifier::checkRepeats() {
  for (auto [stream, step] : repeats)
    if (!draws.count(stream))
      return step->emitOpError() << "repeats stream " << stream
                                 << ", but no forward step draws from it";
  return success();
}

/// Ranks make the collective calls of an entry in the order of their numbers,
/// each once.
LogicalResult EffectsVerifier::checkCollective(StepOpInterface step) {
  auto call = dyn_cast<CallOp>(*step);
  std::optional<int64_t> number =
      call ? call.getSequenceNumber() : std::nullopt;
  if (!number)
    return success();
  if (*number != collectives)
    return step->emitOpError()
           << "is collective " << *number
           << ", but the next one of the entry is " << collectives;
  ++collectives;
  if (step.getStepInfo().getPhase() == Phase::Recompute)
    return step->emitOpError() << "is collective " << *number << " in the "
                               << termName(step.getStepInfo().getPhase())
                               << " phase, which may repeat it";
  return success();
}

LogicalResult EffectsVerifier::checkEntry(EntryOp entry) {
  writers.clear();
  draws.clear();
  repeats.clear();
  collectives = 0;
  for (auto step : entry.getBody().getOps<StepOpInterface>()) {
    if (failed(checkWrites(step)))
      return failure();
    if (failed(checkDraws(step)) || failed(checkCollective(step)))
      return failure();
  }
  return checkRepeats();
}

LogicalResult EffectsVerifier::run() {
  for (auto entry : program.getBody().getOps<EntryOp>())
    if (failed(checkEntry(entry)))
      return failure();
  return success();
}

namespace {
class RtVerifyEffects
    : public reprise::impl::RtVerifyEffectsBase<RtVerifyEffects> {
  void runOnOperation() override {
    if (failed(EffectsVerifier(getOperation()).run()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
