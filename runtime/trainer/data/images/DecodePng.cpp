//===- DecodePng.cpp - PNG by libpng --------------------------------------===//
//
// libpng reports errors by longjmp, so code between setjmp and longjmp must not
// hold objects with destructors.
//
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <png.h>

using namespace reprise::rt;

namespace {

/// The largest chunk other than pixels (texts, profiles).
constexpr png_alloc_size_t kMostChunkBytes = 8u << 20;

/// One file being read; always frees its memory.
struct Reading {
  const EncodedImage &file;
  size_t position = 0;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::jmp_buf escape;
  char message[160] = "";
  /// If false, chunks after the pixels are not read.
  bool hasEnd = false;

  explicit Reading(const EncodedImage &file) : file(file) {}
  Reading(const Reading &) = delete;
  Reading &operator=(const Reading &) = delete;
  ~Reading() { png_destroy_read_struct(&png, &info, nullptr); }
};

} // namespace

[[noreturn]] static void leave(png_structp png, const char *message) {
  auto *reading = static_cast<Reading *>(png_get_error_ptr(png));
  std::snprintf(reading->message, sizeof reading->message, "%s", message);
  std::longjmp(reading->escape, 1);
}

static void ignore(png_structp, const char *) {}

static void read(png_structp png, png_bytep data, size_t size) {
  auto *reading = static_cast<Reading *>(png_get_io_ptr(png));
  if (size > reading->file.size - reading->position)
    leave(png, "it is truncated");
  std::memcpy(data, reading->file.data + reading->position, size);
  reading->position += size;
}

/// Runs `body`; returns false if libpng failed. `body` must not hold objects
/// with destructors.
template <typename Body>
[[gnu::noinline]] static bool guarded(Reading &r, const Body &body) {
  if (setjmp(r.escape))
    return false;
  body();
  return true;
}

/// Returns true if each chunk up to the first of pixels ends within the file,
/// including that one. libpng allocates some by their stated length before it
/// reads them. `hasEnd` is set if the rest is complete too, up to the end
/// chunk.
static bool hasItsChunks(const EncodedImage &file, bool &hasEnd) {
  constexpr size_t kSignature = 8, kFrame = 12; // length, kind, check sum
  bool hasPixels = false;
  hasEnd = false;
  for (size_t at = kSignature; file.size - at >= kFrame;) {
    const uint8_t *head = file.data + at;
    size_t length = size_t(head[0]) << 24 | size_t(head[1]) << 16 |
                    size_t(head[2]) << 8 | head[3];
    if (length > file.size - at - kFrame)
      return hasPixels;
    hasEnd = !std::memcmp(head + 4, "IEND", 4);
    if (hasEnd)
      return true;
    hasPixels |= !std::memcmp(head + 4, "IDAT", 4);
    at += kFrame + length;
  }
  return hasPixels;
}

static bool begin(Reading &r) {
  if (!hasItsChunks(r.file, r.hasEnd)) {
    std::snprintf(r.message, sizeof r.message, "it is truncated");
    return false;
  }
  r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, leave, ignore);
  r.info = r.png ? png_create_info_struct(r.png) : nullptr;
  if (!r.info) {
    std::snprintf(r.message, sizeof r.message, "libpng has no memory");
    return false;
  }
  return guarded(r, [&r] {
    png_set_read_fn(r.png, &r, read);
    png_set_user_limits(r.png, kLongestSide, kLongestSide);
    png_set_chunk_malloc_max(r.png, kMostChunkBytes);
    png_read_info(r.png, r.info);
  });
}

static int orientationOf(Reading &r) {
  png_bytep data = nullptr;
  png_uint_32 size = 0;
  if (!png_get_eXIf_1(r.png, r.info, &size, &data) || size > kMostChunkBytes)
    return 1;
  // libexif recognizes the data by the header that it has in JPEG.
  std::vector<uint8_t> exif = {'E', 'x', 'i', 'f', 0, 0};
  exif.insert(exif.end(), data, data + size);
  return readOrientation(exif.data(), exif.size());
}

Status reprise::rt::readPngHeader(const EncodedImage &file,
                                  ImageHeader &header) {
  Reading r(file);
  if (!begin(r))
    return damagedImage(file, r.message);
  header.height = png_get_image_height(r.png, r.info);
  header.width = png_get_image_width(r.png, r.info);
  header.orientation = orientationOf(r);
  return checkExtents(file, header.height, header.width);
}

/// Makes libpng produce bytes of one channel or three from any format.
static void setTransforms(Reading &r, int64_t channels) {
  png_set_expand(r.png); // palettes, fewer than 8 bits, a transparent colour
  png_set_scale_16(r.png);
  png_set_strip_alpha(r.png);
  if (channels == 3)
    png_set_gray_to_rgb(r.png);
  png_set_interlace_handling(r.png);
  png_read_update_info(r.png, r.info);
}

Status reprise::rt::decodePng(const EncodedImage &file,
                              const ImageHeader &header, int64_t channels,
                              Image &image) {
  Reading r(file);
  if (!begin(r) || !guarded(r, [&] { setTransforms(r, channels); }))
    return damagedImage(file, r.message);
  image.reset(header.height, header.width, png_get_channels(r.png, r.info));
  if (png_get_rowbytes(r.png, r.info) !=
      size_t(image.width) * size_t(image.channels))
    return damagedImage(file, "its rows are of another length than its header "
                              "says");
  std::vector<png_bytep> rows(size_t(image.height));
  for (size_t y = 0; y < rows.size(); ++y)
    rows[y] = image.row(int64_t(y));
  bool isRead = guarded(r, [&] {
    png_read_image(r.png, rows.data());
    if (r.hasEnd)
      png_read_end(r.png, nullptr);
  });
  return isRead ? Status() : damagedImage(file, r.message);
}
