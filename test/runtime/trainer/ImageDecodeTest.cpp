//===- ImageDecodeTest.cpp - Pixels of files ------------------------------===//
//
// Expectations are Pillow's (Inputs/images/make.py), which decodes JPEG by the
// same library: pixels are equal, to the bit.
//
//===----------------------------------------------------------------------===//
#include "../../../runtime/trainer/data/images/Decode.h"
#include "TestFiles.h"
#include "TestImages.h"
#include <cstring>
#include <zlib.h>

using namespace reprise::rt;
using namespace reprise::rt::test;

static std::string input(const std::string &name) {
  return std::string(REPRISE_TEST_IMAGES) + "/" + name;
}

static EncodedImage encoded(const std::string &bytes,
                            const std::string &name = "x") {
  return {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(), name};
}

/// All of an image.
static Expected<Image> decode(const EncodedImage &file, int64_t channels) {
  Expected<ImageHeader> header = readImageHeader(file);
  if (!header.ok())
    return header.status();
  Image image;
  Rect covered;
  Rect whole = {0, 0, header->uprightHeight(), header->uprightWidth()};
  REPRISE_RETURN_IF_ERROR(
      decodeImage(file, *header, whole, channels, image, covered));
  return image;
}

static void expectEqual(const Image &image, const Picture &expected) {
  ASSERT_EQ(image.height, expected.height);
  ASSERT_EQ(image.width, expected.width);
  ASSERT_EQ(image.channels, expected.channels);
  EXPECT_EQ(image.pixels, expected.pixels);
}

static void expectAsExpected(const std::string &name) {
  SCOPED_TRACE(name);
  std::string bytes = readFile(input(name));
  auto colour = decode(encoded(bytes), 3);
  ASSERT_TRUE(colour.ok()) << colour.status().message();
  expectEqual(*colour, readPnm(input(name + ".ppm")));
  if (name.find("turned") != name.npos)
    return;
  auto grey = decode(encoded(bytes), 1);
  ASSERT_TRUE(grey.ok()) << grey.status().message();
  expectEqual(*grey, readPnm(input(name + ".pgm")));
}

TEST(ImageDecode, EveryKindOfPng) {
  for (const char *name : {"grey.png", "bits.png", "colour.png", "alpha.png",
                           "palette.png", "see-through.png", "interlaced.png",
                           "grey-alpha.png", "grey16.png", "colour16.png"})
    expectAsExpected(name);
}

TEST(ImageDecode, EveryKindOfJpeg) {
  for (const char *name :
       {"grey.jpg", "colour.jpg", "progressive.jpg", "cmyk.jpg"})
    expectAsExpected(name);
}

TEST(ImageDecode, OrientationIsCarriedOut) {
  for (int orientation = 1; orientation <= 8; ++orientation)
    expectAsExpected("turned" + std::to_string(orientation) + ".png");
  expectAsExpected("turned.jpg");
}

/// Each part of an image has the pixels that it has in the whole.
static void expectPartsAsWhole(const std::string &bytes) {
  auto whole = decode(encoded(bytes), 3);
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  auto header = readImageHeader(encoded(bytes));
  ASSERT_TRUE(header.ok());
  uint32_t state = 1;
  auto below = [&state](int64_t n) {
    state = state * 1664525u + 1013904223u;
    return int64_t((uint64_t(state) * uint64_t(n)) >> 32);
  };
  for (int attempt = 0; attempt < 60; ++attempt) {
    Rect part;
    part.top = below(whole->height);
    part.left = below(whole->width);
    part.height = 1 + below(whole->height - part.top);
    part.width = 1 + below(whole->width - part.left);
    Image image;
    Rect covered;
    auto status = decodeImage(encoded(bytes), *header, part, 3, image, covered);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_LE(covered.top, part.top);
    ASSERT_LE(covered.left, part.left);
    ASSERT_GE(covered.top + covered.height, part.top + part.height);
    ASSERT_GE(covered.left + covered.width, part.left + part.width);
    size_t bytesOfRow = size_t(part.width) * 3;
    for (int64_t y = part.top; y < part.top + part.height; ++y)
      ASSERT_EQ(std::memcmp(image.row(y - covered.top) +
                                (part.left - covered.left) * 3,
                            whole->row(y) + part.left * 3, bytesOfRow),
                0)
          << "row " << y << " of " << part.top << "," << part.left << " "
          << part.height << "x" << part.width;
  }
}

TEST(ImageDecode, PartsHaveThePixelsOfTheWhole) {
  Picture picture = noise(83, 117, 3, 1);
  for (auto [horizontal, vertical] : {std::pair(1, 1), {2, 1}, {2, 2}, {1, 2}})
    for (bool progressive : {false, true}) {
      SCOPED_TRACE(std::to_string(horizontal) + "x" + std::to_string(vertical) +
                   (progressive ? " progressive" : ""));
      expectPartsAsWhole(
          encodeJpeg(picture, {horizontal, vertical, progressive}));
    }
  expectPartsAsWhole(encodePng(noise(21, 34, 3, 2)));
}

TEST(ImageDecode, WhatIsNoImageIsNamed) {
  expectError(decode(encoded("", "a/b.png"), 3).status(), RP_DATA_LOSS,
              {"'a/b.png'", "empty"});
  expectError(decode(encoded("GIF89a....", "a/b.png"), 3).status(),
              RP_DATA_LOSS, {"'a/b.png'", "neither JPEG nor PNG"});
}

