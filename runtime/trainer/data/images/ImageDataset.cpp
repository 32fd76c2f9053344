//===- ImageDataset.cpp - Rows decoded from files of images ---------------===//
//
// Method:  choose an image's treatment from its header, decode only the part
//          that it reads, resize, colour, scale. All frames of a clip are of
//          one size and have the treatment of the first. Each working thread
//          has a set of buffers, which are reused.
// Fails:   naming the file that cannot be decoded.
//
//===----------------------------------------------------------------------===//
#include "ImageDataset.h"
#include "Clips.h"
#include "Decode.h"
#include "FileEndings.h"
#include "KeptFiles.h"
#include "Pixels.h"
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

/// The extents of a clip's first frame, or of an image, and its file.
struct FrameSize {
  int64_t height = 0, width = 0;
  uint64_t file = 0;
};

/// The conversion of images to numbers.
struct Form {
  LabelledImages columns;
  ImageShape shape;
  ClipShape clip;
  ClipFolders folders; // of clips
  ImageSteps training, evaluation;
  ChannelScale scale;
  std::string scaleText;
};

class ImageDataset final : public Dataset {
public:
  ImageDataset(std::unique_ptr<ImageFiles> given, Form wanted)
      : files(std::move(given)), form(std::move(wanted)),
        items(form.clip.isClip ? Items::clips(*files) : Items(*files)),
        kept(
            items.size(), [this](uint64_t item) { return items.name(item); },
            skippedBefore()),
        pixels(form.shape, form.scale) {}
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
    return items.name(kept.fileOf(index));
  }
  SkippedRows skipped() const override { return kept.skipped(); }
  std::map<std::string, std::string> settings() const override;
  Expected<int32_t> label(uint64_t index) const override {
    return files->label(items.first(kept.fileOf(index)));
  }
  Expected<std::array<int64_t, 2>> imageSize(uint64_t index) const override;
  Status fill(const uint64_t *indices, size_t count,
              void *const *out) const override {
    return fillRows(form.evaluation, nullptr, indices, count, out);
  }
  Status fillDrawn(const Draw &draw, const uint64_t *indices, size_t count,
                   void *const *out) const override {
    return fillRows(form.training, &draw, indices, count, out);
  }
  Status identify(uint64_t index, std::vector<uint8_t> &bytes) const override;
  Expected<uint64_t> checkHeaders(unsigned threads,
                                  Moment until) const override {
    return kept.checkAll(threads, until,
                         [this](uint64_t item) { return checkItem(item); });
  }
  Status noneLeft(const std::string &source) const {
    return kept.noneLeft(source, form.clip.isClip ? "clip" : "image");
  }
  /// Leaves out images and clips that cannot be read or decoded.
  Status checkClips(Split split) const;
  Status prune(unsigned threads) {
    return kept.prune(threads, [this](uint64_t item, bool &isBad) {
      return look(item, isBad);
    });
  }

private:
  SkippedRows skippedBefore() const;
  Status checkLength(uint64_t item, int64_t stride) const;
  Status checkLengths(uint64_t item) const;
  Status checkSize(uint64_t file, const ImageHeader &header,
                   const FrameSize &first) const;
  Status lookAt(uint64_t file, Buffers &buffers, FrameSize &first) const;
  Status look(uint64_t item, bool &isBad) const;
  Expected<ImageHeader> headerOf(uint64_t file) const;
  Status checkItem(uint64_t item) const;
  Status fillRows(const ImageSteps &steps, const Draw *draw,
                  const uint64_t *indices, size_t count,
                  void *const *out) const;
  Status fillItem(const ImageSteps &steps, uint64_t item, RowRandom *random,
                  Buffers &buffers, float *out) const;
  Status fillImage(uint64_t file, const ImageHeader &header,
                   const Treatment &treatment, Buffers &buffers,
                   float *out) const;
  std::unique_ptr<Buffers> takeBuffers() const;
  void giveBack(std::unique_ptr<Buffers> buffers) const;

  std::unique_ptr<ImageFiles> files;
  const Form form;
  const Items items;
  KeptFiles kept; // numbers of items
  const PixelWriter pixels;
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

