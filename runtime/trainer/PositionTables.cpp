//===- PositionTables.cpp - Position tables of another image size ---------===//
#include "PositionTables.h"
#include <algorithm>
#include <cmath>

using namespace reprise::rt;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static bool endsWith(const std::string &name, const std::string &end) {
  return name.size() >= end.size() &&
         name.compare(name.size() - end.size(), end.size(), end) == 0;
}

/// Returns the side of a square of `count` places; 0 if there is none.
static int64_t sideOf(int64_t count) {
  auto side =
      int64_t(std::llround(std::sqrt(double(std::max<int64_t>(count, 0)))));
  return side * side == count ? side : 0;
}

/// Returns the height of a grid of `count` places with the proportions of an
/// image; 0 if there is none.
static int64_t heightOf(int64_t count, int64_t height, int64_t width) {
  if (height <= 0 || width <= 0)
    return sideOf(count);
  double exact = std::sqrt(double(count) * double(height) / double(width));
  auto rows = int64_t(std::llround(exact));
  bool isGrid =
      rows > 0 && count % rows == 0 && rows * width == count / rows * height;
  return isGrid ? rows : sideOf(count);
}

/// Splits rows of two tables into the same number of fixed rows and grids.
static std::optional<TableResize> splitPatches(int64_t from, int64_t to,
                                               int64_t height, int64_t width) {
  for (int64_t fixed : {1, 0}) {
    int64_t side = sideOf(from - fixed);
    int64_t rows = to > fixed ? heightOf(to - fixed, height, width) : 0;
    if (side > 0 && rows > 0)
      return TableResize{fixed, 0, side, side, rows, (to - fixed) / rows, true};
  }
  return {};
}

static std::optional<TableResize> splitDistances(int64_t from, int64_t to) {
  int64_t side = sideOf(from), other = sideOf(to);
  if (side % 2 == 0 || other % 2 == 0)
    return {};
  return TableResize{0, 0, side, side, other, other, false};
}

std::optional<TableResize> reprise::rt::findTableResize(
    const std::string &name, const std::vector<int64_t> &from,
    const std::vector<int64_t> &to, int64_t height, int64_t width) {
  size_t rank = from.size();
  if (rank != to.size() || rank < 2 || rank > 3 || from.back() != to.back() ||
      (rank == 3 && (from[0] != 1 || to[0] != 1)))
    return {};
  int64_t rows = from[rank - 2], wanted = to[rank - 2];
  std::optional<TableResize> resize;
  if (endsWith(name, "pos_embedding") || endsWith(name, "pos_embed"))
    resize = splitPatches(rows, wanted, height, width);
  else if (endsWith(name, "relative_position_bias_table") && rank == 2)
    resize = splitDistances(rows, wanted);
  if (resize)
    resize->columns = from.back();
  return resize;
}

//===----------------------------------------------------------------------===//
// Interpolation
//===----------------------------------------------------------------------===//

namespace {
/// Four neighbours of a place along one dimension, and their weights.
struct Taps {
  int64_t at[4];
  double weight[4];
};
} // namespace

/// Keys' kernel with a = -0.75.
static double cubic(double x) {
  constexpr double a = -0.75;
  x = std::abs(x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

static std::vector<Taps> tapsOf(int64_t from, int64_t to, bool alignsCorners) {
  std::vector<Taps> all;
  for (int64_t i = 0; i < to; ++i) {
    double place =
        alignsCorners
            ? (to > 1 ? double(i) * double(from - 1) / double(to - 1) : 0)
            : (double(i) + 0.5) * double(from) / double(to) - 0.5;
    auto first = int64_t(std::floor(place)) - 1;
    Taps &taps = all.emplace_back();
    for (int64_t k = 0; k < 4; ++k) {
      taps.at[k] = std::clamp<int64_t>(first + k, 0, from - 1);
      taps.weight[k] = cubic(place - double(first + k));
    }
  }
  return all;
}

/// Returns the sum of the neighbours of a place, of one column.
static double sumAt(const TableResize &resize, const float *grid,
                    const Taps &row, const Taps &column, int64_t number) {
  double sum = 0;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k)
      sum += row.weight[i] * column.weight[k] *
             double(grid[(row.at[i] * resize.fromWidth + column.at[k]) *
                             resize.columns +
                         number]);
  return sum;
}

std::vector<float> reprise::rt::resizeTable(const TableResize &resize,
                                            const float *table) {
  int64_t fixed = resize.fixed * resize.columns;
  std::vector<float> resized(table, table + fixed);
  resized.reserve(
      size_t(fixed + resize.toHeight * resize.toWidth * resize.columns));
  const float *grid = table + fixed;
  auto rows = tapsOf(resize.fromHeight, resize.toHeight, resize.alignsCorners);
  auto columns = tapsOf(resize.fromWidth, resize.toWidth, resize.alignsCorners);
  for (const Taps &row : rows)
    for (const Taps &column : columns)
      for (int64_t number = 0; number < resize.columns; ++number)
        resized.push_back(float(sumAt(resize, grid, row, column, number)));
  return resized;
}
