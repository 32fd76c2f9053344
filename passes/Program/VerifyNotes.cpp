//===- VerifyNotes.cpp - Check an entry's notes ---------------------------===//
//
// Input:   an entry whose memory has been checked.
// Output:  success, or an error at a wrong note.
// Method:  everything countable is recounted: kept bytes, picoseconds, the peak
//          that a certificate promises for this entry, and that no entry of the
//          program exceeds its budget.
// Cost:    linear.
//
//===----------------------------------------------------------------------===//
#include "VerifyNotes.h"
#include "reprise/Kept.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::rt_dialect;

/// Returns the part of a step's action that a clone shares with its original.
static Attribute actionOf(StepOpInterface step) {
  if (auto launch = dyn_cast<LaunchOp>(step.getOperation()))
    return launch.getKernelAttr();
  if (auto call = dyn_cast<CallOp>(step.getOperation()))
    return call.getOpAttr();
  return StringAttr::get(step->getContext(), step->getName().getStringRef());
}

static LogicalResult verifyClone(ArrayRef<StepOpInterface> steps,
                                 uint64_t number) {
  StepOpInterface step = steps[number];
  StepAttr info = step.getStepInfo();
  if (!info.getCloneOf())
    return success();
  uint64_t original = *info.getCloneOf();
  if (original >= number)
    return step->emitOpError()
           << "is step " << number << " and recomputes step " << original
           << ", which does not come before it";
  if (info.getPhase() != Phase::Recompute)
    return step->emitOpError()
           << "recomputes step " << original << ", but is of phase "
           << termName(info.getPhase());
  if (actionOf(step) != actionOf(steps[original]))
    return step->emitOpError()
           << "runs " << actionOf(step) << " to recompute step " << original
           << ", which runs " << actionOf(steps[original]);
  return success();
}

static LogicalResult verifyInPlace(LaunchOp launch) {
  std::optional<ArrayRef<int32_t>> pairs = launch.getInPlace();
  if (!pairs)
    return success();
  bool isWrong = pairs->size() % 2 != 0;
  for (auto [k, number] : llvm::enumerate(*pairs)) {
    size_t count =
        k % 2 ? launch.getInputs().size() : launch.getOutputs().size();
    isWrong |= number < 0 || static_cast<size_t>(number) >= count;
  }
  if (isWrong)
    return launch.emitOpError() << "pairs no outputs with inputs by in_place";
  return success();
}

/// Some buffer kinds state why the buffer is in memory; other kinds must not
/// state the same reason.
static LogicalResult verifyReason(BufferOp buffer) {
  std::optional<Reason> said = buffer.getReason();
  if (!said)
    return success();
  std::optional<Reason> ofKind = reasonOf(buffer.getKind());
  bool isOfSomeKind = *said == Reason::Input || *said == Reason::Result ||
                      *said == Reason::Workspace;
  if (ofKind ? *said == *ofKind : !isOfSomeKind)
    return success();
  return buffer.emitOpError()
         << buffer.getIndex() << " is of kind " << termName(buffer.getKind())
         << ", but in memory because " << termName(*said);
}

static LogicalResult verifyKept(EntryOp entry, ArrayRef<BufferOp> buffers,
                                uint64_t steps) {
  if (!entry.getKeptBytes())
    return success();
  uint64_t forward = entry.getForwardSteps().value_or(0), kept = 0;
  if (forward > steps)
    return entry.emitOpError()
           << "has " << forward << " forward steps among " << steps;
  for (BufferOp buffer : buffers)
    if (isKeptAfter(forward, *buffer.getFirstStep(), *buffer.getLastStep()))
      kept += buffer.getSize();
  if (kept != *entry.getKeptBytes())
    return entry.emitOpError()
           << "claims " << *entry.getKeptBytes() << " kept bytes; after "
           << forward << " steps " << kept << " bytes live on";
  return success();
}

static LogicalResult verifyCertificate(EntryOp entry,
                                       ArrayRef<StepOpInterface> steps) {
  std::optional<CertificateAttr> certificate = entry.getCertificate();
  if (!certificate)
    return success();
  auto program = cast<rt_dialect::ProgramOp>(entry->getParentOp());
  for (auto other : program.getBody().getOps<EntryOp>())
    if (other.getPeakBytes() > certificate->getBudget())
      return other.emitOpError()
             << "@" << other.getSymName() << " needs " << other.getPeakBytes()
             << " bytes, more than the budget of " << certificate->getBudget();
  uint64_t picoseconds = 0;
  for (StepOpInterface step : steps)
    picoseconds += step.getStepInfo().getPicoseconds();
  PointAttr plan = certificate->getPlan();
  if (entry.getPeakBytes() != plan.getBytes())
    return entry.emitOpError()
           << "@" << entry.getSymName() << " needs " << entry.getPeakBytes()
           << " bytes, but its plan takes " << plan.getBytes();
  if (picoseconds != plan.getPicoseconds())
    return entry.emitOpError()
           << "@" << entry.getSymName() << " takes " << picoseconds
           << " ps, but its plan " << plan.getPicoseconds();
  return success();
}

LogicalResult reprise::verifyNotes(EntryOp entry, ArrayRef<BufferOp> buffers,
                                   ArrayRef<StepOpInterface> steps) {
  for (size_t number = 0; number < steps.size(); ++number) {
    StepOpInterface step = steps[number];
    auto launch = dyn_cast<LaunchOp>(step.getOperation());
    if (failed(verifyClone(steps, number)) ||
        (launch && failed(verifyInPlace(launch))))
      return failure();
  }
  for (BufferOp buffer : buffers)
    if (failed(verifyReason(buffer)))
      return failure();
  if (failed(verifyKept(entry, buffers, steps.size())))
    return failure();
  return verifyCertificate(entry, steps);
}
