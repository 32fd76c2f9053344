//===- IdxDataset.cpp - Images and labels of an IDX directory -------------===//
//
// Bytes stay bytes in memory; a table of 256 floats turns them into values. The
// mean and deviation of the training images are computed from integer sums,
// so they do not depend on an order of addition.
//
//===----------------------------------------------------------------------===//
#include "../DataSource.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/Idx.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <unistd.h>

using namespace reprise::rt;

namespace {

class IdxDataset final : public Dataset {
public:
  IdxDataset(LabelledImages form, IdxArray images, std::vector<uint8_t> labels,
             Normalization n, std::optional<int32_t> ignored)
      : form(std::move(form)), images(std::move(images)),
        labels(std::move(labels)), normal(n) {
    for (uint8_t label : this->labels)
      if (!ignored || label != *ignored)
        count = std::max(count, label + 1);
    for (unsigned byte = 0; byte < 256; ++byte)
      table[byte] = (float(byte) / 255.0f - n.mean) / n.stddev;
  }
  uint64_t size() const override { return labels.size(); }
  const std::vector<Column> &columns() const override { return form.columns; }
  int32_t classes() const override { return count; }
  std::optional<Normalization> normalization() const override { return normal; }
  Status fill(const uint64_t *indices, size_t count,
              void *const *out) const override {
    size_t elements = form.columns[form.image].elements();
    float *values = static_cast<float *>(out[form.image]);
    for (size_t i = 0; i < count; ++i) {
      const uint8_t *image = images.data.data() + indices[i] * elements;
      for (size_t j = 0; j < elements; ++j)
        values[i * elements + j] = table[image[j]];
    }
    for (size_t i = 0; form.label && i < count; ++i)
      static_cast<int32_t *>(out[*form.label])[i] = labels[indices[i]];
    return Status();
  }

private:
  LabelledImages form;
  IdxArray images;
  std::vector<uint8_t> labels;
  Normalization normal;
  int32_t count = 0; // of classes
  std::array<float, 256> table;
};

} // namespace

static const std::string kTrainImages = "train-images-idx3-ubyte",
                         kTestImages = "t10k-images-idx3-ubyte";

/// Returns "DIR/NAME" or "DIR/NAME.gz", whichever exists.
static Expected<std::string> findFile(const std::string &directory,
                                      const std::string &name) {
  std::string plain = directory + "/" + name;
  for (const std::string &path : {plain, plain + ".gz"})
    if (::access(path.c_str(), F_OK) == 0)
      return path;
  // A directory of no other kind of data is assumed to be this kind.
  std::string others = name != kTrainImages
                           ? ""
                           : ", and in '" + directory +
                                 "' no folders of images, one for each class, "
                                 "and no archives of them (.tar)";
  return Status::error(RP_IO_ERROR, "found neither '" + plain + "' nor '" +
                                        plain + ".gz'" + others);
}

static Expected<IdxArray> readNamed(const std::string &directory,
                                    const std::string &name, unsigned rank) {
  REPRISE_EXPECT(path, findFile(directory, name));
  Expected<IdxArray> array = readIdxFile(*path, rank);
  if (array.ok() && array->data.empty())
    return Status::error(RP_DATA_LOSS, "'" + *path + "' of shape " +
                                           formatShape({array->shape.begin(),
                                                        array->shape.end()}) +
                                           " holds nothing");
  return array;
}

static Expected<Normalization> measure(const std::vector<uint8_t> &bytes,
                                       const std::string &directory) {
  uint64_t sum = 0, squares = 0;
  for (uint8_t byte : bytes) {
    sum += byte;
    squares += uint32_t(byte) * byte;
  }
  double n = double(bytes.size());
  double mean = double(sum) / n;
  double variance = double(squares) / n - mean * mean;
  if (!(variance > 0))
    return Status::error(RP_INVALID_ARGUMENT,
                         "all training pixels in '" + directory +
                             "' have the value " + std::to_string(bytes[0]) +
                             ", so they cannot be normalized; give a mean and "
                             "a deviation");
  return Normalization{float(mean / 255), float(std::sqrt(variance) / 255)};
}

static Status checkLabels(const std::vector<uint8_t> &labels,
                          const std::string &name,
                          const DatasetOptions &options) {
  int32_t classes = options.classes;
  for (size_t i = 0; classes > 0 && i < labels.size(); ++i)
    if (labels[i] >= classes && labels[i] != options.ignored)
      return Status::error(RP_INVALID_ARGUMENT,
                           "label " + std::to_string(labels[i]) + " of image " +
                               std::to_string(i) + " in '" + name +
                               "' is out of range: the model has " +
                               std::to_string(classes) +
                               " classes; give a model of the zoo more by "
                               "--classes");
  return Status();
}

