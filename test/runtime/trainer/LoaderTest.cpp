//===- LoaderTest.cpp - Order, resumption, prefetch, learning rates -------===//
//
// A data set whose images are their own indices shows what was loaded.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Loader.h"
#include "TestFiles.h"
#include "reprise/Runtime/Trainer/LearningRate.h"
#include "reprise/Runtime/Trainer/Programs.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

using namespace reprise::rt;
using namespace reprise::rt::test;

namespace {

class Indices final : public Dataset {
public:
  explicit Indices(uint64_t count) : count(count) {}
  uint64_t size() const override { return count; }
  const std::vector<Column> &columns() const override { return form; }
  int32_t classes() const override { return int32_t(count); }
  Status fill(const uint64_t *indices, size_t n,
              void *const *out) const override {
    ++fills;
    std::this_thread::sleep_for(delay);
    auto *images = static_cast<float *>(out[0]);
    auto *labels = static_cast<int32_t *>(out[1]);
    for (size_t i = 0; i < n; ++i) {
      if (indices[i] == failAt)
        return Status::error(RP_IO_ERROR, "image 5 is gone");
      images[i] = float(indices[i]);
      labels[i] = int32_t(indices[i]);
    }
    return Status();
  }
  std::vector<Column> form = {imageColumn({1, 1, 1}), labelColumn()};
  uint64_t count;
  uint64_t failAt = UINT64_MAX;
  std::chrono::milliseconds delay{0};
  mutable std::atomic<int> fills{0};
};

} // namespace

/// A column of a batch of `rows`.
template <typename T>
static std::vector<T> column(const Batch &batch, size_t number) {
  size_t count = batch.columns[number].size() / sizeof(T);
  return {batch.as<T>(number), batch.as<T>(number) + count};
}

static LoaderOptions options(size_t batch) {
  LoaderOptions o;
  o.batch = batch;
  o.seed = 42;
  return o;
}

/// Labels of the next `batches` batches, one after the other.
static std::vector<int32_t> take(Loader &loader, int batches) {
  std::vector<int32_t> labels;
  for (int i = 0; i < batches; ++i) {
    auto batch = loader.next();
    EXPECT_TRUE(batch.ok());
    std::vector<int32_t> more = column<int32_t>(**batch, 1);
    labels.insert(labels.end(), more.begin(), more.end());
  }
  return labels;
}

TEST(Loader, RanksFillEqualPartsOfTheSameBatches) {
  Indices data(26);
  auto whole = Loader::create(data, options(6));
  ASSERT_TRUE(whole.ok());
  std::vector<int32_t> all = take(**whole, 6); // a part of the second epoch
  std::vector<std::vector<int32_t>> parts;
  for (size_t rank = 0; rank < 3; ++rank) {
    LoaderOptions own = options(6);
    own.rank = rank;
    own.ranks = 3;
    auto loader = Loader::create(data, own);
    ASSERT_TRUE(loader.ok());
    EXPECT_EQ((*loader)->batchesPerEpoch(), 4u);
    parts.push_back(take(**loader, 6));
    EXPECT_EQ(parts.back().size(), 12u);
  }
  std::vector<int32_t> together;
  for (size_t step = 0; step < 6; ++step)
    for (const std::vector<int32_t> &part : parts)
      together.insert(together.end(), part.begin() + long(2 * step),
                      part.begin() + long(2 * step + 2));
  EXPECT_EQ(together, all);
}

TEST(Loader, TellsHowLongItWaited) {
  Indices data(12);
  data.delay = std::chrono::milliseconds(100);
  auto loader = Loader::create(data, options(4));
  ASSERT_TRUE(loader.ok());
  auto begin = std::chrono::steady_clock::now();
  take(**loader, 3);
  std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - begin;
  double waited = (*loader)->waitedSeconds();
  EXPECT_GT(waited, 0.1); // 0.3 where this thread is never kept
  EXPECT_LE(waited, passed.count());
  // A batch that is there, as it is when the next one is begun, is not waited
  // for.
  while (data.fills < 5)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  take(**loader, 1);
  EXPECT_EQ((*loader)->waitedSeconds(), waited);
}

TEST(Shuffle, IsAPermutationOfItsSeedAndEpoch) {
  std::vector<uint64_t> a(1000), b(1000), c(1000), d(1000);
  shuffleEpoch(1, 0, 1000, a.data());
  shuffleEpoch(1, 0, 1000, b.data());
  shuffleEpoch(1, 1, 1000, c.data());
  shuffleEpoch(2, 0, 1000, d.data());
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_NE(a, d);
  EXPECT_EQ(std::set<uint64_t>(a.begin(), a.end()).size(), 1000u);
  EXPECT_EQ(*std::max_element(a.begin(), a.end()), 999u);
}

