//===- Canvas.h - Pictures of rectangles and words --------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_HOOKS_CANVAS_H
#define REPRISE_RUNTIME_TRAINER_HOOKS_CANVAS_H

#include "reprise/Runtime/Status.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::rt {

/// 0xRRGGBB.
using Color = uint32_t;

/// Pixels in RGB, (0, 0) at the upper left. What lies outside is not drawn.
class Canvas {
public:
  Canvas(int width, int height, Color ground);
  int width() const { return columns; }
  int height() const { return rows; }
  Color at(int x, int y) const;
  /// From (x, y) on, `wide` times `high` pixels.
  void fill(int x, int y, int wide, int high, Color color);
  /// A line of dashes, two pixels high.
  void dashes(int x, int y, int wide, Color color);
  /// Digits, letters, spaces and full stops, the upper left at (x, y); a letter
  /// that there is no shape for leaves its place empty.
  void text(int x, int y, std::string_view words, Color color);
  /// Of a text, in pixels.
  static int widthOf(std::string_view words);
  static constexpr int kTextHeight = 14;
  /// As a PNG file.
  Expected<std::string> encode() const;

private:
  int columns, rows;
  std::vector<uint8_t> bytes;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_HOOKS_CANVAS_H
