//===- DecodeJpeg.cpp - JPEG by libjpeg-turbo -----------------------------===//
//
// Method:  rows above the needed part are skipped (only their entropy coding is
//          decoded), those below are not read, and only the columns of the part
//          are transformed. With a margin of two pixels they are the same as in
//          the whole image: upsampling of chroma reads one pixel to each side.
// Fails:   where libjpeg fails, or warns that coded pixels are damaged.
//
// libjpeg reports errors by longjmp, so code between setjmp and longjmp must
// not hold objects with destructors.
//
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
// After <cstdio>, whose FILE it uses.
#include <jerror.h>
#include <jpeglib.h>

using namespace reprise::rt;

namespace {

/// Limits the scans over all pixels, of which progressive files may hold any
/// number.
constexpr int kMostScans = 200;
constexpr int64_t kMargin = 2;

struct Errors {
  jpeg_error_mgr base;
  std::jmp_buf escape;
  char message[JMSG_LENGTH_MAX];
  bool isDamaged;
};

/// One decompression; always frees its memory.
struct Decompression {
  jpeg_decompress_struct info;
  Errors errors;
  jpeg_progress_mgr progress;
  bool isCreated = false;

  Decompression() = default;
  Decompression(const Decompression &) = delete;
  Decompression &operator=(const Decompression &) = delete;
  ~Decompression() {
    if (isCreated)
      jpeg_destroy_decompress(&info);
  }
};

} // namespace

static Errors &errorsOf(j_common_ptr info) {
  return *reinterpret_cast<Errors *>(info->err);
}

[[noreturn]] static void leave(j_common_ptr info) {
  Errors &errors = errorsOf(info);
  errors.base.format_message(info, errors.message);
  std::longjmp(errors.escape, 1);
}

/// Returns true if a warning concerns headers, or bytes between segments, and
/// not coded pixels. If the Huffman codes of all components end with the file,
/// JWRN_HIT_MARKER follows if pixels are missing.
static bool isHarmless(int code, const jpeg_decompress_struct &info) {
  bool isOneScan = !info.progressive_mode && !info.arith_code &&
                   info.comps_in_scan == info.num_components;
  return code == JWRN_ADOBE_XFORM || code == JWRN_BOGUS_PROGRESSION ||
         code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR ||
         code == JWRN_NOT_SEQUENTIAL || (code == JWRN_JPEG_EOF && isOneScan);
}

static void note(j_common_ptr info, int level) {
  Errors &errors = errorsOf(info);
  const auto &decompression = *reinterpret_cast<j_decompress_ptr>(info);
  if (level >= 0 || isHarmless(errors.base.msg_code, decompression) ||
      errors.isDamaged)
    return;
  errors.isDamaged = true;
  errors.base.format_message(info, errors.message);
}

static void boundScans(j_common_ptr info) {
  auto *decompression = reinterpret_cast<j_decompress_ptr>(info);
  if (decompression->input_scan_number <= kMostScans)
    return;
  Errors &errors = errorsOf(info);
  std::snprintf(errors.message, sizeof errors.message,
                "it has more than %d scans", kMostScans);
  std::longjmp(errors.escape, 1);
}

/// Runs `body`; returns false if libjpeg failed. `body` must not hold objects
/// with destructors.
template <typename Body>
[[gnu::noinline]] static bool guarded(Decompression &d, const Body &body) {
  if (setjmp(d.errors.escape))
    return false;
  body();
  return true;
}

static bool begin(Decompression &d, const EncodedImage &file) {
  d.info.err = jpeg_std_error(&d.errors.base);
  d.errors.base.error_exit = leave;
  d.errors.base.emit_message = note;
  d.errors.isDamaged = false;
  return guarded(d, [&d, &file] {
    jpeg_create_decompress(&d.info);
    d.isCreated = true;
    d.progress.progress_monitor = boundScans;
    d.info.progress = &d.progress;
    jpeg_mem_src(&d.info, file.data, static_cast<unsigned long>(file.size));
    jpeg_save_markers(&d.info, JPEG_APP0 + 1, 0xFFFF);
    jpeg_read_header(&d.info, TRUE);
  });
}

static int orientationOf(const jpeg_decompress_struct &info) {
  for (auto *m = info.marker_list; m; m = m->next)
    if (m->marker == JPEG_APP0 + 1 && m->data_length > 14 &&
        !std::memcmp(m->data, "Exif\0\0", 6))
      return readOrientation(m->data, m->data_length);
  return 1;
}