TEST(Shuffle, EveryOrderIsAsLikelyAsAnother) {
  // 6 orders of 3, 6000 epochs: 1000 each, deviation 29.
  std::map<std::vector<uint64_t>, int> counts;
  for (uint64_t epoch = 0; epoch < 6000; ++epoch) {
    std::vector<uint64_t> order(3);
    shuffleEpoch(5, epoch, 3, order.data());
    ++counts[order];
  }
  ASSERT_EQ(counts.size(), 6u);
  for (const auto &entry : counts)
    EXPECT_NEAR(entry.second, 1000, 6 * 29);
}

TEST(Loader, EpochsCoverTheDataAndDropThePartialBatch) {
  Indices data(10);
  auto loader = Loader::create(data, options(3));
  ASSERT_TRUE(loader.ok());
  EXPECT_EQ((*loader)->batchesPerEpoch(), 3u);
  std::vector<int32_t> first = take(**loader, 3), second = take(**loader, 3);
  EXPECT_NE(first, second);
  for (const auto &epoch : {first, second})
    EXPECT_EQ(std::set<int32_t>(epoch.begin(), epoch.end()).size(), 9u);
}

TEST(Loader, ResumesAnywhereWithTheSameOrder) {
  Indices data(10);
  auto whole = Loader::create(data, options(3));
  std::vector<int32_t> all = take(**whole, 12);
  for (uint64_t start = 0; start < 12; ++start) {
    LoaderOptions resumed = options(3);
    resumed.epoch = start / 3;
    resumed.position = start % 3 * 3;
    auto loader = Loader::create(data, resumed);
    ASSERT_TRUE(loader.ok());
    auto batch = (*loader)->next();
    EXPECT_EQ((*batch)->epoch, start / 3);
    EXPECT_EQ((*batch)->position, start % 3 * 3);
    EXPECT_TRUE(std::equal((*batch)->as<int32_t>(1),
                           (*batch)->as<int32_t>(1) + 3,
                           all.begin() + long(start) * 3));
  }
}

TEST(Loader, OrderedDataStayInOrder) {
  Indices data(4);
  LoaderOptions ordered = options(2);
  ordered.shuffle = false;
  auto loader = Loader::create(data, ordered);
  EXPECT_EQ(take(**loader, 3), (std::vector<int32_t>{0, 1, 2, 3, 0, 1}));
}

TEST(Loader, EvaluationPadsTheLastBatchAndEnds) {
  Indices data(5);
  LoaderOptions o = options(3);
  o.mode = LoaderMode::Evaluate;
  auto loader = Loader::create(data, o);
  ASSERT_TRUE(loader.ok());
  EXPECT_EQ((*(*loader)->next())->valid, 3u);
  auto last = (*loader)->next();
  ASSERT_TRUE(last.ok());
  EXPECT_EQ((*last)->valid, 2u);
  EXPECT_EQ(column<float>(**last, 0), (std::vector<float>{3, 4, 0}));
  EXPECT_EQ(column<int32_t>(**last, 1), (std::vector<int32_t>{3, 4, 0}));
  for (int i = 0; i < 2; ++i) {
    auto end = (*loader)->next();
    ASSERT_TRUE(end.ok());
    EXPECT_EQ(*end, nullptr);
  }
}

TEST(Loader, EndsAfterTheBatchesAsked) {
  Indices data(10);
  LoaderOptions o = options(3);
  o.batches = 4;
  auto loader = Loader::create(data, o);
  take(**loader, 4);
  EXPECT_EQ(*(*loader)->next(), nullptr);
}

TEST(Loader, FillsAheadUpToItsDepthAndNoFurther) {
  Indices data(100);
  LoaderOptions o = options(2);
  o.depth = 4;
  auto loader = Loader::create(data, o);
  ASSERT_TRUE((*loader)->next().ok());
  auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (data.fills < 4 && std::chrono::steady_clock::now() < limit)
    std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(data.fills, 4);
}

TEST(Loader, BuffersAreReusedAndAHeldBatchStays) {
  Indices data(100);
  LoaderOptions o = options(2);
  o.depth = 2;
  auto loader = Loader::create(data, o);
  std::set<const float *> buffers;
  for (int i = 0; i < 40; ++i) {
    auto batch = (*loader)->next();
    buffers.insert((*batch)->as<float>(0));
    std::vector<float> before = column<float>(**batch, 0);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    EXPECT_EQ(column<float>(**batch, 0), before);
  }
  EXPECT_EQ(buffers.size(), 2u);
}

TEST(Loader, AnErrorOfTheDataComesThroughAfterTheGoodBatches) {
  Indices data(8);
  data.failAt = 5;
  LoaderOptions ordered = options(2);
  ordered.shuffle = false;
  auto loader = Loader::create(data, ordered);
  take(**loader, 2);
  expectError((*loader)->next().status(), RP_IO_ERROR, {"image 5"});
  expectError((*loader)->next().status(), RP_IO_ERROR, {"image 5"});
}

