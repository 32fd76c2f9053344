//===- VerifyEntry.cpp - Check the entries of an artifact -----------------===//
//
// The half of the verifier that deals with time: the buffers that live
// together, and that each step touches only live ones.
//
//===----------------------------------------------------------------------===//
#include "VerifyProgram.h"

#include <algorithm>
#include <map>
#include <queue>

namespace reprise::rt {

static uint32_t stepCount(const fb::Entry &entry) {
  return entry.steps() ? entry.steps()->size() : 0;
}

Status ProgramVerifier::entryBuffers(const fb::Entry &entry) {
  if (!entry.buffers())
    return {};
  uint32_t steps = std::max(stepCount(entry), 1u);
  for (const fb::Buffer *b : *entry.buffers()) {
    REPRISE_RETURN_IF_ERROR(
        buffer(*b, program.fixed_bytes(), program.arena_bytes()));
    if (b->first_step() > b->last_step() || b->last_step() >= steps)
      return invalidProgram(
          "buffer " + quoted(b->name()) + " of entry " + quoted(entry.name()) +
          " lives from step " + std::to_string(b->first_step()) + " to step " +
          std::to_string(b->last_step()) + " of " + std::to_string(steps));
  }
  return disjointLifetimes(entry);
}

// Sweeps over time with the live buffers sorted by offset: a new buffer can
// only overlap its neighbours, since the others are disjoint.
Status ProgramVerifier::disjointLifetimes(const fb::Entry &entry) {
  std::vector<const fb::Buffer *> order(entry.buffers()->begin(),
                                        entry.buffers()->end());
  std::stable_sort(order.begin(), order.end(),
                   [](const fb::Buffer *a, const fb::Buffer *b) {
                     return a->first_step() < b->first_step();
                   });
  auto diesLater = [](const fb::Buffer *a, const fb::Buffer *b) {
    return a->last_step() > b->last_step();
  };
  std::priority_queue<const fb::Buffer *, std::vector<const fb::Buffer *>,
                      decltype(diesLater)>
      deaths(diesLater);
  std::map<uint64_t, const fb::Buffer *> live;
  for (const fb::Buffer *b : order) {
    uint32_t begin = b->first_step();
    for (; !deaths.empty() && deaths.top()->last_step() < begin; deaths.pop())
      live.erase(deaths.top()->offset());
    auto above = live.lower_bound(b->offset());
    const fb::Buffer *other = nullptr;
    if (above != live.end() && above->first < b->offset() + b->size())
      other = above->second;
    else if (above != live.begin() &&
             std::prev(above)->first + std::prev(above)->second->size() >
                 b->offset())
      other = std::prev(above)->second;
    if (other)
      return invalidProgram("buffers " + quoted(other->name()) + " and " +
                            quoted(b->name()) + " of entry " +
                            quoted(entry.name()) +
                            " share bytes while both live at step " +
                            std::to_string(b->first_step()));
    live.emplace(b->offset(), b);
    deaths.push(b);
  }
  return {};
}

Status ProgramVerifier::peak(const fb::Entry &entry) {
  uint64_t highest = program.fixed_bytes();
  if (entry.buffers())
    for (const fb::Buffer *b : *entry.buffers())
      highest = std::max(highest, b->offset() + b->size());
  if (entry.peak_bytes() != highest)
    return invalidProgram(
        "entry " + quoted(entry.name()) + " claims a peak of " +
        std::to_string(entry.peak_bytes()) + " bytes, its buffers reach " +
        std::to_string(highest) + " bytes");
  if (entry.max_live_bytes() > highest)
    return invalidProgram("entry " + quoted(entry.name()) + " claims " +
                          std::to_string(entry.max_live_bytes()) +
                          " live bytes, more than its peak of " +
                          std::to_string(highest) + " bytes");
  return {};
}

Status ProgramVerifier::stepView(const fb::View *view, Access access,
                                 const StepContext &context, Range *range) {
  REPRISE_RETURN_IF_ERROR(
      this->view(view, &context.entry, context.name, range));
  const fb::Buffer &b = *bufferOf(program, &context.entry, *view);
  if (access == Access::Write && b.kind() == fb::BufferKind::Constant)
    return invalidProgram(context.name + " writes constant " +
                          quoted(b.name()));
  bool fixed = program.buffers() && view->buffer() < program.buffers()->size();
  bool isOver = context.index > b.last_step();
  if (!fixed && (context.index < b.first_step() || isOver))
    return invalidProgram(context.name + " uses buffer " + quoted(b.name()) +
                          ", which lives from step " +
                          std::to_string(b.first_step()) + " to " +
                          std::to_string(b.last_step()) + " only");
  return {};
}

/// Returns true if the call's lists exist, have plausible sizes and are aligned
/// for loads; verifyLibraryCall checks their content.
static bool isBounded(const fb::LibraryCall &call) {
  constexpr uint32_t kMaxOperands = kMaxSummed, kMaxNumbers = 16;
  auto isShort = [](const auto *list, size_t most) {
    return !list || list->size() <= most;
  };
  return call.op() <= fb::LibraryOp::MAX && call.inputs() && call.outputs() &&
         call.implementation() && isShort(call.inputs(), kMaxOperands) &&
         isShort(call.outputs(), kMaxOperands) &&
         isShort(call.ints(), kMaxNumbers) && isAligned(call.ints()) &&
         isShort(call.floats(), kMaxNumbers) && isAligned(call.floats()) &&
         isShort(call.epilogues(), kMaxEpilogues);
}

static bool overlap(const Range &a, const Range &b) {
  return a.begin < b.end && b.begin < a.end;
}

/// Results share no byte with operands, except accumulated ones; nor with
/// each other and the workspace, which is the last of `writes` if there is one.
static Status disjointOperands(const std::vector<Range> &reads,
                               std::optional<unsigned> addend,
                               const std::vector<Range> &writes, bool workspace,
                               const std::string &name) {
  for (size_t i = 0; i < writes.size(); ++i) {
    for (size_t k = 0; k < reads.size(); ++k) {
      const Range &read = reads[k];
      bool isSum = addend && k == *addend + i &&
                   i < writes.size() - size_t(workspace) &&
                   read.begin == writes[i].begin && read.end == writes[i].end;
      if (overlap(writes[i], read) && !isSum)
        return invalidProgram(name + " overwrites its own operand");
    }
    for (size_t k = 0; k < i; ++k)
      if (overlap(writes[i], writes[k]))
        return invalidProgram(name + (workspace && i + 1 == writes.size()
                                          ? " has its result in its workspace"
                                          : " has two results in one place"));
  }
  return {};
}

Status ProgramVerifier::libraryCall(const fb::LibraryCall &call,
                                    const StepContext &context) {
  if (!isBounded(call))
    return invalidProgram(context.name + " is not a call the library has");
  std::vector<Range> reads, writes;
  Range range;
  for (const fb::View *view : *call.inputs()) {
    REPRISE_RETURN_IF_ERROR(stepView(view, Access::Read, context, &range));
    reads.push_back(range);
  }
  for (const fb::View *view : *call.outputs()) {
    REPRISE_RETURN_IF_ERROR(stepView(view, Access::Write, context, &range));
    writes.push_back(range);
  }
  if (call.workspace()) {
    REPRISE_RETURN_IF_ERROR(
        stepView(call.workspace(), Access::Write, context, &range));
    writes.push_back(range);
    if (!isDense(*call.workspace()) || range.begin % program.alignment())
      return invalidProgram("the workspace of " + context.name +
                            " is not dense and aligned to " +
                            std::to_string(program.alignment()) + " bytes");
  }
  const LibraryFunction &function = kLibraryFunctions[size_t(call.op())];
  std::optional<unsigned> addend = function.overwritten;
  if (call.epilogues())
    addend = addendOf(function, *call.epilogues());
  REPRISE_RETURN_IF_ERROR(disjointOperands(
      reads, addend, writes, call.workspace() != nullptr, context.name));
  if (Status status = verifyLibraryCall(describe(call)); !status.ok())
    return invalidProgram(context.name + ": " + status.message());
  return {};
}

Status ProgramVerifier::kernelLaunch(const fb::KernelLaunch &launch,
                                     const StepContext &context) {
  uint32_t kernels = program.kernels() ? program.kernels()->size() : 0;
  if (launch.kernel() >= kernels)
    return invalidProgram(context.name + " launches kernel " +
                          std::to_string(launch.kernel()) + " of " +
                          std::to_string(kernels));
  if (launch.grains() == 0 || launch.grains() > uint64_t(INT64_MAX))
    return invalidProgram(context.name + " has " +
                          std::to_string(launch.grains()) + " grains");
  uint32_t args = launch.args() ? launch.args()->size() : 0;
  for (uint32_t i = 0; i < args; ++i)
    REPRISE_RETURN_IF_ERROR(
        stepView(launch.args()->Get(i), Access::Read, context));
  uint32_t writes = launch.writes() ? launch.writes()->size() : 0;
  if (writes > args)
    return invalidProgram(context.name + " writes more arguments than it has");
  for (uint32_t i = 0; i < writes; ++i) {
    uint32_t written = launch.writes()->Get(i);
    if (written >= args)
      return invalidProgram(context.name + " writes argument " +
                            std::to_string(written) + " of " +
                            std::to_string(args));
    REPRISE_RETURN_IF_ERROR(
        stepView(launch.args()->Get(written), Access::Write, context));
  }
  return {};
}

Status ProgramVerifier::copy(const fb::Copy &copy, const StepContext &context) {
  REPRISE_RETURN_IF_ERROR(stepView(copy.source(), Access::Read, context));
  REPRISE_RETURN_IF_ERROR(stepView(copy.target(), Access::Write, context));
  if (copy.source()->type() != copy.target()->type() ||
      !sameShape(*copy.source(), *copy.target()) || !isDense(*copy.source()) ||
      !isDense(*copy.target()))
    return invalidProgram(context.name + " copies between views that differ "
                                         "in type or shape or are not dense");
  return {};
}

static Status badHostCopy(const std::string &name, const std::string &what) {
  return invalidProgram(name + " copies to or from host memory " + what);
}

Status ProgramVerifier::offload(const fb::Offload &offload,
                                const StepContext &context) {
  Range range;
  REPRISE_RETURN_IF_ERROR(
      stepView(offload.source(), Access::Read, context, &range));
  uint64_t bytes = range.end - range.begin, host = offload.host();
  if (!isDense(*offload.source()))
    return badHostCopy(context.name, "a view that is not dense");
  if (host % kAlignment || host > kMaxArenaBytes ||
      bytes > kMaxArenaBytes - host)
    return badHostCopy(context.name, "at byte " + std::to_string(host));
  auto after = offloaded.lower_bound(host);
  bool overlaps =
      (after != offloaded.end() && after->first < host + bytes) ||
      (after != offloaded.begin() &&
       std::prev(after)->first + *viewBytes(*std::prev(after)->second) > host);
  if (overlaps)
    return badHostCopy(context.name, "at byte " + std::to_string(host) +
                                         ", over another value");
  offloaded[host] = offload.source();
  return {};
}

Status ProgramVerifier::fetch(const fb::Fetch &fetch,
                              const StepContext &context) {
  REPRISE_RETURN_IF_ERROR(stepView(fetch.target(), Access::Write, context));
  auto found = offloaded.find(fetch.host());
  if (found == offloaded.end() ||
      found->second->type() != fetch.target()->type() ||
      !sameShape(*found->second, *fetch.target()) || !isDense(*fetch.target()))
    return badHostCopy(context.name,
                       "what no step before it has copied to byte " +
                           std::to_string(fetch.host()));
  return {};
}

Status ProgramVerifier::step(const fb::Step &step, const StepContext &context) {
  if (step.phase() > fb::Phase::MAX)
    return invalidProgram(context.name + " belongs to an unknown phase");
  if (step.action())
    switch (step.action_type()) {
    case fb::Action::LibraryCall:
      return libraryCall(*step.action_as_LibraryCall(), context);
    case fb::Action::KernelLaunch:
      return kernelLaunch(*step.action_as_KernelLaunch(), context);
    case fb::Action::Copy:
      return copy(*step.action_as_Copy(), context);
    case fb::Action::Offload:
      return offload(*step.action_as_Offload(), context);
    case fb::Action::Fetch:
      return fetch(*step.action_as_Fetch(), context);
    case fb::Action::NONE:
      break;
    }
  return invalidProgram(context.name + " does nothing this runtime knows");
}

Status ProgramVerifier::entry(const fb::Entry &entry) {
  offloaded.clear();
  REPRISE_RETURN_IF_ERROR(entryBuffers(entry));
  REPRISE_RETURN_IF_ERROR(peak(entry));
  REPRISE_RETURN_IF_ERROR(bindings(entry, entry.inputs(), Direction::Input));
  REPRISE_RETURN_IF_ERROR(bindings(entry, entry.outputs(), Direction::Output));
  for (uint32_t i = 0; i < stepCount(entry); ++i) {
    const fb::Step &s = *entry.steps()->Get(i);
    if (s.name() && s.name()->size() > kMaxNameBytes)
      return invalidProgram("the name of a step has more than 4096 bytes");
    StepContext context{entry, i,
                        "step " + std::to_string(i) + " (" +
                            (s.name() ? s.name()->str() : "") + ") of entry " +
                            quoted(entry.name())};
    REPRISE_RETURN_IF_ERROR(step(s, context));
  }
  return notes(entry);
}

} // namespace reprise::rt