/// Returns the given normalization, or that of the training images.
static Expected<Normalization>
chooseNormalization(const std::string &directory, Split split,
                    const DatasetOptions &options,
                    const std::vector<uint8_t> &images) {
  if (const std::optional<Normalization> &given = options.normalization) {
    if (std::isfinite(given->mean) && std::isfinite(given->stddev) &&
        given->stddev > 0)
      return *given;
    return Status::error(
        RP_INVALID_ARGUMENT,
        "cannot normalize with a mean of " + std::to_string(given->mean) +
            " and a deviation of " + std::to_string(given->stddev));
  }
  if (split == Split::Train)
    return measure(images, directory);
  REPRISE_EXPECT(training, readNamed(directory, kTrainImages, 3));
  return measure(training->data, directory);
}

Expected<std::unique_ptr<Dataset>>
reprise::rt::openIdxDirectory(const std::string &directory, Split split,
                              const DatasetOptions &options) {
  const std::string prefix = split == Split::Train ? "train" : "t10k";
  REPRISE_EXPECT(images,
                 readNamed(directory, prefix + "-images-idx3-ubyte", 3));
  REPRISE_EXPECT(labels,
                 readNamed(directory, prefix + "-labels-idx1-ubyte", 1));
  if (images->shape[0] != labels->shape[0])
    return Status::error(RP_DATA_LOSS,
                         "'" + directory + "' has " +
                             std::to_string(images->shape[0]) + " images '" +
                             prefix + "-images' but " +
                             std::to_string(labels->shape[0]) + " labels");
  REPRISE_RETURN_IF_ERROR(
      checkLabels(labels->data, directory + "/" + prefix + "-labels", options));
  REPRISE_EXPECT(normal,
                 chooseNormalization(directory, split, options, images->data));
  REPRISE_EXPECT(form, labelledImages(directory, options.columns,
                                      {images->shape[1], images->shape[2], 1}));
  return std::unique_ptr<Dataset>(std::make_unique<IdxDataset>(
      std::move(*form), std::move(*images), std::move(labels->data), *normal,
      options.ignored));
}

/// Rejects a directory without images to predict, which is taken to be of this
/// kind because it is of no other.
static Status checkUnlabelled(const DataSpec &spec) {
  if (!spec.isUnlabelled || findFile(spec.source, kTestImages).ok())
    return {};
  return Status::error(RP_IO_ERROR,
                       "'" + spec.source + "' holds no images to predict");
}

static Expected<DatasetExtent> measureDirectory(const std::string &directory,
                                                Split split) {
  const std::string prefix = split == Split::Train ? "train" : "t10k";
  REPRISE_EXPECT(path, findFile(directory, prefix + "-images-idx3-ubyte"));
  REPRISE_EXPECT(shape, readIdxShape(*path, 3));
  DatasetExtent extent;
  extent.images = (*shape)[0];
  uint64_t perImage = uint64_t((*shape)[1]) * (*shape)[2];
  // An image and its label's byte; a directory for which this overflows holds
  // no images anyway.
  if (__builtin_mul_overflow(extent.images, perImage + 1, &extent.hostBytes))
    extent.hostBytes = UINT64_MAX / 2;
  return extent;
}

namespace {

class IdxSource final : public DataSource {
public:
  bool takes(const std::string &, PathKind kind) const override {
    return kind == PathKind::Directory;
  }
  DataTraits traits(const DataSpec &spec) const override {
    DataTraits traits;
    if (findFile(spec.source, kTrainImages).ok())
      traits.splits.push_back({"train", Split::Train});
    if (findFile(spec.source, kTestImages).ok()) {
      traits.evaluation = "test";
      traits.splits.push_back({traits.evaluation, Split::Test});
    }
    traits.allClasses = true;
    return traits;
  }
  Expected<std::unique_ptr<Dataset>>
  open(const DataSpec &spec, Split split,
       const DatasetOptions &options) const override {
    REPRISE_RETURN_IF_ERROR(checkUnlabelled(spec));
    return openIdxDirectory(spec.source, split, options);
  }
  Expected<DatasetExtent> measure(const DataSpec &spec, Split split,
                                  const std::vector<Column> &) const override {
    REPRISE_RETURN_IF_ERROR(checkUnlabelled(spec));
    return measureDirectory(spec.source, split);
  }
};

} // namespace

const DataSource &reprise::rt::idxSource() {
  static const IdxSource source;
  return source;
}
