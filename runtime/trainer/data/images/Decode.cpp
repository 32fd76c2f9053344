//===- Decode.cpp - Decode a file into pixels -----------------------------===//
//
// Detects the format by the first bytes; then the common part of both formats:
// reduction to one channel, and orientation.
//
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "reprise/Runtime/NameText.h"
#include <cstring>
#include <libexif/exif-data.h>
#include <memory>

using namespace reprise::rt;

Status reprise::rt::damagedImage(const EncodedImage &file,
                                 const std::string &what) {
  return Status::error(RP_DATA_LOSS, "'" + nameText(file.name) +
                                         "' cannot be decoded: " + what);
}

Status reprise::rt::checkExtents(const EncodedImage &file, int64_t height,
                                 int64_t width) {
  if (height > 0 && width > 0 && height <= kLongestSide &&
      width <= kLongestSide && height * width <= kMostPixels)
    return Status();
  return damagedImage(file, "it is " + std::to_string(height) + "x" +
                                std::to_string(width) + "; at most " +
                                std::to_string(kMostPixels) +
                                " pixels are read, none longer than " +
                                std::to_string(kLongestSide));
}

int reprise::rt::readOrientation(const uint8_t *data, size_t size) {
  auto unref = [](ExifData *exif) { exif_data_unref(exif); };
  std::unique_ptr<ExifData, decltype(unref)> exif(
      exif_data_new_from_data(data, unsigned(size)), unref);
  if (!exif)
    return 1;
  const ExifEntry *entry =
      exif_content_get_entry(exif->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
  if (!entry || entry->format != EXIF_FORMAT_SHORT || entry->size < 2)
    return 1;
  int value = exif_get_short(entry->data, exif_data_get_byte_order(exif.get()));
  return value >= 1 && value <= 8 ? value : 1;
}

static bool startsWith(const EncodedImage &file, const char *magic,
                       size_t size) {
  return file.size >= size && !std::memcmp(file.data, magic, size);
}

Expected<ImageHeader> reprise::rt::readImageHeader(const EncodedImage &file) {
  ImageHeader header;
  if (startsWith(file, "\xFF\xD8\xFF", 3))
    REPRISE_RETURN_IF_ERROR(readJpegHeader(file, header));
  else if (startsWith(file, "\x89PNG\r\n\x1A\n", 8)) {
    header.format = ImageHeader::Format::Png;
    REPRISE_RETURN_IF_ERROR(readPngHeader(file, header));
  } else
    return damagedImage(file, file.size == 0 ? "it is empty"
                                             : "it is neither JPEG nor PNG");
  return header;
}

/// Reduces three channels to one, in place.
static void makeGrey(Image &image) {
  size_t count = size_t(image.height) * size_t(image.width);
  uint8_t *pixels = image.pixels.data();
  for (size_t i = 0; i < count; ++i) {
    const uint8_t *p = pixels + 3 * i;
    pixels[i] =
        uint8_t((p[0] * 19595u + p[1] * 38470u + p[2] * 7471u + 0x8000u) >> 16);
  }
  image.reset(image.height, image.width, 1);
}

/// Returns the pixel of the stored image that is at (y, x) in the upright one.
static const uint8_t *storedPixel(const Image &stored, int orientation,
                                  int64_t y, int64_t x) {
  int64_t bottom = stored.height - 1, right = stored.width - 1;
  int64_t row = orientation >= 5 ? x : y, column = orientation >= 5 ? y : x;
  bool isUpsideDown = orientation == 3 || orientation == 4 ||
                      orientation == 6 || orientation == 7;
  bool isMirrored = orientation == 2 || orientation == 3 || orientation == 7 ||
                    orientation == 8;
  row = isUpsideDown ? bottom - row : row;
  column = isMirrored ? right - column : column;
  return stored.row(row) + column * stored.channels;
}

static void turnUpright(Image &image, const ImageHeader &header) {
  Image upright;
  upright.reset(header.uprightHeight(), header.uprightWidth(), image.channels);
  for (int64_t y = 0; y < upright.height; ++y) {
    uint8_t *out = upright.row(y);
    for (int64_t x = 0; x < upright.width; ++x, out += image.channels)
      std::memcpy(out, storedPixel(image, header.orientation, y, x),
                  size_t(image.channels));
  }
  image = std::move(upright);
}

Status reprise::rt::decodeImage(const EncodedImage &file,
                                const ImageHeader &header, const Rect &needed,
                                int64_t channels, Image &image, Rect &covered) {
  const Rect whole = {0, 0, header.height, header.width};
  covered = whole;
  bool isUpright = header.orientation == 1;
  if (header.format == ImageHeader::Format::Png)
    REPRISE_RETURN_IF_ERROR(decodePng(file, header, channels, image));
  else
    REPRISE_RETURN_IF_ERROR(decodeJpeg(file, header, isUpright ? needed : whole,
                                       channels, image, covered));
  if (image.channels == 3 && channels == 1)
    makeGrey(image);
  if (!isUpright) {
    turnUpright(image, header);
    covered = {0, 0, image.height, image.width};
  }
  return Status();
}
