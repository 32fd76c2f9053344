//===- Orientation.h - Axes of volumes and directions in space --*- C++ -*-===//
//
// A code of three letters says where the axes x, y and z of a volume point:
// R or L (right, left), A or P (anterior, posterior), S or I (superior,
// inferior), each line of space once. "RAS": x grows to the right.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_VOLUMES_ORIENTATION_H
#define REPRISE_RUNTIME_TRAINER_DATA_VOLUMES_ORIENTATION_H

#include <array>
#include <cstdint>
#include <nifti2_io.h>
#include <string>

namespace reprise::rt {

/// Returns the code that is nearest to the affine of the header: of its sform,
/// or else of its qform; "" where it has neither, or one that is singular.
std::string orientationOf(const nifti_image &volume);

/// The source axes of the axes x, y, z of a turned volume.
struct AxisTurn {
  std::array<int, 3> axis = {0, 1, 2}; // of the volume as stored
  std::array<bool, 3> isFlipped = {};
};

/// Both are codes.
AxisTurn turnBetween(const std::string &from, const std::string &to);

/// The voxels of a turned volume in the one as stored, whose extents of x, y, z
/// are `extents`: voxel (x, y, z) is the one at begin + x * steps[0] + ...
struct TurnedVoxels {
  std::array<int64_t, 3> extents = {};
  std::array<int64_t, 3> steps = {};
  int64_t begin = 0;
};
TurnedVoxels turnVoxels(const AxisTurn &turn,
                        const std::array<int64_t, 3> &extents);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_VOLUMES_ORIENTATION_H
