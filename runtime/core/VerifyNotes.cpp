//===- VerifyNotes.cpp - Check an artifact's notes ------------------------===//
//
// The part of the verifier for people and tools: the notes do not affect a run,
// but they must be right.
//
//===----------------------------------------------------------------------===//
#include "VerifyProgram.h"
#include "reprise/Kept.h"

#include <algorithm>

namespace reprise::rt {

static Status wrongNote(const fb::Entry &entry, const std::string &what,
                        const char *file = __builtin_FILE(),
                        int line = __builtin_LINE()) {
  return invalidProgram("entry " + quoted(entry.name()) + " " + what, file,
                        line);
}

static bool isShort(const flatbuffers::String *text) {
  return !text || text->size() <= kMaxNameBytes;
}

/// Returns true if the pairs are a written argument and another one.
static bool pairsArguments(const fb::KernelLaunch &launch) {
  const auto *pairs = launch.in_place();
  if (!pairs)
    return true;
  uint32_t args = launch.args() ? launch.args()->size() : 0;
  for (uint32_t number : *pairs)
    if (number >= args)
      return false;
  return pairs->size() % 2 == 0;
}

static Status checkStep(const fb::Entry &entry, uint32_t number) {
  const fb::Step &step = *entry.steps()->Get(number);
  std::string name = "has a step " + std::to_string(number);
  int64_t original = step.clone_of();
  if (original < -1 || original >= int64_t(number))
    return wrongNote(entry, name + " that recomputes step " +
                                std::to_string(original));
  if (original >= 0 && step.phase() != fb::Phase::Recompute)
    return wrongNote(entry, name + " that recomputes in another phase");
  const fb::KernelLaunch *launch = step.action_as_KernelLaunch();
  if (launch && !pairsArguments(*launch))
    return wrongNote(entry, name + " whose in_place pairs no arguments");
  return {};
}

static Status checkKept(const fb::Entry &entry) {
  uint32_t steps = entry.steps() ? entry.steps()->size() : 0;
  if (entry.forward_steps() > steps)
    return wrongNote(entry, "has " + std::to_string(entry.forward_steps()) +
                                " forward steps among " +
                                std::to_string(steps));
  uint64_t kept = 0;
  if (entry.buffers())
    for (const fb::Buffer *b : *entry.buffers()) {
      if (b->reason() > fb::Reason::MAX)
        return wrongNote(entry, "has buffer " + quoted(b->name()) +
                                    " for an unknown reason");
      if (isKeptAfter(entry.forward_steps(), b->first_step(), b->last_step()))
        kept += b->size();
    }
  if (kept != entry.kept_bytes())
    return wrongNote(entry, "claims " + std::to_string(entry.kept_bytes()) +
                                " kept bytes, of its buffers " +
                                std::to_string(kept) + " live on");
  return {};
}

Status ProgramVerifier::certificate(const fb::Entry &entry) {
  const fb::Certificate *said = entry.certificate();
  if (!said)
    return {};
  if (!said->plan() || !said->plain() || !said->smallest() ||
      !isShort(said->proven_at()) || !isShort(said->plan()->kernels()) ||
      !isShort(said->plain()->kernels()) ||
      !isShort(said->smallest()->kernels()))
    return wrongNote(entry, "has a certificate that lacks a point");
  if (said->pinned())
    for (const fb::Pinned *pinned : *said->pinned())
      if (!isShort(pinned->name()) || !isShort(pinned->module_()))
        return wrongNote(entry, "has a certificate with a name of more than "
                                "4096 bytes");
  // The sum may wrap: any difference from it is rejected.
  uint64_t picoseconds = 0;
  if (entry.steps())
    for (const fb::Step *step : *entry.steps())
      picoseconds += step->picoseconds();
  if (said->plan()->picoseconds() != picoseconds || said->bound() > picoseconds)
    return wrongNote(entry,
                     "is certified to take " +
                         std::to_string(said->plan()->picoseconds()) +
                         " ps, no less than " + std::to_string(said->bound()) +
                         "; its steps take " + std::to_string(picoseconds));
  if (said->plan()->bytes() != entry.peak_bytes())
    return wrongNote(entry, "is certified to take " +
                                std::to_string(said->plan()->bytes()) +
                                " bytes, but its peak is " +
                                std::to_string(entry.peak_bytes()));
  if (highestPeak > said->budget())
    return wrongNote(entry, "has a certificate for a budget of " +
                                std::to_string(said->budget()) +
                                " bytes in a program that needs " +
                                std::to_string(highestPeak));
  return {};
}

Status ProgramVerifier::notes(const fb::Entry &entry) {
  for (uint32_t i = 0; entry.steps() && i < entry.steps()->size(); ++i)
    REPRISE_RETURN_IF_ERROR(checkStep(entry, i));
  REPRISE_RETURN_IF_ERROR(checkKept(entry));
  return certificate(entry);
}

} // namespace reprise::rt
