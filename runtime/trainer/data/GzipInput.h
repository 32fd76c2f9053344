//===- GzipInput.h - Files that are gzipped or plain ------------*- C++ -*-===//
//
// zlib reads plain files through the same calls, and checks the length and CRC
// of a gzip stream when its end is read.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_GZIPINPUT_H
#define REPRISE_RUNTIME_TRAINER_DATA_GZIPINPUT_H

#include "reprise/Runtime/Status.h"
#include <cstdint>
#include <memory>
#include <string>
#include <zlib.h>

namespace reprise::rt {

class GzipInput {
public:
  /// Fails as InputFile::open.
  static Expected<GzipInput> open(const std::string &path);
  /// Reads up to `size` bytes; fewer only at the end. Fails for a stream that
  /// ends early or is damaged, with the byte of the file where that shows.
  Status read(void *data, uint64_t size, uint64_t *done);
  /// Goes on at byte `offset` of the contents.
  Status seek(int64_t offset);
  /// Bytes of the file.
  uint64_t fileBytes() const { return size; }
  /// Returns true if the contents are the file's bytes.
  bool isPlain() { return gzdirect(file.get()) != 0; }

private:
  struct Close {
    void operator()(gzFile file) const { gzclose_r(file); }
  };
  Status check(int got);

  std::string path;
  uint64_t size = 0;
  std::unique_ptr<gzFile_s, Close> file;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_GZIPINPUT_H
