//===- VerifyProgram.cpp - Checks a program's memory ----------------------===//
//
// Input:   an rt.program whose ops pass their own verifiers.
// Output:  nothing; errors at the ops that are wrong.
// Method:  tables first, since views index them; then each entry: buffers that
//          live together, by a sweep over time with the live ones sorted by
//          address; steps; peak. Shares no code with the planner.
// Cost:    n log n in buffers, linear in views.
//
//===----------------------------------------------------------------------===//
#include "VerifyNotes.h"
#include "reprise/Passes/Program.h"

#include <map>

namespace reprise {
#define GEN_PASS_DEF_RTVERIFYPROGRAM
#include "reprise/Passes/ProgramPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::rt_dialect;

namespace {

/// Bytes of the arena.
struct Range {
  uint64_t begin = 0, end = 0;
  bool overlaps(const Range &other) const {
    return begin < other.end && other.begin < end;
  }
  bool operator==(const Range &other) const {
    return begin == other.begin && end == other.end;
  }
};

class Verifier {
public:
  explicit Verifier(ProgramOp program) : program(program) {}
  LogicalResult run();

private:
  LogicalResult checkHeader();
  LogicalResult addBuffers(Region &body, Range bounds);
  LogicalResult checkFixed();
  LogicalResult checkVariables();
  LogicalResult checkConstants();
  LogicalResult checkView(Operation *op, ViewAttr view, Range *range = nullptr);
  LogicalResult checkEntry(EntryOp entry);
  LogicalResult checkLifetimes(uint64_t steps);
  LogicalResult checkBindings(EntryOp entry, uint64_t steps);
  LogicalResult checkStep(StepOpInterface step, uint64_t number);
  LogicalResult checkLive(Operation *op, ViewAttr view, uint64_t number);
  LogicalResult checkOverlaps(StepOpInterface step);
  LogicalResult checkHostCopy(Operation *step);
  LogicalResult checkPeak(EntryOp entry, uint64_t steps);

  ArrayRef<BufferOp> entryBuffers() const {
    return ArrayRef(buffers).drop_front(fixedCount);
  }

  uint64_t alignment() { return program.getTarget().getAlignment(); }

