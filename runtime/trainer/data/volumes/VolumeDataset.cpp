//===- VolumeDataset.cpp - NIfTI volumes in folders of classes ------------===//
//
// A volume of nx, ny, nz voxels is a row (nz, ny, nx, C): slices as depth, as
// stored; the orientation in space is not carried out. C is what the time or
// the vector dimension has. Values are scaled by the file's slope and
// intercept, and then normalized: by the volume's own mean and deviation, by
// those given, or not.
//
// libnifti2 converts headers. It would fill up what a truncated file lacks, and
// make zeros of what is not finite, so files are read through zlib, which takes
// plain ones as well.
//
//===----------------------------------------------------------------------===//
#include "../GzipInput.h"
#include "../images/ClassFolders.h"
#include "../images/KeptFiles.h"
#include "reprise/Runtime/NameText.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <nifti2_io.h>

using namespace reprise::rt;

namespace {

struct FreeVolume {
  void operator()(nifti_image *volume) const { nifti_image_free(volume); }
};
using Volume = std::unique_ptr<nifti_image, FreeVolume>;

constexpr uint64_t kMostVoxels = uint64_t(1) << 28;

/// (D,H,W,C).
using VolumeShape = std::array<int64_t, 4>;

class VolumeDataset final : public Dataset {
public:
  VolumeDataset(std::unique_ptr<ImageFiles> files, LabelledImages form,
                const VolumeShape &shape, std::string normalize, bool skips)
      : files(std::move(files)), kept(*this->files), form(std::move(form)),
        shape(shape), normalize(std::move(normalize)), skips(skips) {}
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
  Status prune(unsigned threads) {
    return kept.prune(threads, [this](uint64_t file, bool &isBad) {
      return look(file, isBad);
    });
  }
  std::map<std::string, std::string> settings() const override {
    return {{"normalize", normalize}};
  }
  Status checkHeaders(unsigned threads) const override {
    return kept.checkAll(threads,
                         [this](uint64_t file) { return checkHeader(file); });
  }
  Status noneLeft(const std::string &source) const {
    return kept.noneLeft(source, "volume");
  }
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
  const std::string normalize;
  const bool skips; // damaged files
};

} // namespace

static Status damaged(const std::string &name, const std::string &what,
                      const char *file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  return Status::error(RP_DATA_LOSS,
                       "'" + nameText(name) + "' cannot be read: " + what, file,
                       line);
}

