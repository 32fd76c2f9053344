//===- Evaluate.cpp - Accuracy and loss of a program ----------------------===//
//
// Both come from the logits, image by image, so that the padding of the last
// batch counts nowhere. The loss is the cross-entropy, summed in double.
//
//===----------------------------------------------------------------------===//
#include "StepForm.h"
#include "reprise/Fault.h"
#include "reprise/Runtime/Trainer/Loader.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <algorithm>
#include <cmath>

using namespace reprise::rt;

/// log(sum(exp(logits))) - logits[label].
static double crossEntropy(const float *logits, int32_t classes,
                           int32_t label) {
  double top = *std::max_element(logits, logits + classes);
  double sum = 0;
  for (int32_t k = 0; k < classes; ++k)
    sum += std::exp(double(logits[k]) - top);
  return std::log(sum) + top - double(logits[label]);
}

static Status addBatch(const Batch &batch, const float *logits, int32_t classes,
                       EvaluateResult &result, double &lossSum) {
  size_t count =
      REPRISE_FAULT("padding-counted") ? batch.labels.size() : batch.valid;
  for (size_t i = 0; i < count; ++i) {
    const float *row = logits + i * size_t(classes);
    if (!std::all_of(row, row + classes,
                     [](float v) { return std::isfinite(v); }))
      return Status::error(RP_INVALID_ARGUMENT,
                           "the logits of image " +
                               std::to_string(batch.position + i) +
                               " are not finite; the variables are of a run "
                               "that diverged, or never loaded");
    ++result.images;
    // Ties go to the first class.
    result.correct +=
        std::max_element(row, row + classes) - row == batch.labels[i];
    lossSum += crossEntropy(row, classes, batch.labels[i]);
  }
  return Status();
}

static Status loadVariables(Backend &backend, const EvaluateOptions &options,
                            DataSpec &spec) {
  if (!options.statePath.empty() && !options.weightsPath.empty())
    return Status::error(RP_INVALID_ARGUMENT,
                         "give either a state or weights to evaluate, not "
                         "both");
  if (!options.weightsPath.empty()) {
    REPRISE_RETURN_IF_ERROR(backend.initialize(0));
    return loadWeights(backend, options.weightsPath).status();
  }
  if (options.statePath.empty())
    return Status();
  Expected<RunPosition> position = loadState(backend, options.statePath);
  if (!position.ok())
    return position.status();
  if (!spec.normalization)
    spec.normalization = position->normalization;
  return Status();
}

static Status runBatches(Backend &backend, const StepForm &form,
                         const EvaluateOptions &options, Loader &loader,
                         uint64_t images, EvaluateResult &result) {
  const std::string entry = entryName(StepKind::Evaluate);
  std::vector<float> logits(form.batch * size_t(form.classes));
  double lossSum = 0;
  while (!options.stop || !options.stop->load()) {
    Expected<const Batch *> next = loader.next();
    if (!next.ok())
      return next.status();
    if (!*next)
      break;
    const Batch &batch = **next;
    REPRISE_RETURN_IF_ERROR(backend.setInput(
        entry, "image", batch.images.data(), form.imageBytes()));
    REPRISE_RETURN_IF_ERROR(backend.setInput(
        entry, "label", batch.labels.data(), form.labelBytes()));
    REPRISE_RETURN_IF_ERROR(backend.run(entry));
    REPRISE_RETURN_IF_ERROR(backend.getOutput(entry, "logits", logits.data(),
                                              logits.size() * sizeof(float)));
    REPRISE_RETURN_IF_ERROR(
        addBatch(batch, logits.data(), form.classes, result, lossSum));
    if (options.onProgress)
      options.onProgress(result.images, images);
  }
  result.loss = result.images ? lossSum / double(result.images) : 0;
  return Status();
}

Expected<EvaluateResult> reprise::rt::evaluate(Backend &backend,
                                               const EvaluateOptions &options) {
  Expected<StepForm> form = readStepForm(backend, StepKind::Evaluate);
  if (!form.ok())
    return form.status();
  DataSpec spec = options.data;
  REPRISE_RETURN_IF_ERROR(loadVariables(backend, options, spec));
  auto data = openDataset(spec, options.split, form->image, form->classes);
  if (!data.ok())
    return data.status();
  REPRISE_RETURN_IF_ERROR(
      checkDataFits(*form, StepKind::Evaluate, **data, spec.source));
  LoaderOptions wanted;
  wanted.batch = form->batch;
  wanted.mode = LoaderMode::Evaluate;
  wanted.batches = options.batches;
  auto loader = Loader::create(**data, wanted);
  if (!loader.ok())
    return loader.status();
  uint64_t images = (*data)->size();
  if (options.batches > 0)
    images = std::min<uint64_t>(images, options.batches * form->batch);
  EvaluateResult result;
  REPRISE_RETURN_IF_ERROR(
      runBatches(backend, *form, options, **loader, images, result));
  return result;
}
