//===- WinogradRowsLoops.h - Transforms of windows --------------*- C++ -*-===//
//
// Loops over channels, included once for each set of vector instructions
// (EachInstructionSet.h).
//
//===----------------------------------------------------------------------===//

namespace reprise::rt::REPRISE_VERSION {

#include "Lanes.h"

static_assert(kWinogradLanes == kLanes);

//===----------------------------------------------------------------------===//
// Rows of the matrices B^T, A, A^T, G and G^T, times a column
//===----------------------------------------------------------------------===//

static REPRISE_INLINE void image(int row, const Floats *d, Floats &to) {
  switch (row) {
  case 0:
    to = d[0] - d[2];
    break;
  case 1:
    to = d[1] + d[2];
    break;
  case 2:
    to = d[2] - d[1];
    break;
  default:
    to = d[1] - d[3];
  }
}

static REPRISE_INLINE void cotangent(int row, const Floats *y, Floats &to) {
  switch (row) {
  case 0:
    to = y[0];
    break;
  case 1:
    to = y[0] + y[1];
    break;
  case 2:
    to = y[0] - y[1];
    break;
  default:
    to = -y[1];
  }
}

static REPRISE_INLINE void back(int row, const Floats *m, Floats &to) {
  if (row == 0)
    to = m[0] + m[1] + m[2];
  else
    to = m[1] - m[2] - m[3];
}

static REPRISE_INLINE void filter(int row, const Floats *g, Floats &to) {
  switch (row) {
  case 0:
    to = g[0];
    break;
  case 1:
    to = (g[0] + g[2] + g[1]) * 0.5f;
    break;
  case 2:
    to = (g[0] + g[2] - g[1]) * 0.5f;
    break;
  default:
    to = g[2];
  }
}

static REPRISE_INLINE void filterBack(int row, const Floats *u, Floats &to) {
  switch (row) {
  case 0:
    to = u[0] + (u[1] + u[2]) * 0.5f;
    break;
  case 1:
    to = (u[1] - u[2]) * 0.5f;
    break;
  default:
    to = (u[1] + u[2]) * 0.5f + u[3];
  }
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Computes rows [First, First + Count) of an image's form.
template <int First, int Count>
static REPRISE_INLINE void imageRows(const float *const *pixels,
                                     WinogradForm to, int64_t channels) {
  for (int64_t c = 0; c < channels; c += kLanes) {
    Floats d[4][4]; // [column][row]
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i)
        load(pixels[4 * i + j] + c, d[j][i]);
    for (int i = 0; i < Count; ++i) {
      Floats row[4], number;
      for (int j = 0; j < 4; ++j)
        image(First + i, d[j], row[j]);
      for (int j = 0; j < 4; ++j) {
        image(j, row, number);
        store(number, to.numbers + (4 * i + j) * to.step + c);
      }
    }
  }
}

void transformImage(const float *const *pixels, int row, WinogradForm to,
                    int64_t channels) {
  switch (row) {
  case 0:
    return imageRows<0, 1>(pixels, to, channels);
  case 1:
    return imageRows<1, 1>(pixels, to, channels);
  case 2:
    return imageRows<2, 1>(pixels, to, channels);
  case 3:
    return imageRows<3, 1>(pixels, to, channels);
  default:
    return imageRows<0, 4>(pixels, to, channels);
  }
}

template <int Row>
static REPRISE_INLINE void cotangentRow(const float *const *pixels,
                                        WinogradForm to, int64_t channels) {
  for (int64_t c = 0; c < channels; c += kLanes) {
    Floats row[2], number;
    for (int j = 0; j < 2; ++j) {
      Floats y[2];
      for (int i = 0; i < 2; ++i)
        load(pixels[2 * i + j] + c, y[i]);
      cotangent(Row, y, row[j]);
    }
    for (int j = 0; j < 4; ++j) {
      cotangent(j, row, number);
      store(number, to.numbers + j * to.step + c);
    }
  }
}

void transformCotangent(const float *const *pixels, int row, WinogradForm to,
                        int64_t channels) {
  switch (row) {
  case 0:
    return cotangentRow<0>(pixels, to, channels);
  case 1:
    return cotangentRow<1>(pixels, to, channels);
  case 2:
    return cotangentRow<2>(pixels, to, channels);
  default:
    return cotangentRow<3>(pixels, to, channels);
  }
}

void transformBack(WinogradForm from, bool adds, float *const *pixels,
                   int64_t channels) {
  for (int64_t c = 0; c < channels; c += kLanes) {
    Floats rows[2][4];
    for (int j = 0; j < 4; ++j) {
      Floats m[4];
      for (int i = 0; i < 4; ++i)
        load(from.numbers + (4 * i + j) * from.step + c, m[i]);
      for (int i = 0; i < 2; ++i)
        back(i, m, rows[i][j]);
    }
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        if (pixels[2 * i + j]) {
          Floats number;
          back(j, rows[i], number);
          if (adds) {
            Floats before;
            load(pixels[2 * i + j] + c, before);
            number = number + before;
          }
          store(number, pixels[2 * i + j] + c);
        }
  }
}

//===----------------------------------------------------------------------===//
// Filters
//===----------------------------------------------------------------------===//

/// Computes the form of 16 inputs of one filter, number f at to[f * step].
static REPRISE_INLINE void filterForm(const float *taps, int64_t inputs,
                                      bool isTurned, float *to, int64_t step) {
  Floats rows[4][3];
  for (int j = 0; j < 3; ++j) {
    Floats g[3];
    for (int i = 0; i < 3; ++i)
      load(taps + (isTurned ? 8 - 3 * i - j : 3 * i + j) * inputs, g[i]);
    for (int i = 0; i < 4; ++i)
      filter(i, g, rows[i][j]);
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      Floats number;
      filter(j, rows[i], number);
      store(number, to + (4 * i + j) * step);
    }
}

void transformFilters(const float *filters, int64_t count, int64_t inputs,
                      int64_t outputs, WinogradForm to) {
  constexpr int64_t kBlock = kLanes * kLanes;
  float blocks[kWinogradNumbers * kBlock]; // (number, filter, input)
  for (int64_t input = 0; input < inputs; input += kLanes)
    for (int64_t first = 0; first < count; first += kLanes) {
      for (int64_t o = 0; o < kLanes; ++o)
        filterForm(filters + (first + o) * 9 * inputs + input, inputs, false,
                   blocks + o * kLanes, kBlock);
      for (int64_t f = 0; f < kWinogradNumbers; ++f)
        transposeBlock(blocks + f * kBlock,
                       to.numbers + f * to.step + input * outputs + first,
                       outputs);
    }
}

void transformTurned(const float *filter, int64_t inputs, WinogradForm to) {
  bool isTurned = true;
  for (int64_t input = 0; input < inputs; input += kLanes)
    filterForm(filter + input, inputs, isTurned, to.numbers + input, to.step);
}

void transformFilterBack(WinogradForm from, int64_t inputs, float *filter) {
  for (int64_t c = 0; c < inputs; c += kLanes) {
    Floats rows[3][4];
    for (int j = 0; j < 4; ++j) {
      Floats u[4];
      for (int i = 0; i < 4; ++i)
        load(from.numbers + (4 * i + j) * from.step + c, u[i]);
      for (int i = 0; i < 3; ++i)
        filterBack(i, u, rows[i][j]);
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        Floats number;
        filterBack(j, rows[i], number);
        store(number, filter + (3 * i + j) * inputs + c);
      }
  }
}

} // namespace reprise::rt::REPRISE_VERSION
