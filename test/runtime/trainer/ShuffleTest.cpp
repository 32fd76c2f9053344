//===- ShuffleTest.cpp - The order of rows in an epoch --------------------===//
//
// Rows of safetensors files are told apart by their labels.
//
//===----------------------------------------------------------------------===//
#include "FakeBackend.h"
#include "TestFiles.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <algorithm>
#include <cstring>
#include <set>

using namespace reprise::rt;
using namespace reprise::rt::test;

using Labels = std::vector<std::vector<int32_t>>;

namespace {

/// Eleven rows of 1x1x1, the label of each its number; batches of four.
struct Rows : testing::Test {
  Rows() : source(folder / "d.safetensors") {
    SafetensorsContent content;
    content.tensors = {{"image", DType::F32, {11, 1, 1, 1}},
                       {"label", DType::I32, {11}}};
    auto fill = [](size_t index, void *data, size_t) {
      for (int32_t i = 0; i < 11; ++i)
        if (float value = float(i); index == 0)
          std::memcpy(static_cast<float *>(data) + i, &value, 4);
        else
          std::memcpy(static_cast<int32_t *>(data) + i, &i, 4);
      return Status();
    };
    EXPECT_TRUE(writeSafetensors(source, content, fill).ok());
  }
  TrainOptions run(uint64_t steps) const {
    TrainOptions options;
    options.data.source = source;
    options.steps = steps;
    options.learningRate.base = 0.01;
    options.seed = 7;
    options.savePath = folder / "s.safetensors";
    return options;
  }
  TrainOptions resumed(uint64_t steps) const {
    TrainOptions options = run(steps);
    options.resumePath = options.savePath;
    return options;
  }
  FakeBackend backend() const { return FakeBackend(4, {1, 1, 1}, 11); }
  /// Makes of the saved state one of before the setting.
  void forget(FakeBackend &with) const {
    auto position = loadState(with, folder / "s.safetensors");
    ASSERT_TRUE(position.ok()) << position.status().message();
    ASSERT_EQ(position->runSettings.erase("shuffle"), 1u);
    ASSERT_TRUE(saveState(with, folder / "s.safetensors", *position).ok());
  }
  Folder folder;
  std::string source;
};

} // namespace

static const Labels kInOrder = {{0, 1, 2, 3}, {4, 5, 6, 7}};

TEST_F(Rows, ComeInAnotherOrderInEachEpoch) {
  FakeBackend seen = backend();
  auto result = train(seen, run(40));
  ASSERT_TRUE(result.ok()) << result.status().message();
  std::set<Labels> epochs;
  std::set<int32_t> rows;
  for (size_t step = 0; step < 40; step += 2) {
    epochs.insert({seen.seenLabels[step], seen.seenLabels[step + 1]});
    for (size_t i : {step, step + 1})
      rows.insert(seen.seenLabels[i].begin(), seen.seenLabels[i].end());
  }
  EXPECT_EQ(epochs.size(), 20u);
  // Those beyond the last full batch are in others.
  EXPECT_EQ(rows.size(), 11u);
  EXPECT_EQ(result->data.leftOut, 3u);
  EXPECT_EQ(result->data.steps, 2u);
}

TEST_F(Rows, StayInOrderWhereThatIsAsked) {
  FakeBackend seen = backend();
  TrainOptions options = run(4);
  options.data.keepsOrder = true;
  auto result = train(seen, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(Labels(seen.seenLabels.begin(), seen.seenLabels.begin() + 2),
            kInOrder);
  EXPECT_EQ(seen.seenLabels[2], kInOrder[0]);
  EXPECT_FALSE(result->data.isShuffled);
}

TEST_F(Rows, OfAResumedRunAreThoseOfOneWithoutAStop) {
  for (bool keepsOrder : {false, true})
    for (uint64_t first : {1, 2, 3}) {
      FakeBackend whole = backend(), begun = backend(), ended = backend();
      TrainOptions options = run(7);
      options.data.keepsOrder = keepsOrder;
      ASSERT_TRUE(train(whole, options).ok());
      options.steps = first;
      ASSERT_TRUE(train(begun, options).ok());
      // The state says which.
      auto result = train(ended, resumed(7));
      ASSERT_TRUE(result.ok()) << result.status().message();
      EXPECT_EQ(ended.bits, whole.bits);
      EXPECT_EQ(ended.seenLabels, Labels(whole.seenLabels.begin() + long(first),
                                         whole.seenLabels.end()));
    }
}

TEST_F(Rows, OfAnOlderStateStayInItsOrder) {
  FakeBackend begun = backend(), ended = backend();
  TrainOptions options = run(1);
  options.data.keepsOrder = true;
  ASSERT_TRUE(train(begun, options).ok());
  forget(begun);
  auto result = train(ended, resumed(4));
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(ended.seenLabels[0], kInOrder[1]);
  EXPECT_EQ(ended.seenLabels[1], kInOrder[0]);
  EXPECT_FALSE(result->data.isShuffled);
}

TEST_F(Rows, OfAnOlderStateAreRefusedAnotherOrder) {
  FakeBackend begun = backend(), ended = backend();
  TrainOptions options = run(1);
  options.data.keepsOrder = true;
  ASSERT_TRUE(train(begun, options).ok());
  forget(begun);
  options = resumed(4);
  options.given = {"shuffle"};
  expectError(train(ended, options).status(), RP_INVALID_ARGUMENT,
              {"shuffle is false in the state, true here", "--override "});
  options.overridden = {"shuffle"};
  auto result = train(ended, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_TRUE(result->data.isShuffled);
}

TEST_F(Rows, OfAStateThatSaysNonsenseAreRefused) {
  FakeBackend begun = backend(), ended = backend();
  ASSERT_TRUE(train(begun, run(1)).ok());
  auto position = loadState(begun, folder / "s.safetensors");
  ASSERT_TRUE(position.ok());
  position->runSettings["shuffle"] = "perhaps";
  ASSERT_TRUE(saveState(begun, folder / "s.safetensors", *position).ok());
  expectError(train(ended, resumed(2)).status(), RP_DATA_LOSS,
              {"'shuffle' is 'perhaps'"});
}

TEST_F(Rows, ThatAreToldAreThoseOfTheRun) {
  FakeBackend seen = backend();
  TrainOptions options = run(1);
  std::vector<uint64_t> told;
  options.onData = [&](const DataInventory &data) {
    EXPECT_TRUE(seen.seenLabels.empty());
    told = {data.rows, data.steps, data.leftOut};
  };
  ASSERT_TRUE(train(seen, options).ok());
  EXPECT_EQ(told, (std::vector<uint64_t>{11, 2, 3}));
}
