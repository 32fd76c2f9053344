//===- EpochTableTest.cpp - Tables of epochs of a linear model ------------===//
//
// Eight steps an epoch. A run in parts has the table of one that nobody
// disturbed, but for times.
//
//===----------------------------------------------------------------------===//
#include "FakeBackend.h"
#include "TestFiles.h"
#include "reprise/Runtime/Trainer/Hooks.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <cmath>
#include <sstream>

using namespace reprise::rt;
using namespace reprise::rt::test;

static const std::string kTitle =
    "epoch,step,learning_rate,train_loss,eval_loss,eval_accuracy,"
    "eval_accuracy_top5,images_per_second,seconds,data_wait_seconds";

using Table = std::vector<std::vector<std::string>>;

/// Rows of cells, behind the title.
static Table readTable(const std::string &path) {
  std::istringstream in(readFile(path));
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, kTitle);
  Table rows;
  while (std::getline(in, line)) {
    std::istringstream cells(line + ",");
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');)
      rows.back().push_back(cell);
    EXPECT_EQ(rows.back().size(), 10u) << line;
  }
  return rows;
}

/// All but times.
static Table settled(Table rows) {
  for (std::vector<std::string> &row : rows)
    row.resize(7);
  return rows;
}

namespace {

/// A run with a table, which a signal may end, from a state or from the start.
struct TableRun {
  std::string table;
  uint64_t steps = 0, stopAt = 0;
  std::string resume, save, best;
  bool train();
  std::vector<double> losses = {};
};

} // namespace

bool TableRun::train() {
  FakeBackend backend(8, kImage, 7);
  EpochTable hook(table);
  TrainOptions options = syntheticRun(steps);
  options.hooks = {&hook};
  std::unique_ptr<Hook> saver;
  if (!best.empty()) {
    SaveBestOptions wanted;
    wanted.directory = best;
    wanted.testEvery = 2;
    options.hooks.push_back((saver = makeAutoSaveBest(wanted)).get());
  }
  options.resumePath = resume;
  options.savePath = save;
  std::atomic<bool> stop{false};
  options.stop = &stop;
  options.onProgress = [&](const Progress &step) {
    losses.push_back(step.loss);
    EXPECT_LE(step.waitSeconds, step.trainSeconds);
    stop = step.step == stopAt;
  };
  auto result = reprise::rt::train(backend, options);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() && result->hookFailures.empty();
}

TEST(EpochTable, HasARowForEveryEpochThatIsDone) {
  Folder folder;
  TableRun run = {folder / "t.csv", 27, 0, "", "", folder / "best"};
  ASSERT_TRUE(run.train());
  Table rows = readTable(folder / "t.csv");
  ASSERT_EQ(rows.size(), 3u); // and three steps of no epoch
  for (size_t epoch = 1; epoch <= 3; ++epoch) {
    const std::vector<std::string> &row = rows[epoch - 1];
    EXPECT_EQ(row[0], std::to_string(epoch));
    EXPECT_EQ(row[1], std::to_string(8 * epoch));
    double sum = 0;
    for (size_t step = 8 * (epoch - 1); step < 8 * epoch; ++step)
      sum += run.losses[step];
    EXPECT_NEAR(std::stod(row[3]), sum / 8, 1e-7);
    // Evaluated in every second epoch.
    EXPECT_EQ(row[4].empty(), epoch != 2);
    EXPECT_EQ(row[5].empty(), epoch != 2);
    EXPECT_EQ(row[6].empty(), epoch != 2);
    EXPECT_GT(std::stod(row[7]), 0);
    EXPECT_GE(std::stod(row[8]), std::stod(row[9]));
  }
  LearningRate rate = syntheticRun(27).learningRate;
  EXPECT_EQ(std::stof(rows[1][2]), float(rate.at(15, 27, 8)));
  EXPECT_LE(std::stod(rows[1][5]), std::stod(rows[1][6]));
}

TEST(EpochTable, GoesOnWithTheRowsOfAnUndisturbedRun) {
  Folder folder;
  TableRun whole = {folder / "w.csv", 32, 0, "", "", folder / "w"};
  ASSERT_TRUE(whole.train());
  std::string state = folder / "s.safetensors";
  TableRun first = {folder / "t.csv", 32, 19, "", state, folder / "t"};
  ASSERT_TRUE(first.train());
  Table before = readTable(folder / "t.csv");
  EXPECT_EQ(before.size(), 2u);
  TableRun rest = {folder / "t.csv", 32, 0, state, "", folder / "t"};
  ASSERT_TRUE(rest.train());
  Table rows = readTable(folder / "t.csv");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(settled(rows), settled(readTable(folder / "w.csv")));
  EXPECT_EQ(rows[1], before[1]); // its times too
  EXPECT_FALSE(rows[2][7].empty());
  EXPECT_EQ(rows[2][8], ""); // it was cut
  EXPECT_NE(rows[3][8], "");
}

