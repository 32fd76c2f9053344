//===- VolumeDataset.cpp - NIfTI volumes in folders of classes ------------===//
//
// Values are normalized: by the volume's own mean and deviation, by those
// given, or not.
//
//===----------------------------------------------------------------------===//
#include "../images/ClassFolders.h"
#include "../images/KeptFiles.h"
#include "VolumeFile.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/NameText.h"
#include <algorithm>
#include <cmath>

using namespace reprise::rt;

namespace {

/// A volume by which others are measured.
struct FirstVolume {
  std::string name, orientation;
};

class VolumeDataset final : public Dataset {
public:
  VolumeDataset(std::unique_ptr<ImageFiles> files, LabelledImages form,
                const VolumeShape &shape, const DataSpec &spec,
                FirstVolume first)
      : files(std::move(files)), kept(*this->files), form(std::move(form)),
        shape(shape), source(spec.source),
        normalize(spec.images.normalize.empty() ? "volume"
                                                : spec.images.normalize),
        orientation(spec.images.orientation), first(std::move(first)),
        threads(spec.loaderThreads), skips(spec.images.skipBadFiles) {}
  uint64_t size() const override { return kept.size(); }
  const std::vector<Column> &columns() const override { return form.columns; }
  int32_t classes() const override { return files->classes(); }
  std::vector<std::string> classNames() const override {
    return files->classNames();
  }
  bool isCostly() const override { return true; }
  Expected<int32_t> label(uint64_t index) const override {
    return files->label(kept.fileOf(index));
  }
  SkippedRows skipped() const override { return kept.skipped(); }
  /// Leaves out what cannot be read.
  Status prune() {
    return kept.prune(threads, [this](uint64_t file, bool &isBad) {
      return look(file, isBad);
    });
  }
  std::map<std::string, std::string> settings() const override {
    std::map<std::string, std::string> settings = {{"normalize", normalize}};
    if (!orientation.empty())
      settings["orientation"] = orientation;
    return settings;
  }
  /// Reads all headers.
  std::vector<std::string> warnings() const override;
  Expected<uint64_t> checkHeaders(unsigned threads,
                                  Moment until) const override {
    return kept.checkAll(threads, until,
                         [this](uint64_t file) { return checkHeader(file); });
  }
  Status noneLeft() const { return kept.noneLeft(source, "volume"); }
  Status fill(const uint64_t *indices, size_t count,
              void *const *out) const override;

private:
  Status checkShape(const std::string &name, const VolumeShape &here) const;
  Status fillVolume(uint64_t file, float *out) const;
  Status look(uint64_t file, bool &isBad) const;
  Status checkHeader(uint64_t file) const;

  std::unique_ptr<ImageFiles> files;
  KeptFiles kept;
  const LabelledImages form;
  const VolumeShape shape;
  const std::string source, normalize, orientation;
  const FirstVolume first;
  const unsigned threads;
  const bool skips; // damaged files
};

} // namespace

/// The volume's own mean and deviation; a constant one becomes zeros.
static ChannelScale measureScale(const float *values, size_t count) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; ++i)
    sum += values[i];
  double mean = sum / double(count);
  for (size_t i = 0; i < count; ++i)
    squares += (values[i] - mean) * (values[i] - mean);
  double deviation = std::sqrt(squares / double(count));
  return {{float(mean)}, {deviation > 0 ? float(deviation) : 1.0f}};
}

