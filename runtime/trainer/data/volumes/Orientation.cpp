//===- Orientation.cpp - Axes of volumes and directions in space ----------===//

#include "Orientation.h"
#include "reprise/Runtime/Trainer/Images.h"
#include <cctype>
#include <cmath>

using namespace reprise::rt;

/// The two ends of each line of space.
static constexpr const char *kLines[] = {"RL", "AP", "SI"};

/// The line of space that a letter is an end of; 3 for other letters.
static size_t lineOf(char letter) {
  size_t line = 0;
  while (line < 3 && letter != kLines[line][0] && letter != kLines[line][1])
    ++line;
  return line;
}

Expected<std::string> reprise::rt::parseOrientation(const std::string &text) {
  std::string code;
  unsigned lines = 0; // a bit for each
  for (char c : text) {
    code += char(std::toupper(static_cast<unsigned char>(c)));
    lines |= 1u << lineOf(code.back());
  }
  if (code.size() == 3 && lines == 7)
    return code;
  return Status::error(
      RP_INVALID_ARGUMENT,
      "'" + text +
          "' is not an orientation; give the directions of the axes x, y and "
          "z, one letter each of R or L, A or P, S or I, as RAS or LPS");
}

std::string reprise::rt::orientationOf(const nifti_image &volume) {
  if (volume.sform_code <= 0 && volume.qform_code <= 0)
    return "";
  const nifti_dmat44 &affine =
      volume.sform_code > 0 ? volume.sto_xyz : volume.qto_xyz;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (!std::isfinite(affine.m[i][j]))
        return "";
  int axes[3] = {};
  nifti_dmat44_to_orientation(affine, &axes[0], &axes[1], &axes[2]);
  // NIFTI_L2R (1), the first of them, grows to the right.
  constexpr const char *kLetters = " RLAPSI";
  std::string code;
  for (int axis : axes)
    if (axis >= NIFTI_L2R && axis <= NIFTI_S2I)
      code += kLetters[axis];
  return code.size() == 3 ? code : "";
}

AxisTurn reprise::rt::turnBetween(const std::string &from,
                                  const std::string &to) {
  AxisTurn turn;
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j)
      if (lineOf(from[j]) == lineOf(to[i])) {
        turn.axis[i] = int(j);
        turn.isFlipped[i] = from[j] != to[i];
      }
  return turn;
}

TurnedVoxels reprise::rt::turnVoxels(const AxisTurn &turn,
                                     const std::array<int64_t, 3> &extents) {
  const std::array<int64_t, 3> steps = {1, extents[0], extents[0] * extents[1]};
  TurnedVoxels turned;
  for (size_t i = 0; i < 3; ++i) {
    auto axis = size_t(turn.axis[i]);
    turned.extents[i] = extents[axis];
    turned.steps[i] = turn.isFlipped[i] ? -steps[axis] : steps[axis];
    if (turn.isFlipped[i])
      turned.begin += (extents[axis] - 1) * steps[axis];
  }
  return turned;
}
