//===- Evaluate.cpp - Accuracy and loss of a program ----------------------===//
//
// If the program has labels and logits, both are computed from them, image by
// image, so that the padding of the last batch does not count; the loss is the
// cross-entropy, summed in double. Results computed by the program itself are
// averaged over full batches.
//
//===----------------------------------------------------------------------===//
#include "Averages.h"
#include "EntryBindings.h"
#include "NonFinite.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/Loader.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <algorithm>
#include <cmath>
#include <map>

using namespace reprise::rt;

/// Returns log(sum(exp(logits))) - logits[label].
static double crossEntropy(const float *logits, int32_t classes,
                           int32_t label) {
  double top = *std::max_element(logits, logits + classes);
  double sum = 0;
  for (int32_t k = 0; k < classes; ++k)
    sum += std::exp(double(logits[k]) - top);
  return std::log(sum) + top - double(logits[label]);
}

/// Returns the number of classes before the label's by their logits: larger
/// ones, and equal ones with a smaller number.
static int32_t rankOf(const float *logits, int32_t classes, int32_t label) {
  int32_t rank = 0;
  for (int32_t k = 0; k < classes; ++k)
    rank +=
        logits[k] > logits[label] || (logits[k] == logits[label] && k < label);
  return rank;
}

/// Returns the class of rank 0.
static size_t largestOf(const float *logits, int32_t classes) {
  return size_t(std::max_element(logits, logits + classes) - logits);
}

static Status addRows(const EntryBindings &form, const Batch &batch,
                      const float *logits, const EvaluateOptions &options,
                      EvaluateResult &result, double &lossSum) {
  const int32_t *labels = form.label ? batch.as<int32_t>(*form.label) : nullptr;
  int32_t classes = form.classes;
  size_t count = batch.valid;
  for (size_t i = 0; i < count; ++i) {
    const float *row = logits + i * size_t(classes);
    if (!std::all_of(row, row + classes,
                     [](float v) { return std::isfinite(v); }))
      return Status::error(RP_INVALID_ARGUMENT,
                           "the logits of image " +
                               std::to_string(batch.position + i) +
                               " are not finite; the variables are of a run "
                               "that diverged, or never loaded");
    if (options.onLogits)
      options.onLogits(batch.position + i, row);
    if (labels && form.ignored && labels[i] == *form.ignored)
      continue;
    ++result.images;
    if (!labels)
      continue;
    int32_t rank = rankOf(row, classes, labels[i]), most = 5;
    result.correct += rank == 0;
    auto truth = size_t(labels[i]), guess = largestOf(row, classes);
    if (!result.confusion.empty())
      ++result.confusion[truth * size_t(classes) + guess];
    result.correctTop5 += rank < most;
    lossSum += crossEntropy(row, classes, labels[i]);
  }
  return Status();
}

/// A program for inference has only the variables of evaluation.
static Expected<RunPosition> loadForEvaluation(Backend &backend,
                                               const EvaluateOptions &options) {
  if (backend.entry(entryName(StepKind::Train)))
    return loadState(backend, options.statePath);
  Expected<RunPosition> position = readStatePosition(options.statePath);
  if (!position.ok())
    return position;
  Expected<WeightsReport> report = loadWeights(backend, options.statePath);
  return report.ok() ? position : report.status();
}

/// Makes the program evaluate the wanted weights of a file, whose variables are
/// loaded. Returns true if they are averages.
static Expected<bool> chooseWeights(Backend &backend,
                                    const EvaluateOptions &options) {
  bool isState = !options.statePath.empty();
  const std::string &path = isState ? options.statePath : options.weightsPath;
  REPRISE_EXPECT(file, SafetensorsFile::open(path));
  bool stores = storesAverages(*file);
  if (options.weights == EvaluatedWeights::Averages && !stores)
    return Status::error(RP_INVALID_ARGUMENT,
                         "'" + path +
                             "' has no moving averages of the weights; a run "
                             "with --ema keeps them");
  bool takes =
      options.weights == EvaluatedWeights::Averages ||
      (options.weights == EvaluatedWeights::Usual && isState && stores);
  if (takes)
    REPRISE_RETURN_IF_ERROR(takeAverages(backend, *file));
  // The evaluation of a program with averages reads these.
  REPRISE_RETURN_IF_ERROR(beginAverages(backend));
  return takes;
}

