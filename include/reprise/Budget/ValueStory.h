//===- ValueStory.h - The reason for a value in memory ----------*- C++ -*-===//
//
// The story of one value in a program's step: its origin, its readers, the
// times when it is in memory, and the cost of the opposite choice. The opposite
// choice is applied to the schedule and measured, not estimated. Everything is
// read from the program, so that a file gives the same answers as a
// compilation.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_BUDGET_VALUESTORY_H
#define REPRISE_BUDGET_VALUESTORY_H

#include "reprise/Program/BudgetFacts.h"
#include "reprise/Program/StepGraph.h"

namespace reprise::driver {

/// A time during which a value is in memory; steps of the schedule, both
/// inclusive.
struct Lifetime {
  uint32_t first = 0, last = 0;
  bool isRecomputed = false;
  std::string name; // the value's name then: a clone has its own
};

struct Reader {
  std::string name, module;
  Phase phase = Phase::Forward;
  uint32_t step = 0;
};

/// The effect of the opposite choice on the whole step.
struct OtherChoice {
  bool possible = false;
  int64_t bytes = 0; // at the peak
  double milliseconds = 0;
  uint32_t executions = 0; // added or removed
};

struct ValueStory {
  ValueFacts value;  // its times: executions after the first
  std::string phase; // "forward" and so on, or "input"
  std::vector<Lifetime> lifetimes;
  std::vector<Reader> readers;
  bool atPeak = false;
  std::string why;
  OtherChoice other;
};

/// A buffer at the peak; its module is that of the step that writes it.
struct PeakLine {
  std::string name, module;
  std::string holds; // the value in it then, if that is a different one
  uint64_t bytes = 0;
  Lifetime lifetime;
};

/// One entry of a program, which must outlive this.
class PlanStory {
public:
  /// `steps` are the entry's.
  PlanStory(const ProgramFacts &program, const EntryFacts &entry,
            StepGraph steps);

  uint32_t steps() const { return uint32_t(entry.steps.size()); }
  uint32_t peakStep() const { return peak; }
  std::string peakName() const;
  uint64_t peakBytes() const; // including fixed bytes

  /// Returns the buffers in memory at the peak, largest first.
  std::vector<PeakLine> atPeak() const;

  /// Returns the values named `pattern`; otherwise those whose name or module
  /// contains it or, as a glob, matches.
  std::vector<plan::ValueId> find(const std::string &pattern) const;
  /// Returns every name, for suggestions.
  std::vector<std::string> allNames() const;
  /// Returns the value's name in the program at its first computation, see
  /// BufferNames.h.
  const std::string &nameOf(plan::ValueId id) const;
  uint64_t bytesOf(plan::ValueId id) const {
    return own.graph.values[id].bytes;
  }

  ValueStory tell(plan::ValueId id) const;

private:
  bool isPlaced(plan::ValueId id) const;
  const StepFacts &firstStepOf(plan::OpId op) const {
    return entry.steps[own.firstStep[op]];
  }
  ValueFacts factsOf(plan::ValueId id) const;
  uint32_t bufferOf(plan::ValueId instance) const;
  std::vector<Lifetime> lifetimesOf(plan::ValueId id) const;
  std::vector<Reader> readersOf(plan::ValueId id) const;
  std::string explain(plan::ValueId id, const ValueStory &story) const;
  OtherChoice measure(const plan::Executions &other) const;
  OtherChoice keepInstead(plan::OpId op) const;
  OtherChoice recomputeInstead(plan::ValueId id, const ValueStory &story) const;
  bool collectMissing(plan::OpId op, uint32_t step,
                      std::vector<plan::OpId> &again) const;

  const ProgramFacts &program;
  const EntryFacts &entry;
  uint64_t price; // picoseconds per MiB, 0 without a budget
  StepGraph own;
  plan::UnrolledGraph unrolled;   // has a value for each instance of a value
  std::vector<std::string> names; // by instance
  uint32_t peak;
};

} // namespace reprise::driver

#endif // REPRISE_BUDGET_VALUESTORY_H
