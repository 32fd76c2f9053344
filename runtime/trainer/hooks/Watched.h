//===- Watched.h - Evaluations that a hook compares -------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_HOOKS_WATCHED_H
#define REPRISE_RUNTIME_TRAINER_HOOKS_WATCHED_H

#include <cstdint>
#include <string>

namespace reprise::rt {

struct EvaluateResult;

/// The best evaluation so far, in the form kept as text between runs.
struct Watched {
  uint64_t step = 0;     // of the last evaluation that was counted
  uint64_t bestStep = 0; // 0: there is none
  uint64_t worse = 0;    // evaluations since the best
  double best = 0;       // larger is better

  static Watched read(const std::string &text);
  std::string write() const;
  /// Counts an evaluation; returns true if it is better than the best by more
  /// than `least`. A step that was counted already has no effect.
  bool add(uint64_t step, double value, double least);
};

/// Returns the compared value: accuracy, or the negative loss without an
/// accuracy or with `byLoss`.
double watchedValue(const EvaluateResult &result, bool byLoss);

/// Returns true if epoch `epoch` (counted from 1) is a multiple of `every` and
/// not before `start`; never if `every` is 0.
bool isDue(uint64_t epoch, uint64_t every, uint64_t start);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_HOOKS_WATCHED_H