TEST(Loader, BadStartsAreRefused) {
  Indices data(10);
  expectError(Loader::create(data, options(11)).status(), RP_INVALID_ARGUMENT,
              {"10 images", "batch of 11"});
  expectError(Loader::create(data, options(0)).status(), RP_INVALID_ARGUMENT,
              {"0 images"});
  LoaderOptions o = options(3);
  for (uint64_t position : {1, 9, 30}) {
    o.position = position;
    expectError(Loader::create(data, o).status(), RP_INVALID_ARGUMENT,
                {"batch of 3", std::to_string(position)});
  }
  o.position = 0;
  o.epoch = UINT64_MAX / 3;
  expectError(Loader::create(data, o).status(), RP_INVALID_ARGUMENT,
              {"epoch 6148914691236517205", "10 images"});
}

//===----------------------------------------------------------------------===//
// Learning rates
//===----------------------------------------------------------------------===//

TEST(LearningRate, ConstantStays) {
  LearningRate rate;
  rate.base = 0.25;
  EXPECT_EQ(rate.at(0, 10), 0.25);
  EXPECT_EQ(rate.at(9, 10), 0.25);
}

TEST(LearningRate, CosineIsThatOfPyTorch) {
  LearningRate rate;
  rate.schedule = LearningRate::Schedule::Cosine;
  rate.base = 0.05;
  // The closed form in the documentation of CosineAnnealingLR, T_max=10, at
  // steps 0, 1, 5, 9, evaluated by another implementation of cos.
  EXPECT_DOUBLE_EQ(rate.at(0, 10), 0.05);
  EXPECT_NEAR(rate.at(1, 10), 0.04877641290737884, 1e-15);
  EXPECT_NEAR(rate.at(5, 10), 0.025, 1e-15);
  EXPECT_NEAR(rate.at(9, 10), 0.0012235870926211617, 1e-15);
}

// torch 1.13.0: SequentialLR of LinearLR(1 / 3, 1, total_iters=2), three steps,
// and StepLR(2 epochs of 3 steps, 0.1), stepped once a training step, from a
// rate of 0.5.
TEST(LearningRate, StepIsThatOfPyTorch) {
  LearningRate rate;
  rate.schedule = LearningRate::Schedule::Step;
  rate.base = 0.5;
  rate.stepEpochs = 2;
  rate.warmupSteps = 3;
  const std::map<uint64_t, double> torch = {{0, 0.16666666666666666},
                                            {1, 0.33333333333333331},
                                            {2, 0.5},
                                            {3, 0.5},
                                            {8, 0.5},
                                            {9, 0.05},
                                            {14, 0.05},
                                            {15, 0.005},
                                            {29, 5e-5}};
  for (auto [step, expected] : torch)
    EXPECT_NEAR(rate.at(step, 30, 3), expected, 1e-15) << step;
  rate.warmupSteps = 0;
  rate.stepEpochs = UINT64_MAX; // epochs times steps does not fit
  EXPECT_EQ(rate.at(29, 30, UINT64_MAX), 0.5);
}

TEST(LearningRate, WarmupRisesToTheBase) {
  LearningRate rate;
  rate.schedule = LearningRate::Schedule::Cosine;
  rate.base = 1;
  rate.warmupSteps = 4;
  EXPECT_DOUBLE_EQ(rate.at(0, 14), 0.25);
  EXPECT_DOUBLE_EQ(rate.at(3, 14), 1);
  EXPECT_DOUBLE_EQ(rate.at(4, 14), 1);
  EXPECT_NEAR(rate.at(9, 14), 0.5, 1e-15);
}

TEST(LearningRate, NonsenseIsRefused) {
  LearningRate rate;
  rate.base = -1;
  expectError(rate.check(10), RP_INVALID_ARGUMENT, {"-1"});
  rate.base = NAN;
  expectError(rate.check(10), RP_INVALID_ARGUMENT, {"nan"});
  rate.base = 1;
  rate.warmupSteps = 10;
  expectError(rate.check(10), RP_INVALID_ARGUMENT, {"10 steps"});
  rate.warmupSteps = 9;
  EXPECT_TRUE(rate.check(10).ok());
  rate.schedule = LearningRate::Schedule::Step;
  EXPECT_TRUE(rate.check(10).ok());
  for (double gamma : {0.0, -0.1, 1.5, double(NAN)}) {
    rate.gamma = gamma;
    expectError(rate.check(10), RP_INVALID_ARGUMENT, {"gamma must be above 0"});
  }
  rate.gamma = 1;
  rate.stepEpochs = 0;
  expectError(rate.check(10), RP_INVALID_ARGUMENT, {"every 0 epochs"});
}

