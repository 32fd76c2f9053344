//===- NumberSurveyTest.cpp - Range and non-finite values of a tensor -----===//
//
// The bit patterns of each type follow the formats' definitions.
//
//===----------------------------------------------------------------------===//
#include "../../../runtime/core/NumberSurvey.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace reprise::rt;

namespace {
/// Owns a view without a program.
class OwnView {
public:
  OwnView(fb::ElementType type, const std::vector<int64_t> &shape,
          const std::vector<int64_t> &strides = {}) {
    builder.Finish(fb::CreateViewDirect(builder, 0, 0, type, &shape, &strides));
  }
  NumberSurvey survey(const void *bytes) const {
    return surveyNumbers(
        *flatbuffers::GetRoot<fb::View>(builder.GetBufferPointer()),
        static_cast<const uint8_t *>(bytes));
  }

private:
  flatbuffers::FlatBufferBuilder builder;
};
} // namespace

TEST(NumberSurvey, KnowsTheHalfTypes) {
  const uint16_t half[] = {0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0xC000};
  NumberSurvey f16 = OwnView(fb::ElementType::F16, {5}).survey(half);
  EXPECT_EQ(f16.describe(), "nan in 1 and infinity in 2 of 5 elements");
  EXPECT_EQ(f16.firstBad, 1u);
  EXPECT_EQ(f16.largest, 65504);
  EXPECT_EQ(f16.least, -2);
  const uint16_t bf16[] = {0x7F7F, 0x3F80, 0x7F81, 0xFF80};
  NumberSurvey brain = OwnView(fb::ElementType::BF16, {4}).survey(bf16);
  EXPECT_EQ(brain.describe(), "nan in 1 and infinity in 1 of 4 elements");
  EXPECT_EQ(brain.firstBad, 2u);
  EXPECT_EQ(brain.largest, largestOf(fb::ElementType::BF16));
}

TEST(NumberSurvey, LooksAtTheElementsOfAStridedViewAlone) {
  const double numbers[] = {1, NAN, 2, NAN, NAN, NAN, -3, NAN, 4};
  OwnView view(fb::ElementType::F64, {2, 2}, {6, 2});
  NumberSurvey survey = view.survey(numbers);
  EXPECT_TRUE(survey.isFinite());
  EXPECT_EQ(survey.elements, 4u);
  EXPECT_EQ(survey.least, -3);
  EXPECT_EQ(survey.largest, 4);
}

TEST(NumberSurvey, TakesAScalarOfF32) {
  float number = -INFINITY;
  NumberSurvey survey = OwnView(fb::ElementType::F32, {}).survey(&number);
  EXPECT_EQ(survey.describe(), "infinity in 1 of 1 elements");
  EXPECT_EQ(largestOf(fb::ElementType::F32),
            double(std::numeric_limits<float>::max()));
}
