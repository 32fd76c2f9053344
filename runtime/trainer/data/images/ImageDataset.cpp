//===- ImageDataset.cpp - Rows decoded from files of images ---------------===//
//
// Method:  choose an image's treatment from its header, decode only the part
//          that it reads, resize, colour, scale. Each working thread has a set
//          of buffers, which are reused.
// Fails:   naming the file that cannot be decoded.
//
//===----------------------------------------------------------------------===//
#include "ImageDataset.h"
#include "Augment.h"
#include "Decode.h"
#include "FileEndings.h"
#include "KeptFiles.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/NameText.h"
#include <algorithm>
#include <cstring>
#include <mutex>

using namespace reprise::rt;

namespace {

/// The decoding buffers of one thread.
struct Buffers {
  std::vector<uint8_t> file;
  Image decoded, middle, treated;
  std::vector<float> colors;
};

/// The conversion of images to numbers.
struct Form {
  LabelledImages columns;
  ImageShape shape;
  ImageSteps training, evaluation;
  ChannelScale scale;
  std::string scaleText;
};

class ImageDataset final : public Dataset {
public:
  ImageDataset(std::unique_ptr<ImageFiles> files, Form wanted)
      : files(std::move(files)), kept(*this->files), form(std::move(wanted)) {
    for (size_t c = 0; c < form.scale.mean.size(); ++c)
      for (unsigned byte = 0; byte < 256; ++byte)
        table[c][byte] = scaled(float(byte) / 255.0f, c);
  }
  uint64_t size() const override { return kept.size(); }
  const std::vector<Column> &columns() const override {
    return form.columns.columns;
  }
  int32_t classes() const override { return files->classes(); }
  std::vector<std::string> classNames() const override {
    return files->classNames();
  }
  bool isCostly() const override { return true; }
  std::string rowName(uint64_t index) const override {
    return files->name(fileOf(index));
  }
  SkippedRows skipped() const override { return kept.skipped(); }
  std::map<std::string, std::string> settings() const override;
  Expected<int32_t> label(uint64_t index) const override {
    return files->label(fileOf(index));
  }
  Expected<std::array<int64_t, 2>> imageSize(uint64_t index) const override;
  Status fill(const uint64_t *indices, size_t count,
              void *const *out) const override {
    return fillRows(form.evaluation, {}, indices, count, out);
  }
  Status fillDrawn(const Draw &draw, const uint64_t *indices, size_t count,
                   void *const *out) const override {
    return fillRows(form.training, draw, indices, count, out);
  }
  Status identify(uint64_t index, std::vector<uint8_t> &bytes) const override;
  Expected<uint64_t> checkHeaders(unsigned threads,
                                  Moment until) const override {
    return kept.checkAll(threads, until,
                         [this](uint64_t file) { return checkHeader(file); });
  }
  Status noneLeft(const std::string &source) const {
    return kept.noneLeft(source, "image");
  }
  /// Leaves out files that cannot be read or decoded.
  Status prune(unsigned threads) {
    return kept.prune(threads, [this](uint64_t file, bool &isBad) {
      return look(file, isBad);
    });
  }

private:
  float scaled(float value, size_t channel) const {
    return (value - form.scale.mean[channel]) / form.scale.stddev[channel];
  }
  uint64_t fileOf(uint64_t row) const { return kept.fileOf(row); }
  Status look(uint64_t file, bool &isBad) const;
  Status checkHeader(uint64_t file) const;
  Status fillRows(const ImageSteps &steps, const Draw &draw,
                  const uint64_t *indices, size_t count,
                  void *const *out) const;
  Status fillImage(const ImageSteps &steps, uint64_t file, RowRandom random,
                   Buffers &buffers, float *out) const;
  void write(const Treatment &treatment, Buffers &buffers, float *out) const;
  void writeColored(const Treatment &treatment, Buffers &buffers,
                    float *out) const;
  std::unique_ptr<Buffers> takeBuffers() const;
  void giveBack(std::unique_ptr<Buffers> buffers) const;

  std::unique_ptr<ImageFiles> files;
  KeptFiles kept;
  const Form form;
  std::array<std::array<float, 256>, 3> table;
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<Buffers>> spare; // under `mutex`
};

} // namespace

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

std::unique_ptr<Buffers> ImageDataset::takeBuffers() const {
  std::lock_guard<std::mutex> lock(mutex);
  if (spare.empty())
    return std::make_unique<Buffers>();
  std::unique_ptr<Buffers> buffers = std::move(spare.back());
  spare.pop_back();
  return buffers;
}