/// Reads and decodes the part of a file that the treatment needs, and writes
/// its numbers.
Status ImageDataset::fillImage(uint64_t file, const ImageHeader &header,
                               const Treatment &treatment, Buffers &buffers,
                               float *out) const {
  EncodedImage encoded = {buffers.file.data(), buffers.file.size(),
                          files->name(file)};
  Resizing resizing(treatment.scaling);
  Rect covered;
  REPRISE_RETURN_IF_ERROR(decodeImage(encoded, header, resizing.needed(),
                                      form.shape.channels, buffers.decoded,
                                      covered));
  resize(buffers.decoded, covered, resizing, buffers.middle, buffers.treated);
  pixels.write(treatment, buffers.treated, buffers.colors, out);
  return Status();
}

/// Fails if a frame has other extents than the first one of its clip.
Status ImageDataset::checkSize(uint64_t file, const ImageHeader &header,
                               const FrameSize &first) const {
  FrameSize here = {header.uprightHeight(), header.uprightWidth(), 0};
  if (here.height == first.height && here.width == first.width)
    return Status();
  return Status::error(
      RP_DATA_LOSS,
      "'" + nameText(files->name(file)) + "' is a frame of " +
          std::to_string(here.height) + "x" + std::to_string(here.width) +
          ", but '" + nameText(files->name(first.file)) +
          "' of the same clip has " + std::to_string(first.height) + "x" +
          std::to_string(first.width) +
          "; make frames of one size, or --skip-bad-files "
          "leaves the clip out");
}

Status ImageDataset::fillItem(const ImageSteps &steps, uint64_t item,
                              RowRandom *random, Buffers &buffers,
                              float *out) const {
  uint64_t first = items.first(item), count = items.count(item);
  const int64_t frames = form.clip.frames, stride = steps.frameStride;
  REPRISE_RETURN_IF_ERROR(checkLength(item, stride));
  uint64_t start = firstFrame(count, frames, stride, random);
  Treatment treatment;
  FrameSize size;
  for (int64_t i = 0; i < frames; ++i) {
    uint64_t file = first + frameOf(count, frames, stride, start, i);
    REPRISE_RETURN_IF_ERROR(files->read(file, buffers.file));
    REPRISE_EXPECT(header,
                   readImageHeader({buffers.file.data(), buffers.file.size(),
                                    files->name(file)}));
    if (i == 0) {
      size = {header->uprightHeight(), header->uprightWidth(), file};
      RowRandom fixed(0, 0, 0);
      treatment = chooseTreatment(steps, size.height, size.width, form.shape,
                                  random ? *random : fixed);
    }
    REPRISE_RETURN_IF_ERROR(checkSize(file, *header, size));
    REPRISE_RETURN_IF_ERROR(fillImage(file, *header, treatment, buffers,
                                      out + size_t(i) * form.shape.elements()));
  }
  return Status();
}

Expected<std::array<int64_t, 2>> ImageDataset::imageSize(uint64_t index) const {
  std::vector<uint8_t> bytes;
  uint64_t file = items.first(kept.fileOf(index));
  REPRISE_RETURN_IF_ERROR(files->read(file, bytes));
  REPRISE_EXPECT(
      header, readImageHeader({bytes.data(), bytes.size(), files->name(file)}));
  return std::array<int64_t, 2>{header->uprightHeight(),
                                header->uprightWidth()};
}

Status ImageDataset::fillRows(const ImageSteps &steps, const Draw *draw,
                              const uint64_t *indices, size_t count,
                              void *const *out) const {
  std::unique_ptr<Buffers> buffers = takeBuffers();
  float *images = static_cast<float *>(out[form.columns.image]);
  size_t elements = form.shape.elements() * size_t(form.clip.frames);
  Status status;
  for (size_t i = 0; status.ok() && i < count; ++i) {
    uint64_t item = kept.fileOf(indices[i]);
    RowRandom random(draw ? draw->seed : 0, draw ? draw->epoch : 0, indices[i]);
    status = fillItem(steps, item, draw ? &random : nullptr, *buffers,
                      images + i * elements);
    if (form.columns.label)
      static_cast<int32_t *>(out[*form.columns.label])[i] =
          files->label(items.first(item));
  }
  giveBack(std::move(buffers));
  return status;
}

