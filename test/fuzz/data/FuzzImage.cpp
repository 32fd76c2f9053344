//===- FuzzImage.cpp - Any bytes as an image ------------------------------===//
//
// Input:   a file, decoded as a whole and in part, to one channel and to three.
// Holds:   no crash, no sanitizer report; an image has the extents that its
//          header says and covers the part; what is refused has a message.
//
//===----------------------------------------------------------------------===//
#include "../../../runtime/trainer/data/images/Decode.h"
#include <cstdlib>

using namespace reprise::rt;

static void require(bool condition) {
  if (!condition)
    std::abort();
}

static void decodePart(const EncodedImage &file, const ImageHeader &header,
                       const Rect &part, int64_t channels) {
  Image image;
  Rect covered;
  Status status = decodeImage(file, header, part, channels, image, covered);
  if (!status.ok()) {
    require(!status.message().empty());
    return;
  }
  require(image.channels == channels && image.height == covered.height &&
          image.width == covered.width);
  require(image.pixels.size() ==
          size_t(image.height * image.width * image.channels));
  require(covered.top <= part.top && covered.left <= part.left &&
          covered.top + covered.height >= part.top + part.height &&
          covered.left + covered.width >= part.left + part.width);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // What is allowed, but takes too long a time for many attempts.
  constexpr int64_t kMostHere = 1 << 16;
  EncodedImage file = {data, size, "input"};
  auto header = readImageHeader(file);
  if (!header.ok()) {
    require(!header.status().message().empty());
    return 0;
  }
  int64_t height = header->uprightHeight(), width = header->uprightWidth();
  require(height > 0 && width > 0 && height * width <= kMostPixels);
  if (height * width > kMostHere)
    return 0;
  decodePart(file, *header, {0, 0, height, width}, 3);
  decodePart(file, *header,
             {height / 2, width / 3, (height + 3) / 4, (width + 3) / 4}, 1);
  return 0;
}