void ImageDataset::giveBack(std::unique_ptr<Buffers> buffers) const {
  std::lock_guard<std::mutex> lock(mutex);
  spare.push_back(std::move(buffers));
}

/// Writes the treated image, bytes, as numbers in the row's place.
void ImageDataset::write(const Treatment &t, Buffers &buffers,
                         float *out) const {
  const Image &image = buffers.treated;
  auto channels = size_t(image.channels);
  for (int64_t y = 0; y < image.height; ++y) {
    const uint8_t *in = image.row(y);
    int64_t left =
        t.isMirrored ? form.shape.width - t.left - image.width : t.left;
    float *row = out + size_t((t.top + y) * form.shape.width + left) * channels;
    for (int64_t x = 0; x < image.width; ++x) {
      const uint8_t *pixel =
          in + size_t(t.isMirrored ? image.width - 1 - x : x) * channels;
      for (size_t c = 0; c < channels; ++c)
        *row++ = table[c][pixel[c]];
    }
  }
}

/// The same with colour changes.
void ImageDataset::writeColored(const Treatment &t, Buffers &buffers,
                                float *out) const {
  auto channels = size_t(form.shape.channels);
  size_t numbers = form.shape.elements();
  const Image &image = buffers.treated;
  buffers.colors.assign(numbers, 0.0f);
  for (int64_t y = 0; y < image.height; ++y) {
    const uint8_t *in = image.row(y);
    float *row =
        &buffers.colors[size_t((t.top + y) * form.shape.width + t.left) *
                        channels];
    for (size_t i = 0; i < size_t(image.width) * channels; ++i)
      row[i] = float(in[i]) / 255.0f;
  }
  color(t.coloring, buffers.colors.data(), numbers / channels,
        form.shape.channels);
  auto width = size_t(form.shape.width);
  for (size_t i = 0; i < numbers / channels; ++i) {
    size_t x = i % width;
    size_t from = t.isMirrored ? i - x + (width - 1 - x) : i;
    for (size_t c = 0; c < channels; ++c)
      out[i * channels + c] = scaled(buffers.colors[from * channels + c], c);
  }
}

Status ImageDataset::fillImage(const ImageSteps &steps, uint64_t file,
                               RowRandom random, Buffers &buffers,
                               float *out) const {
  REPRISE_RETURN_IF_ERROR(files->read(file, buffers.file));
  EncodedImage encoded = {buffers.file.data(), buffers.file.size(),
                          files->name(file)};
  REPRISE_EXPECT(header, readImageHeader(encoded));
  Treatment treatment =
      chooseTreatment(steps, header->uprightHeight(), header->uprightWidth(),
                      form.shape, random);
  Resizing resizing(treatment.scaling);
  Rect covered;
  REPRISE_RETURN_IF_ERROR(decodeImage(encoded, *header, resizing.needed(),
                                      form.shape.channels, buffers.decoded,
                                      covered));
  resize(buffers.decoded, covered, resizing, buffers.middle, buffers.treated);
  if (treatment.isColored) {
    writeColored(treatment, buffers, out);
    return Status();
  }
  const Image &treated = buffers.treated;
  if (treated.height < form.shape.height || treated.width < form.shape.width)
    for (size_t i = 0; i < form.shape.elements(); ++i)
      out[i] = table[i % size_t(form.shape.channels)][0];
  write(treatment, buffers, out);
  return Status();
}

Expected<std::array<int64_t, 2>> ImageDataset::imageSize(uint64_t index) const {
  std::vector<uint8_t> bytes;
  uint64_t file = fileOf(index);
  REPRISE_RETURN_IF_ERROR(files->read(file, bytes));
  REPRISE_EXPECT(
      header, readImageHeader({bytes.data(), bytes.size(), files->name(file)}));
  return std::array<int64_t, 2>{header->uprightHeight(),
                                header->uprightWidth()};
}

Status ImageDataset::fillRows(const ImageSteps &steps, const Draw &draw,
                              const uint64_t *indices, size_t count,
                              void *const *out) const {
  std::unique_ptr<Buffers> buffers = takeBuffers();
  float *images = static_cast<float *>(out[form.columns.image]);
  Status status;
  for (size_t i = 0; status.ok() && i < count; ++i) {
    status = fillImage(steps, fileOf(indices[i]),
                       RowRandom(draw.seed, draw.epoch, indices[i]), *buffers,
                       images + i * form.shape.elements());
    if (form.columns.label)
      static_cast<int32_t *>(out[*form.columns.label])[i] =
          files->label(fileOf(indices[i]));
  }
  giveBack(std::move(buffers));
  return status;
}

