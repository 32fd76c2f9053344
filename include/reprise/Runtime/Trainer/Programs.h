//===- Programs.h - A run that changes its program --------------*- C++ -*-===//
//
// A run's steps may belong to several programs of the same variables: with
// other checkpointing from some epoch on, or for images of other sizes. A
// step's result depends on its program; variables, the order of the data and
// random numbers carry over.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_PROGRAMS_H
#define REPRISE_RUNTIME_TRAINER_PROGRAMS_H

#include "reprise/Runtime/Trainer/Backend.h"
#include <atomic>

namespace reprise::rt {

/// Images of one size, and their number per step.
struct Bucket {
  int64_t height = 0, width = 0;
  size_t batch = 0;
  /// "224x192@8"
  std::string str() const;
};

/// The bucket whose shape is closest to an image's: by the ratio of height to
/// width first, then by area; the first of equal ones. `buckets` is not empty.
size_t nearestBucket(const std::vector<Bucket> &buckets, int64_t height,
                     int64_t width);

/// A step to run.
struct StepPlace {
  uint64_t epoch = 0;
  size_t bucket = 0; // index into Programs::buckets, if there are any
};

class Programs {
public:
  virtual ~Programs();
  /// Sizes that images are sorted into; empty if all have that of the run's
  /// first program.
  virtual std::vector<Bucket> buckets() const { return {}; }
  /// Returns true if one program runs both steps.
  virtual bool isSame(const StepPlace &a, const StepPlace &b) const = 0;
  /// Called before the first step with the places that the first steps need, in
  /// that order.
  virtual void expect(const std::vector<StepPlace> &places) {}
  /// Waits until use() of the place would not wait. Returns false if `stop`,
  /// which may be null, became true first.
  virtual bool await(const StepPlace &place, const std::atomic<bool> *stop) {
    return true;
  }
  /// The name of a step's program for people; different programs have different
  /// names.
  virtual std::string name(const StepPlace &place) const { return {}; }
  /// Makes `backend` run the step's program, which may be compiled for it.
  /// Called between two steps; on failure the backend keeps its program.
  virtual Status use(Backend &backend, const StepPlace &place) = 0;
  /// The same for the program that evaluates.
  virtual Status useForEvaluation(Backend &backend) { return {}; }
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_PROGRAMS_H