Status ImageDataset::identify(uint64_t index,
                              std::vector<uint8_t> &bytes) const {
  uint64_t item = kept.fileOf(index), first = items.first(item);
  int32_t label = files->label(first);
  const auto *raw = reinterpret_cast<const uint8_t *>(&label);
  bytes.assign(raw, raw + sizeof label);
  std::vector<uint8_t> file;
  for (uint64_t i = 0; i < items.count(item); ++i) {
    REPRISE_RETURN_IF_ERROR(files->read(first + i, file));
    bytes.insert(bytes.end(), file.begin(), file.end());
  }
  return Status();
}

std::map<std::string, std::string> ImageDataset::settings() const {
  return {{"train-images", formatImageSteps(form.training)},
          {"eval-images", formatImageSteps(form.evaluation)},
          {"normalize", form.scaleText}};
}

//===----------------------------------------------------------------------===//
// Bad files
//===----------------------------------------------------------------------===//

/// Folders without frames are clips that prune does not see; it counts those
/// that lack a file of the list.
SkippedRows ImageDataset::skippedBefore() const {
  SkippedRows skipped = files->skipped();
  if (!form.clip.isClip)
    return skipped;
  const std::vector<std::string> &empty = form.folders.empty;
  skipped.count = empty.size();
  skipped.first = empty.empty() ? std::string() : empty.front();
  return skipped;
}

/// Fails if a clip has fewer frames than steps with this stride take.
Status ImageDataset::checkLength(uint64_t item, int64_t stride) const {
  if (!form.clip.isClip)
    return Status();
  return checkFrames(items.name(item), items.count(item), form.clip.frames,
                     stride);
}

Status ImageDataset::checkLengths(uint64_t item) const {
  for (const ImageSteps *steps : {&form.training, &form.evaluation})
    REPRISE_RETURN_IF_ERROR(checkLength(item, steps->frameStride));
  return Status();
}

/// Fails if a clip has fewer frames than the steps of the split take.
Status ImageDataset::checkClips(Split split) const {
  const ImageSteps &steps =
      split == Split::Train ? form.training : form.evaluation;
  for (uint64_t item = 0; form.clip.isClip && item < size(); ++item)
    REPRISE_RETURN_IF_ERROR(checkLength(item, steps.frameStride));
  return Status();
}

Status ImageDataset::lookAt(uint64_t file, Buffers &buffers,
                            FrameSize &first) const {
  REPRISE_RETURN_IF_ERROR(files->read(file, buffers.file));
  EncodedImage encoded = {buffers.file.data(), buffers.file.size(),
                          files->name(file)};
  REPRISE_EXPECT(header, readImageHeader(encoded));
  if (first.height == 0)
    first = {header->uprightHeight(), header->uprightWidth(), file};
  REPRISE_RETURN_IF_ERROR(checkSize(file, *header, first));
  Rect covered;
  return decodeImage(encoded, *header,
                     {0, 0, header->uprightHeight(), header->uprightWidth()},
                     form.shape.channels, buffers.decoded, covered);
}

Status ImageDataset::look(uint64_t item, bool &isBad) const {
  std::unique_ptr<Buffers> buffers = takeBuffers();
  Status status = checkLengths(item);
  FrameSize first;
  for (uint64_t i = 0; status.ok() && i < items.count(item); ++i)
    status = lookAt(items.first(item) + i, *buffers, first);
  giveBack(std::move(buffers));
  isBad = (!status.ok() && isOfTheFile(status)) ||
          form.folders.lacking.count(items.name(item));
  return isBad ? Status() : status;
}