Status ImageDataset::identify(uint64_t index,
                              std::vector<uint8_t> &bytes) const {
  std::vector<uint8_t> file;
  REPRISE_RETURN_IF_ERROR(files->read(fileOf(index), file));
  int32_t label = files->label(fileOf(index));
  const auto *raw = reinterpret_cast<const uint8_t *>(&label);
  bytes.assign(raw, raw + sizeof label);
  bytes.insert(bytes.end(), file.begin(), file.end());
  return Status();
}

std::map<std::string, std::string> ImageDataset::settings() const {
  return {{"train-images", formatImageSteps(form.training)},
          {"eval-images", formatImageSteps(form.evaluation)},
          {"normalize", form.scaleText}};
}

Status ImageDataset::look(uint64_t file, bool &isBad) const {
  std::unique_ptr<Buffers> buffers = takeBuffers();
  Status status = files->read(file, buffers->file);
  if (status.ok()) {
    EncodedImage encoded = {buffers->file.data(), buffers->file.size(),
                            files->name(file)};
    Expected<ImageHeader> header = readImageHeader(encoded);
    Rect covered;
    isBad =
        !header.ok() ||
        !decodeImage(encoded, *header,
                     {0, 0, header->uprightHeight(), header->uprightWidth()},
                     form.shape.channels, buffers->decoded, covered)
             .ok();
  } else if (isOfTheFile(status)) {
    isBad = true;
    status = Status();
  }
  giveBack(std::move(buffers));
  return status;
}