static Status normalizeValues(const std::string &name,
                              const std::string &normalize,
                              const VolumeShape &shape, float *values) {
  auto channels = size_t(shape[3]);
  size_t count = size_t(shape[0] * shape[1] * shape[2]) * channels;
  for (size_t i = 0; i < count; ++i)
    if (!std::isfinite(values[i]))
      return damagedVolume(name,
                           "value " + std::to_string(i) + " is not finite");
  REPRISE_EXPECT(scale, normalize == "volume"
                            ? measureScale(values, count)
                            : parseChannelScale(normalize, shape[3]));
  scale->mean.resize(channels, scale->mean.front());
  scale->stddev.resize(channels, scale->stddev.front());
  for (size_t i = 0; i < count; ++i)
    values[i] =
        (values[i] - scale->mean[i % channels]) / scale->stddev[i % channels];
  return Status();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Status VolumeDataset::checkShape(const std::string &name,
                                 const VolumeShape &here) const {
  if (here == shape)
    return Status();
  return damagedVolume(name, "it is " + describe(here) +
                                 ", but the first volume of the data is " +
                                 describe(shape));
}

Status VolumeDataset::fillVolume(uint64_t file, float *out) const {
  const std::string name = files->name(file);
  REPRISE_EXPECT(volume, VolumeFile::open(name, orientation));
  REPRISE_RETURN_IF_ERROR(checkShape(name, volume->shape()));
  REPRISE_RETURN_IF_ERROR(volume->read(out));
  return normalizeValues(name, normalize, shape, out);
}

/// Other extents are not damage: they end the run.
Status VolumeDataset::look(uint64_t file, bool &isBad) const {
  const std::string name = files->name(file);
  Expected<VolumeFile> volume = VolumeFile::open(name, orientation);
  if (!volume.ok() && !isOfTheFile(volume.status()))
    return volume.status();
  if (volume.ok())
    REPRISE_RETURN_IF_ERROR(checkShape(name, volume->shape()));
  std::vector<float> values(shape[0] * shape[1] * shape[2] * shape[3]);
  isBad = !volume.ok() || !fillVolume(file, values.data()).ok();
  return Status();
}

Status VolumeDataset::checkHeader(uint64_t file) const {
  const std::string name = files->name(file);
  Expected<VolumeFile> volume = VolumeFile::open(name, orientation);
  if (volume.ok())
    return checkShape(name, volume->shape());
  return skips && isOfTheFile(volume.status()) ? Status() : volume.status();
}

/// "'a.nii' RAS", or that it has none.
static std::string describe(const std::string &name,
                            const std::string &orientation) {
  return "'" + nameText(name) + "' " +
         (orientation.empty() ? "does not say its own" : "is " + orientation);
}

std::vector<std::string> VolumeDataset::warnings() const {
  if (!orientation.empty())
    return {};
  std::vector<std::string> all(files->size(), first.orientation);
  // A header that cannot be read is refused with its file.
  (void)kept.checkAll(threads, Moment::max(), [&](uint64_t file) {
    Expected<VolumeFile> volume = VolumeFile::open(files->name(file), "");
    if (volume.ok())
      all[file] = volume->orientation();
    return Status();
  });
  std::optional<uint64_t> other;
  uint64_t others = 0;
  for (uint64_t file = 0; file < all.size(); ++file) {
    if (all[file] == first.orientation)
      continue;
    ++others;
    if (!other)
      other = file;
  }
  if (!other)
    return {};
  return {"volumes of '" + nameText(source) +
          "' have different orientations: " +
          describe(first.name, first.orientation) + ", " +
          describe(files->name(*other), all[*other]) + " (" +
          std::to_string(others) + " of " + std::to_string(all.size()) +
          " differ from the first); they are used as stored, and "
          "--orientation RAS turns all to one"};
}

Status VolumeDataset::fill(const uint64_t *indices, size_t count,
                           void *const *out) const {
  size_t elements = form.columns[form.image].elements();
  auto *values = static_cast<float *>(out[form.image]);
  for (size_t i = 0; i < count; ++i) {
    uint64_t file = kept.fileOf(indices[i]);
    REPRISE_RETURN_IF_ERROR(fillVolume(file, values + i * elements));
    if (form.label)
      static_cast<int32_t *>(out[*form.label])[i] = files->label(file);
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Source
//===----------------------------------------------------------------------===//

static bool isVolumeName(const std::string &name) {
  return formatOfName(name).use == FileUse::Volume;
}

static constexpr FileKind kVolumes = {isVolumeName, FileUse::Volume, "volume"};

/// The first volume, of those that can be read where bad files are skipped.
static Expected<VolumeFile>
openFirst(const DataSpec &spec, const ImageFiles &files, std::string &name) {
  const std::string &wanted = spec.images.orientation;
  name = files.name(0);
  Expected<VolumeFile> first = VolumeFile::open(name, wanted);
  for (uint64_t i = 1;
       !first.ok() && spec.images.skipBadFiles && i < files.size(); ++i) {
    Expected<VolumeFile> next = VolumeFile::open(files.name(i), wanted);
    if (!next.ok())
      continue;
    name = files.name(i);
    return next;
  }
  return first;
}

/// The volume whose orientation those of a split are to have: the first of
/// training, where that can be read.
static FirstVolume findFirst(const DataSpec &spec, Split split,
                             FirstVolume own) {
  if (split == Split::Train || !traitsOfFolders(spec, kVolumes).hasTraining())
    return own;
  auto files = listClassFolders(spec, Split::Train, kVolumes);
  if (!files.ok())
    return own;
  FirstVolume training;
  Expected<VolumeFile> volume = openFirst(spec, **files, training.name);
  if (!volume.ok())
    return own;
  training.orientation = volume->orientation();
  return training;
}

/// Takes the orientation as its code.
static Status settleOrientation(DataSpec &spec) {
  if (spec.images.orientation.empty())
    return Status();
  Expected<std::string> code = parseOrientation(spec.images.orientation);
  if (code.ok())
    spec.images.orientation = *code;
  return code.status();
}

static Expected<std::unique_ptr<Dataset>>
openVolumes(DataSpec spec, Split split, const DatasetOptions &options) {
  REPRISE_RETURN_IF_ERROR(settleOrientation(spec));
  REPRISE_EXPECT(files, listClassFolders(spec, split, kVolumes));
  FirstVolume own;
  REPRISE_EXPECT(volume, openFirst(spec, **files, own.name));
  own.orientation = volume->orientation();
  const VolumeShape shape = volume->shape();
  REPRISE_EXPECT(form, labelledImages(spec.source, options.columns, {}));
  form->columns[form->image].shape.assign(shape.begin(), shape.end());
  const std::string &normalize = spec.images.normalize;
  if (!normalize.empty() && normalize != "volume")
    REPRISE_RETURN_IF_ERROR(parseChannelScale(normalize, shape[3]).status());
  auto data = std::make_unique<VolumeDataset>(
      std::move(*files), std::move(*form), shape, spec,
      findFirst(spec, split, std::move(own)));
  // Without columns no values are read.
  if (!options.columns.empty())
    REPRISE_RETURN_IF_ERROR(
        spec.images.skipBadFiles
            ? data->prune()
            : data->checkHeaders(spec.loaderThreads, Dataset::Moment::max())
                  .status());
  if (data->size() > 0)
    return std::unique_ptr<Dataset>(std::move(data));
  return data->noneLeft();
}

namespace {

class VolumeSource final : public DataSource {
public:
  bool takes(const std::string &source, PathKind kind) const override {
    return kind == PathKind::Directory && hasClassFolders(source) &&
           beginsWith(source, isVolumeName);
  }
  DataTraits traits(const DataSpec &spec) const override {
    DataTraits traits = traitsOfFolders(spec, kVolumes);
    traits.isScaled = traits.hasFiles = traits.areVolumes = true;
    return traits;
  }
  Expected<std::unique_ptr<Dataset>>
  open(const DataSpec &spec, Split split,
       const DatasetOptions &options) const override {
    return openVolumes(spec, split, options);
  }
  Expected<DatasetExtent> measure(const DataSpec &asked, Split split,
                                  const std::vector<Column> &) const override {
    DataSpec spec = asked;
    REPRISE_RETURN_IF_ERROR(settleOrientation(spec));
    REPRISE_EXPECT(files, listClassFolders(spec, split, kVolumes));
    std::string name;
    REPRISE_EXPECT(first, openFirst(spec, **files, name));
    DatasetExtent extent;
    extent.images = (*files)->size();
    extent.hostBytes = (*files)->hostBytes();
    extent.bytesPerThread = first->valueBytes();
    extent.isCostly = true;
    return extent;
  }
};

} // namespace

const DataSource &reprise::rt::volumesSource() {
  static const VolumeSource source;
  return source;
}
