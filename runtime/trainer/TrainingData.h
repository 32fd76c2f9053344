//===- TrainingData.h - The data of a run -----------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_TRAININGDATA_H
#define REPRISE_RUNTIME_TRAINER_TRAININGDATA_H

#include "EntryBindings.h"
#include "reprise/Runtime/Trainer/Programs.h"
#include "reprise/Runtime/Trainer/Trainer.h"

namespace reprise::rt {

/// The data of a program, and once more for each image size that the run has a
/// program for, if there are several.
class TrainingData {
public:
  /// Fails unless the data fits `form`. With buckets, the sizes of images are
  /// read one by one if they differ.
  static Expected<std::unique_ptr<TrainingData>>
  open(const DataSpec &spec, const EntryBindings &form,
       const std::vector<Bucket> &buckets);

  /// The data in the size of the run's first program.
  const Dataset &all() const { return *data; }
  uint64_t stepsPerEpoch() const;
  DataInventory inventory() const;
  /// Returns the images of a step of a bucket, or of any step without buckets.
  size_t batchOf(size_t bucket) const;
  /// Returns the settings that affect the bits of a run, by the names of
  /// RunSettings.h.
  std::map<std::string, std::string> settings() const;
  /// Loads batches of the data, which must outlive the loader.
  Expected<std::unique_ptr<Loader>> load(const LoaderOptions &options) const;

private:
  /// Images in the size of a bucket, and the ones that belong to it.
  struct Sorted {
    std::unique_ptr<Dataset> data;
    Bucket bucket;
    std::vector<uint64_t> rows;
  };
  Status sort(const DataSpec &spec, const EntryBindings &form,
              const std::vector<Bucket> &wanted);

  std::unique_ptr<Dataset> data;
  size_t batch = 0;
  int32_t programClasses = 0;
  std::vector<Sorted> buckets;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_TRAININGDATA_H
