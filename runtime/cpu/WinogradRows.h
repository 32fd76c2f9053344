//===- WinogradRows.h - Transforms of windows, by channels ------*- C++ -*-===//
//
// The transforms of S. Winograd's minimal filtering F(2x2, 3x3) on one tile, 16
// channels at a time: A. Lavin and S. Gray, "Fast Algorithms for Convolutional
// Neural Networks", CVPR 2016, equations 8 to 12. A tile is 2x2 pixels of the
// result and the 4x4 pixels that its windows read; in the transformed form each
// has 4x4 numbers, of which number f = 4i + j is `step` floats after the
// previous one. Numbers of channels are multiples of 16. Every sum rounds each
// term in one order, so that bits don't depend on the instruction set.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_WINOGRADROWS_H
#define REPRISE_RUNTIME_CPU_WINOGRADROWS_H

#include <cstdint>

namespace reprise::rt {

constexpr int64_t kWinogradLanes = 16;
/// The number of rows of a transformed tile, and of its numbers.
constexpr int64_t kWinogradRows = 4, kWinogradNumbers = 16;

/// The place of one channel's transformed numbers of a tile or a filter.
struct WinogradForm {
  float *numbers;
  int64_t step;
};

/// Computes B^T d B. `pixels` are 4x4, row-major. `row`: the only row of the
/// form to compute, at the form's beginning; all four if it is negative.
void transformImage(const float *const *pixels, int row, WinogradForm to,
                    int64_t channels);

/// Computes A y A^T, for 2x2 pixels of a cotangent; one row of it.
void transformCotangent(const float *const *pixels, int row, WinogradForm to,
                        int64_t channels);

/// Computes A^T m A. `pixels` are 2x2; null ones are not written. `adds`: adds
/// to them.
void transformBack(WinogradForm from, bool adds, float *const *pixels,
                   int64_t channels);

/// Computes G g G^T of `count` filters, each (3,3,inputs), as (inputs,outputs):
/// number f of input i and filter o is at f * step + i * outputs + o. `count`
/// is a multiple of 16.
void transformFilters(const float *filters, int64_t count, int64_t inputs,
                      int64_t outputs, WinogradForm to);

/// The same for one filter rotated by half a turn, as a row of inputs.
void transformTurned(const float *filter, int64_t inputs, WinogradForm to);

/// Computes G^T u G, the gradient of a filter, (3,3,inputs).
void transformFilterBack(WinogradForm from, int64_t inputs, float *filter);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_WINOGRADROWS_H
