//===- Canvas.h - Pictures of rectangles and words --------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_HOOKS_CANVAS_H
#define REPRISE_RUNTIME_TRAINER_HOOKS_CANVAS_H

#include "reprise/Runtime/Status.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::rt {

/// A color 0xRRGGBB.
using Color = uint32_t;

/// Pixels in RGB, (0, 0) at the upper left. Drawing outside has no effect.
class Canvas {
public:
  Canvas(int width, int height, Color ground);
  int width() const { return columns; }
  int height() const { return rows; }
  Color at(int x, int y) const;
  /// Fills `wide` times `high` pixels from (x, y) on.
  void fill(int x, int y, int wide, int high, Color color);
  /// Draws a line of dashes, two pixels high.
  void dashes(int x, int y, int wide, Color color);
  /// Draws digits, letters, spaces and full stops, the upper left at (x, y);
  /// letters without a glyph leave their place empty.
  void text(int x, int y, std::string_view words, Color color);
  /// Returns the width of a text, in pixels.
  static int widthOf(std::string_view words);
  static constexpr int kTextHeight = 14;
  /// Returns a PNG file.
  Expected<std::string> encode() const;

private:
  int columns, rows;
  std::vector<uint8_t> bytes;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_HOOKS_CANVAS_H