/// Most headers are in the first bytes; if a profile or a preview takes more,
/// the whole file is read.
Expected<ImageHeader> ImageDataset::headerOf(uint64_t file) const {
  std::vector<uint8_t> bytes;
  Expected<ImageHeader> header = Status();
  for (uint64_t most : {uint64_t(1) << 14, UINT64_MAX}) {
    REPRISE_RETURN_IF_ERROR(files->readBegin(file, most, bytes));
    header = readImageHeader({bytes.data(), bytes.size(), files->name(file)});
    if (header.ok() || bytes.size() < most)
      break;
  }
  return header;
}

Status ImageDataset::checkItem(uint64_t item) const {
  REPRISE_RETURN_IF_ERROR(checkLengths(item));
  FrameSize size;
  for (uint64_t i = 0; i < items.count(item); ++i) {
    uint64_t file = items.first(item) + i;
    REPRISE_EXPECT(header, headerOf(file));
    if (i == 0)
      size = {header->uprightHeight(), header->uprightWidth(), file};
    REPRISE_RETURN_IF_ERROR(checkSize(file, *header, size));
  }
  return Status();
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

/// Takes the shape of the only data column; 0x0x0 if it is not known.
static Status readShape(const DataSpec &spec,
                        const std::vector<Column> &columns, bool mayBeClips,
                        Form &form) {
  for (const Column &column : columns) {
    if (column.role != RP_BINDING_DATA)
      continue;
    size_t rank = column.shape.size();
    form.clip.isClip = rank == 4 && mayBeClips;
    if ((rank == 3 || form.clip.isClip) &&
        (column.shape[rank - 1] == 1 || column.shape[rank - 1] == 3)) {
      form.shape = imageShapeOf(column);
      form.clip.frames = form.clip.isClip ? column.shape[0] : 1;
      return Status();
    }
    return Status::error(
        RP_INVALID_ARGUMENT,
        "'" + spec.source +
            "' holds images of one channel or three, but the program's "
            "input '" +
            column.name + "' is " + formatRow(column) +
            (rank == 4 && !mayBeClips
                 ? "; clips come from folders of their frames or a file of "
                   "safetensors (NxDxHxWxC)"
                 : ""));
  }
  return Status();
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
                               const std::vector<Column> &columns,
                               bool mayBeClips) {
  Form form;
  REPRISE_RETURN_IF_ERROR(readShape(spec, columns, mayBeClips, form));
  REPRISE_EXPECT(places, labelledImages(spec.source, columns, form.shape));
  form.columns = std::move(*places);
  if (form.clip.isClip) {
    std::vector<int64_t> &shape =
        form.columns.columns[form.columns.image].shape;
    shape.insert(shape.begin(), form.clip.frames);
  }
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
  if (!columns.empty() && !form.clip.isClip &&
      (training->frameStride > 0 || evaluation->frameStride > 0))
    return Status::error(RP_INVALID_ARGUMENT,
                         "the step 'stride' chooses frames of clips, but the "
                         "program takes images");
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
  REPRISE_EXPECT(form, makeForm(spec, options.columns, hasClips()));
  if (form->clip.isClip) {
    form->folders = files->clipFolders();
    REPRISE_RETURN_IF_ERROR(
        checkFolders(form->folders, spec.images.skipBadFiles));
  }
  auto data =
      std::make_unique<ImageDataset>(std::move(files), std::move(*form));
  // Without columns no file is read.
  if (spec.images.skipBadFiles && !options.columns.empty())
    REPRISE_RETURN_IF_ERROR(data->prune(spec.loaderThreads));
  else if (!options.columns.empty())
    REPRISE_RETURN_IF_ERROR(data->checkClips(split));
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
  ImageShape shape;
  bool areClips = false;
  for (const Column &column : columns)
    if (column.role == RP_BINDING_DATA) {
      shape = imageShapeOf(column);
      areClips = hasClips() && column.shape.size() == 4;
    }
  Items items = areClips ? Items::clips(files) : Items(files);
  DatasetExtent extent;
  extent.images = items.size();
  extent.hostBytes = files.hostBytes() + items.hostBytes();
  extent.isCostly = true;
  extent.bytesPerThread = bytesPerThread(files, shape);
  return extent;
}