  ProgramOp program;
  SmallVector<BufferOp> buffers; // of the program, then of the current entry
  size_t fixedCount = 0;
  std::map<uint64_t, OffloadOp> offloaded; // of the entry, by offset so far
};

} // namespace

static Range rangeOf(BufferOp buffer) {
  return {buffer.getOffset(), buffer.getOffset() + buffer.getSize()};
}

//===----------------------------------------------------------------------===//
// The program's tables
//===----------------------------------------------------------------------===//

LogicalResult Verifier::checkHeader() {
  if (program.getFixedBytes() > program.getArenaBytes())
    return program.emitOpError() << "has " << program.getFixedBytes()
                                 << " fixed bytes in an arena of "
                                 << program.getArenaBytes() << " bytes";
  for (uint64_t bytes : {program.getFixedBytes(), program.getArenaBytes()})
    if (bytes % alignment() != 0 || bytes > kMaxArenaBytes)
      return program.emitOpError()
             << "claims " << bytes << " bytes, which is not a multiple of "
             << alignment() << " up to 2^46";
  if (program.getThreads() < 1 || program.getThreads() > kMaxThreads)
    return program.emitOpError()
           << "wants " << program.getThreads() << " threads; 1 to "
           << kMaxThreads << " are possible";
  return success();
}

/// Appends the buffers of `body`, which must be within `bounds`.
LogicalResult Verifier::addBuffers(Region &body, Range bounds) {
  for (auto buffer : body.getOps<BufferOp>()) {
    if (buffer.getIndex() != buffers.size())
      return buffer.emitOpError() << "has number " << buffer.getIndex()
                                  << " in place of " << buffers.size();
    if (buffer.getOffset() % alignment() != 0)
      return buffer.emitOpError()
             << buffer.getIndex() << " lies at " << buffer.getOffset()
             << ", but the target wants multiples of " << alignment();
    uint64_t end;
    if (__builtin_add_overflow(buffer.getOffset(), buffer.getSize(), &end) ||
        buffer.getOffset() < bounds.begin || end > bounds.end)
      return buffer.emitOpError()
             << buffer.getIndex() << " of " << buffer.getSize()
             << " bytes at byte " << buffer.getOffset()
             << " does not lie between bytes " << bounds.begin << " and "
             << bounds.end;
    buffers.push_back(buffer);
  }
  return success();
}

LogicalResult Verifier::checkFixed() {
  if (failed(addBuffers(program.getBody(), {0, program.getFixedBytes()})))
    return failure();
  fixedCount = buffers.size();
  std::map<uint64_t, BufferOp> byOffset;
  for (BufferOp buffer : buffers) {
    auto [found, isNew] = byOffset.try_emplace(buffer.getOffset(), buffer);
    if (!isNew)
      return buffer.emitOpError()
             << buffer.getIndex() << " shares byte " << buffer.getOffset()
             << " with buffer " << found->second.getIndex();
  }
  BufferOp before;
  for (auto [offset, buffer] : byOffset) {
    if (before && rangeOf(before).overlaps(rangeOf(buffer)))
      return buffer.emitOpError()
             << buffer.getIndex() << " shares byte " << offset
             << " with buffer " << before.getIndex();
    before = buffer;
  }
  return success();
}

LogicalResult Verifier::checkView(Operation *op, ViewAttr view, Range *range) {
  if (view.getBuffer() >= buffers.size())
    return op->emitOpError()
           << "names buffer " << view.getBuffer() << " of " << buffers.size();
  BufferOp buffer = buffers[view.getBuffer()];
  uint64_t end;
  if (__builtin_add_overflow(view.getOffset(), view.getBytes(), &end) ||
      end > buffer.getSize())
    return op->emitOpError()
           << "takes " << view.getBytes() << " bytes at byte "
           << view.getOffset() << " of buffer " << view.getBuffer()
           << ", which has " << buffer.getSize() << " bytes";
  uint64_t element =
      std::max<uint64_t>(view.getType().getElementTypeBitWidth() / 8, 1);
  if (view.getOffset() % element != 0)
    return op->emitOpError() << "has a view at byte " << view.getOffset()
                             << ", which is not a multiple of its elements' "
                             << element << " bytes";
  if (range)
    *range = {buffer.getOffset() + view.getOffset(), buffer.getOffset() + end};
  return success();
}

LogicalResult Verifier::checkVariables() {
  std::map<std::string, VariableOp> names;
  std::map<uint32_t, VariableOp> owners;
  for (auto variable : program.getBody().getOps<VariableOp>()) {
    if (failed(checkView(variable, variable.getView())))
      return failure();
    if (!names.try_emplace(variable.getName().str(), variable).second)
      return variable.emitOpError()
             << "declares a second variable '" << variable.getName() << "'";
    uint32_t buffer = variable.getView().getBuffer();
    auto [owner, isNew] = owners.try_emplace(buffer, variable);
    if (!isNew)
      return variable.emitOpError()
             << "'" << variable.getName() << "' has the buffer of '"
             << owner->second.getName() << "'";
    if (buffers[buffer].getKind() > BufferKind::State)
      return variable.emitOpError()
             << "'" << variable.getName() << "' is on a buffer of kind "
             << termName(buffers[buffer].getKind());
  }
  return success();
}

LogicalResult Verifier::checkConstants() {
  SmallVector<bool> filled(fixedCount, false);
  for (auto constant : program.getBody().getOps<ConstantOp>()) {
    uint64_t index = constant.getBuffer();
    if (index >= fixedCount ||
        buffers[index].getKind() != BufferKind::Constant || filled[index])
      return constant.emitOpError()
             << "fills buffer " << index
             << ", which is not a constant that is still empty";
    uint64_t bytes = sg::byteSize(constant.getValue().getType());
    if (bytes != buffers[index].getSize())
      return constant.emitOpError()
             << "has " << bytes << " bytes for buffer " << index << " of "
             << buffers[index].getSize() << " bytes";
    filled[index] = true;
  }
  for (size_t index = 0; index < fixedCount; ++index)
    if (buffers[index].getKind() == BufferKind::Constant && !filled[index])
      return buffers[index].emitOpError()
             << index << " is a constant without contents";
  return success();
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

LogicalResult Verifier::checkLifetimes(uint64_t steps) {
  uint64_t end = std::max<uint64_t>(steps, 1);
  std::multimap<uint64_t, BufferOp> births, deaths;
  for (BufferOp buffer : entryBuffers()) {
    uint64_t first = *buffer.getFirstStep(), last = *buffer.getLastStep();
    if (first > last || last >= end)
      return buffer.emitOpError()
             << buffer.getIndex() << " lives from step " << first << " to step "
             << last << " of " << end;
    births.emplace(first, buffer);
  }
  // The live ones are disjoint, so a newcomer can only meet its neighbours.
  std::map<uint64_t, BufferOp> live;
  for (auto [first, buffer] : births) {
    while (!deaths.empty() && deaths.begin()->first < first) {
      live.erase(deaths.begin()->second.getOffset());
      deaths.erase(deaths.begin());
    }
    auto above = live.lower_bound(buffer.getOffset());
    BufferOp other;
    if (above != live.end() && rangeOf(above->second).overlaps(rangeOf(buffer)))
      other = above->second;
    else if (above != live.begin() &&
             rangeOf(std::prev(above)->second).overlaps(rangeOf(buffer)))
      other = std::prev(above)->second;
    if (other) {
      InFlightDiagnostic error =
          buffer.emitOpError()
          << buffer.getIndex() << " shares byte "
          << std::max(buffer.getOffset(), other.getOffset()) << " with buffer "
          << other.getIndex() << "; both live at step " << first;
      error.attachNote(other.getLoc()) << "the other buffer";
      return error;
    }
    live.emplace(buffer.getOffset(), buffer);
    deaths.emplace(*buffer.getLastStep(), buffer);
  }
  return success();
}

LogicalResult Verifier::checkBindings(EntryOp entry, uint64_t steps) {
  uint64_t last = std::max<uint64_t>(steps, 1) - 1;
  for (auto binding : entry.getInputs().getAsRange<BindingAttr>()) {
    ViewAttr view = binding.getView();
    if (failed(checkView(entry, view)))
      return failure();
    BufferOp buffer = buffers[view.getBuffer()];
    if (view.getBuffer() < fixedCount || *buffer.getFirstStep() != 0)
      return entry.emitOpError()
             << "input '" << binding.getName()
             << "' is not on a buffer that lives from the first step";
  }
  for (auto binding : entry.getOutputs().getAsRange<BindingAttr>()) {
    ViewAttr view = binding.getView();
    if (failed(checkView(entry, view)))
      return failure();
    BufferOp buffer = buffers[view.getBuffer()];
    if (view.getBuffer() >= fixedCount && *buffer.getLastStep() != last)
      return entry.emitOpError()
             << "output '" << binding.getName()
             << "' is not on a buffer that lives to the last step";
  }
  return success();
}

LogicalResult Verifier::checkLive(Operation *op, ViewAttr view,
                                  uint64_t number) {
  if (view.getBuffer() < fixedCount)
    return success();
  BufferOp buffer = buffers[view.getBuffer()];
  if (*buffer.getFirstStep() <= number && number <= *buffer.getLastStep())
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << "is step " << number << " and uses buffer "
                             << view.getBuffer() << ", which lives from step "
                             << *buffer.getFirstStep() << " to step "
                             << *buffer.getLastStep();
  error.attachNote(buffer.getLoc()) << "the buffer";
  return error;
}

/// A step that can work in place may read and write the same view; nothing else
/// it touches may overlap its outputs.
LogicalResult Verifier::checkOverlaps(StepOpInterface step) {
  SmallVector<Range> reads, writes;
  for (ViewAttr view : step.getReads())
    if (failed(checkView(step, view, &reads.emplace_back())))
      return failure();
  for (ViewAttr view : step.getWrites())
    if (failed(checkView(step, view, &writes.emplace_back())))
      return failure();
  // A workspace, after the outputs, overlaps nothing.
  size_t outputs = writes.size();
  if (auto launch = dyn_cast<LaunchOp>(step.getOperation()))
    outputs = launch.getOutputs().size();
  if (auto call = dyn_cast<CallOp>(step.getOperation()))
    outputs = call.getOutputs().size();
  for (auto [number, write] : llvm::enumerate(writes)) {
    for (auto [k, read] : llvm::enumerate(reads))
      if (read.overlaps(write) &&
          !(number < outputs && read == write && step.mayWriteInPlace(k)))
        return step->emitOpError()
               << "writes bytes " << write.begin << " to " << write.end
               << " while it reads bytes " << read.begin << " to " << read.end;
    for (const Range &other : ArrayRef(writes).take_front(number))
      if (other.overlaps(write))
        return step->emitOpError()
               << "writes byte " << std::max(other.begin, write.begin)
               << " twice";
  }
  return success();
}

/// Values have bytes of their own in host memory, and are fetched as they were
/// offloaded.
LogicalResult Verifier::checkHostCopy(Operation *step) {
  if (auto fetch = dyn_cast<FetchOp>(step)) {
    auto found = offloaded.find(fetch.getHost());
    if (found != offloaded.end() &&
        found->second.getSource().getType() == fetch.getTarget().getType())
      return success();
    return fetch.emitOpError()
           << "fetches " << fetch.getTarget().getType() << " from byte "
           << fetch.getHost() << ", where no step before has offloaded one";
  }
  auto offload = dyn_cast<OffloadOp>(step);
  if (!offload)
    return success();
  auto rangeOf = [](OffloadOp op) {
    return Range{op.getHost(),
                 op.getHost() + sg::byteSize(op.getSource().getType())};
  };
  auto after = offloaded.lower_bound(offload.getHost());
  for (auto other :
       {after, after == offloaded.begin() ? offloaded.end() : std::prev(after)})
    if (other != offloaded.end() &&
        rangeOf(other->second).overlaps(rangeOf(offload)))
      return offload.emitOpError() << "offloads to byte " << offload.getHost()
                                   << ", over another value";
  offloaded.emplace(offload.getHost(), offload);
  return success();
}

LogicalResult Verifier::checkStep(StepOpInterface step, uint64_t number) {
  if (failed(checkOverlaps(step)) || failed(checkHostCopy(step)))
    return failure();
  SmallVector<ViewAttr> views = step.getReads();
  llvm::append_range(views, step.getWrites());
  for (ViewAttr view : views)
    if (failed(checkLive(step, view, number)))
      return failure();
  for (ViewAttr view : step.getWrites())
    if (buffers[view.getBuffer()].getKind() == BufferKind::Constant)
      return step->emitOpError()
             << "writes constant buffer " << view.getBuffer();
  return success();
}

LogicalResult Verifier::checkPeak(EntryOp entry, uint64_t steps) {
  uint64_t peak = program.getFixedBytes();
  SmallVector<uint64_t> change(std::max<uint64_t>(steps, 1) + 1, 0);
  for (BufferOp buffer : entryBuffers()) {
    peak = std::max(peak, rangeOf(buffer).end);
    change[*buffer.getFirstStep()] += buffer.getSize();
    change[*buffer.getLastStep() + 1] -= buffer.getSize();
  }
  uint64_t live = program.getFixedBytes(), maxLive = live;
  for (uint64_t delta : change) {
    live += delta;
    maxLive = std::max(maxLive, live);
  }
  if (entry.getPeakBytes() != peak)
    return entry.emitOpError()
           << "claims a peak of " << entry.getPeakBytes()
           << " bytes; its buffers reach " << peak << " bytes";
  if (entry.getMaxLiveBytes() != maxLive)
    return entry.emitOpError()
           << "claims " << entry.getMaxLiveBytes()
           << " live bytes; the largest sum is " << maxLive << " bytes";
  return success();
}

LogicalResult Verifier::checkEntry(EntryOp entry) {
  buffers.resize(fixedCount);
  offloaded.clear();
  if (failed(addBuffers(entry.getBody(),
                        {program.getFixedBytes(), program.getArenaBytes()})))
    return failure();
  auto range = entry.getBody().getOps<StepOpInterface>();
  SmallVector<StepOpInterface> steps(range.begin(), range.end());
  if (failed(checkLifetimes(steps.size())) ||
      failed(checkBindings(entry, steps.size())))
    return failure();
  for (auto [number, step] : llvm::enumerate(steps))
    if (failed(checkStep(step, number)))
      return failure();
  if (failed(checkPeak(entry, steps.size())))
    return failure();
  return verifyNotes(entry, entryBuffers(), steps);
}

LogicalResult Verifier::run() {
  if (failed(checkHeader()) || failed(checkFixed()) ||
      failed(checkVariables()) || failed(checkConstants()))
    return failure();
  for (auto entry : program.getBody().getOps<EntryOp>())
    if (failed(checkEntry(entry)))
      return failure();
  return success();
}

namespace {
class VerifyProgram : public reprise::impl::RtVerifyProgramBase<VerifyProgram> {
  void runOnOperation() override {
    if (failed(Verifier(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
