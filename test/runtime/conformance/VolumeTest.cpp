//===- VolumeTest.cpp - Convolutions of volumes against naive loops -------===//
//
// Inputs are small integers, so that every product and sum is exact in f32 and
// results must be equal to the bit, whatever the library's order. A GPU's
// gradients of f32 filters may round, see LibraryTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "ArtifactBuilder.h"
#include "Devices.h"
#include "NaiveLoops.h"
#include "SessionHandle.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::test;

namespace {
struct VolumeCase {
  const char *name;
  Shape x, w; // (N,D,H,W,C), (O,KD,KH,KW,C/groups)
  std::vector<int64_t> strides, padding, dilations;
  int64_t groups;

  Shape y() const {
    Shape shape = {x[0]};
    for (size_t d = 0; d < 3; ++d)
      shape.push_back((x[d + 1] + padding[2 * d] + padding[2 * d + 1] -
                       (w[d + 1] - 1) * dilations[d] - 1) /
                          strides[d] +
                      1);
    shape.push_back(w[0]);
    return shape;
  }
  std::vector<int64_t> ints() const {
    std::vector<int64_t> all = strides;
    all.insert(all.end(), padding.begin(), padding.end());
    all.insert(all.end(), dilations.begin(), dilations.end());
    all.push_back(groups);
    return all;
  }
};

using Values = std::vector<float>;
using Param = std::tuple<std::string, VolumeCase>;
class VolumeTest : public testing::TestWithParam<Param> {
protected:
  void check(LibraryOp op, const Shape &a, const Shape &b, const Shape &out,
             const Values &expected, float tolerance = 0);
};
} // namespace

static const VolumeCase kCases[] = {
    {"plain",
     {2, 5, 6, 7, 5},
     {6, 3, 3, 3, 5},
     {1, 1, 1},
     {1, 1, 1, 1, 1, 1},
     {1, 1, 1},
     1},
    {"stem",
     {1, 4, 13, 12, 3},
     {16, 3, 7, 7, 3},
     {1, 2, 2},
     {1, 1, 3, 3, 3, 3},
     {1, 1, 1},
     1},
    {"grey_stem",
     {2, 5, 9, 9, 1},
     {64, 3, 7, 7, 1},
     {1, 2, 2},
     {1, 1, 3, 3, 3, 3},
     {1, 1, 1},
     1},
    {"stride2",
     {2, 6, 8, 7, 32},
     {48, 3, 3, 3, 32},
     {2, 2, 2},
     {1, 1, 1, 1, 1, 1},
     {1, 1, 1},
     1},
    {"wide",
     {1, 4, 6, 6, 64},
     {64, 3, 3, 3, 64},
     {1, 1, 1},
     {1, 1, 1, 1, 1, 1},
     {1, 1, 1},
     1},
    {"one_point",
     {2, 3, 5, 4, 16},
     {24, 1, 1, 1, 16},
     {1, 1, 1},
     {0, 0, 0, 0, 0, 0},
     {1, 1, 1},
     1},
    {"one_point_stride2",
     {2, 6, 7, 8, 64},
     {32, 1, 1, 1, 64},
     {2, 2, 2},
     {0, 0, 0, 0, 0, 0},
     {1, 1, 1},
     1},
    {"one_point_twelve_channels",
     {2, 4, 16, 16, 12},
     {16, 1, 1, 1, 12},
     {2, 2, 2},
     {0, 0, 0, 0, 0, 0},
     {1, 1, 1},
     1},
    {"asymmetric",
     {1, 5, 4, 6, 17},
     {19, 3, 2, 3, 17},
     {1, 2, 1},
     {2, 0, 0, 1, 1, 2},
     {1, 1, 1},
     1},
    {"dilated",
     {1, 9, 8, 7, 8},
     {16, 3, 2, 3, 8},
     {1, 1, 1},
     {2, 2, 1, 1, 1, 1},
     {2, 3, 1},
     1},
    {"groups",
     {2, 4, 5, 6, 12},
     {8, 3, 3, 3, 3},
     {1, 1, 1},
     {1, 1, 1, 1, 1, 1},
     {1, 1, 1},
     4},
    {"depthwise",
     {2, 4, 7, 6, 16},
     {16, 3, 3, 3, 1},
     {1, 2, 2},
     {1, 1, 1, 1, 1, 1},
     {1, 1, 1},
     16},
    {"depthwise_odd",
     {2, 5, 8, 7, 19},
     {19, 3, 2, 5, 1},
     {1, 3, 2},
     {2, 1, 0, 1, 2, 3},
     {2, 1, 1},
     19},
    {"depthwise_plain",
     {3, 3, 6, 9, 48},
     {48, 3, 3, 3, 1},
     {1, 1, 1},
     {1, 1, 1, 1, 1, 1},
     {1, 1, 1},
     48},
    {"everything",
     {2, 7, 8, 9, 8},
     {12, 2, 3, 2, 4},
     {2, 3, 2},
     {1, 0, 2, 1, 0, 1},
     {2, 1, 3},
     2},
    {"padding_beyond_windows",
     {2, 3, 8, 3, 6},
     {5, 1, 1, 3, 6},
     {1, 2, 1},
     {1, 2, 0, 1, 0, 0},
     {1, 1, 1},
     1},
};

