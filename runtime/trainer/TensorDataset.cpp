//===- TensorDataset.cpp - Images and labels of a safetensors file --------===//
//
// Everything is read once at the start, in chunks, to refuse values that are
// not finite before a run begins; then images are read from the file batch by
// batch, so that they take no memory.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Dataset.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include <algorithm>
#include <cmath>

using namespace reprise::rt;

namespace {

class TensorDataset final : public Dataset {
public:
  TensorDataset(SafetensorsFile input, ImageShape shape,
                std::vector<int32_t> labels)
      : file(std::move(input)), image(*file.header().find("image")),
        imageShape(shape), labels(std::move(labels)) {}
  uint64_t size() const override { return labels.size(); }
  ImageShape shape() const override { return imageShape; }
  int32_t classes() const override {
    return 1 + *std::max_element(labels.begin(), labels.end());
  }
  bool shuffled() const override { return false; }
  Status fill(const uint64_t *indices, size_t count, float *images,
              int32_t *outLabels) const override {
    size_t elements = imageShape.elements();
    for (size_t i = 0; i < count;) {
      size_t run = 1; // neighbours are read in one go
      while (i + run < count && indices[i + run] == indices[i] + run)
        ++run;
      REPRISE_RETURN_IF_ERROR(
          file.readPart(image, indices[i] * elements * sizeof(float),
                        images + i * elements, run * elements * sizeof(float)));
      i += run;
    }
    for (size_t i = 0; i < count; ++i)
      outLabels[i] = labels[indices[i]];
    return Status();
  }

private:
  SafetensorsFile file;
  TensorEntry image;
  ImageShape imageShape;
  std::vector<int32_t> labels;
};

} // namespace

static Status wrong(const std::string &path, const std::string &what) {
  return Status::error(RP_INVALID_ARGUMENT,
                       "'" + path + "' cannot be used as data: " + what);
}

static std::string describe(const TensorEntry &entry) {
  return "'" + entry.name + "' is " + dtypeName(entry.type) + " of shape " +
         formatShape(entry.shape);
}

static Status checkForm(const SafetensorsFile &file, ImageShape *shape) {
  const TensorEntry *image = file.header().find("image");
  const TensorEntry *label = file.header().find("label");
  if (!image || !label)
    return wrong(file.path(), std::string("it has no tensor '") +
                                  (image ? "label" : "image") + "'");
  size_t rank = image->shape.size();
  if (image->type != DType::F32 || (rank != 2 && rank != 4))
    return wrong(file.path(), describe(*image) + ", not F32 of shape NxHxWxC");
  if ((label->type != DType::I32 && label->type != DType::I64) ||
      label->shape.size() != 1)
    return wrong(file.path(), describe(*label) + ", not I32 or I64 of shape N");
  if (image->shape[0] != label->shape[0])
    return wrong(file.path(), describe(*image) + ", but " + describe(*label));
  if (image->bytes() == 0)
    return wrong(file.path(), describe(*image) + ", so it is empty");
  if (rank == 2)
    *shape = {1, 1, image->shape[1]};
  else
    *shape = {image->shape[1], image->shape[2], image->shape[3]};
  return Status();
}

static Status readLabels(const SafetensorsFile &file, int32_t classes,
                         std::vector<int32_t> &labels) {
  const TensorEntry &entry = *file.header().find("label");
  size_t count = size_t(entry.shape[0]);
  labels.reserve(count);
  std::vector<int64_t> wide(count);
  if (entry.type == DType::I64) {
    REPRISE_RETURN_IF_ERROR(file.read(entry, wide.data()));
  } else {
    std::vector<int32_t> narrow(count);
    REPRISE_RETURN_IF_ERROR(file.read(entry, narrow.data()));
    std::copy(narrow.begin(), narrow.end(), wide.begin());
  }
  int64_t limit = classes > 0 ? classes : INT32_MAX;
  for (size_t i = 0; i < count; ++i) {
    if (wide[i] < 0 || wide[i] >= limit)
      return wrong(file.path(), "label " + std::to_string(wide[i]) +
                                    " of image " + std::to_string(i) +
                                    " is out of range: the model has " +
                                    std::to_string(limit) + " classes");
    labels.push_back(int32_t(wide[i]));
  }
  return Status();
}

static Status checkFinite(const SafetensorsFile &file, size_t elements) {
  const TensorEntry &entry = *file.header().find("image");
  std::vector<float> chunk(size_t(1) << 18);
  uint64_t total = entry.bytes() / sizeof(float);
  for (uint64_t at = 0; at < total; at += chunk.size()) {
    size_t n = size_t(std::min<uint64_t>(chunk.size(), total - at));
    REPRISE_RETURN_IF_ERROR(file.readPart(entry, at * sizeof(float),
                                          chunk.data(), n * sizeof(float)));
    for (size_t i = 0; i < n; ++i)
      if (!std::isfinite(chunk[i]))
        return wrong(file.path(), "image " +
                                      std::to_string((at + i) / elements) +
                                      " has a value that is not finite (" +
                                      std::to_string(chunk[i]) + ")");
  }
  return Status();
}

Expected<std::unique_ptr<Dataset>>
reprise::rt::openTensorDataset(const std::string &path,
                               const DatasetOptions &options) {
  Expected<SafetensorsFile> file = SafetensorsFile::open(path);
  if (!file.ok())
    return file.status();
  ImageShape shape;
  REPRISE_RETURN_IF_ERROR(checkForm(*file, &shape));
  std::vector<int32_t> labels;
  REPRISE_RETURN_IF_ERROR(readLabels(*file, options.classes, labels));
  REPRISE_RETURN_IF_ERROR(checkFinite(*file, shape.elements()));
  return std::unique_ptr<Dataset>(std::make_unique<TensorDataset>(
      std::move(*file), shape, std::move(labels)));
}

Expected<DatasetExtent>
reprise::rt::measureTensorDataset(const std::string &path) {
  Expected<SafetensorsFile> file = SafetensorsFile::open(path);
  if (!file.ok())
    return file.status();
  ImageShape shape;
  REPRISE_RETURN_IF_ERROR(checkForm(*file, &shape));
  DatasetExtent extent;
  extent.images = uint64_t(file->header().find("label")->shape[0]);
  // Labels as they are, as read and widened, while they are checked.
  extent.hostBytes = extent.images * (2 * sizeof(int32_t) + sizeof(int64_t));
  return extent;
}
