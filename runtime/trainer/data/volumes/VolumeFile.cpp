//===- VolumeFile.cpp - A file of NIfTI -----------------------------------===//
//
// libnifti2 converts headers. It would fill up what a truncated file lacks, and
// make zeros of what is not finite, so files are read through zlib, which takes
// plain ones as well.
//
//===----------------------------------------------------------------------===//
#include "VolumeFile.h"
#include "../GzipInput.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/NameText.h"
#include <algorithm>
#include <cstring>

using namespace reprise::rt;

static constexpr uint64_t kMostVoxels = uint64_t(1) << 28;

Status reprise::rt::damagedVolume(const std::string &name,
                                  const std::string &what, const char *file,
                                  int line) {
  return Status::error(RP_DATA_LOSS,
                       "'" + nameText(name) + "' cannot be read: " + what, file,
                       line);
}

std::string reprise::rt::describe(const VolumeShape &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

/// Returns true if VolumeFile::read takes values of the type.
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
Status VolumeFile::readHeader() {
  union {
    nifti_1_header one;
    nifti_2_header two;
  } header = {};
  REPRISE_EXPECT(file, GzipInput::open(name));
  uint64_t got = 0;
  REPRISE_RETURN_IF_ERROR(file->read(&header, sizeof header.two, &got));
  // In the order of bytes of either machine.
  int32_t size = header.one.sizeof_hdr,
          turned = int32_t(__builtin_bswap32(uint32_t(size)));
  auto isOf = [&](size_t bytes) {
    return (size == int32_t(bytes) || turned == int32_t(bytes)) && got >= bytes;
  };
  nifti_set_debug_level(0); // it prints what is said here
  if (isOf(sizeof header.one) && !std::memcmp(header.one.magic, "n+1", 4))
    volume.reset(nifti_convert_n1hdr2nim(header.one, nullptr));
  if (isOf(sizeof header.two) && !std::memcmp(header.two.magic, "n+2", 4))
    volume.reset(nifti_convert_n2hdr2nim(header.two, nullptr));
  if (file->isPlain())
    plainBytes = file->fileBytes();
  if (volume)
    return Status();
  if (got < sizeof header.one)
    return damagedVolume(name,
                         "it is not a NIfTI volume, or is truncated after " +
                             std::to_string(got) + " bytes of its header");
  bool isApart =
      (isOf(sizeof header.one) && !std::memcmp(header.one.magic, "ni1", 4)) ||
      (isOf(sizeof header.two) && !std::memcmp(header.two.magic, "ni2", 4));
  return damagedVolume(name, isApart
                                 ? "it is not a NIfTI volume of one file: its "
                                   "values are in another; convert it"
                                 : "it is not a NIfTI volume");
}

Status VolumeFile::checkEnd(uint64_t bytes) const {
  if (bytes >= valueBytes())
    return Status();
  return damagedVolume(name, "it is truncated after " + std::to_string(bytes) +
                                 " of " + std::to_string(valueBytes()) +
                                 " bytes of values");
}

Status VolumeFile::check() {
  const nifti_image &v = *volume;
  int64_t voxels = 1;
  for (int i = 1; i <= v.ndim; ++i)
    if (v.dim[i] <= 0 ||
        __builtin_mul_overflow(voxels, int64_t(v.dim[i]), &voxels))
      return damagedVolume(name, "its extents hold nothing, or too much");
  if (uint64_t(voxels) > kMostVoxels)
    return damagedVolume(name, "it has " + std::to_string(voxels) +
                                   " voxels, and at most " +
                                   std::to_string(kMostVoxels) + " are read");
  if (v.ndim < 3 || v.nv > 1 || v.nw > 1 || (v.nt > 1 && v.nu > 1))
    return damagedVolume(name, "it has " + std::to_string(v.ndim) +
                                   " dimensions; three are read, and one for "
                                   "channels");
  if (!isReadType(v.datatype))
    return damagedVolume(name,
                         std::string("its values are ") +
                             nifti_datatype_string(v.datatype) +
                             "; integers of 8 to 32 bits and floats are read");
  if (v.iname_offset < 0)
    return damagedVolume(name, "its values begin nowhere");
  if (plainBytes)
    return checkEnd(*plainBytes -
                    std::min(*plainBytes, uint64_t(v.iname_offset)));
  return Status();
}

Status VolumeFile::turn(const std::string &wanted) {
  stored = orientationOf(*volume);
  if (!wanted.empty() && stored.empty())
    return damagedVolume(name,
                         "it does not say its orientation (sform and qform of "
                         "its header are not set, or singular), so it cannot "
                         "be turned to " +
                             wanted);
  AxisTurn turn;
  if (!wanted.empty())
    turn = turnBetween(stored, wanted);
  voxels = turnVoxels(turn, {volume->nx, volume->ny, volume->nz});
  extents = {voxels.extents[2], voxels.extents[1], voxels.extents[0],
             std::max<int64_t>(volume->nt, 1) *
                 std::max<int64_t>(volume->nu, 1)};
  return Status();
}

Expected<VolumeFile> VolumeFile::open(const std::string &name,
                                      const std::string &wanted) {
  VolumeFile file;
  file.name = name;
  REPRISE_RETURN_IF_ERROR(file.readHeader());
  REPRISE_RETURN_IF_ERROR(file.check());
  REPRISE_RETURN_IF_ERROR(file.turn(wanted));
  return file;
}

uint64_t VolumeFile::valueBytes() const {
  return volume->nvox * uint64_t(volume->nbyper);
}

/// Reads the values as stored, in the order of bytes of this machine.
Status VolumeFile::readBytes(std::vector<uint8_t> &bytes) const {
  const nifti_image &v = *volume;
  REPRISE_EXPECT(file, GzipInput::open(name));
  REPRISE_RETURN_IF_ERROR(file->seek(v.iname_offset));
  bytes.resize(valueBytes());
  uint64_t got = 0;
  REPRISE_RETURN_IF_ERROR(file->read(bytes.data(), bytes.size(), &got));
  REPRISE_RETURN_IF_ERROR(checkEnd(got));
  if (v.swapsize > 1 && v.byteorder != nifti_short_order())
    nifti_swap_Nbytes(v.nvox, v.swapsize, bytes.data());
  return Status();
}

/// Puts channels, which lie one after the other in the file, next to each
/// other.
template <typename T>
void VolumeFile::copyValues(const uint8_t *bytes, float *out) const {
  auto scale = [this](T stored) {
    auto value = double(stored);
    return volume->scl_slope == 0 ? float(value)
                                  : float(value * double(volume->scl_slope) +
                                          double(volume->scl_inter));
  };
  const auto *in = reinterpret_cast<const T *>(bytes);
  const auto &[depth, height, width, channels] = extents;
  int64_t perChannel = depth * height * width;
  for (int64_t z = 0; z < depth; ++z)
    for (int64_t y = 0; y < height; ++y) {
      int64_t line = voxels.begin + z * voxels.steps[2] + y * voxels.steps[1];
      for (int64_t x = 0; x < width; ++x)
        for (int64_t c = 0; c < channels; ++c)
          *out++ = scale(in[c * perChannel + line + x * voxels.steps[0]]);
    }
}

Status VolumeFile::read(float *out) const {
  std::vector<uint8_t> bytes;
  REPRISE_RETURN_IF_ERROR(readBytes(bytes));
  switch (volume->datatype) {
  case DT_UINT8:
    copyValues<uint8_t>(bytes.data(), out);
    break;
  case DT_INT8:
    copyValues<int8_t>(bytes.data(), out);
    break;
  case DT_INT16:
    copyValues<int16_t>(bytes.data(), out);
    break;
  case DT_UINT16:
    copyValues<uint16_t>(bytes.data(), out);
    break;
  case DT_INT32:
    copyValues<int32_t>(bytes.data(), out);
    break;
  case DT_UINT32:
    copyValues<uint32_t>(bytes.data(), out);
    break;
  case DT_FLOAT32:
    copyValues<float>(bytes.data(), out);
    break;
  case DT_FLOAT64:
    copyValues<double>(bytes.data(), out);
    break;
  default:
    return damagedVolume(name,
                         "its values are of another type than its header says");
  }
  return Status();
}
