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

std::vector<float> naiveForward(const ConvShape &c, const std::vector<float> &x,
                                const std::vector<float> &w);
std::vector<float> naiveInputGrad(const ConvShape &c,
                                  const std::vector<float> &dy,
                                  const std::vector<float> &w);
std::vector<float> naiveFilterGrad(const ConvShape &c,
                                   const std::vector<float> &x,
                                   const std::vector<float> &dy);
std::vector<float> naiveMatMul(const MatShape &m, const std::vector<float> &a,
                               const std::vector<float> &b, bool transposeA,
                               bool transposeB);

} // namespace reprise::test

#endif // REPRISE_TEST_RUNTIME_CONFORMANCE_NAIVELOOPS_H
