//===- Decode.h - From a file's bytes to pixels -----------------*- C++ -*-===//
//
// JPEG by libjpeg and PNG by libpng, told by content. Whatever a file holds
// becomes bytes of one channel or three:
//
//   grey               repeated for three channels
//   colour             for one channel (19595 R + 38470 G + 7471 B) / 65536
//   palette            its colours
//   alpha              left out; what lies beneath counts
//   16 bit             scaled to 8
//   CMYK, YCCK         inverted as Adobe's are; each of R, G, B is what the ink
//                      and black leave, as in Pillow
//   EXIF orientation   carried out: an image stands upright
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

/// A side, and the pixels of an image, have at most so many.
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
  /// Whether decoding holds all coefficients beside the pixels.
  bool isProgressive = false;

  bool isTurned() const { return orientation >= 5; }
  int64_t uprightHeight() const { return isTurned() ? width : height; }
  int64_t uprightWidth() const { return isTurned() ? height : width; }
};

/// Fails with RP_DATA_LOSS, naming the file, where it is no image, or a larger
/// one than is read.
Expected<ImageHeader> readImageHeader(const EncodedImage &file);

/// Decodes at least the part `needed` of the upright image into `image`, whose
/// place in it is `covered`. `channels` is 1 or 3. Pixels are the same whatever
/// part is asked for. Fails with RP_DATA_LOSS where the file is damaged; damage
/// outside the part is found if the file is cut off.
Status decodeImage(const EncodedImage &file, const ImageHeader &header,
                   const Rect &needed, int64_t channels, Image &image,
                   Rect &covered);

/// Of one format; `image` is as stored, with one channel or three.
Status readJpegHeader(const EncodedImage &file, ImageHeader &header);
Status decodeJpeg(const EncodedImage &file, const ImageHeader &header,
                  const Rect &needed, int64_t channels, Image &image,
                  Rect &covered);
Status readPngHeader(const EncodedImage &file, ImageHeader &header);
Status decodePng(const EncodedImage &file, const ImageHeader &header,
                 int64_t channels, Image &image);

/// From EXIF data with their "Exif\0\0"; 1 where they say none.
int readOrientation(const uint8_t *data, size_t size);

/// "'NAME' cannot be decoded: WHAT".
Status damagedImage(const EncodedImage &file, const std::string &what);
/// Fails where an image of these extents is not read.
Status checkExtents(const EncodedImage &file, int64_t height, int64_t width);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_DECODE_H