static Status loadGiven(Backend &backend, const EvaluateOptions &options,
                        DataSpec &spec) {
  if (!options.statePath.empty() && !options.weightsPath.empty())
    return Status::error(RP_INVALID_ARGUMENT,
                         "give either a state or weights to evaluate, not "
                         "both");
  if (!options.weightsPath.empty()) {
    REPRISE_RETURN_IF_ERROR(backend.initialize(0));
    Expected<WeightsReport> report = loadWeights(backend, options.weightsPath);
    if (report.ok() && spec.classNames.empty())
      spec.classNames = report->classNames;
    return report.status();
  }
  if (options.statePath.empty())
    return Status();
  REPRISE_EXPECT(position, loadForEvaluation(backend, options));
  if (!spec.normalization)
    spec.normalization = position->normalization;
  if (spec.classNames.empty())
    spec.classNames = position->classNames;
  takeImageSettings(position->runSettings, options.given, spec);
  return Status();
}

namespace {

/// Sums over the batches.
struct Sums {
  double loss = 0; // of rows, or of the labels of full batches
  uint64_t labels = 0;
  uint64_t fullBatches = 0;
  std::map<std::string, double> metrics; // of full batches
};

} // namespace

static Status giveBatch(Backend &backend, const EntryBindings &form,
                        const Batch &batch) {
  REPRISE_RETURN_IF_ERROR(setBatch(backend, form, batch, {}));
  float rate = 0; // nothing is learnt
  if (form.learningRate.empty())
    return Status();
  return backend.setInput(form.entry, form.learningRate, &rate, sizeof rate);
}

/// Adds the first tensor that is not finite to an error.
static Status explain(Backend &backend, const EntryBindings &form,
                      const Batch &batch, const std::string &output,
                      const Status &error) {
  if (!giveBatch(backend, form, batch).ok())
    return error;
  Expected<Backend::NonFinite> found =
      backend.findNonFinite(form.entry, output);
  return found.ok()
             ? Status::error(error.code(), error.message() + describe(*found))
             : error;
}

/// Adds what the program says of a full batch.
static Status addFullBatch(Backend &backend, const EntryBindings &form,
                           const Batch &batch, EvaluateResult &result,
                           Sums &sums) {
  std::map<std::string, double> metrics;
  REPRISE_RETURN_IF_ERROR(readMetrics(backend, form, metrics));
  for (const auto &[name, value] : metrics)
    sums.metrics[name] += value;
  ++sums.fullBatches;
  if (result.hasAccuracy)
    return Status();
  float loss = 0;
  REPRISE_RETURN_IF_ERROR(
      backend.getOutput(form.entry, form.loss, &loss, sizeof loss));
  size_t kept = keptLabels(form, batch);
  if (kept > 0 && !std::isfinite(loss))
    return explain(
        backend, form, batch, form.loss,
        Status::error(RP_INVALID_ARGUMENT,
                      "the loss of the batch from image " +
                          std::to_string(batch.position) + " on is " +
                          (std::isnan(loss) ? "nan" : std::to_string(loss))));
  if (kept > 0)
    sums.loss += loss * double(kept);
  sums.labels += kept;
  result.images += form.batch;
  return Status();
}

/// Returns true if rows are looked at one by one, by their logits.
static bool readsLogits(const EntryBindings &form,
                        const EvaluateOptions &options) {
  return !form.logits.empty() && (form.label || options.onLogits);
}

static Status runBatch(Backend &backend, const EntryBindings &form,
                       const Batch &batch, const EvaluateOptions &options,
                       EvaluateResult &result, Sums &sums) {
  REPRISE_RETURN_IF_ERROR(giveBatch(backend, form, batch));
  REPRISE_RETURN_IF_ERROR(backend.run(form.entry));
  bool reads = readsLogits(form, options);
  if (batch.valid == form.batch && (result.hasAccuracy || !reads))
    REPRISE_RETURN_IF_ERROR(addFullBatch(backend, form, batch, result, sums));
  if (!reads)
    return Status();
  std::vector<float> logits(form.batch * size_t(form.classes));
  REPRISE_RETURN_IF_ERROR(backend.getOutput(
      form.entry, form.logits, logits.data(), logits.size() * sizeof(float)));
  Status added =
      addRows(form, batch, logits.data(), options, result, sums.loss);
  return added.ok() ? added : explain(backend, form, batch, form.logits, added);
}

