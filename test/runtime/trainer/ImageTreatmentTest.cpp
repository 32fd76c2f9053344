//===- ImageTreatmentTest.cpp - Resizing, crops, colours, steps -----------===//
//
// Resized images are Pillow's, to the bit (Inputs/images/make.py). Colours are
// those of torchvision 0.14's adjust_* on tensors, printed with six digits.
//
//===----------------------------------------------------------------------===//
#include "../../../runtime/trainer/data/images/Augment.h"
#include "../../../runtime/trainer/data/images/Decode.h"
#include "TestFiles.h"
#include "TestImages.h"
#include <cmath>

using namespace reprise::rt;
using namespace reprise::rt::test;

static Image toImage(const Picture &picture) {
  return {picture.height, picture.width, picture.channels, picture.pixels};
}

static Image bigImage() {
  std::string bytes = readFile(std::string(REPRISE_TEST_IMAGES) + "/big.png");
  EncodedImage file = {reinterpret_cast<const uint8_t *>(bytes.data()),
                       bytes.size(), "big.png"};
  auto header = readImageHeader(file);
  EXPECT_TRUE(header.ok());
  Image image;
  Rect covered;
  EXPECT_TRUE(
      decodeImage(file, *header, {0, 0, 29, 37}, 3, image, covered).ok());
  return image;
}

static void expectResized(const Scaling &scaling, const std::string &name) {
  SCOPED_TRACE(name);
  Image image = bigImage(), middle, out;
  resize(image, {0, 0, image.height, image.width}, Resizing(scaling), middle,
         out);
  Picture expected = readPnm(std::string(REPRISE_TEST_IMAGES) + "/" + name);
  ASSERT_EQ(out.height, expected.height);
  ASSERT_EQ(out.width, expected.width);
  EXPECT_EQ(out.pixels, expected.pixels);
}

TEST(Resize, GivesPillowsBits) {
  expectResized({{0, 0, 29, 37}, 20, 16, {0, 0, 20, 16}}, "smaller.ppm");
  expectResized({{0, 0, 29, 37}, 61, 50, {0, 0, 61, 50}}, "larger.ppm");
  expectResized({{3, 5, 17, 25}, 12, 12, {0, 0, 12, 12}}, "part.ppm");
  expectResized({{0, 0, 29, 37}, 24, 30, {2, 5, 20, 20}}, "middle.ppm");
}

TEST(Resize, PartOfTheImageSuffices) {
  Image image = bigImage(), middle, whole, part;
  Resizing resizing({{3, 5, 17, 25}, 12, 40, {2, 11, 7, 9}});
  Rect needed = resizing.needed();
  resize(image, {0, 0, image.height, image.width}, resizing, middle, whole);
  Image cut;
  cut.reset(needed.height, needed.width, 3);
  for (int64_t y = 0; y < needed.height; ++y)
    std::copy_n(image.row(y + needed.top) + needed.left * 3, needed.width * 3,
                cut.row(y));
  EXPECT_LT(needed.width, 25);
  resize(cut, needed, resizing, middle, part);
  EXPECT_EQ(part.pixels, whole.pixels);
}

TEST(Resize, SameSizeChangesNothing) {
  for (int channels : {1, 3}) {
    Image image = toImage(noise(9, 13, channels, 1)), middle, out;
    resize(image, {0, 0, 9, 13},
           Resizing({{0, 0, 9, 13}, 9, 13, {0, 0, 9, 13}}), middle, out);
    EXPECT_EQ(out.pixels, image.pixels);
  }
}