TEST(ImageDecode, EveryTruncationIsNoticed) {
  Picture picture = noise(24, 40, 3, 3);
  for (const std::string &bytes : {encodePng(picture), encodeJpeg(picture),
                                   encodeJpeg(picture, {1, 1, true})}) {
    // Without the marker of its end a JPEG's pixels are whole, and without
    // their last chunk, which is empty, a PNG's.
    size_t end = bytes[0] == '\xFF' ? 4 : 12;
    for (size_t size = 0; size < bytes.size() - end; size += 7) {
      std::string part = bytes.substr(0, size);
      auto image = decode(encoded(part, "cut"), 3);
      ASSERT_FALSE(image.ok()) << size << " of " << bytes.size();
      EXPECT_EQ(image.status().code(), RP_DATA_LOSS);
      EXPECT_NE(image.status().message().find("'cut'"), std::string::npos);
    }
  }
}

/// The zeros stand for the range of coefficients, which baseline files do not
/// choose.
TEST(ImageDecode, ZerosInTheHeaderOfABaselineScanChangeNothing) {
  for (int channels : {1, 3}) {
    std::string bytes = encodeJpeg(noise(24, 40, channels, 3));
    auto whole = decode(encoded(bytes), 3);
    ASSERT_TRUE(whole.ok());
    size_t scan = bytes.find("\xFF\xDA");
    ASSERT_NE(scan, bytes.npos);
    size_t range = scan + 5 + 2 * size_t(channels);
    ASSERT_EQ(bytes[range + 1], 63);
    bytes[range + 1] = 0;
    auto image = decode(encoded(bytes), 3);
    ASSERT_TRUE(image.ok()) << image.status().message();
    EXPECT_EQ(image->pixels, whole->pixels);
    // Damage of the coded pixels is told all the same.
    bytes.resize(bytes.size() * 3 / 4);
    EXPECT_FALSE(decode(encoded(bytes), 3).ok());
  }
}

TEST(ImageDecode, PixelsAreWholeWithoutTheEndOfTheFile) {
  Picture picture = noise(24, 40, 3, 3);
  for (std::string bytes : {encodePng(picture), encodeJpeg(picture)}) {
    auto whole = decode(encoded(bytes), 3);
    ASSERT_TRUE(whole.ok());
    bytes.resize(bytes.size() - (bytes[0] == '\xFF' ? 2 : 12));
    for (const std::string &more : {std::string(), std::string(2, 0)}) {
      auto image = decode(encoded(bytes + more), 3);
      ASSERT_TRUE(image.ok()) << image.status().message();
      EXPECT_EQ(image->pixels, whole->pixels);
    }
  }
  // Scans that follow may be missing.
  std::string scans = encodeJpeg(picture, {1, 1, true});
  EXPECT_FALSE(decode(encoded(scans.substr(0, scans.size() - 2)), 3).ok());
}

/// A crop decodes only what it needs, but a file that is cut off is refused.
TEST(ImageDecode, TruncationOutsideThePartIsNoticed) {
  std::string bytes = encodeJpeg(noise(64, 64, 3, 4));
  std::string part = bytes.substr(0, bytes.size() * 3 / 4);
  auto header = readImageHeader(encoded(part));
  ASSERT_TRUE(header.ok());
  Image image;
  Rect covered;
  EXPECT_FALSE(
      decodeImage(encoded(part), *header, {0, 0, 8, 8}, 3, image, covered)
          .ok());
}

TEST(ImageDecode, HugeExtentsAreRefusedBeforeTheyAreAllocated) {
  std::string png = encodePng(noise(4, 4, 3, 5));
  // Width and height lie behind the signature and the head of IHDR; its check
  // sum is set right so that nothing else is wrong.
  auto put = [&png](size_t at, uint32_t value) {
    for (int i = 0; i < 4; ++i)
      png[at + size_t(i)] = char(value >> (24 - 8 * i));
  };
  put(16, 60000);
  put(20, 60000);
  put(29, uint32_t(::crc32(0, reinterpret_cast<const Bytef *>(png.data()) + 12,
                           17)));
  expectError(decode(encoded(png), 3).status(), RP_DATA_LOSS,
              {"60000x60000", std::to_string(kMostPixels)});
  std::string jpeg = encodeJpeg(noise(8, 8, 3, 6));
  size_t frame = jpeg.find("\xFF\xC0");
  ASSERT_NE(frame, jpeg.npos);
  for (size_t i = 5; i < 9; ++i)
    jpeg[frame + i] = char(0xFA);
  expectError(decode(encoded(jpeg), 3).status(), RP_DATA_LOSS, {"64250x64250"});
}

/// Damaged bytes give pixels or an error, and nothing else.
TEST(ImageDecode, DamageNeverCrashes) {
  Picture picture = noise(20, 30, 3, 7);
  uint32_t state = 1;
  for (const std::string &good :
       {encodePng(picture), encodeJpeg(picture), readFile(input("cmyk.jpg")),
        readFile(input("turned6.png")), readFile(input("turned.jpg"))})
    for (int attempt = 0; attempt < 300; ++attempt) {
      std::string bytes = good;
      for (int change = 0; change < 1 + attempt % 4; ++change) {
        state = state * 1664525u + 1013904223u;
        bytes[(uint64_t(state) * bytes.size()) >> 32] = char(state >> 8);
      }
      auto image = decode(encoded(bytes), attempt % 2 ? 3 : 1);
      ASSERT_TRUE(!image.ok() ||
                  image->pixels.size() ==
                      size_t(image->height * image->width * image->channels));
    }
}
