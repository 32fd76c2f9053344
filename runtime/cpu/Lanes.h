//===- Lanes.h - Vectors of 16 floats ---------------------------*- C++ -*-===//
//
// Included once for each set of vector instructions (EachInstructionSet.h), in
// namespace REPRISE_VERSION.
//
//===----------------------------------------------------------------------===//

constexpr int64_t kLanes = 16;
using Floats = float __attribute__((vector_size(sizeof(float) * kLanes)));

static REPRISE_INLINE void load(const float *from, Floats &to) {
  std::memcpy(&to, from, sizeof to);
}
static REPRISE_INLINE void store(const Floats &from, float *to) {
  std::memcpy(to, &from, sizeof from);
}

/// Interleaves the lanes of rows i and i + 8 of `from` into rows 2i and 2i + 1:
/// in the combined number of row and lane, the first bit becomes the last.
static REPRISE_INLINE void exchangeLanes(const Floats *from, Floats *to) {
  constexpr int64_t half = kLanes / 2;
  for (int64_t i = 0; i < half; ++i) {
    const Floats &a = from[i], &b = from[i + half];
    to[2 * i] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20,
                                        5, 21, 6, 22, 7, 23);
    to[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27,
                                            12, 28, 13, 29, 14, 30, 15, 31);
  }
}

/// Moves the element at (i, j) of `block`, row-major, to rows[j * stride + i].
static REPRISE_INLINE void transposeBlock(const float *block, float *rows,
                                          int64_t stride) {
  Floats x[kLanes], y[kLanes];
  std::memcpy(x, block, sizeof x);
  // A row's number has four bits, and a lane's four.
  exchangeLanes(x, y);
  exchangeLanes(y, x);
  exchangeLanes(x, y);
  exchangeLanes(y, x);
  for (int64_t j = 0; j < kLanes; ++j)
    store(x[j], rows + j * stride);
}