Status reprise::rt::readJpegHeader(const EncodedImage &file,
                                   ImageHeader &header) {
  Decompression d;
  if (!begin(d, file))
    return damagedImage(file, d.errors.message);
  header.format = ImageHeader::Format::Jpeg;
  header.height = d.info.image_height;
  header.width = d.info.image_width;
  header.isProgressive = d.info.progressive_mode;
  header.orientation = orientationOf(d.info);
  return checkExtents(file, header.height, header.width);
}

/// Converts CMYK to RGB like Pillow: each colour is what ink and black leave of
/// it. `in` is inverted, as Adobe writes it.
static void convertCmyk(const uint8_t *in, int64_t count, uint8_t *out) {
  for (int64_t i = 0; i < count; ++i, in += 4, out += 3) {
    int left = in[3]; // 255 - black
    for (int c = 0; c < 3; ++c) {
      int product = (255 - in[c]) * left + 128;
      out[c] = uint8_t(std::max(0, left - (((product >> 8) + product) >> 8)));
    }
  }
}

/// Returns true if the file is complete: the undecoded part is not missing.
static bool hasEnd(const EncodedImage &file) {
  constexpr size_t kTail = 4096; // some programs append a little
  size_t from = file.size > kTail ? file.size - kTail : 0;
  for (size_t i = file.size; i >= from + 2; --i)
    if (file.data[i - 2] == 0xFF && file.data[i - 1] == 0xD9)
      return true;
  return false;
}

/// Extends `rect` by its margin to a part that libjpeg can decode.
static Rect withMargin(const Rect &rect, const Rect &whole) {
  Rect r;
  r.top = std::max<int64_t>(0, rect.top - kMargin);
  r.left = std::max<int64_t>(0, rect.left - kMargin);
  r.height = std::min(whole.height, rect.top + rect.height + kMargin) - r.top;
  r.width = std::min(whole.width, rect.left + rect.width + kMargin) - r.left;
  return r;
}

namespace {

/// The destination of rows.
struct Rows {
  Image &image;
  Rect part;
  uint8_t *ink = nullptr; // a row of CMYK, if the file is CMYK
};

} // namespace

static void readRows(Decompression &d, const Rows &rows) {
  if (rows.part.top > 0)
    jpeg_skip_scanlines(&d.info, JDIMENSION(rows.part.top));
  for (int64_t y = 0; y < rows.part.height; ++y) {
    uint8_t *row = rows.image.row(y);
    JSAMPROW target = rows.ink ? rows.ink : row;
    jpeg_read_scanlines(&d.info, &target, 1);
    if (rows.ink)
      convertCmyk(rows.ink, rows.part.width, row);
  }
}

Status reprise::rt::decodeJpeg(const EncodedImage &file,
                               const ImageHeader &header, const Rect &needed,
                               int64_t channels, Image &image, Rect &covered) {
  Decompression d;
  const Rect whole = {0, 0, header.height, header.width};
  Rect part = hasEnd(file) ? withMargin(needed, whole) : whole;
  bool isInk = false;
  bool isBegun = begin(d, file) && guarded(d, [&] {
                   J_COLOR_SPACE stored = d.info.jpeg_color_space;
                   isInk = stored == JCS_CMYK || stored == JCS_YCCK;
                   bool isGrey = stored == JCS_GRAYSCALE && channels == 1;
                   d.info.out_color_space = isInk    ? JCS_CMYK
                                            : isGrey ? JCS_GRAYSCALE
                                                     : JCS_RGB;
                   jpeg_start_decompress(&d.info);
                   JDIMENSION left = JDIMENSION(part.left),
                              width = JDIMENSION(part.width);
                   if (part.width < whole.width)
                     jpeg_crop_scanline(&d.info, &left, &width);
                   part.left = left;
                   part.width = width;
                 });
  if (!isBegun)
    return damagedImage(file, d.errors.message);
  image.reset(part.height, part.width, isInk ? 3 : d.info.output_components);
  std::vector<uint8_t> ink(isInk ? size_t(part.width) * 4 : 0);
  const Rows rows = {image, part, isInk ? ink.data() : nullptr};
  bool isRead = guarded(d, [&] { readRows(d, rows); });
  if (!isRead || d.errors.isDamaged)
    return damagedImage(file, d.errors.message);
  covered = part;
  return Status();
}
