//===- PlanPictureTest.cpp - Pictures of plans, pixel by pixel ------------===//
#include "../../../runtime/trainer/hooks/PlanPicture.h"
#include "gtest/gtest.h"
#include <cmath>
#include <png.h>

using namespace reprise::rt;

namespace {

struct Pixels {
  int width = 0, height = 0;
  std::vector<uint8_t> bytes;
  uint32_t at(int x, int y) const {
    const uint8_t *p = &bytes[3 * (size_t(y) * width + x)];
    return uint32_t(p[0]) << 16 | uint32_t(p[1]) << 8 | p[2];
  }
};

// As the description says.
constexpr int kLeft = 76, kTop = 12, kWide = 948, kHigh = 400;
constexpr uint32_t kParameters = 0x4E79A7, kActivations = 0xF2A03D;

} // namespace

static Pixels decode(const EncodedPicture &picture) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  Pixels pixels;
  EXPECT_TRUE(png_image_begin_read_from_memory(&image, picture.png.data(),
                                               picture.png.size()));
  EXPECT_EQ(image.format, unsigned(PNG_FORMAT_RGB));
  pixels.width = int(image.width);
  pixels.height = int(image.height);
  pixels.bytes.resize(PNG_IMAGE_SIZE(image));
  EXPECT_TRUE(
      png_image_finish_read(&image, nullptr, pixels.bytes.data(), 0, nullptr));
  EXPECT_EQ(picture.width, image.width);
  EXPECT_EQ(picture.height, image.height);
  return pixels;
}

/// 1,000 bytes of parameters in every step and activations on them.
static PlanMemory planOf(const std::vector<size_t> &activations) {
  PlanMemory plan;
  for (size_t bytes : activations) {
    rp_step_memory step = {};
    step.live_bytes[RP_BUFFER_PARAMETER] = 1000;
    step.live_bytes[RP_BUFFER_ACTIVATION] = bytes;
    step.end_bytes = 1000 + bytes;
    plan.steps.push_back(step);
    plan.peakBytes = std::max<uint64_t>(plan.peakBytes, step.end_bytes);
  }
  return plan;
}

/// Rows of a colour in a column of the plot.
static int rowsOf(const Pixels &pixels, int column, uint32_t color) {
  int rows = 0;
  for (int y = kTop; y < kTop + kHigh; ++y)
    rows += pixels.at(kLeft + column, y) == color;
  return rows;
}

TEST(PlanPicture, StacksWhatIsInUse) {
  PlanMemory plan = planOf({0, 1000, 3000, 500});
  plan.steps[3].end_bytes = 2500; // 1,000 of them unused, which is not drawn
  auto picture = drawPlan(plan);
  ASSERT_TRUE(picture.ok()) << picture.status().message();
  Pixels pixels = decode(*picture);
  double perPixel = 4000 * 1.07 / kHigh;
  for (size_t step = 0; step < 4; ++step) {
    int column = int(step) * kWide / 4 + 3;
    EXPECT_NEAR(rowsOf(pixels, column, kParameters), 1000 / perPixel, 1);
    EXPECT_NEAR(rowsOf(pixels, column, kActivations),
                double(plan.steps[step].live_bytes[RP_BUFFER_ACTIVATION]) /
                    perPixel,
                1);
  }
  EXPECT_NE(picture->description.find("peak, 4000 bytes"), std::string::npos);
  EXPECT_NE(picture->description.find("most in use at a step are 4000 bytes"),
            std::string::npos);
  EXPECT_NE(picture->description.find("948x400 pixels from (76, 12)"),
            std::string::npos);
}

/// One step of many thousands, of which a column has room for one.
TEST(PlanPicture, LosesNoPeakAmongManySteps) {
  std::vector<size_t> activations(50000, 100);
  activations[31234] = 9000;
  auto picture = drawPlan(planOf(activations));
  ASSERT_TRUE(picture.ok());
  Pixels pixels = decode(*picture);
  int tall = 0;
  for (int column = 0; column < kWide; ++column)
    tall += rowsOf(pixels, column, kActivations) > kHigh / 2;
  EXPECT_EQ(tall, 1);
}

TEST(PlanPicture, ShowsABudgetAboveThePeak) {
  PlanMemory plan = planOf({0, 1000});
  auto without = drawPlan(plan);
  plan.budgetBytes = 4000;
  auto with = drawPlan(plan);
  ASSERT_TRUE(without.ok() && with.ok());
  // The columns make room for it.
  EXPECT_NEAR(rowsOf(decode(*with), kWide - 5, kActivations) * 2,
              rowsOf(decode(*without), kWide - 5, kActivations), 2);
  EXPECT_NE(with->description.find("the budget is 4000 bytes"),
            std::string::npos);
  EXPECT_EQ(without->description.find("budget"), std::string::npos);
}

/// Sizes at both ends, and a plan of one step that holds nothing.
TEST(PlanPicture, DrawsAnySize) {
  for (size_t bytes :
       {size_t(0), size_t(1), size_t(1) << 40, size_t(1) << 46}) {
    PlanMemory plan = planOf({bytes});
    plan.steps[0].live_bytes[RP_BUFFER_PARAMETER] = 0;
    plan.steps[0].end_bytes = plan.peakBytes = bytes;
    auto picture = drawPlan(plan);
    ASSERT_TRUE(picture.ok());
    EXPECT_NEAR(rowsOf(decode(*picture), 10, kActivations),
                bytes ? kHigh / 1.07 : 0, 1);
  }
}
