//===- TrainingData.h - What a run trains on --------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_TRAININGDATA_H
#define REPRISE_RUNTIME_TRAINER_TRAININGDATA_H

#include "StepForm.h"
#include "reprise/Runtime/Trainer/Programs.h"
#include "reprise/Runtime/Trainer/Trainer.h"

namespace reprise::rt {

/// Data for a program, and once more for each size of images that a run has
/// programs for, where there are some.
class TrainingData {
public:
  /// Fails unless the data fit `form`. With buckets, images that have sizes of
  /// their own are looked at one by one for them.
  static Expected<std::unique_ptr<TrainingData>>
  open(const DataSpec &spec, const StepForm &form,
       const std::vector<Bucket> &buckets);

  /// In the size of the program that the run begins with.
  const Dataset &all() const { return *data; }
  uint64_t stepsPerEpoch() const;
  DataInventory inventory() const;
  /// Images of a step of a bucket, or of any step where there are none.
  size_t batchOf(size_t bucket) const;
  /// What of them decides the bits of a run, by the names of Course.h.
  std::map<std::string, std::string> settings() const;
  /// Batches of them, which this outlives.
  Expected<std::unique_ptr<Loader>> load(const LoaderOptions &options) const;

private:
  /// Images in the size of a bucket, and which of them are its own.
  struct Sorted {
    std::unique_ptr<Dataset> data;
    Bucket bucket;
    std::vector<uint64_t> rows;
  };
  Status sort(const DataSpec &spec, const StepForm &form,
              const std::vector<Bucket> &wanted);

  std::unique_ptr<Dataset> data;
  size_t batch = 0;
  std::vector<Sorted> buckets;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_TRAININGDATA_H
