//===- VolumeFile.h - A file of NIfTI ---------------------------*- C++ -*-===//
//
// A volume of nx, ny, nz voxels is a row (nz, ny, nx, C): slices as depth, as
// stored, or with axes that are turned to an orientation. C is what the time or
// the vector dimension has.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_VOLUMES_VOLUMEFILE_H
#define REPRISE_RUNTIME_TRAINER_DATA_VOLUMES_VOLUMEFILE_H

#include "Orientation.h"
#include "reprise/Runtime/Status.h"
#include <memory>
#include <optional>
#include <vector>

namespace reprise::rt {

/// (D,H,W,C).
using VolumeShape = std::array<int64_t, 4>;

/// "2x3x4x1".
std::string describe(const VolumeShape &shape);

/// Makes the error for a file that holds no row.
Status damagedVolume(const std::string &name, const std::string &what,
                     const char *file = __builtin_FILE(),
                     int line = __builtin_LINE());

class VolumeFile {
public:
  /// Reads the header. `wanted` is a code of an orientation, or "" for a volume
  /// as it is stored. Fails for a file without an orientation that is to be
  /// turned.
  static Expected<VolumeFile> open(const std::string &name,
                                   const std::string &wanted);
  /// Returns the shape of the row.
  const VolumeShape &shape() const { return extents; }
  /// Returns the stored orientation; "" if the file has none.
  const std::string &orientation() const { return stored; }
  /// Returns the size of its values, as stored.
  uint64_t valueBytes() const;
  /// Reads the values times the file's slope plus its intercept.
  Status read(float *out) const;

private:
  struct Free {
    void operator()(nifti_image *volume) const { nifti_image_free(volume); }
  };
  Status readHeader();
  Status check();
  /// Fails where fewer bytes of values are there.
  Status checkEnd(uint64_t bytes) const;
  Status turn(const std::string &wanted);
  Status readBytes(std::vector<uint8_t> &bytes) const;
  template <typename T> void copyValues(const uint8_t *bytes, float *out) const;

  std::string name;
  std::unique_ptr<nifti_image, Free> volume; // its header
  std::optional<uint64_t> plainBytes;        // of a file that is not gzipped
  VolumeShape extents = {};
  std::string stored;
  TurnedVoxels voxels;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_VOLUMES_VOLUMEFILE_H