static std::string describe(const VolumeShape &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

/// Returns true if readValues takes values of the type.
static bool isReadType(int type) {
  switch (type) {
  case DT_UINT8:
  case DT_INT8:
  case DT_INT16:
  case DT_UINT16:
  case DT_INT32:
  case DT_UINT32:
  case DT_FLOAT32:
  case DT_FLOAT64:
    return true;
  default:
    return false;
  }
}

/// The header of either version. Fails where there is none whose values follow
/// in the same file. libnifti2 would tell a file by its name.
static Expected<Volume> readHeader(const std::string &name) {
  union {
    nifti_1_header one;
    nifti_2_header two;
  } header = {};
  Expected<GzipInput> file = GzipInput::open(name);
  if (!file.ok())
    return file.status();
  uint64_t got = 0;
  REPRISE_RETURN_IF_ERROR(file->read(&header, sizeof header.two, &got));
  // In the order of bytes of either machine.
  int32_t size = header.one.sizeof_hdr,
          turned = int32_t(__builtin_bswap32(uint32_t(size)));
  auto isOf = [&](size_t bytes) {
    return (size == int32_t(bytes) || turned == int32_t(bytes)) && got >= bytes;
  };
  nifti_set_debug_level(0); // it prints what is said here
  Volume volume;
  if (isOf(sizeof header.one) && !std::memcmp(header.one.magic, "n+1", 4))
    volume.reset(nifti_convert_n1hdr2nim(header.one, nullptr));
  if (isOf(sizeof header.two) && !std::memcmp(header.two.magic, "n+2", 4))
    volume.reset(nifti_convert_n2hdr2nim(header.two, nullptr));
  if (volume)
    return volume;
  return damaged(name, got < sizeof header.two
                           ? "it is no NIfTI volume, or is truncated after " +
                                 std::to_string(got) + " bytes of its header"
                           : "it is no NIfTI volume of one file");
}

/// The header; `shape` is what the volume has.
static Expected<Volume> openVolume(const std::string &name,
                                   VolumeShape &shape) {
  Expected<Volume> volume = readHeader(name);
  if (!volume.ok())
    return volume;
  const nifti_image &v = **volume;
  int64_t voxels = 1;
  for (int i = 1; i <= v.ndim; ++i)
    if (v.dim[i] <= 0 ||
        __builtin_mul_overflow(voxels, int64_t(v.dim[i]), &voxels))
      return damaged(name, "its extents hold nothing, or too much");
  if (uint64_t(voxels) > kMostVoxels)
    return damaged(name, "it has " + std::to_string(voxels) +
                             " voxels, and at most " +
                             std::to_string(kMostVoxels) + " are read");
  int64_t channels = std::max<int64_t>(v.nt, 1) * std::max<int64_t>(v.nu, 1);
  if (v.ndim < 3 || v.nv > 1 || v.nw > 1 || (v.nt > 1 && v.nu > 1))
    return damaged(name, "it has " + std::to_string(v.ndim) +
                             " dimensions; three are read, and one for "
                             "channels");
  if (!isReadType(v.datatype))
    return damaged(name, std::string("its values are ") +
                             nifti_datatype_string(v.datatype) +
                             "; integers of 8 to 32 bits and floats are read");
  shape = {v.nz, v.ny, v.nx, channels};
  return volume;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The values as stored, in the order of bytes of this machine.
static Status readBytes(const std::string &name, const nifti_image &v,
                        std::vector<uint8_t> &bytes) {
  Expected<GzipInput> file = GzipInput::open(name);
  if (!file.ok())
    return file.status();
  if (v.iname_offset < 0)
    return damaged(name, "its values begin nowhere");
  REPRISE_RETURN_IF_ERROR(file->seek(v.iname_offset));
  bytes.resize(v.nvox * size_t(v.nbyper));
  uint64_t got = 0;
  REPRISE_RETURN_IF_ERROR(file->read(bytes.data(), bytes.size(), &got));
  if (got != bytes.size())
    return damaged(name, "it is truncated after " + std::to_string(got) +
                             " of " + std::to_string(bytes.size()) +
                             " bytes of values");
  if (v.swapsize > 1 && v.byteorder != nifti_short_order())
    nifti_swap_Nbytes(v.nvox, v.swapsize, bytes.data());
  return Status();
}

/// Channels, which lie one behind the other in the file, next to each other.
template <typename T>
static void copyValues(const nifti_image &v, const uint8_t *bytes,
                       const VolumeShape &shape, float *out) {
  auto channels = size_t(shape[3]);
  size_t voxels = size_t(shape[0]) * size_t(shape[1]) * size_t(shape[2]);
  const auto *in = reinterpret_cast<const T *>(bytes);
  bool isScaled = v.scl_slope != 0;
  for (size_t c = 0; c < channels; ++c)
    for (size_t i = 0; i < voxels; ++i) {
      auto value = double(in[c * voxels + i]);
      out[i * channels + c] = float(
          isScaled ? value * double(v.scl_slope) + double(v.scl_inter) : value);
    }
}

static Status readValues(const std::string &name, const nifti_image &v,
                         const VolumeShape &shape, float *out) {
  std::vector<uint8_t> bytes;
  REPRISE_RETURN_IF_ERROR(readBytes(name, v, bytes));
  switch (v.datatype) {
  case DT_UINT8:
    copyValues<uint8_t>(v, bytes.data(), shape, out);
    break;
  case DT_INT8:
    copyValues<int8_t>(v, bytes.data(), shape, out);
    break;
  case DT_INT16:
    copyValues<int16_t>(v, bytes.data(), shape, out);
    break;
  case DT_UINT16:
    copyValues<uint16_t>(v, bytes.data(), shape, out);
    break;
  case DT_INT32:
    copyValues<int32_t>(v, bytes.data(), shape, out);
    break;
  case DT_UINT32:
    copyValues<uint32_t>(v, bytes.data(), shape, out);
    break;
  case DT_FLOAT32:
    copyValues<float>(v, bytes.data(), shape, out);
    break;
  case DT_FLOAT64:
    copyValues<double>(v, bytes.data(), shape, out);
    break;
  default:
    return damaged(name, "its values are of another type than its header says");
  }
  return Status();
}

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
      return damaged(name, "value " + std::to_string(i) + " is not finite");
  Expected<ChannelScale> scale = normalize == "volume"
                                     ? measureScale(values, count)
                                     : parseChannelScale(normalize, shape[3]);
  if (!scale.ok())
    return scale.status();
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
  return damaged(name, "it is " + describe(here) +
                           ", but the first volume of the data is " +
                           describe(shape));
}

Status VolumeDataset::fillVolume(uint64_t file, float *out) const {
  const std::string name = files->name(file);
  VolumeShape here;
  Expected<Volume> volume = openVolume(name, here);
  if (!volume.ok())
    return volume.status();
  REPRISE_RETURN_IF_ERROR(checkShape(name, here));
  REPRISE_RETURN_IF_ERROR(readValues(name, **volume, shape, out));
  return normalizeValues(name, normalize, shape, out);
}

/// Other extents are no damage: they end the run.
Status VolumeDataset::look(uint64_t file, bool &isBad) const {
  const std::string name = files->name(file);
  VolumeShape here;
  Expected<Volume> volume = openVolume(name, here);
  if (!volume.ok() && !isOfTheFile(volume.status()))
    return volume.status();
  if (volume.ok())
    REPRISE_RETURN_IF_ERROR(checkShape(name, here));
  std::vector<float> values(shape[0] * shape[1] * shape[2] * shape[3]);
  isBad = !volume.ok() || !fillVolume(file, values.data()).ok();
  return Status();
}

Status VolumeDataset::checkHeader(uint64_t file) const {
  const std::string name = files->name(file);
  VolumeShape here;
  Expected<Volume> volume = openVolume(name, here);
  if (volume.ok())
    return checkShape(name, here);
  return skips && isOfTheFile(volume.status()) ? Status() : volume.status();
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

/// The first volume's header, of those that have one where bad files are
/// skipped.
static Expected<Volume> openFirst(const DataSpec &spec, const ImageFiles &files,
                                  VolumeShape &shape) {
  Expected<Volume> first = openVolume(files.name(0), shape);
  for (uint64_t i = 1;
       !first.ok() && spec.images.skipBadFiles && i < files.size(); ++i)
    if (Expected<Volume> next = openVolume(files.name(i), shape); next.ok())
      return next;
  return first;
}

static Expected<std::unique_ptr<Dataset>>
openVolumes(const DataSpec &spec, Split split, const DatasetOptions &options) {
  auto files = listClassFolders(spec, split, kVolumes);
  if (!files.ok())
    return files.status();
  VolumeShape shape;
  if (auto first = openFirst(spec, **files, shape); !first.ok())
    return first.status();
  Expected<LabelledImages> form =
      labelledImages(spec.source, options.columns, {});
  if (!form.ok())
    return form.status();
  form->columns[form->image].shape.assign(shape.begin(), shape.end());
  const std::string normalize =
      spec.images.normalize.empty() ? "volume" : spec.images.normalize;
  if (normalize != "volume")
    REPRISE_RETURN_IF_ERROR(parseChannelScale(normalize, shape[3]).status());
  auto data = std::make_unique<VolumeDataset>(
      std::move(*files), std::move(*form), shape, normalize,
      spec.images.skipBadFiles);
  // Without columns nothing is read.
  if (spec.images.skipBadFiles && !options.columns.empty())
    REPRISE_RETURN_IF_ERROR(data->prune(spec.loaderThreads));
  if (data->size() > 0)
    return std::unique_ptr<Dataset>(std::move(data));
  return data->noneLeft(spec.source);
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
    traits.isScaled = traits.hasFiles = true;
    return traits;
  }
  Expected<std::unique_ptr<Dataset>>
  open(const DataSpec &spec, Split split,
       const DatasetOptions &options) const override {
    return openVolumes(spec, split, options);
  }
  Expected<DatasetExtent> measure(const DataSpec &spec, Split split,
                                  const std::vector<Column> &) const override {
    auto files = listClassFolders(spec, split, kVolumes);
    if (!files.ok())
      return files.status();
    VolumeShape shape;
    auto first = openFirst(spec, **files, shape);
    if (!first.ok())
      return first.status();
    DatasetExtent extent;
    extent.images = (*files)->size();
    extent.hostBytes = (*files)->hostBytes();
    extent.bytesPerThread = (*first)->nvox * uint64_t((*first)->nbyper);
    extent.isCostly = true;
    return extent;
  }
};

} // namespace

const DataSource &reprise::rt::volumesSource() {
  static const VolumeSource source;
  return source;
}
