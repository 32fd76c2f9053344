//===- NaiveLoops.h - Slow, obvious convolutions and products ---*- C++ -*-===//
//
// The definition that library calls are compared with.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_RUNTIME_CONFORMANCE_NAIVELOOPS_H
#define REPRISE_TEST_RUNTIME_CONFORMANCE_NAIVELOOPS_H

#include "ArtifactBuilder.h"
#include <vector>

namespace reprise::test {

struct ConvShape {
  int64_t n, h, w_, c, o, kh, kw, sh, sw, top, bottom, left, right, dh, dw,
      groups;
  int64_t outH() const {
    return (h + top + bottom - (kh - 1) * dh - 1) / sh + 1;
  }
  int64_t outW() const {
    return (w_ + left + right - (kw - 1) * dw - 1) / sw + 1;
  }
  Shape x() const { return {n, h, w_, c}; }
  Shape w() const { return {o, kh, kw, c / groups}; }
  Shape y() const { return {n, outH(), outW(), o}; }
  std::vector<int64_t> ints() const {
    return {sh, sw, top, bottom, left, right, dh, dw, groups};
  }
};

struct MatShape {
  Shape batch;
  int64_t m, n, k;
  Shape with(int64_t rows, int64_t columns) const {
    Shape s = batch;
    s.push_back(rows);
    s.push_back(columns);
    return s;
  }
  Shape a(bool transposed) const {
    return transposed ? with(k, m) : with(m, k);
  }
  Shape b(bool transposed) const {
    return transposed ? with(n, k) : with(k, n);
  }
  Shape c() const { return with(m, n); }
};

/// Whole numbers from -3 to 3.
std::vector<float> smallIntegers(const Shape &shape, uint64_t seed);

// Of float or double, in which they also add up.

template <typename T>
std::vector<T> naiveForward(const ConvShape &c, const std::vector<T> &x,
                            const std::vector<T> &w);
template <typename T>
std::vector<T> naiveInputGrad(const ConvShape &c, const std::vector<T> &dy,
                              const std::vector<T> &w);
template <typename T>
std::vector<T> naiveFilterGrad(const ConvShape &c, const std::vector<T> &x,
                               const std::vector<T> &dy);
template <typename T>
std::vector<T> naiveMatMul(const MatShape &m, const std::vector<T> &a,
                           const std::vector<T> &b, bool transposeA,
                           bool transposeB);

} // namespace reprise::test

#endif // REPRISE_TEST_RUNTIME_CONFORMANCE_NAIVELOOPS_H
