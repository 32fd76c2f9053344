//===- Loader.cpp - Batches in the background -----------------------------===//
//
// Batch n lives in ring slot n % depth. The thread fills while filled - taken
// < depth; `taken` grows when the user asks for the batch after it, so a batch
// in use is never written.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Loader.h"
#include "WorkerPool.h"
#include "reprise/Fault.h"
#include "reprise/Runtime/Trainer/Philox.h"
#include <algorithm>
#include <numeric>

using namespace reprise::rt;

void reprise::rt::shuffleEpoch(uint64_t seed, uint64_t epoch, uint64_t size,
                               uint64_t *order) {
  std::iota(order, order + size, uint64_t(0));
  for (uint64_t i = size; i > 1; --i) {
    auto words = philox4x32(seed, i, epoch);
    uint64_t random = uint64_t(words[1]) << 32 | words[0];
    // A 64-bit fraction of i; the bias is below i / 2^64.
    auto wide = static_cast<unsigned __int128>(random) * i;
    std::swap(order[i - 1], order[uint64_t(wide >> 64)]);
  }
}

unsigned reprise::rt::loaderThreads(bool isCostly, unsigned asked) {
  if (asked > 0)
    return asked;
  return isCostly ? std::max(1u, std::thread::hardware_concurrency()) : 1;
}

Loader::Loader(const Dataset &data, const LoaderOptions &options)
    : data(data), options(options) {
  bool training = options.mode == LoaderMode::Train;
  perEpoch = (data.size() + (training ? 0 : options.batch - 1)) / options.batch;
  first = options.epoch * perEpoch + options.position / options.batch;
  if (options.batches > 0)
    end = first + options.batches;
  else
    end = training ? UINT64_MAX : first + perEpoch;
  if (!training)
    end = std::min(end, perEpoch);
  order.resize(data.size());
  std::iota(order.begin(), order.end(), uint64_t(0));
  pool = std::make_unique<WorkerPool>(
      loaderThreads(data.isCostly(), options.threads));
  ring.resize(std::max<size_t>(options.depth, 2));
  for (Batch &batch : ring) {
    for (const Column &column : data.columns())
      batch.columns.emplace_back(options.batch * column.bytes());
  }
}

Expected<std::unique_ptr<Loader>> Loader::create(const Dataset &data,
                                                 const LoaderOptions &options) {
  if (options.batch == 0)
    return Status::error(RP_INVALID_ARGUMENT, "a batch of 0 images was asked");
  if (options.mode == LoaderMode::Train && data.size() < options.batch)
    return Status::error(RP_INVALID_ARGUMENT,
                         "the data have " + std::to_string(data.size()) +
                             " images, fewer than one batch of " +
                             std::to_string(options.batch));
  if (data.size() > std::vector<uint64_t>().max_size())
    return Status::error(RP_OUT_OF_MEMORY, "the order of " +
                                               std::to_string(data.size()) +
                                               " images fits no memory");
  if (options.position % options.batch != 0 ||
      options.position / options.batch >=
          std::max<uint64_t>(1, data.size() / options.batch))
    return Status::error(RP_INVALID_ARGUMENT,
                         "no batch of " + std::to_string(options.batch) +
                             " begins at image " +
                             std::to_string(options.position) + " of " +
                             std::to_string(data.size()));
  // Batches are numbered from epoch 0 in 64 bits.
  uint64_t perEpoch = data.size() / options.batch + 1, last = 0;
  if (__builtin_add_overflow(options.epoch, uint64_t(1), &last) ||
      __builtin_mul_overflow(last, perEpoch, &last) ||
      __builtin_add_overflow(last, options.batches, &last))
    return Status::error(RP_INVALID_ARGUMENT,
                         "epoch " + std::to_string(options.epoch) + " of " +
                             std::to_string(data.size()) +
                             " images is too late to begin at");
  std::unique_ptr<Loader> loader(new Loader(data, options));
  loader->thread = std::thread([raw = loader.get()] { raw->work(); });
  return loader;
}

Loader::~Loader() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  if (thread.joinable())
    thread.join();
}

/// Rows of costly data one by one, which any thread may take.
Status Loader::fillRows(Batch &batch) {
  const std::vector<Column> &columns = data.columns();
  size_t part = data.isCostly() ? 1 : std::max<size_t>(batch.valid, 1);
  const Draw draw = {options.seed, batch.epoch};
  return pool->run(batch.valid / part, [&](size_t number) {
    std::vector<void *> places;
    for (size_t c = 0; c < columns.size(); ++c)
      places.push_back(batch.columns[c].data() +
                       number * part * columns[c].bytes());
    const uint64_t *indices = &order[batch.position + number * part];
    return options.mode == LoaderMode::Train
               ? data.fillDrawn(draw, indices, part, places.data())
               : data.fill(indices, part, places.data());
  });
}

Status Loader::fillBatch(uint64_t number, Batch &batch) {
  uint64_t epoch = number / perEpoch;
  bool shuffle = options.mode == LoaderMode::Train && data.shuffled();
  if (shuffle && orderEpoch != epoch) {
    shuffleEpoch(options.seed, epoch, data.size(), order.data());
    REPRISE_FAULT("epochs-in-one-order",
                  shuffleEpoch(options.seed, 0, data.size(), order.data()));
    orderEpoch = epoch;
  }
  batch.epoch = epoch;
  batch.position = number % perEpoch * options.batch;
  batch.valid =
      size_t(std::min<uint64_t>(options.batch, data.size() - batch.position));
  REPRISE_RETURN_IF_ERROR(fillRows(batch));
  for (size_t c = 0; c < batch.columns.size(); ++c) {
    size_t written = batch.valid * data.columns()[c].bytes();
    std::fill(batch.columns[c].begin() + written, batch.columns[c].end(), 0);
  }
  return Status();
}

void Loader::work() {
  for (uint64_t number = first; number < end; ++number) {
    uint64_t index = number - first;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] {
        size_t depth = ring.size();
        REPRISE_FAULT("held-batch-overwritten", ++depth);
        return stopping || index - taken < depth;
      });
      if (stopping)
        return;
    }
    Status status = fillBatch(number, ring[index % ring.size()]);
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (status.ok())
        ++filled;
      else
        failure = status;
    }
    changed.notify_all();
    if (!status.ok())
      return;
  }
}

Expected<const Batch *> Loader::next() {
  std::unique_lock<std::mutex> lock(mutex);
  if (holding) {
    holding = false;
    ++taken;
    changed.notify_all();
  }
  if (taken == end - first)
    return static_cast<const Batch *>(nullptr);
  changed.wait(lock, [&] { return filled > taken || !failure.ok(); });
  if (filled <= taken)
    return failure;
  holding = true;
  return static_cast<const Batch *>(&ring[taken % ring.size()]);
}
