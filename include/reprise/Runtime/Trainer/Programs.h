//===- Programs.h - A run that changes its program --------------*- C++ -*-===//
//
// A run's steps may be those of several programs of the same variables: with
// other checkpointing from some epoch on, or for images of other sizes. What a
// step computes is its program's; variables, the order of the data and random
// numbers go on.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_PROGRAMS_H
#define REPRISE_RUNTIME_TRAINER_PROGRAMS_H

#include "reprise/Runtime/Trainer/Backend.h"
#include <atomic>

namespace reprise::rt {

/// Images of one size, and how many of them make a step.
struct Bucket {
  int64_t height = 0, width = 0;
  size_t batch = 0;
  /// "224x192@8"
  std::string str() const;
};

/// The bucket whose shape is nearest to an image's: by the ratio of height to
/// width first, then by area; of equal ones the first. `buckets` holds one.
size_t nearestBucket(const std::vector<Bucket> &buckets, int64_t height,
                     int64_t width);

/// A step that is to run.
struct StepPlace {
  uint64_t epoch = 0;
  size_t bucket = 0; // of Programs::buckets, if there are some
};

class Programs {
public:
  virtual ~Programs();
  /// Sizes that images are sorted into; none where all have that of the program
  /// that the run begins with.
  virtual std::vector<Bucket> buckets() const { return {}; }
  /// Whether one program runs both steps.
  virtual bool isSame(const StepPlace &a, const StepPlace &b) const = 0;
  /// Told before the first step: what the first steps want, in that order.
  virtual void expect(const std::vector<StepPlace> &places) {}
  /// Waits until use() of the place would not. False where `stop`, which may be
  /// null, became true before.
  virtual bool await(const StepPlace &place, const std::atomic<bool> *stop) {
    return true;
  }
  /// What people call the program of a step; those of others differ.
  virtual std::string name(const StepPlace &place) const { return {}; }
  /// Has `backend` run the step's program, which may be compiled for it.
  /// Between two steps; where it fails the backend has the program that it had.
  virtual Status use(Backend &backend, const StepPlace &place) = 0;
  /// The same of the program that evaluates.
  virtual Status useForEvaluation(Backend &backend) { return {}; }
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_PROGRAMS_H
