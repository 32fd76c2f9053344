//===- LossOptions.cpp - Options of the training loss ---------------------===//
//
// The options of CompileSettings that smooth labels, weight classes, ignore
// labels and mix images.
//
//===----------------------------------------------------------------------===//

#include "reprise/Console/Console.h"
#include "reprise/Driver/CompileSettings.h"
#include "reprise/Driver/SettingValues.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/File.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cmath>

using namespace reprise;
using namespace reprise::driver;

/// The largest file of weights: more than any model has classes.
static constexpr uint64_t kMostBytes = 1 << 24;

static rt::Expected<std::string> readFile(const std::string &path) {
  REPRISE_EXPECT(file, rt::InputFile::open(path));
  if (file->size() > kMostBytes)
    return invalid("--class-weights: '" + path + "' has " +
                   std::to_string(file->size()) +
                   " bytes, which is more than weights take");
  std::string text(file->size(), '\0');
  REPRISE_RETURN_IF_ERROR(file->readAt(0, text.data(), text.size()));
  return text;
}

/// Returns the given numbers, or those of the given file.
static rt::Expected<std::vector<std::string>>
wordsOf(const std::vector<std::string> &given) {
  double number = 0;
  if (given.size() != 1 || llvm::to_float(given.front(), number))
    return given;
  REPRISE_EXPECT(text, readFile(given.front()));
  for (char &c : *text)
    if (c == ',' || c == '\n' || c == '\r' || c == '\t')
      c = ' ';
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(*text).split(words, ' ', -1, /*KeepEmpty=*/false);
  return std::vector<std::string>(words.begin(), words.end());
}

bool CompileSettings::balancesClasses() const {
  return classWeights.size() == 1 && classWeights.front() == "balanced";
}

std::vector<std::string> CompileSettings::classWeightWords() const {
  rt::Expected<std::vector<std::string>> words = wordsOf(classWeights);
  return words.ok() ? *words : classWeights;
}

rt::Expected<std::vector<double>> CompileSettings::readClassWeights() const {
  std::vector<double> weights;
  if (balancesClasses() && !command->knows("--data"))
    return misuse("--class-weights balanced is of 'reprise train', which has "
                  "data to count; give the weights as numbers");
  // Balanced weights are computed from the data once these are known.
  if (classWeights.empty() || balancesClasses())
    return weights;
  REPRISE_EXPECT(words, wordsOf(classWeights));
  double sum = 0;
  for (const std::string &word : *words) {
    double weight = 0;
    if (!llvm::to_float(word, weight))
      return misuse("--class-weights: '" + word + "' is not a number");
    if (!(weight >= 0) || !std::isfinite(weight))
      return misuse("--class-weights: the weight of class " +
                    std::to_string(weights.size()) + " is " + word +
                    "; it must be finite and not negative");
    weights.push_back(weight);
    sum += weight;
  }
  if (weights.empty())
    return misuse("--class-weights: '" + classWeights.front() +
                  "' has no numbers");
  if (sum == 0)
    return misuse("--class-weights: the weights of all classes are 0");
  return weights;
}

/// Formats weights for a course.
static std::string textOf(const std::vector<double> &weights) {
  std::string text;
  for (double weight : weights)
    text += (text.empty() ? "" : " ") + rt::settingNumber(weight);
  return text;
}

void CompileSettings::resumeLoss(const rt::RunSettings &runSettings) {
  for (auto &[name, number] : lossNumbers)
    takeSetting(runSettings, name, number);
  takeSetting(runSettings, "ignore-index", ignored);
  auto it = runSettings.find("class-weights");
  if (it == runSettings.end() || !classWeights.empty())
    return;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(it->second).split(words, ' ');
  classWeights.assign(words.begin(), words.end());
}

void CompileSettings::addGivenLoss(rt::RunSettings &runSettings,
                                   const rt::RunSettings &stored) const {
  // A state holds settings that have an effect.
  for (const auto &[name, number] : lossNumbers)
    if (number && (*number != 0 || stored.count(name)))
      runSettings[name] = rt::settingNumber(*number);
  if (ignored)
    runSettings["ignore-index"] = std::to_string(*ignored);
  // Errors are reported when the options are read.
  rt::Expected<std::vector<double>> weights = readClassWeights();
  if (weights.ok() && !weights->empty())
    runSettings["class-weights"] = textOf(*weights);
}

rt::Status CompileSettings::readLoss(CompileOptions &options) const {
  LossSettings &loss = options.loss;
  rt::Status status;
  LossSettings::visitNumbers(loss, [&](const char *name, double &value) {
    value = lossNumbers.at(name).value_or(0);
    if (status.ok())
      status = checkRange(std::string("--") + name, value);
  });
  REPRISE_RETURN_IF_ERROR(status);
  if (ignored && microBatches() > 1)
    return misuse("--ignore-index is not for --accumulate " +
                  std::to_string(microBatches()) +
                  ": the mean of the micro-batches' losses is not that of the "
                  "rows that are not ignored; give one of them alone");
  if (ignored)
    loss.ignoreIndex = *ignored;
  REPRISE_EXPECT(weights, readClassWeights());
  loss.classWeights = std::move(*weights);
  return {};
}
