//===- EpochTable.cpp - A table of the finished epochs --------------------===//
//
// A state holds, as text: the sum of losses of the current epoch and their
// number, then a line for each epoch, as in the file but with empty times.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/OutputFile.h"
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Runtime/Trainer/Hooks.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <charconv>
#include <sstream>
#include <sys/stat.h>

using namespace reprise::rt;

static const std::string kTitle =
    "epoch,step,learning_rate,train_loss,eval_loss,eval_accuracy,"
    "eval_accuracy_top5,images_per_second,seconds,data_wait_seconds";
static constexpr size_t kColumns = 10;

template <typename Number>
static std::string digits(Number value, int count, std::chars_format format) {
  char text[400]; // the largest number without an exponent has 309 digits
  auto end = std::to_chars(text, text + sizeof text, value, format, count).ptr;
  return std::string(text, end);
}

/// Formats a loss or a share.
static std::string number(double value) {
  return digits(value, 8, std::chars_format::general);
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

std::string EpochTable::line(const Row &row) {
  std::string text =
      row.epoch + "," + row.step + "," + row.learningRate + "," + row.loss;
  for (const std::string &cell : row.evaluation)
    text += "," + cell;
  for (const std::string &cell : row.times)
    text += "," + cell;
  return text + "\n";
}

/// Returns nothing if it is not a line of a table.
std::optional<EpochTable::Row> EpochTable::readLine(const std::string &text) {
  std::vector<std::string> cells(1);
  for (char c : text)
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  if (cells.size() != kColumns)
    return std::nullopt;
  return Row{cells[0],
             cells[1],
             cells[2],
             cells[3],
             {cells.begin() + 4, cells.begin() + 7},
             {cells.begin() + 7, cells.end()}};
}

void EpochTable::remember(HookContext &run) const {
  std::string text =
      settingNumber(sums.loss) + " " + std::to_string(sums.steps) + "\n";
  for (Row row : rows) {
    // Runs that compute the same save the same.
    row.times.assign(3, "");
    text += line(row);
  }
  run.memory(name()) = std::move(text);
}

void EpochTable::recall(const std::string &memory) {
  std::istringstream in(memory);
  std::string text, loss;
  in >> loss >> sums.steps;
  std::from_chars(loss.data(), loss.data() + loss.size(), sums.loss);
  std::getline(in, text); // the rest of the first line
  while (std::getline(in, text))
    if (std::optional<Row> row = readLine(text))
      rows.push_back(std::move(*row));
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// Takes the times, which no state holds, from the existing file.
Status EpochTable::takeTimes() {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_size == 0)
    return {};
  REPRISE_EXPECT(file, InputFile::open(path));
  std::string content(file->size(), '\0');
  REPRISE_RETURN_IF_ERROR(file->readAt(0, content.data(), content.size()));
  std::istringstream in(content);
  std::string text;
  std::getline(in, text);
  if (text != kTitle)
    return Status::error(RP_INVALID_ARGUMENT,
                         "'" + path +
                             "' is not a table of epochs and would be "
                             "replaced; give the table another name");
  auto isSame = [](const Row &a, const Row &b) {
    return a.epoch == b.epoch && a.step == b.step && a.loss == b.loss &&
           a.learningRate == b.learningRate;
  };
  const std::vector<std::string> none(3, "");
  while (std::getline(in, text)) {
    std::optional<Row> old = readLine(text);
    for (Row &row : rows) {
      if (!old || !isSame(row, *old))
        continue;
      row.times = old->times;
      // An evaluation from after the end of the run.
      if (row.evaluation == none)
        row.evaluation = old->evaluation;
    }
  }
  return {};
}

Status EpochTable::write() const {
  std::string text = kTitle + "\n";
  for (const Row &row : rows)
    text += line(row);
  return writeFile(path, text.data(), text.size());
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

Status EpochTable::begin(HookContext &run) {
  REPRISE_RETURN_IF_ERROR(checkWritable(path));
  recall(run.memory(name()));
  REPRISE_RETURN_IF_ERROR(takeTimes());
  remember(run);
  // The table of an earlier run stays until this one has a row.
  return rows.empty() ? Status() : write();
}

Status EpochTable::afterStep(HookContext &run, const Progress &step) {
  sums.loss += step.loss;
  ++sums.steps;
  ++sums.stepsTimed;
  sums.images += step.images;
  sums.seconds += step.trainSeconds;
  sums.waitSeconds += step.waitSeconds;
  rate = step.learningRate;
  remember(run);
  return {};
}

Status EpochTable::afterEpoch(HookContext &run) {
  uint64_t all = run.stepsPerEpoch();
  Row row;
  row.epoch = std::to_string(run.position().epoch);
  row.step = std::to_string(run.position().step);
  char text[64];
  row.learningRate.assign(
      text, std::to_chars(text, text + sizeof text, float(rate)).ptr);
  if (sums.steps == all)
    row.loss = number(sums.loss / double(all));
  row.evaluation.assign(3, "");
  row.times.assign(3, "");
  auto fixed = [](double value, int places) {
    return digits(value, places, std::chars_format::fixed);
  };
  if (sums.seconds > 0)
    row.times[0] = fixed(double(sums.images) / sums.seconds, 1);
  if (sums.stepsTimed == all) {
    row.times[1] = fixed(sums.seconds, 3);
    row.times[2] = fixed(sums.waitSeconds, 3);
  }
  rows.push_back(std::move(row));
  sums = {};
  remember(run);
  return write();
}

Status EpochTable::add(uint64_t step, const EvaluateResult &result) {
  // An evaluation within an epoch belongs to no row.
  if (rows.empty() || rows.back().step != std::to_string(step))
    return {};
  rows.back().evaluation = {
      number(result.loss), result.hasAccuracy ? number(result.accuracy()) : "",
      result.hasTop5() ? number(result.accuracyTop5()) : ""};
  return write();
}

Status EpochTable::evaluated(HookContext &run, const EvaluateResult &result) {
  Status status = add(run.position().step, result);
  remember(run);
  return status;
}