static Status runBatches(Backend &backend, const EntryBindings &form,
                         const EvaluateOptions &options, Loader &loader,
                         uint64_t images, EvaluateResult &result) {
  Sums sums;
  result.hasAccuracy = form.label && !form.logits.empty();
  result.classes = form.classes;
  if (result.hasAccuracy && options.confusion)
    result.confusion.assign(size_t(form.classes) * size_t(form.classes), 0);
  while (!options.stop || !options.stop->load()) {
    REPRISE_EXPECT(next, loader.next());
    if (!*next)
      break;
    REPRISE_RETURN_IF_ERROR(
        runBatch(backend, form, **next, options, result, sums));
    if (options.onProgress)
      options.onProgress(result.images, images);
  }
  uint64_t parts = result.hasAccuracy ? result.images : sums.labels;
  result.loss = parts ? sums.loss / double(parts) : 0;
  for (const auto &[name, sum] : sums.metrics)
    result.metrics[name] = sum / double(sums.fullBatches);
  return Status();
}

/// Counts the images that will count.
static Expected<uint64_t> countImages(const EntryBindings &form,
                                      const EvaluateOptions &options,
                                      uint64_t images) {
  if (options.batches > 0)
    images = std::min<uint64_t>(images, options.batches * form.batch);
  if (readsLogits(form, options))
    return images;
  if (images < form.batch)
    return Status::error(RP_INVALID_ARGUMENT,
                         "the program has no logits, so that only full batches "
                         "count, but the data have " +
                             std::to_string(images) +
                             " images, fewer than one batch of " +
                             std::to_string(form.batch));
  return images / form.batch * form.batch;
}

DataSpec reprise::rt::evaluationData(const DataSpec &data,
                                     const RunPosition &position,
                                     const std::set<std::string> &given) {
  DataSpec spec = data;
  spec.normalization = position.normalization;
  spec.classNames = position.classNames;
  takeImageSettings(position.runSettings, given, spec);
  return spec;
}

Status reprise::rt::checkEvaluation(const Backend &backend,
                                    const DataSpec &data) {
  REPRISE_EXPECT(form, readEntryBindings(backend, StepKind::Evaluate));
  if (!traitsOf(data).hasTest())
    return Status();
  DataSpec spec = data;
  // Pixel values do not matter here, and with columns every file would be
  // decoded to skip bad ones.
  if (!spec.normalization)
    spec.normalization = Normalization();
  DatasetOptions wanted = form->wanted();
  bool isPruned = spec.images.skipBadFiles;
  if (isPruned)
    wanted.columns.clear();
  REPRISE_EXPECT(opened, openDataset(spec, Split::Test, wanted));
  if (!isPruned)
    REPRISE_RETURN_IF_ERROR(checkDataFits(*form, **opened, spec.source));
  return countImages(*form, {}, (*opened)->size()).status();
}

Expected<EvaluateResult> reprise::rt::evaluate(Backend &backend,
                                               const EvaluateOptions &options) {
  REPRISE_EXPECT(form, readEntryBindings(backend, StepKind::Evaluate));
  if (options.onLogits && form->logits.empty())
    return Status::error(RP_INVALID_ARGUMENT,
                         "the program has no logits of one row a sample, by "
                         "which classes are predicted");
  DataSpec spec = options.data;
  REPRISE_RETURN_IF_ERROR(loadGiven(backend, options, spec));
  Expected<bool> ofAverages = keepsAverages(backend);
  if (!options.statePath.empty() || !options.weightsPath.empty())
    ofAverages = chooseWeights(backend, options);
  if (!ofAverages.ok())
    return ofAverages.status();
  std::unique_ptr<Dataset> own;
  if (!options.opened) {
    REPRISE_EXPECT(data, openDataset(spec, options.split, form->wanted()));
    own = std::move(*data);
  }
  const Dataset &data = own ? *own : *options.opened;
  REPRISE_RETURN_IF_ERROR(checkDataFits(*form, data, spec.source));
  REPRISE_EXPECT(images, countImages(*form, options, data.size()));
  LoaderOptions wanted;
  wanted.batch = form->batch;
  wanted.mode = LoaderMode::Evaluate;
  wanted.batches = options.batches;
  wanted.threads = spec.loaderThreads;
  REPRISE_EXPECT(loader, Loader::create(data, wanted));
  EvaluateResult result;
  result.ofAverages = *ofAverages;
  result.skipped = data.skipped();
  result.warnings = data.warnings();
  result.classNames = data.classNames();
  result.absentClasses = absentClasses(data);
  if (options.onData)
    options.onData(data, form->classes);
  REPRISE_RETURN_IF_ERROR(
      runBatches(backend, *form, options, **loader, *images, result));
  return result;
}
