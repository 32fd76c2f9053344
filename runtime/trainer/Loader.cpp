//===- Loader.cpp - Batches in the background -----------------------------===//
//
// Batch n is in ring slot n % depth. The thread fills while filled - taken <
// depth; `taken` grows when the user requests the next batch, so a batch in use
// is never written.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Loader.h"
#include "WorkerPool.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/HostProcessors.h"
#include "reprise/Runtime/Trainer/Philox.h"
#include <algorithm>
#include <chrono>
#include <numeric>

using namespace reprise::rt;
using Clock = std::chrono::steady_clock;

void reprise::rt::shuffleEpoch(uint64_t seed, uint64_t epoch, uint64_t size,
                               uint64_t *order) {
  std::iota(order, order + size, uint64_t(0));
  for (uint64_t i = size; i > 1; --i) {
    auto words = philox4x32(seed, i, epoch);
    uint64_t random = uint64_t(words[1]) << 32 | words[0];
    // Multiplies a 64-bit fraction by i; the bias is below i / 2^64.
    auto wide = static_cast<unsigned __int128>(random) * i;
    std::swap(order[i - 1], order[uint64_t(wide >> 64)]);
  }
}

unsigned reprise::rt::loaderThreads(bool isCostly, unsigned asked,
                                    uint64_t rows) {
  if (!isCostly)
    return 1;
  unsigned wanted = asked > 0 ? asked : usableProcessors().processors;
  return unsigned(std::clamp<uint64_t>(rows, 1, wanted));
}

/// Returns the number of batches of a part in an epoch.
static uint64_t batchesOf(uint64_t rows, size_t batch, LoaderMode mode) {
  bool isTraining = mode == LoaderMode::Train;
  return rows / batch + (!isTraining && rows % batch != 0);
}

Loader::Loader(std::vector<LoaderPart> given, const LoaderOptions &options)
    : options(options) {
  bool training = options.mode == LoaderMode::Train;
  bool isCostly = false;
  size_t rows = 0;
  for (LoaderPart &one : given) {
    Part &part = parts.emplace_back();
    static_cast<LoaderPart &>(part) = std::move(one);
    part.batches = batchesOf(part.size(), part.batch, options.mode);
    part.order.resize(size_t(part.size()));
    std::iota(part.order.begin(), part.order.end(), uint64_t(0));
    if (part.rows)
      part.order = *part.rows;
    perEpoch += part.batches;
    rows = std::max(rows, part.batch);
    isCostly |= part.data->isCostly();
  }
  if (parts.size() > 1) {
    turns.resize(size_t(perEpoch));
    drawn.reserve(turns.size());
  }
  first = options.epoch * perEpoch + options.position / options.batch;
  if (options.batches > 0)
    end = first + options.batches;
  else
    end = training ? UINT64_MAX : first + perEpoch;
  if (!training)
    end = std::min(end, perEpoch);
  pool = std::make_unique<WorkerPool>(
      loaderThreads(isCostly, options.threads, rows));
  ring.resize(std::max<size_t>(options.depth, 2));
  for (Batch &batch : ring)
    for (size_t c = 0; c < parts.front().data->columns().size(); ++c) {
      size_t bytes = 0;
      for (const Part &part : parts)
        bytes = std::max(bytes, part.batch / options.ranks *
                                    part.data->columns()[c].bytes());
      // The batch of a smaller part uses its beginning.
      batch.columns.emplace_back(bytes);
    }
}

/// Checks that an epoch of so many batches can begin at the requested place.
Status Loader::check(uint64_t images, uint64_t perEpoch,
                     const LoaderOptions &options) {
  if (options.position % options.batch != 0 ||
      options.position / options.batch >= std::max<uint64_t>(1, perEpoch))
    return Status::error(
        RP_INVALID_ARGUMENT,
        "no batch of " + std::to_string(options.batch) + " begins at image " +
            std::to_string(options.position) + " of " + std::to_string(images));
  // Batches are numbered from epoch 0 in 64 bits.
  uint64_t last = 0;
  if (__builtin_add_overflow(options.epoch, uint64_t(1), &last) ||
      __builtin_mul_overflow(last, perEpoch + 1, &last) ||
      __builtin_add_overflow(last, options.batches, &last))
    return Status::error(RP_INVALID_ARGUMENT,
                         "epoch " + std::to_string(options.epoch) + " of " +
                             std::to_string(images) +
                             " images is too late to begin at");
  return {};
}

Status reprise::rt::checkRowsOfBatch(const Dataset &data, size_t batch) {
  if (data.size() >= batch)
    return Status();
  return Status::error(RP_INVALID_ARGUMENT,
                       "the data have " + std::to_string(data.size()) +
                           " images, fewer than one batch of " +
                           std::to_string(batch));
}

Expected<std::unique_ptr<Loader>> Loader::create(const Dataset &data,
                                                 const LoaderOptions &options) {
  if (data.size() > std::vector<uint64_t>().max_size())
    return Status::error(RP_OUT_OF_MEMORY, "the order of " +
                                               std::to_string(data.size()) +
                                               " images fits no memory");
  if (options.batch == 0)
    return Status::error(RP_INVALID_ARGUMENT,
                         "a batch of 0 images was requested");
  if (options.mode == LoaderMode::Train)
    REPRISE_RETURN_IF_ERROR(checkRowsOfBatch(data, options.batch));
  return create({{&data, options.batch, std::nullopt}}, options);
}