TEST(Color, AgreesWithTorchvision) {
  const std::vector<float> pixels = {0.1f, 0.9f, 0.4f, 0.8f,  0.3f, 0.2f,
                                     0.5f, 0.5f, 0.5f, 0.25f, 0.6f, 0.95f};
  const std::pair<Coloring, std::vector<float>> cases[] = {
      {{{1.3, 1, 1, 0}, {0, 1, 2, 3}},
       {0.13f, 1, 0.52f, 1, 0.39f, 0.26f, 0.65f, 0.65f, 0.65f, 0.325f, 0.78f,
        1}},
      {{{1, 0.7, 1, 0}, {0, 1, 2, 3}},
       {0.225774f, 0.785774f, 0.435774f, 0.715774f, 0.365774f, 0.295774f,
        0.505774f, 0.505774f, 0.505774f, 0.330774f, 0.575774f, 0.820774f}},
      {{{1, 1, 1.4, 0}, {0, 1, 2, 3}},
       {0, 1, 0.318484f, 0.944792f, 0.244792f, 0.104792f, 0.50002f, 0.50002f,
        0.50002f, 0.13591f, 0.62591f, 1}},
      {{{1, 1, 1, 0.2}, {0, 1, 2, 3}},
       {0.1f, 0.44f, 0.9f, 0.58f, 0.8f, 0.2f, 0.5f, 0.5f, 0.5f, 0.74f, 0.25f,
        0.95f}},
      {{{1, 1, 1, -0.35}, {0, 1, 2, 3}},
       {0.9f, 0.32f, 0.1f, 0.24f, 0.2f, 0.8f, 0.5f, 0.5f, 0.5f, 0.67f, 0.95f,
        0.25f}},
      {{{1.3, 0.7, 1.4, 0.2}, {0, 1, 2, 3}},
       {0.127685f, 0.427565f, 0.980285f, 0.730766f, 1, 0.290832f, 0.647142f,
        0.647142f, 0.647142f, 0.671203f, 0.323303f, 0.984803f}}};
  for (const auto &[coloring, expected] : cases) {
    std::vector<float> values = pixels;
    color(coloring, values.data(), 4, 3);
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values[i], expected[i], 2e-6) << i; // printed digits, hue
  }
}