//===----------------------------------------------------------------------===//
// Data of several parts
//===----------------------------------------------------------------------===//

TEST(Buckets, AreChosenByShapeThenByArea) {
  std::vector<Bucket> buckets = {
      {224, 224, 1}, {112, 112, 1}, {192, 256, 1}, {96, 128, 1}};
  EXPECT_EQ(nearestBucket(buckets, 500, 500), 0u);
  EXPECT_EQ(nearestBucket(buckets, 100, 100), 1u);
  EXPECT_EQ(nearestBucket(buckets, 375, 500), 2u);
  EXPECT_EQ(nearestBucket(buckets, 90, 120), 3u);
  // Of the area of the second, of the shape of the third and fourth.
  EXPECT_EQ(nearestBucket(buckets, 98, 128), 3u);
  EXPECT_EQ(nearestBucket({buckets[1]}, 1, 1000), 0u);
  EXPECT_EQ(buckets[2].str(), "192x256@1");
}

namespace {
/// What a run over two parts sees: of each batch its part and its rows.
using Seen = std::vector<std::pair<size_t, std::vector<int32_t>>>;

Seen loadParts(const Dataset &data, uint64_t epoch, uint64_t position,
               uint64_t batches) {
  // 7 rows in batches of 2, 9 rows in batches of 4: 3 and 2 batches an epoch.
  std::vector<LoaderPart> parts(2);
  parts[0] = {&data, 2, std::vector<uint64_t>{0, 2, 4, 6, 8, 10, 12}};
  parts[1] = {&data, 4, std::vector<uint64_t>{1, 3, 5, 7, 9, 11, 13, 14, 15}};
  LoaderOptions wanted = options(3);
  wanted.epoch = epoch;
  wanted.position = position;
  wanted.batches = batches;
  auto loader = Loader::create(std::move(parts), wanted);
  Seen seen;
  EXPECT_TRUE(loader.ok()) << loader.status().message();
  if (!loader.ok())
    return seen;
  EXPECT_EQ((*loader)->batchesPerEpoch(), 5u);
  std::vector<size_t> ahead = (*loader)->partsAhead(), come;
  for (uint64_t number = 0; number < batches; ++number) {
    auto batch = (*loader)->next();
    EXPECT_TRUE(batch.ok() && *batch);
    EXPECT_EQ((*batch)->position, (position / 3 + number) % 5 * 3);
    size_t part = (*batch)->part;
    bool isFirst = std::find(come.begin(), come.end(), part) == come.end();
    if ((*batch)->epoch == epoch && isFirst)
      come.push_back(part);
    seen.push_back({part, column<int32_t>(**batch, 1)});
  }
  EXPECT_EQ(ahead, come);
  return seen;
}
} // namespace

TEST(LoaderParts, GiveEachRowOnceInBatchesOfTheirOwn) {
  Indices data(16);
  Seen seen = loadParts(data, 0, 0, 10);
  ASSERT_EQ(seen.size(), 10u);
  for (size_t epoch = 0; epoch < 2; ++epoch) {
    std::set<int32_t> rows;
    std::vector<size_t> batches(2);
    for (size_t i = 5 * epoch; i < 5 * epoch + 5; ++i) {
      ++batches[seen[i].first];
      EXPECT_EQ(seen[i].second.size(), seen[i].first ? 4u : 2u);
      for (int32_t row : seen[i].second) {
        EXPECT_TRUE(rows.insert(row).second) << "row " << row << " twice";
        bool isOdd = row % 2 != 0 || row == 14;
        EXPECT_EQ(isOdd, seen[i].first == 1) << row;
      }
    }
    EXPECT_EQ(batches, (std::vector<size_t>{3, 2}));
  }
  EXPECT_NE(Seen(seen.begin(), seen.begin() + 5),
            Seen(seen.begin() + 5, seen.end()));
  // From the middle of the second epoch.
  EXPECT_EQ(loadParts(data, 1, 2 * 3, 3), Seen(seen.begin() + 7, seen.end()));
  // From the last batch of an epoch on, which one part has.
  EXPECT_EQ(loadParts(data, 0, 4 * 3, 1).front(), seen[4]);
}

TEST(LoaderParts, RefusePartsWithoutABatch) {
  Indices data(16);
  std::vector<LoaderPart> parts(2);
  parts[0] = {&data, 4, std::vector<uint64_t>{1, 2, 3}};
  parts[1] = {&data, 4, std::vector<uint64_t>{}};
  auto loader = Loader::create(std::move(parts), options(4));
  EXPECT_FALSE(loader.ok());
  EXPECT_EQ(loader.status().message(),
            "none of the 2 sizes has images enough for one batch");
}
