//===- Loader.h - Batches in the background ---------------------*- C++ -*-===//
//
// A thread fills a ring of batches ahead of their use. The order of an epoch is
// a function of (seed, epoch), so a run resumes anywhere. Buffers, the
// permutation included, are allocated when a loader is created and never again.
// Rows of data that are costly to fill are shared among threads.
//
// Training: every epoch is a new permutation (unless the data are ordered) and
// the last partial batch is dropped. Data of several parts give batches of one
// part each, in an order that also depends on the epoch; the last partial batch
// of each part is dropped, and positions count as if all batches were
// LoaderOptions::batch images. Evaluation: one pass in order; the last batch is
// padded with zeros and `valid` is the number of images that count.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_LOADER_H
#define REPRISE_RUNTIME_TRAINER_LOADER_H

#include "reprise/Runtime/Trainer/Dataset.h"
#include <condition_variable>
#include <mutex>
#include <optional>
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
  size_t part = 0;       // of the loader's data
  uint64_t epoch = 0;    // counted from 0
  uint64_t position = 0; // of the first image in the epoch's order
};

/// Rows that form batches of their own, in the shapes of `data`.
struct LoaderPart {
  const Dataset *data = nullptr;
  size_t batch = 1;
  std::optional<std::vector<uint64_t>> rows; // none: all of them
  uint64_t size() const { return rows ? rows->size() : data->size(); }
};

enum class LoaderMode { Train, Evaluate };

struct LoaderOptions {
  size_t batch = 1;
  LoaderMode mode = LoaderMode::Train;
  uint64_t seed = 0;
  /// True if each epoch has another order (Train only), from `seed`.
  bool shuffle = true;
  /// The first batch; `position` is a multiple of `batch`.
  uint64_t epoch = 0, position = 0;
  /// Total number of batches; 0: unlimited (Train only).
  uint64_t batches = 0;
  /// The number of batches that may be filled ahead.
  size_t depth = 3;
  /// The number of threads that fill a batch; 0: depends on the data.
  unsigned threads = 0;
  /// Fills the part of `rank` among equal parts of each batch for `ranks`.
  size_t rank = 0, ranks = 1;
};

/// Returns the number of threads that fill `rows` rows at a time: `asked`, or
/// if that is 0, one for each processor, but no more than rows. Rows that cost
/// nothing are filled by one thread.
unsigned loaderThreads(bool isCostly, unsigned asked, uint64_t rows);

/// Fails if the data have fewer rows than a training batch.
Status checkRowsOfBatch(const Dataset &data, size_t batch);

class Loader {
public:
  /// `data` outlives the loader. Fails if there are too few images for one
  /// training batch or the start is not the start of a batch.
  static Expected<std::unique_ptr<Loader>> create(const Dataset &data,
                                                  const LoaderOptions &options);
  /// Creates a loader of several parts, whose data outlive it; only for
  /// training. A part may have no batch, but not all.
  static Expected<std::unique_ptr<Loader>> create(std::vector<LoaderPart> parts,
                                                  const LoaderOptions &options);
  ~Loader();

  /// The next batch, valid until the next call; null after the last one.
  Expected<const Batch *> next();
  uint64_t batchesPerEpoch() const { return perEpoch; }
  /// Parts in the order of their first batch in the first epoch, from its start
  /// position; without those that have none left.
  std::vector<size_t> partsAhead() const;
  /// Seconds that next() waited so far for batches that were not filled yet; of
  /// the user's thread.
  double waitedSeconds() const { return waited; }

private:
  /// A part, and its rows in the order of an epoch.
  struct Part : LoaderPart {
    uint64_t batches = 0; // per epoch
    std::vector<uint64_t> order;
  };
  /// A batch of an epoch: its part, and its number within that.
  struct Turn {
    size_t part;
    uint64_t number;
  };

  Loader(std::vector<LoaderPart> parts, const LoaderOptions &options);
  static Status check(uint64_t images, uint64_t perEpoch,
                      const LoaderOptions &options);
  uint64_t seedOf(uint64_t stream) const;
  void drawTurns(uint64_t epoch, std::vector<uint64_t> &places,
                 std::vector<Turn> &into) const;
  void orderEpochs(uint64_t epoch);
  void work();
  Status fillBatch(uint64_t number, Batch &batch);
  Status fillRows(const Part &part, const uint64_t *rows, Batch &batch);

  const LoaderOptions options;
  uint64_t perEpoch = 0, first = 0, end = 0; // in batches since epoch 0
  std::vector<Part> parts;
  std::vector<Turn> turns;     // of `orderedEpoch`, if there are several parts
  std::vector<uint64_t> drawn; // buffer in which they are drawn
  uint64_t orderedEpoch = UINT64_MAX;
  std::vector<Batch> ring;
  std::unique_ptr<WorkerPool> pool;

  std::mutex mutex;
  std::condition_variable changed;
  uint64_t filled = 0, taken = 0; // batches since `first`; under `mutex`
  bool stopping = false;          // under `mutex`
  bool holding = false;           // the user has a batch; user's thread only
  double waited = 0;              // seconds; user's thread only
  Status failure;                 // under `mutex`
  std::thread thread;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_LOADER_H
