//===- Watched.h - Evaluations that a hook compares -------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_HOOKS_WATCHED_H
#define REPRISE_RUNTIME_TRAINER_HOOKS_WATCHED_H

#include <cstdint>
#include <string>

namespace reprise::rt {

struct EvaluateResult;

/// The best evaluation so far, as text between two runs.
struct Watched {
  uint64_t step = 0;     // of the last evaluation that was counted
  uint64_t bestStep = 0; // 0: there is none
  uint64_t worse = 0;    // evaluations since the best
  double best = 0;       // larger is better

  static Watched read(const std::string &text);
  std::string write() const;
  /// Counts an evaluation; whether it is better than the best by more than
  /// `least`. One of a step that was counted says nothing.
  bool add(uint64_t step, double value, double least);
};

/// What is compared: accuracy, or the negative loss where there is none or
/// `byLoss` says so.
double watchedValue(const EvaluateResult &result, bool byLoss);

/// Whether epoch `epoch` (counted from 1) is a multiple of `every` and not
/// before `start`; never where `every` is 0.
bool isDue(uint64_t epoch, uint64_t every, uint64_t start);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_HOOKS_WATCHED_H
