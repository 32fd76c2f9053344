//===- ValueStory.h - Why a value is in memory ------------------*- C++ -*-===//
//
// What a plan does with one value: where it comes from, who reads it, when it
// is in memory, and what the other choice would cost. The other choice is
// carried out on the schedule and measured, not estimated.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_VALUESTORY_H
#define REPRISE_TOOLS_VALUESTORY_H

#include "BudgetFacts.h"
#include "artifact/ProgramFacts.h"
#include <nlohmann/json_fwd.hpp>

namespace reprise::tools {

/// A time that a value is in memory; steps of the schedule, both inclusive.
struct Lifetime {
  uint32_t first = 0, last = 0;
  bool isRecomputed = false;
  std::string name; // of the value then: a clone has one of its own
};

struct Reader {
  std::string name, module;
  const char *phase = "forward"; // or backward, update, recompute
  uint32_t step = 0;
};

/// What doing the opposite would change, on the whole step.
struct OtherChoice {
  bool possible = false;
  int64_t bytes = 0; // at the peak
  double milliseconds = 0;
  uint32_t executions = 0; // that come or go
};

struct ValueStory {
  ValueFacts value; // its times: executions after the first
  const char *phase = "forward";
  std::vector<Lifetime> lifetimes;
  std::vector<Reader> readers;
  bool atPeak = false;
  std::string why;
  OtherChoice other;
};

/// A buffer at the peak, called as in the program; its module is the one of the
/// step that makes it.
struct PeakLine {
  std::string name, module;
  std::string holds; // the value in it then, where that is another one
  uint64_t bytes = 0;
  Lifetime lifetime;
};

/// One point of a curve, carried out.
class PlanStory {
public:
  /// `price` is the shadow price, 0 without a budget.
  PlanStory(const BudgetCurve &curve, uint32_t point, double price,
            std::vector<std::string> keep);

  uint32_t steps() const { return executions.size(); }
  uint32_t peakStep() const { return peak; }
  std::string peakName() const;
  uint64_t peakBytes() const; // fixed included

  /// What is in memory at the peak, largest first.
  std::vector<PeakLine> atPeak() const;

  /// Values whose name is `pattern`; else those whose name or module holds it
  /// or, as a glob, matches.
  std::vector<plan::ValueId> find(const std::string &pattern) const;
  /// Every name, for suggestions.
  std::vector<std::string> allNames() const;
  /// As the program calls it where it is first made, see BufferNames.h.
  const std::string &nameOf(plan::ValueId id) const;
  uint64_t bytesOf(plan::ValueId id) const {
    return problem.graph.values[id].bytes;
  }

  ValueStory tell(plan::ValueId id) const;

private:
  void describeBuffers();
  std::string moduleOf(plan::OpId unrolled) const;
  plan::ValueId newestAtPeak(const plan::Buffer &buffer) const;
  bool isPlaced(plan::ValueId id) const;
  const char *phaseOf(plan::OpId unrolled) const;
  bool isKept(plan::OpId op) const;
  std::vector<Lifetime> lifetimesOf(plan::ValueId id) const;
  std::vector<Reader> readersOf(plan::ValueId id) const;
  std::string explain(plan::ValueId id, const ValueStory &story) const;
  OtherChoice measure(const plan::Executions &other) const;
  OtherChoice keepInstead(plan::OpId op) const;
  OtherChoice recomputeInstead(plan::ValueId id, const ValueStory &story) const;
  bool collectMissing(plan::OpId op, uint32_t step,
                      std::vector<plan::OpId> &again) const;

  const PlanProblem &problem;
  uint64_t fixedBytes;
  double price;
  std::vector<std::string> keep;
  plan::Executions executions;
  plan::UnrolledGraph unrolled;
  plan::Liveness liveness;
  std::vector<std::string> names; // by unrolled value
  /// The buffers as a program of this schedule has them.
  EntryFacts entry;
  uint32_t peak = 0;
  std::vector<uint32_t> times; // executions, by op
};

} // namespace reprise::tools

#endif // REPRISE_TOOLS_VALUESTORY_H
