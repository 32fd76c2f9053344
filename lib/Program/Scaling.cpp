//===- Scaling.cpp - The time of a step of several ranks ------------------===//
#include "reprise/Program/Scaling.h"
#include <algorithm>

using namespace reprise;
using namespace reprise::driver;

namespace {
/// The messages of one collective call.
struct Messages {
  unsigned phases = 1;
  uint64_t bytes = 0; // that a rank sends in each phase
};
} // namespace

static Messages messagesOf(const StepFacts &step, unsigned ranks) {
  uint64_t whole = 0;
  for (const std::vector<ViewFacts> *views : {&step.reads, &step.writes})
    for (const ViewFacts &view : *views)
      whole = std::max(whole, view.bytes);
  uint64_t others = ranks - 1;
  if (*step.collective == LibraryOp::TakeShard)
    return {0, 0};
  if (*step.collective != LibraryOp::AllReduce)
    return {1, whole * others / ranks};
  return whole <= rt::kSmallSumBytes ? Messages{1, whole * others}
                                     : Messages{2, whole * others / ranks};
}

ScalingFacts driver::scalingOf(const EntryFacts &entry, unsigned ranks,
                               const rt::Link &link) {
  ScalingFacts facts;
  for (const StepFacts &step : entry.steps) {
    if (!step.collective) {
      facts.computation += millisecondsOf(step.picoseconds);
      continue;
    }
    Messages messages = messagesOf(step, ranks);
    facts.calls += messages.phases > 0;
    facts.sent += messages.phases * messages.bytes;
    facts.communication += messages.phases * link.milliseconds(messages.bytes);
  }
  return facts;
}