/// Most headers are in the first bytes; if a profile or a preview takes more,
/// the whole file is read.
Status ImageDataset::checkHeader(uint64_t file) const {
  std::vector<uint8_t> bytes;
  Status status;
  for (uint64_t most : {uint64_t(1) << 14, UINT64_MAX}) {
    REPRISE_RETURN_IF_ERROR(files->readBegin(file, most, bytes));
    status = readImageHeader({bytes.data(), bytes.size(), files->name(file)})
                 .status();
    if (status.ok() || bytes.size() < most)
      break;
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

bool reprise::rt::isImageName(const std::string &name) {
  return formatOfName(name).use == FileUse::Image;
}

bool reprise::rt::isOfTheFile(const Status &status) {
  return status.code() == RP_IO_ERROR || status.code() == RP_DATA_LOSS;
}

Status reprise::rt::checkFileSize(const std::string &name, uint64_t bytes) {
  if (bytes <= kMostFileBytes)
    return Status();
  return Status::error(RP_DATA_LOSS,
                       "'" + nameText(name) + "' cannot be decoded: it has " +
                           std::to_string(bytes) +
                           " bytes, and images of at most " +
                           std::to_string(kMostFileBytes) + " are read");
}

/// Returns the shape of the only data column; 0x0x0 if it is not known.
static Expected<ImageShape> wantedShape(const std::string &source,
                                        const std::vector<Column> &columns) {
  for (const Column &column : columns) {
    if (column.role != RP_BINDING_DATA)
      continue;
    if (column.shape.size() == 3 &&
        (column.shape[2] == 1 || column.shape[2] == 3))
      return ImageShape{column.shape[0], column.shape[1], column.shape[2]};
    return Status::error(RP_INVALID_ARGUMENT,
                         "'" + source +
                             "' holds images of one channel or three, but the "
                             "program's input '" +
                             column.name + "' is " + formatRow(column) +
                             (column.shape.size() == 4
                                  ? "; volumes and clips come from a file of "
                                    "safetensors (NxDxHxWxC), volumes also "
                                    "from folders of NIfTI files"
                                  : ""));
  }
  return ImageShape{};
}

static Expected<ImageSteps> readSteps(const std::string &text,
                                      const ImageSteps &otherwise,
                                      const ImageShape &shape) {
  if (text.empty())
    return otherwise;
  Expected<ImageSteps> steps = parseImageSteps(text);
  if (!steps.ok() || steps->geometry != ImageSteps::Geometry::Stretch ||
      (steps->height == shape.height && steps->width == shape.width))
    return steps;
  return Status::error(
      RP_INVALID_ARGUMENT,
      "'" + text + "' makes images of " + std::to_string(steps->height) + "x" +
          std::to_string(steps->width) + ", but the program takes " +
          formatImageShape(shape));
}

static Expected<Form> makeForm(const DataSpec &spec,
                               const std::vector<Column> &columns) {
  Form form;
  REPRISE_EXPECT(shape, wantedShape(spec.source, columns));
  form.shape = *shape;
  REPRISE_EXPECT(places, labelledImages(spec.source, columns, form.shape));
  form.columns = std::move(*places);
  REPRISE_EXPECT(training, readSteps(spec.images.training, defaultTrainSteps(),
                                     form.shape));
  REPRISE_EXPECT(evaluation, readSteps(spec.images.evaluation,
                                       defaultEvalSteps(form.shape.height,
                                                        form.shape.width),
                                       form.shape));
  if (!evaluation->isFixed())
    return Status::error(RP_INVALID_ARGUMENT,
                         "evaluation sees the same images each time, so '" +
                             spec.images.evaluation +
                             "' may hold nothing random");
  form.training = *training;
  form.evaluation = *evaluation;
  REPRISE_EXPECT(scale,
                 parseChannelScale(spec.images.normalize,
                                   std::max<int64_t>(form.shape.channels, 1)));
  form.scale = std::move(*scale);
  form.scaleText =
      spec.images.normalize.empty() ? "0.5/0.5" : spec.images.normalize;
  return form;
}

Expected<std::unique_ptr<Dataset>>
ImageFilesSource::open(const DataSpec &spec, Split split,
                       const DatasetOptions &options) const {
  REPRISE_EXPECT(listed, list(spec, split));
  std::unique_ptr<ImageFiles> files = std::move(*listed);
  if (options.classes > 0 && files->classes() > options.classes)
    return Status::error(RP_INVALID_ARGUMENT,
                         "'" + spec.source + "' has " +
                             std::to_string(files->classes()) +
                             " classes, but the program tells " +
                             std::to_string(options.classes) + " apart");
  REPRISE_EXPECT(form, makeForm(spec, options.columns));
  auto data =
      std::make_unique<ImageDataset>(std::move(files), std::move(*form));
  // Without columns no file is read.
  if (spec.images.skipBadFiles && !options.columns.empty())
    REPRISE_RETURN_IF_ERROR(data->prune(spec.loaderThreads));
  if (data->size() > 0)
    return std::unique_ptr<Dataset>(std::move(data));
  return data->noneLeft(spec.source);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Returns the memory of decoding and treating the image.
static uint64_t bytesOf(const ImageHeader &header, uint64_t fileBytes,
                        const ImageShape &shape) {
  auto pixels = uint64_t(header.height) * uint64_t(header.width);
  uint64_t decoded = pixels * 3;
  if (header.isProgressive)
    decoded += pixels * 3 * sizeof(int16_t);
  if (header.orientation != 1)
    decoded += pixels * 3;
  auto tall = uint64_t(std::max(header.height, header.width));
  return fileBytes + decoded + tall * uint64_t(shape.width) * 3 +
         shape.elements() * (1 + sizeof(float));
}

/// Returns the memory of reading one of the files, estimated from some of the
/// headers; including the thread's stack, and memory of the libraries and the
/// heap.
static uint64_t bytesPerThread(const ImageFiles &files,
                               const ImageShape &shape) {
  constexpr uint64_t kSamples = 64, kOfThread = uint64_t(1) << 20;
  uint64_t most = 0, count = std::min(files.size(), kSamples);
  std::vector<uint8_t> bytes;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t index =
        files.size() / count * i + files.size() % count * i / count;
    // Unreadable files are reported or skipped when they are used.
    if (!files.read(index, bytes).ok())
      continue;
    Expected<ImageHeader> header =
        readImageHeader({bytes.data(), bytes.size(), std::string()});
    if (header.ok())
      most = std::max(most, bytesOf(*header, bytes.size(), shape));
  }
  return most + kOfThread;
}

Expected<DatasetExtent>
ImageFilesSource::measure(const DataSpec &spec, Split split,
                          const std::vector<Column> &columns) const {
  REPRISE_EXPECT(listed, list(spec, split));
  const ImageFiles &files = **listed;
  DatasetExtent extent;
  extent.images = files.size();
  extent.hostBytes = files.hostBytes();
  extent.isCostly = true;
  ImageShape shape;
  for (const Column &column : columns)
    if (column.role == RP_BINDING_DATA)
      shape = imageShapeOf(column);
  extent.bytesPerThread = bytesPerThread(files, shape);
  return extent;
}
