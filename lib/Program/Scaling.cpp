//===- Scaling.cpp - The time of a step of several ranks ------------------===//
#include "reprise/Program/Scaling.h"
#include <algorithm>

using namespace reprise;
using namespace reprise::driver;

namespace {
/// The messages of one collective call.
struct Messages {
  uint64_t exchanges = 1; // one after another, each with the link's latency
  uint64_t bytes = 0;     // that a rank sends in all of them
};
} // namespace

static Messages messagesOf(const StepFacts &step, unsigned ranks) {
  uint64_t whole = 0;
  for (const std::vector<ViewFacts> *views : {&step.reads, &step.writes}) {
    uint64_t bytes = 0;
    for (const ViewFacts &view : *views)
      bytes += view.bytes;
    whole = std::max(whole, bytes);
  }
  uint64_t others = ranks - 1, part = whole * others / ranks;
  switch (*step.collective) {
  case LibraryOp::TakeShard:
    return {0, 0};
  case LibraryOp::AllReduce:
    if (rt::isSmallSum(whole, ranks))
      return {1, whole * others};
    return {rt::exchangesOfSum(whole) + 1, 2 * part};
  case LibraryOp::ReduceScatter:
    return {rt::exchangesOfSum(whole), part};
  default:
    return {1, part};
  }
}

ScalingFacts driver::scalingOf(const EntryFacts &entry, unsigned ranks,
                               const rt::Link &link) {
  ScalingFacts facts;
  double now = 0, linkFree = 0;
  std::vector<double> begins(entry.steps.size() + 1, 0); // the earliest
  for (size_t i = 0; i < entry.steps.size(); ++i) {
    const StepFacts &step = entry.steps[i];
    now = std::max(now, begins[i]);
    if (!step.collective) {
      facts.computation += millisecondsOf(step.picoseconds);
      now += millisecondsOf(step.picoseconds);
      continue;
    }
    Messages messages = messagesOf(step, ranks);
    double time = link.milliseconds(messages.bytes, messages.exchanges);
    facts.calls += messages.exchanges > 0;
    facts.sent += messages.bytes;
    facts.communication += time;
    linkFree = std::max(now, linkFree) + time;
    double &waits = begins[std::max<size_t>(step.window, i + 1)];
    waits = std::max(waits, linkFree);
  }
  facts.waiting = std::max(now, linkFree) - facts.computation;
  return facts;
}