TEST(Color, OneChannelHasBrightnessAndContrast) {
  std::vector<float> values = {0.2f, 0.4f};
  color({{2, 0.5, 9, 0.3}, {2, 3, 0, 1}}, values.data(), 2, 1);
  // Doubled, then half way to their mean of 0.6.
  EXPECT_NEAR(values[0], 0.5, 1e-6);
  EXPECT_NEAR(values[1], 0.7, 1e-6);
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

static ImageSteps stepsOf(const std::string &text) {
  auto steps = parseImageSteps(text);
  EXPECT_TRUE(steps.ok()) << steps.status().message();
  return steps.ok() ? *steps : ImageSteps();
}

TEST(Treatment, CenterCropIsThatOfTorchvision) {
  RowRandom random(0, 0, 0);
  // Resize(24) of 29x37 gives 24x30, CenterCrop(20) its middle.
  Treatment t = chooseTreatment(stepsOf("resize=24,center-crop"), 29, 37,
                                {20, 20, 3}, random);
  EXPECT_EQ(t.scaling.height, 24);
  EXPECT_EQ(t.scaling.width, 30);
  EXPECT_EQ(t.scaling.window.top, 2);
  EXPECT_EQ(t.scaling.window.left, 5);
  // Where half a pixel is over, Python's round() goes to the even side.
  t = chooseTreatment(stepsOf("center-crop"), 9, 11, {4, 4, 3}, random);
  EXPECT_EQ(t.scaling.window.top, 2);
  EXPECT_EQ(t.scaling.window.left, 4);
  // A smaller picture has zeros around it.
  t = chooseTreatment(stepsOf("center-crop"), 3, 10, {6, 6, 3}, random);
  EXPECT_EQ(t.top, 1);
  EXPECT_EQ(t.scaling.window.height, 3);
  EXPECT_EQ(t.left, 0);
  EXPECT_EQ(t.scaling.window.left, 2);
}

TEST(Treatment, RandomCropsLieWithinAndHaveTheirAreas) {
  ImageSteps steps = stepsOf("random-resized-crop=0.25:0.5");
  double sum = 0;
  constexpr int kRows = 4000;
  for (uint64_t row = 0; row < kRows; ++row) {
    RowRandom random(5, 2, row);
    Treatment t = chooseTreatment(steps, 100, 120, {8, 8, 3}, random);
    const Rect &box = t.scaling.box;
    ASSERT_GE(box.top, 0);
    ASSERT_GE(box.left, 0);
    ASSERT_LE(box.top + box.height, 100);
    ASSERT_LE(box.left + box.width, 120);
    double area = double(box.height * box.width) / 12000;
    ASSERT_GT(area, 0.24); // sides are rounded
    ASSERT_LT(area, 0.51);
    double aspect = double(box.width) / double(box.height);
    ASSERT_GT(aspect, 0.73);
    ASSERT_LT(aspect, 1.37);
    sum += area;
  }
  // The mean of a uniform area, within four standard errors of it.
  EXPECT_NEAR(sum / kRows, 0.375, 4 * 0.25 / std::sqrt(12.0 * kRows));
}

TEST(Treatment, PictureTooLongForAnyCropGivesItsMiddle) {
  RowRandom random(5, 2, 1);
  Treatment t = chooseTreatment(stepsOf("random-resized-crop=1:1"), 10, 1000,
                                {8, 8, 3}, random);
  EXPECT_EQ(t.scaling.box.height, 10);
  EXPECT_EQ(t.scaling.box.width, 13); // 4/3 of the height
  EXPECT_EQ(t.scaling.box.left, (1000 - 13) / 2);
}

TEST(Treatment, HalfOfTheImagesAreMirrored) {
  int mirrored = 0;
  for (uint64_t row = 0; row < 4000; ++row) {
    RowRandom random(1, 1, row);
    mirrored +=
        chooseTreatment(stepsOf("center-crop,flip"), 8, 8, {8, 8, 3}, random)
            .isMirrored;
  }
  EXPECT_NEAR(mirrored, 2000, 4 * std::sqrt(1000.0));
}

TEST(Treatment, NumbersDependOnSeedEpochAndRow) {
  auto first = [](uint64_t seed, uint64_t epoch, uint64_t row) {
    return RowRandom(seed, epoch, row).uniform();
  };
  EXPECT_EQ(first(1, 2, 3), first(1, 2, 3));
  EXPECT_NE(first(1, 2, 3), first(2, 2, 3));
  EXPECT_NE(first(1, 2, 3), first(1, 3, 3));
  EXPECT_NE(first(1, 2, 3), first(1, 2, 4));
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

TEST(ImageSteps, TextsComeBack) {
  for (const char *text :
       {"resize=256,center-crop", "center-crop", "resize=8x12,flip=0.25",
        "random-resized-crop=0.08:1,flip=0.5,jitter=0.4:0.4:0.4:0.1"})
    EXPECT_EQ(formatImageSteps(stepsOf(text)), text);
  EXPECT_EQ(formatImageSteps(stepsOf("random-resized-crop,flip,jitter=0.4")),
            "random-resized-crop=0.08:1,flip=0.5,jitter=0.4:0:0:0");
  EXPECT_EQ(formatImageSteps(defaultTrainSteps()),
            "random-resized-crop=0.08:1,flip=0.5");
  EXPECT_EQ(formatImageSteps(defaultEvalSteps(224, 224)),
            "resize=256,center-crop");
}

TEST(ImageSteps, WhatIsNoStepIsNamed) {
  const std::pair<const char *, const char *> cases[] = {
      {"flop", "there are resize"},
      {"", "there are resize"},
      {"center-crop,mixup=0.2", "use --mixup 0.2"},
      {"label-smoothing=0.1", "use --label-smoothing 0.1"},
      {"cutmix=1", "number of a class"},
      {"flip", "do not say what size"},
      {"resize=64", "do not say what size"},
      {"center-crop=32", "takes no number"},
      {"resize=0,center-crop", "pixels"},
      {"resize=8x8x8", "pixels"},
      {"center-crop,resize=9", "comes first"},
      {"resize=8x8,center-crop", "has its size already"},
      {"resize=9,random-resized-crop", "itself"},
      {"random-resized-crop=0:1", "MIN:MAX"},
      {"random-resized-crop=0.5", "MIN:MAX"},
      {"center-crop,flip=1.5", "from 0 to 1"},
      {"center-crop,flip=", "nothing follows"},
      {"center-crop,flip,flip", "once"},
      {"center-crop,jitter=0.1:0.1:0.1:0.6", "at most 0.5"},
      {"center-crop,jitter=nan", "jitter=B:C:S:H"},
      {"center-crop,jitter=1:1:1:0:1", "jitter=B:C:S:H"}};
  for (const auto &[text, part] : cases) {
    SCOPED_TRACE(text);
    expectError(parseImageSteps(text).status(), RP_INVALID_ARGUMENT, {part});
  }
}

TEST(ChannelScale, IsReadFromText) {
  auto given = parseChannelScale("0.1,0.2,0.3/0.5", 3);
  ASSERT_TRUE(given.ok());
  EXPECT_EQ(given->mean, (std::vector<float>{0.1f, 0.2f, 0.3f}));
  EXPECT_EQ(given->stddev, (std::vector<float>{0.5f, 0.5f, 0.5f}));
  auto published = parseChannelScale("imagenet", 3);
  ASSERT_TRUE(published.ok());
  EXPECT_EQ(published->stddev, (std::vector<float>{0.229f, 0.224f, 0.225f}));
  for (const char *text :
       {"0.5", "0.5/0", "0.5/-1", "a/b", "1,2/1", "1/2/3", "nan/1", "/"})
    expectError(parseChannelScale(text, 3).status(), RP_INVALID_ARGUMENT,
                {text, "3 channels"});
  EXPECT_FALSE(parseChannelScale("imagenet", 1).ok());
}
