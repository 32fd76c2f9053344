//===- Decode.h - Decode a file into pixels ---------------------*- C++ -*-===//
//
// JPEG by libjpeg and PNG by libpng, detected by content. Every file becomes
// bytes of one channel or three:
//
//   grey               repeated for three channels
//   colour             for one channel (19595 R + 38470 G + 7471 B) / 65536
//   palette            its colours
//   alpha              ignored; the colours beneath count
//   16 bit             scaled to 8
//   CMYK, YCCK         inverted like Adobe's; each of R, G, B is the part that
//                      the ink and black leave, as in Pillow
//   EXIF orientation   applied: images are upright
//
// Extents are checked before anything is allocated for them.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_DECODE_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_DECODE_H

#include "Image.h"
#include "reprise/Runtime/Status.h"
#include <string>

namespace reprise::rt {

/// The longest side, and the largest number of pixels of an image.
constexpr int64_t kLongestSide = 65500;
constexpr int64_t kMostPixels = int64_t(1) << 26;

/// The bytes of a file; `name` is for messages.
struct EncodedImage {
  const uint8_t *data = nullptr;
  size_t size = 0;
  std::string name;
};

struct ImageHeader {
  enum class Format { Jpeg, Png };
  Format format = Format::Jpeg;
  int64_t height = 0, width = 0; // as stored
  int orientation = 1;           // EXIF's, 1 to 8
  /// True if decoding holds all coefficients in addition to the pixels.
  bool isProgressive = false;

  bool isTurned() const { return orientation >= 5; }
  int64_t uprightHeight() const { return isTurned() ? width : height; }
  int64_t uprightWidth() const { return isTurned() ? height : width; }
};

/// Fails with RP_DATA_LOSS, naming the file, if it is not an image or the image
/// is too large.
Expected<ImageHeader> readImageHeader(const EncodedImage &file);

/// Decodes at least the part `needed` of the upright image into `image`;
/// `covered` is the decoded part. `channels` is 1 or 3. Pixels do not depend on
/// the requested part. Fails with RP_DATA_LOSS if the file is damaged; damage
/// outside the part is found only if the file is truncated.
Status decodeImage(const EncodedImage &file, const ImageHeader &header,
                   const Rect &needed, int64_t channels, Image &image,
                   Rect &covered);

/// Reads one format; `image` is as stored, with one channel or three.
Status readJpegHeader(const EncodedImage &file, ImageHeader &header);
Status decodeJpeg(const EncodedImage &file, const ImageHeader &header,
                  const Rect &needed, int64_t channels, Image &image,
                  Rect &covered);
Status readPngHeader(const EncodedImage &file, ImageHeader &header);
Status decodePng(const EncodedImage &file, const ImageHeader &header,
                 int64_t channels, Image &image);

/// Reads the orientation from EXIF data with their "Exif\0\0"; 1 if there is
/// none.
int readOrientation(const uint8_t *data, size_t size);

/// Returns "'NAME' cannot be decoded: WHAT".
Status damagedImage(const EncodedImage &file, const std::string &what);
/// Fails if images of these extents are not supported.
Status checkExtents(const EncodedImage &file, int64_t height, int64_t width);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_DECODE_H