Expected<std::unique_ptr<Loader>> Loader::create(std::vector<LoaderPart> parts,
                                                 const LoaderOptions &options) {
  uint64_t images = 0, batches = 0;
  for (const LoaderPart &part : parts) {
    images += part.size();
    batches += batchesOf(part.size(), part.batch, options.mode);
  }
  if (options.mode == LoaderMode::Train && batches == 0)
    return Status::error(RP_INVALID_ARGUMENT,
                         "none of the " + std::to_string(parts.size()) +
                             " sizes has images enough for one batch");
  REPRISE_RETURN_IF_ERROR(check(images, batches, options));
  std::unique_ptr<Loader> loader(new Loader(std::move(parts), options));
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

/// Fills rows of costly data one by one, on any thread.
Status Loader::fillRows(const Part &part, const uint64_t *rows, Batch &batch) {
  const std::vector<Column> &columns = part.data->columns();
  size_t piece = part.data->isCostly() ? 1 : std::max<size_t>(batch.valid, 1);
  const Draw draw = {options.seed, batch.epoch};
  return pool->run(batch.valid / piece, [&](size_t number) {
    std::vector<void *> places;
    for (size_t c = 0; c < columns.size(); ++c)
      places.push_back(batch.columns[c].data() +
                       number * piece * columns[c].bytes());
    const uint64_t *indices = rows + number * piece;
    return options.mode == LoaderMode::Train
               ? part.data->fillDrawn(draw, indices, piece, places.data())
               : part.data->fill(indices, piece, places.data());
  });
}

/// Returns the seed of a stream; the first stream's is the seed itself.
uint64_t Loader::seedOf(uint64_t stream) const {
  return options.seed + stream * UINT64_C(0x9E3779B97F4A7C15);
}

/// Writes the order of the parts' batches in an epoch.
void Loader::drawTurns(uint64_t epoch, std::vector<uint64_t> &places,
                       std::vector<Turn> &into) const {
  places.resize(into.size());
  std::iota(places.begin(), places.end(), uint64_t(0));
  if (options.shuffle)
    shuffleEpoch(seedOf(parts.size()), epoch, places.size(), places.data());
  size_t place = 0;
  for (size_t p = 0; p < parts.size(); ++p)
    for (uint64_t number = 0; number < parts[p].batches; ++number)
      into[places[place++]] = {p, number};
}

std::vector<size_t> Loader::partsAhead() const {
  if (parts.size() == 1)
    return {0};
  std::vector<uint64_t> places;
  std::vector<Turn> order;
  order.resize(size_t(perEpoch));
  drawTurns(options.epoch, places, order);
  std::vector<size_t> ahead;
  for (size_t k = size_t(first % perEpoch); k < order.size(); ++k)
    if (std::find(ahead.begin(), ahead.end(), order[k].part) == ahead.end())
      ahead.push_back(order[k].part);
  return ahead;
}

/// Computes the order of rows and parts of an epoch.
void Loader::orderEpochs(uint64_t epoch) {
  if (options.mode != LoaderMode::Train || orderedEpoch == epoch)
    return;
  uint64_t drawnEpoch = epoch;
  for (size_t p = 0; p < parts.size(); ++p) {
    Part &part = parts[p];
    if (!options.shuffle)
      continue;
    shuffleEpoch(seedOf(p), drawnEpoch, part.order.size(), part.order.data());
    for (uint64_t &row : part.order)
      row = part.rows ? (*part.rows)[row] : row;
  }
  orderedEpoch = epoch;
  if (parts.size() > 1)
    drawTurns(drawnEpoch, drawn, turns);
}

Status Loader::fillBatch(uint64_t number, Batch &batch) {
  batch.epoch = number / perEpoch;
  batch.position = number % perEpoch * options.batch;
  orderEpochs(batch.epoch);
  Turn turn = {0, number % perEpoch};
  if (parts.size() > 1)
    turn = turns[size_t(turn.number)];
  const Part &part = parts[turn.part];
  size_t share = part.batch / options.ranks;
  uint64_t begin = turn.number * part.batch + options.rank * share;
  batch.part = turn.part;
  batch.valid = size_t(std::min<uint64_t>(share, part.order.size() - begin));
  const std::vector<Column> &columns = part.data->columns();
  for (size_t c = 0; c < batch.columns.size(); ++c)
    batch.columns[c].resize(share * columns[c].bytes());
  REPRISE_RETURN_IF_ERROR(fillRows(part, &part.order[begin], batch));
  for (size_t c = 0; c < batch.columns.size(); ++c) {
    size_t written = batch.valid * columns[c].bytes();
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
  auto isThere = [&] { return filled > taken || !failure.ok(); };
  if (!isThere()) {
    auto begin = Clock::now();
    changed.wait(lock, isThere);
    waited += std::chrono::duration<double>(Clock::now() - begin).count();
  }
  if (filled <= taken)
    return failure;
  holding = true;
  return static_cast<const Batch *>(&ring[taken % ring.size()]);
}
