//===- TrainingData.cpp - The data of a run -------------------------------===//
#include "TrainingData.h"
#include "../support/Restate.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/Loader.h"

using namespace reprise::rt;

/// Returns the columns of a program for images of another size.
static Expected<std::vector<Column>> columnsOf(const EntryBindings &form,
                                               const Bucket &bucket) {
  std::vector<Column> columns = form.columns;
  size_t images = 0;
  for (Column &column : columns)
    if (column.role == RP_BINDING_DATA && column.shape.size() == 3) {
      column.shape[0] = bucket.height;
      column.shape[1] = bucket.width;
      ++images;
    }
  if (images + form.label.has_value() == columns.size() && images == 1)
    return columns;
  return Status::error(RP_INVALID_ARGUMENT,
                       "images of several sizes are for a program that takes "
                       "one image (height x width x channels), and a label");
}

Status TrainingData::sort(const DataSpec &spec, const EntryBindings &form,
                          const std::vector<Bucket> &wanted) {
  for (const Bucket &bucket : wanted) {
    REPRISE_EXPECT(columns, columnsOf(form, bucket));
    DatasetOptions of = form.wanted();
    of.columns = *columns;
    REPRISE_EXPECT(opened, openDataset(spec, Split::Train, of));
    buckets.push_back({std::move(*opened), bucket, {}});
  }
  for (uint64_t row = 0; row < data->size(); ++row) {
    auto size = data->imageSize(row);
    if (!size.ok())
      return restate(size.status(), "'" + spec.source +
                                        "' cannot be sorted by sizes: " +
                                        size.status().message());
    buckets[nearestBucket(wanted, (*size)[0], (*size)[1])].rows.push_back(row);
  }
  return {};
}

Status reprise::rt::checkTrainingData(const DataSpec &spec,
                                      const EntryInfo &step) {
  REPRISE_EXPECT(form, readRowBindings(step));
  REPRISE_EXPECT(data, openDataset(spec, Split::Train, form->wanted()));
  REPRISE_RETURN_IF_ERROR(checkDataFits(*form, **data, spec.source));
  return checkRowsOfBatch(**data, form->batch);
}

Expected<std::unique_ptr<TrainingData>>
TrainingData::open(const DataSpec &spec, const EntryBindings &form,
                   const std::vector<Bucket> &buckets) {
  REPRISE_EXPECT(opened, openDataset(spec, Split::Train, form.wanted()));
  auto all = std::make_unique<TrainingData>();
  all->data = std::move(*opened);
  all->batch = form.batch;
  all->programClasses = form.labelLimit;
  REPRISE_RETURN_IF_ERROR(checkDataFits(form, *all->data, spec.source));
  if (!buckets.empty())
    REPRISE_RETURN_IF_ERROR(all->sort(spec, form, buckets));
  return all;
}

uint64_t TrainingData::stepsPerEpoch() const {
  if (buckets.empty())
    return data->size() / batch;
  uint64_t steps = 0;
  for (const Sorted &sorted : buckets)
    steps += sorted.rows.size() / sorted.bucket.batch;
  return steps;
}

DataInventory TrainingData::inventory() const {
  DataInventory all;
  all.rows = all.leftOut = data->size();
  all.steps = stepsPerEpoch();
  all.skipped = data->skipped();
  all.classes = int32_t(data->classNames().size());
  all.programClasses = programClasses;
  if (buckets.empty())
    all.leftOut = all.rows - all.steps * batch;
  for (const Sorted &sorted : buckets)
    all.leftOut -=
        sorted.rows.size() / sorted.bucket.batch * sorted.bucket.batch;
  return all;
}

size_t TrainingData::batchOf(size_t bucket) const {
  return buckets.empty() ? batch : buckets[bucket].bucket.batch;
}

std::map<std::string, std::string> TrainingData::settings() const {
  std::map<std::string, std::string> settings = data->settings();
  for (const Sorted &sorted : buckets) {
    std::string &text = settings["buckets"];
    text += (text.empty() ? "" : " ") + sorted.bucket.str();
  }
  return settings;
}

Expected<std::unique_ptr<Loader>>
TrainingData::load(const LoaderOptions &options) const {
  if (buckets.empty())
    return Loader::create(*data, options);
  std::vector<LoaderPart> parts;
  for (const Sorted &sorted : buckets)
    parts.push_back({sorted.data.get(), sorted.bucket.batch, sorted.rows});
  return Loader::create(std::move(parts), options);
}
