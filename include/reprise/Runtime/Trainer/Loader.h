//===- Loader.h - Batches in the background ---------------------*- C++ -*-===//
//
// A thread fills a ring of batches ahead of their use. The order of an epoch is
// a function of (seed, epoch), so a run resumes anywhere. Buffers, the
// permutation included, are allocated when a loader is made and never again.
// Rows of data that are costly to fill are shared among threads.
//
// Training: every epoch is a new permutation (unless the data are ordered) and
// the last partial batch is dropped. Evaluation: one pass in order; the last
// batch is padded with zeros and `valid` says how much of it counts.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_LOADER_H
#define REPRISE_RUNTIME_TRAINER_LOADER_H

#include "reprise/Runtime/Trainer/Dataset.h"
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace reprise::rt {

class WorkerPool;

/// Writes the order of an epoch: a Fisher-Yates shuffle of 0..size-1.
void shuffleEpoch(uint64_t seed, uint64_t epoch, uint64_t size,
                  uint64_t *order);

struct Batch {
  /// The bytes of each column of the data, row after row.
  std::vector<std::vector<uint8_t>> columns;
  /// A column as numbers of its type.
  template <typename T> const T *as(size_t column) const {
    return reinterpret_cast<const T *>(columns[column].data());
  }
  size_t valid = 0;      // images that count
  uint64_t epoch = 0;    // counted from 0
  uint64_t position = 0; // of the first image in the epoch's order
};

enum class LoaderMode { Train, Evaluate };

struct LoaderOptions {
  size_t batch = 1;
  LoaderMode mode = LoaderMode::Train;
  uint64_t seed = 0;
  /// Where to begin; `position` is a multiple of `batch`.
  uint64_t epoch = 0, position = 0;
  /// Batches to hand out in all; 0: without end (Train only).
  uint64_t batches = 0;
  /// Batches that may be filled ahead.
  size_t depth = 3;
  /// That fill a batch; 0: as many as the data are worth.
  unsigned threads = 0;
};

/// Threads that fill batches where `asked` are wanted, 0 for as many as the
/// data are worth: one for each processor, or one.
unsigned loaderThreads(bool isCostly, unsigned asked);

class Loader {
public:
  /// `data` outlives the loader. Fails when there are too few images for one
  /// training batch or the start is not a batch's.
  static Expected<std::unique_ptr<Loader>> create(const Dataset &data,
                                                  const LoaderOptions &options);
  ~Loader();

  /// The next batch, valid until the next call; null after the last one.
  Expected<const Batch *> next();
  uint64_t batchesPerEpoch() const { return perEpoch; }

private:
  Loader(const Dataset &data, const LoaderOptions &options);
  void work();
  Status fillBatch(uint64_t number, Batch &batch);
  Status fillRows(Batch &batch);

  const Dataset &data;
  const LoaderOptions options;
  uint64_t perEpoch = 0, first = 0, end = 0; // in batches since epoch 0
  std::vector<uint64_t> order;
  uint64_t orderEpoch = UINT64_MAX;
  std::vector<Batch> ring;
  std::unique_ptr<WorkerPool> pool;

  std::mutex mutex;
  std::condition_variable changed;
  uint64_t filled = 0, taken = 0; // batches since `first`; under `mutex`
  bool stopping = false;          // under `mutex`
  bool holding = false;           // the user has a batch; user's thread only
  Status failure;                 // under `mutex`
  std::thread thread;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_LOADER_H
