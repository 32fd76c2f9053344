//===- EventFile.h - Event files of TensorBoard -----------------*- C++ -*-===//
//
// A file is records, each: the length of its data (8 bytes, little endian), the
// masked CRC-32C of these 8 bytes, the data, and their masked CRC-32C (4 bytes
// each, little endian). masked(c) = rotate_right(c, 15) + 0xa282ead8, modulo
// 2^32. The data are a message in the protobuf wire format
// (https://protobuf.dev/programming-guides/encoding):
//
//   Event    1 wall_time double, 2 step int64, 3 file_version string,
//            5 summary Summary, 7 session_log Session
//   Session  1 status (1: start)
//   Summary  1 value Value, repeated
//   Value    1 tag string, 2 simple_value float, 4 image Image,
//            8 tensor Tensor, 9 metadata Metadata
//   Image    1 height, 2 width, 3 colorspace (3: RGB), 4 encoded_image_string
//   Metadata 1 plugin_data (1 plugin_name string), 3 summary_description string
//   Tensor   1 dtype (7: string), 2 tensor_shape (2 dim, repeated: 1 size),
//            8 string_val bytes
//
// The first record has file_version "brain.Event:2" and nothing else.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_HOOKS_EVENTFILE_H
#define REPRISE_RUNTIME_TRAINER_HOOKS_EVENTFILE_H

#include "reprise/Runtime/OutputFile.h"
#include <string>
#include <utility>
#include <vector>

namespace reprise::rt {

/// An RGB image as PNG.
struct EncodedPicture {
  uint32_t width = 0, height = 0;
  std::string png;
  std::string description; // Markdown
};

class EventFile {
public:
  /// Creates a file in `directory`, which is created if necessary. Its name has
  /// the time and the process, so that runs do not collide.
  static Expected<EventFile> create(const std::string &directory);

  /// Records that a run begins with this step: readers drop this step and later
  /// ones of earlier files.
  void addStart(uint64_t step);
  void addScalars(uint64_t step,
                  const std::vector<std::pair<std::string, double>> &scalars);
  /// Adds a text shown with the curves, in Markdown.
  void addText(const std::string &tag, const std::string &text,
               uint64_t step = 0);
  void addImage(const std::string &tag, const EncodedPicture &picture,
                uint64_t step);
  /// Writes the added events. If that fails, the file ends with its last whole
  /// record, and the next flush retries the unwritten ones.
  Status flush();
  const std::string &path() const { return name; }

private:
  /// Begins an event with its time, and the step if there is one.
  std::string beginEvent(uint64_t step);
  void addRecord(const std::string &data);
  void addSummary(const std::string &summary, uint64_t step);

  FileDescriptor descriptor;
  std::string name, pending;
  uint64_t written = 0; // bytes of whole flushes
  double latest = 0;    // time of the last event, in seconds since 1970
};

/// CRC-32C (Castagnoli): polynomial 0x1EDC6F41, reflected, begun and ended with
/// all bits inverted.
uint32_t crc32c(const void *data, size_t size);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_HOOKS_EVENTFILE_H
