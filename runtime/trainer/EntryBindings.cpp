//===- EntryBindings.cpp - Inputs and outputs of an entry -----------------===//
//
// Every error names the entry, the role or the tensor, and both shapes.
//
//===----------------------------------------------------------------------===//
#include "EntryBindings.h"
#include "MixRatio.h"
#include "reprise/MicroBatchStreams.h"
#include "reprise/Runtime/Trainer/RunSettings.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace reprise::rt;

const char *reprise::rt::entryName(StepKind kind) {
  return kind == StepKind::Train ? "train_step" : "eval_step";
}

DatasetOptions EntryBindings::wanted() const {
  DatasetOptions options;
  options.classes = labelLimit;
  options.columns = columns;
  options.ignored = ignored;
  return options;
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

static std::string describe(const TensorInfo &tensor) {
  return std::string(dtypeName(dtypeOf(tensor.type))) + " of shape " +
         formatShape(tensor.shape);
}

static Status missing(const EntryInfo &entry, const char *side,
                      rp_binding_role role) {
  return Status::error(RP_INVALID_ARGUMENT,
                       "entry '" + entry.name + "' of the program has no " +
                           side + " of role '" + bindingRoleName(role) + "'");
}

static Status wrongShape(const EntryInfo &entry, const TensorInfo &tensor,
                         const std::string &wanted) {
  return Status::error(RP_INVALID_ARGUMENT,
                       "'" + tensor.name + "' of entry '" + entry.name +
                           "' is " + describe(tensor) + ", not " + wanted);
}

static Status requireScalar(const EntryInfo &entry, const TensorInfo &tensor,
                            rp_element_type type) {
  if (tensor.type == type && tensor.shape.empty())
    return Status();
  return wrongShape(entry, tensor,
                    std::string(dtypeName(dtypeOf(type))) + " and a scalar");
}

/// Takes the name of the role's tensor, if there is one, which must be a
/// scalar.
static Status takeScalar(const EntryInfo &entry, const TensorInfo *tensor,
                         rp_element_type type, std::string &name) {
  if (!tensor)
    return Status();
  name = tensor->name;
  return requireScalar(entry, *tensor, type);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Status readColumn(const EntryInfo &entry, const TensorInfo &input,
                         EntryBindings &form) {
  bool isLabel = input.binding == RP_BINDING_LABEL;
  if (isLabel && (input.type != RP_I32 || input.shape.size() != 1))
    return wrongShape(entry, input, "I32 and one for each row");
  if (input.shape.empty() || input.bytes == 0)
    return wrongShape(entry, input, "rows without empty dimensions");
  if (form.columns.empty())
    form.batch = size_t(input.shape[0]);
  else if (size_t(input.shape[0]) != form.batch)
    return wrongShape(entry, input,
                      "of " + std::to_string(form.batch) + " rows as '" +
                          form.columns.front().name + "' is");
  if (isLabel)
    form.label = form.columns.size();
  form.columns.push_back({input.name,
                          input.binding,
                          input.type,
                          {input.shape.begin() + 1, input.shape.end()},
                          input.ranges});
  return Status();
}

/// Bounds the labels by the ops that read them and by the logits.
static void boundLabels(EntryBindings &form) {
  form.labelLimit = form.classes;
  if (!form.label)
    return;
  for (const IndexRange &range : form.columns[*form.label].ranges) {
    if (range.use != RP_INDEX_CLASS)
      continue;
    auto limit = int32_t(std::min<int64_t>(range.limit, INT32_MAX));
    if (form.labelLimit == 0 || limit < form.labelLimit)
      form.labelLimit = limit;
    if (range.ignored)
      form.ignored = int32_t(*range.ignored);
  }
}

static Status readInputs(const EntryInfo &entry, EntryBindings &form) {
  if (!entry.input(RP_BINDING_DATA))
    return missing(entry, "input", RP_BINDING_DATA);
  for (const TensorInfo &input : entry.inputs)
    if (input.binding == RP_BINDING_DATA || input.binding == RP_BINDING_LABEL)
      REPRISE_RETURN_IF_ERROR(readColumn(entry, input, form));
  REPRISE_RETURN_IF_ERROR(
      takeScalar(entry, entry.input(RP_BINDING_SEED), RP_I64, form.seed));
  return takeScalar(entry, entry.input(RP_BINDING_STEP), RP_I64, form.step);
}

static Status readLogits(const EntryInfo &entry, EntryBindings &form) {
  const TensorInfo *logits = entry.output(RP_BINDING_LOGITS);
  if (!logits)
    return Status();
  const std::vector<int64_t> &shape = logits->shape;
  if (logits->type != RP_F32 || shape.size() != 2 ||
      size_t(shape[0]) != form.batch || shape[1] <= 0 || shape[1] > INT32_MAX)
    return wrongShape(entry, *logits,
                      "F32 of shape " + std::to_string(form.batch) + "xK");
  form.logits = logits->name;
  form.classes = int32_t(shape[1]);
  return Status();
}

static Status readOutputs(const EntryInfo &entry, EntryBindings &form) {
  if (!entry.output(RP_BINDING_LOSS))
    return missing(entry, "output", RP_BINDING_LOSS);
  REPRISE_RETURN_IF_ERROR(
      takeScalar(entry, entry.output(RP_BINDING_LOSS), RP_F32, form.loss));
  REPRISE_RETURN_IF_ERROR(takeScalar(entry, entry.output(RP_BINDING_NONFINITE),
                                     RP_I1, form.nonFinite));
  for (const TensorInfo &output : entry.outputs)
    if (output.binding == RP_BINDING_METRIC) {
      REPRISE_RETURN_IF_ERROR(requireScalar(entry, output, RP_F32));
      form.metrics.push_back(output);
    }
  return readLogits(entry, form);
}

/// The compiler records the distribution of the ratios.
static Status readMixing(const Backend &backend, const EntryInfo &entry,
                         EntryBindings &form) {
  const TensorInfo *ratio = entry.input(RP_BINDING_MIX_RATIO);
  if (!ratio)
    return Status();
  REPRISE_RETURN_IF_ERROR(takeScalar(entry, ratio, RP_F32, form.mixRatio));
  RunSettings settings = backend.settings();
  auto it = settings.find("mixup");
  form.mixup =
      it == settings.end() ? 0 : std::strtod(it->second.c_str(), nullptr);
  if (form.mixup > 0 && std::isfinite(form.mixup))
    return Status();
  return Status::error(RP_INVALID_ARGUMENT,
                       "entry '" + entry.name +
                           "' of the program mixes images, but the program "
                           "does not say by which 'mixup'");
}

Expected<EntryBindings> reprise::rt::readRowBindings(const EntryInfo &entry) {
  EntryBindings form;
  form.entry = entry.name;
  REPRISE_RETURN_IF_ERROR(readInputs(entry, form));
  REPRISE_RETURN_IF_ERROR(readLogits(entry, form));
  boundLabels(form);
  return form;
}

Expected<EntryBindings> reprise::rt::readEntryBindings(const Backend &backend,
                                                       StepKind kind) {
  const EntryInfo *entry = backend.entry(entryName(kind));
  if (!entry)
    return Status::error(RP_INVALID_ARGUMENT,
                         "the program '" + backend.model() +
                             "' has no entry '" + entryName(kind) + "'");
  EntryBindings form;
  form.entry = entry->name;
  REPRISE_RETURN_IF_ERROR(readInputs(*entry, form));
  REPRISE_RETURN_IF_ERROR(readMixing(backend, *entry, form));
  REPRISE_RETURN_IF_ERROR(readOutputs(*entry, form));
  boundLabels(form);
  const TensorInfo *rate = entry->input(RP_BINDING_LEARNING_RATE);
  if (kind == StepKind::Train && !rate)
    return missing(*entry, "input", RP_BINDING_LEARNING_RATE);
  REPRISE_RETURN_IF_ERROR(takeScalar(*entry, rate, RP_F32, form.learningRate));
  return form;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

/// Returns true if a row fits: any row of F numbers fits F numbers, including
/// 1x1xF.
static bool fits(const Column &wanted, const Column &given) {
  bool flat = wanted.shape.size() == 1 || formatRow(wanted) == formatRow(given);
  return wanted.shape == given.shape ||
         (flat && wanted.elements() == given.elements());
}

/// Returns options with which one of the zoo's models takes rows of `given`; ""
/// if none are known.
static std::string optionsFor(const Column &wanted, const Column &given) {
  if (wanted.shape.size() != 3 || given.shape.size() != 3)
    return "";
  std::string options;
  if (given.shape[0] != wanted.shape[0] || given.shape[1] != wanted.shape[1])
    options += " --image " + std::to_string(given.shape[0]) + "x" +
               std::to_string(given.shape[1]);
  if (given.shape[2] != wanted.shape[2])
    options += " --channels " + std::to_string(given.shape[2]);
  return "; a model of the zoo takes them with" + options;
}

Status reprise::rt::checkDataFits(const EntryBindings &form,
                                  const Dataset &data,
                                  const std::string &source) {
  const std::vector<Column> &given = data.columns();
  bool single = form.columns.size() - form.label.has_value() == 1;
  for (size_t i = 0; i < form.columns.size(); ++i) {
    const Column &wanted = form.columns[i];
    if (wanted.role == RP_BINDING_LABEL || fits(wanted, given[i]))
      continue;
    bool isImage = single && wanted.type == RP_F32;
    bool isPlane = wanted.shape.size() == 3 || wanted.shape.size() == 1;
    auto textOf = [&](const Column &column) {
      return isImage                ? formatRow(column)
             : column.shape.empty() ? std::string("single numbers")
                                    : formatShape(column.shape);
    };
    return Status::error(
        RP_INVALID_ARGUMENT,
        (isImage ? "images of '" : "rows of '" + wanted.name + "' in '") +
            source + "' are " + textOf(given[i]) + ", but entry '" +
            form.entry + "' takes " + textOf(wanted) +
            (isImage && isPlane ? " (height x width x channels)" : "") +
            (isImage ? optionsFor(wanted, given[i]) : ""));
  }
  if (form.label && form.labelLimit > 0 && data.classes() > form.labelLimit)
    return Status::error(RP_INVALID_ARGUMENT,
                         "'" + source + "' has " +
                             std::to_string(data.classes()) +
                             " classes, but the program tells " +
                             std::to_string(form.labelLimit) +
                             " apart; a model of the zoo does so with "
                             "--classes " +
                             std::to_string(data.classes()));
  return Status();
}

void reprise::rt::tellWarnings(
    const Dataset &data, const std::function<void(const std::string &)> &take) {
  for (const std::string &warning : data.warnings())
    if (take)
      take(warning);
}

Status reprise::rt::setBatch(Backend &backend, const EntryBindings &form,
                             const Batch &batch, const DrawPlace &draws) {
  for (size_t i = 0; i < form.columns.size(); ++i)
    REPRISE_RETURN_IF_ERROR(backend.setInput(form.entry, form.columns[i].name,
                                             batch.columns[i].data(),
                                             batch.columns[i].size()));
  if (!form.seed.empty())
    REPRISE_RETURN_IF_ERROR(
        backend.setInput(form.entry, form.seed, &draws.seed, sizeof(uint64_t)));
  uint64_t step = stepOfMicroBatch(draws.step, draws.microBatch);
  if (!form.step.empty())
    REPRISE_RETURN_IF_ERROR(
        backend.setInput(form.entry, form.step, &step, sizeof step));
  if (!form.mixRatio.empty()) {
    float ratio = float(mixRatio(form.mixup, draws.seed, draws.step));
    REPRISE_RETURN_IF_ERROR(
        backend.setInput(form.entry, form.mixRatio, &ratio, sizeof ratio));
  }
  return Status();
}

/// Counts the elements in the range's runs, over all rows, that are not
/// ignored.
template <typename Int>
static size_t countKept(const IndexRange &range, const Int *rows, size_t count,
                        size_t elements) {
  size_t kept = 0;
  for (size_t row = 0; row < count; ++row)
    for (auto [begin, end] : range.runs)
      for (size_t k = begin; k < end; ++k)
        kept += rows[row * elements + k] != *range.ignored;
  return kept;
}

size_t reprise::rt::keptLabels(const EntryBindings &form, const Batch &batch) {
  for (size_t c = 0; c < form.columns.size(); ++c) {
    const Column &column = form.columns[c];
    for (const IndexRange &range : column.ranges)
      if (range.ignored)
        return column.type == RP_I64
                   ? countKept(range, batch.as<int64_t>(c), batch.valid,
                               column.elements())
                   : countKept(range, batch.as<int32_t>(c), batch.valid,
                               column.elements());
  }
  return batch.valid;
}

Status reprise::rt::readMetrics(Backend &backend, const EntryBindings &form,
                                std::map<std::string, double> &values) {
  for (const TensorInfo &metric : form.metrics) {
    float value = 0;
    REPRISE_RETURN_IF_ERROR(
        backend.getOutput(form.entry, metric.name, &value, sizeof value));
    values[metric.name] = value;
  }
  return Status();
}