INSTANTIATE_TEST_SUITE_P(Devices, VolumeTest,
                         testing::Combine(devicesHere(),
                                          testing::ValuesIn(kCases)),
                         [](const auto &info) {
                           return std::get<0>(info.param) + "_" +
                                  std::get<1>(info.param).name;
                         });

/// The index of the row-major element `i`.
static Shape indexOf(const Shape &shape, int64_t i) {
  Shape index(shape.size());
  for (size_t d = shape.size(); d-- > 0; i /= shape[d])
    index[d] = i % shape[d];
  return index;
}

static size_t positionOf(const Shape &shape, const Shape &index) {
  int64_t position = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    position = position * shape[d] + index[d];
  return size_t(position);
}

/// Calls visit(x, w, y) with the positions of every input element, filter
/// element and output element that meet.
template <typename Visit> static void pairs(const VolumeCase &c, Visit visit) {
  Shape y = c.y(), taps(c.w.begin() + 1, c.w.end());
  for (int64_t i = 0; i < elements(y); ++i) {
    Shape at = indexOf(y, i);
    int64_t group = at[4] / (c.w[0] / c.groups);
    for (int64_t k = 0; k < elements(taps); ++k) {
      Shape tap = indexOf(taps, k), from = {at[0]};
      bool isInside = true;
      for (size_t d = 0; d < 3; ++d) {
        from.push_back(at[d + 1] * c.strides[d] - c.padding[2 * d] +
                       tap[d] * c.dilations[d]);
        isInside &= from[d + 1] >= 0 && from[d + 1] < c.x[d + 1];
      }
      from.push_back(group * c.w[4] + tap[3]);
      if (isInside)
        visit(positionOf(c.x, from), size_t(at[4] * elements(taps) + k),
              size_t(i));
    }
  }
}

static std::vector<uint16_t> toBF16(const Values &values) {
  std::vector<uint16_t> bits;
  for (float value : values) {
    uint32_t word;
    std::memcpy(&word, &value, sizeof word);
    bits.push_back(uint16_t(word >> 16)); // exact for small whole numbers
  }
  return bits;
}

/// Allows an error of f32 results.
void VolumeTest::check(LibraryOp op, const Shape &a, const Shape &b,
                       const Shape &out, const Values &expected,
                       float tolerance) {
  const auto &[device, c] = GetParam();
  for (fb::ElementType type : {fb::ElementType::F32, fb::ElementType::BF16})
    for (unsigned threads : {1u, 3u}) {
      bool isHalf = type == fb::ElementType::BF16;
      SCOPED_TRACE(isHalf ? "bf16" : "f32");
      ArtifactBuilder builder(threads);
      Tensor x = builder.input("a", a, type), w = builder.input("b", b, type);
      Tensor y = builder.activation("y", out), z = builder.activation("z", out);
      rt::Status status = builder.call(op, {x, w}, y, c.ints());
      if (isHalf && status.code() == RP_UNAVAILABLE)
        continue;
      ASSERT_EQ(status.message(), "");
      builder.copy(y, z);
      builder.output("out", z);
      builder.finish();
      SessionHandle s;
      ASSERT_EQ(s.open(builder.seal(), {device.c_str(), 1, 0, 1}).message, "");
      auto set = [&](const char *name, const Values &values) {
        Outcome outcome = isHalf ? s.setInput(name, toBF16(values))
                                 : s.setInput(name, values);
        ASSERT_EQ(outcome.message, "");
      };
      set("a", smallIntegers(a, 1));
      set("b", smallIntegers(b, 2));
      Values got(expected.size());
      ASSERT_EQ(s.run().message, "");
      ASSERT_EQ(s.getOutput("out", got).message, "");
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], expected[i], isHalf ? 0 : tolerance)
            << "element " << i;
    }
}

TEST_P(VolumeTest, Forward) {
  const VolumeCase &c = std::get<1>(GetParam());
  Values x = smallIntegers(c.x, 1), w = smallIntegers(c.w, 2),
         y(size_t(elements(c.y())));
  pairs(c, [&](size_t xi, size_t wi, size_t yi) { y[yi] += x[xi] * w[wi]; });
  check(LibraryOp::Conv3D, c.x, c.w, c.y(), y);
}

TEST_P(VolumeTest, InputGradient) {
  const VolumeCase &c = std::get<1>(GetParam());
  Values dy = smallIntegers(c.y(), 1), w = smallIntegers(c.w, 2),
         dx(size_t(elements(c.x)));
  pairs(c, [&](size_t xi, size_t wi, size_t yi) { dx[xi] += dy[yi] * w[wi]; });
  check(LibraryOp::Conv3DInputGrad, c.y(), c.w, c.x, dx);
}

TEST_P(VolumeTest, FilterGradient) {
  const auto &[device, c] = GetParam();
  Values x = smallIntegers(c.x, 1), dy = smallIntegers(c.y(), 2),
         dw(size_t(elements(c.w)));
  float most = 0; // of a sum's magnitudes
  pairs(c, [&](size_t xi, size_t wi, size_t yi) {
    dw[wi] += x[xi] * dy[yi];
    most += std::fabs(x[xi] * dy[yi]);
  });
  check(LibraryOp::Conv3DFilterGrad, c.x, c.y(), c.w, dw,
        device == "cuda" ? 1e-6f * most : 0);
}
