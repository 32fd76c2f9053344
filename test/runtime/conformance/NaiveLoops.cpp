//===- NaiveLoops.cpp - Slow, obvious convolutions and products -----------===//
//
// All three convolutions are one loop nest over the pairs of elements that
// meet in a forward convolution.
//
//===----------------------------------------------------------------------===//
#include "NaiveLoops.h"
#include "reprise/Runtime/Philox.h"

namespace reprise::test {

std::vector<float> smallIntegers(const Shape &shape, uint64_t seed) {
  std::vector<float> values(size_t(elements(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(int(rt::philoxBlock(seed, 0, i / 4).word[i % 4] % 7) - 3);
  return values;
}

/// Calls visit(x, w, y) with the indices of every input element, filter
/// element and output element that meet.
template <typename Visit> static void pairs(const ConvShape &c, Visit visit) {
  int64_t perGroup = c.c / c.groups, outPerGroup = c.o / c.groups;
  int64_t taps = c.kh * c.kw * perGroup;
  for (int64_t y = 0; y < c.n * c.outH() * c.outW() * c.o; ++y) {
    int64_t o = y % c.o, column = y / c.o % c.outW();
    int64_t row = y / c.o / c.outW() % c.outH(),
            n = y / c.o / c.outW() / c.outH();
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t i = tap % perGroup, kx = tap / perGroup % c.kw;
      int64_t ky = tap / perGroup / c.kw;
      int64_t ih = row * c.sh - c.top + ky * c.dh;
      int64_t iw = column * c.sw - c.left + kx * c.dw;
      if (ih < 0 || ih >= c.h || iw < 0 || iw >= c.w_)
        continue;
      int64_t channel = o / outPerGroup * perGroup + i;
      visit(size_t(((n * c.h + ih) * c.w_ + iw) * c.c + channel),
            size_t(o * taps + tap), size_t(y));
    }
  }
}

template <typename T>
std::vector<T> naiveForward(const ConvShape &c, const std::vector<T> &x,
                            const std::vector<T> &w) {
  std::vector<T> y(size_t(elements(c.y())));
  pairs(c, [&](size_t xi, size_t wi, size_t yi) { y[yi] += x[xi] * w[wi]; });
  return y;
}

template <typename T>
std::vector<T> naiveInputGrad(const ConvShape &c, const std::vector<T> &dy,
                              const std::vector<T> &w) {
  std::vector<T> dx(size_t(elements(c.x())));
  pairs(c, [&](size_t xi, size_t wi, size_t yi) { dx[xi] += dy[yi] * w[wi]; });
  return dx;
}

template <typename T>
std::vector<T> naiveFilterGrad(const ConvShape &c, const std::vector<T> &x,
                               const std::vector<T> &dy) {
  std::vector<T> dw(size_t(elements(c.w())));
  pairs(c, [&](size_t xi, size_t wi, size_t yi) { dw[wi] += x[xi] * dy[yi]; });
  return dw;
}

template <typename T>
std::vector<T> naiveMatMul(const MatShape &m, const std::vector<T> &a,
                           const std::vector<T> &b, bool transposeA,
                           bool transposeB) {
  std::vector<T> c(size_t(elements(m.c())));
  for (int64_t i = 0; i < elements(m.c()); ++i) {
    int64_t column = i % m.n, row = i / m.n % m.m, batch = i / m.n / m.m;
    for (int64_t k = 0; k < m.k; ++k) {
      int64_t ai = transposeA ? k * m.m + row : row * m.k + k;
      int64_t bi = transposeB ? column * m.k + k : k * m.n + column;
      c[size_t(i)] +=
          a[size_t(batch * m.m * m.k + ai)] * b[size_t(batch * m.k * m.n + bi)];
    }
  }
  return c;
}

#define REPRISE_NAIVE(T)                                                       \
  template std::vector<T> naiveForward(                                        \
      const ConvShape &, const std::vector<T> &, const std::vector<T> &);      \
  template std::vector<T> naiveInputGrad(                                      \
      const ConvShape &, const std::vector<T> &, const std::vector<T> &);      \
  template std::vector<T> naiveFilterGrad(                                     \
      const ConvShape &, const std::vector<T> &, const std::vector<T> &);      \
  template std::vector<T> naiveMatMul(const MatShape &,                        \
                                      const std::vector<T> &,                  \
                                      const std::vector<T> &, bool, bool);
REPRISE_NAIVE(float)
REPRISE_NAIVE(double)
#undef REPRISE_NAIVE

} // namespace reprise::test