/// Killed behind epochs that its last state does not know.
TEST(EpochTable, DropsEpochsThatAreTrainedAgain) {
  Folder folder;
  std::string state = folder / "s.safetensors";
  TableRun first = {folder / "t.csv", 32, 11, "", state, ""};
  ASSERT_TRUE(first.train());
  TableRun lost = {folder / "t.csv", 32, 0, state, "", ""};
  ASSERT_TRUE(lost.train());
  Table whole = readTable(folder / "t.csv");
  ASSERT_EQ(whole.size(), 4u);
  TableRun again = {folder / "t.csv", 32, 12, state, "", ""};
  ASSERT_TRUE(again.train());
  EXPECT_EQ(readTable(folder / "t.csv").size(), 1u);
  // A table that is gone is there again, but for its times.
  std::filesystem::remove(folder / "t.csv");
  TableRun rest = {folder / "t.csv", 32, 0, state, "", ""};
  ASSERT_TRUE(rest.train());
  Table rows = readTable(folder / "t.csv");
  EXPECT_EQ(settled(rows), settled(whole));
  EXPECT_EQ(rows[0][7] + rows[0][8] + rows[0][9], "");
}

/// States of one run are equal whatever the clock said.
TEST(EpochTable, KeepsTimesOutOfStates) {
  Folder folder;
  for (const char *name : {"a", "b"}) {
    TableRun run = {folder / "t.csv", 16, 0, "", folder / name, ""};
    ASSERT_TRUE(run.train());
  }
  EXPECT_EQ(readFile(folder / "a"), readFile(folder / "b"));
}

TEST(EpochTable, HasNoMeanOfAPartOfAnEpoch) {
  Folder folder;
  FakeBackend backend(8, kImage, 5);
  TrainOptions options = syntheticRun(3);
  options.savePath = folder / "s.safetensors"; // of a run without a table
  ASSERT_TRUE(train(backend, options).ok());
  FakeBackend second(8, kImage, 5);
  EpochTable hook(folder / "t.csv");
  TrainOptions again = syntheticRun(16);
  again.resumePath = options.savePath;
  again.given = {"steps"};
  again.overridden = {"steps"};
  again.hooks = {&hook};
  auto result = train(second, again);
  ASSERT_TRUE(result.ok()) << result.status().message();
  Table rows = readTable(folder / "t.csv");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0][3], "");
  EXPECT_NE(rows[1][3], "");
}

TEST(EpochTable, TakesAnEvaluationBehindTheRun) {
  Folder folder;
  EpochTable hook(folder / "t.csv");
  FakeBackend backend(8, kImage, 5);
  TrainOptions options = syntheticRun(16);
  options.hooks = {&hook};
  ASSERT_TRUE(train(backend, options).ok());
  EvaluateResult result;
  result.images = 8;
  result.correct = 2;
  result.classes = 5;
  result.loss = 0.75;
  ASSERT_TRUE(hook.add(15, result).ok());
  EXPECT_EQ(readTable(folder / "t.csv")[1][4], "");
  ASSERT_TRUE(hook.add(16, result).ok());
  Table rows = readTable(folder / "t.csv");
  EXPECT_EQ(rows[1][4], "0.75");
  EXPECT_EQ(rows[1][5], "0.25");
  EXPECT_EQ(rows[1][6], ""); // of five classes
}

TEST(EpochTable, LeavesWhatIsNoTable) {
  Folder folder;
  writeFile(folder / "t.csv", "mine\n");
  FakeBackend backend(8, kImage, 5);
  EpochTable hook(folder / "t.csv");
  TrainOptions options = syntheticRun(8);
  options.hooks = {&hook};
  auto result = train(backend, options);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message().find(
                "t.csv' is not a table of epochs and would be replaced"),
            std::string::npos)
      << result.status().message();
  EXPECT_EQ(readFile(folder / "t.csv"), "mine\n");
}

// A run that fails in its first epoch has nothing to put in the place of an
// earlier one's table.
TEST(EpochTable, IsReplacedWhenThereIsARow) {
  Folder folder;
  TableRun earlier;
  earlier.table = folder / "t.csv";
  earlier.steps = 20;
  ASSERT_TRUE(earlier.train());
  std::string before = readFile(folder / "t.csv");
  ASSERT_EQ(readTable(folder / "t.csv").size(), 2u);
  TableRun later;
  later.table = folder / "t.csv";
  later.steps = 20;
  later.stopAt = 1;
  ASSERT_TRUE(later.train());
  EXPECT_EQ(readFile(folder / "t.csv"), before);
}
