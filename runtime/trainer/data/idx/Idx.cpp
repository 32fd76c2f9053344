//===- Idx.cpp - Arrays of bytes in IDX files -----------------------------===//
//
// zlib reads plain files through the same calls, and checks the length and
// CRC of a gzip stream when its end is read; so the end is always read.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Idx.h"
#include "reprise/Runtime/Trainer/File.h"
#include <algorithm>
#include <memory>
#include <zlib.h>

using namespace reprise::rt;

namespace {

struct CloseGzip {
  void operator()(gzFile file) const { gzclose_r(file); }
};
using GzipFile = std::unique_ptr<gzFile_s, CloseGzip>;

/// A stream of bytes with its name for messages.
struct Input {
  std::string path;
  uint64_t fileBytes = 0;
  GzipFile gzip;
};

} // namespace

static Status damaged(const std::string &path, const std::string &what,
                      const char *file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  return Status::error(RP_DATA_LOSS, "'" + path + "' " + what, file, line);
}

static Expected<Input> openInput(const std::string &path) {
  Expected<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status();
  FileDescriptor descriptor = file->takeDescriptor();
  Input input;
  input.path = path;
  input.fileBytes = file->size();
  input.gzip.reset(gzdopen(descriptor.get(), "rb"));
  if (!input.gzip)
    return Status::error(RP_OUT_OF_MEMORY,
                         "cannot read '" + path + "': zlib has no memory");
  descriptor.release(); // closed by gzclose_r
  gzbuffer(input.gzip.get(), 1u << 17);
  return input;
}

/// Up to `size` bytes; fewer only at the end.
static Status readUpTo(Input &input, uint8_t *data, unsigned size,
                       unsigned *done) {
  int n = gzread(input.gzip.get(), data, size);
  int code = Z_OK;
  const char *reason = gzerror(input.gzip.get(), &code);
  // A stream that stops in its middle reads short with Z_BUF_ERROR.
  if (n < 0 || code == Z_BUF_ERROR || code < Z_OK)
    return damaged(input.path, std::string("is truncated or damaged: ") +
                                   (reason && *reason ? reason : "bad data"));
  *done = unsigned(n);
  return Status();
}

static Status readHeader(Input &input, unsigned rank, IdxArray &array) {
  uint8_t header[4];
  unsigned done = 0;
  REPRISE_RETURN_IF_ERROR(readUpTo(input, header, 4, &done));
  if (done != 4)
    return damaged(input.path, "is truncated: it has " + std::to_string(done) +
                                   " bytes, fewer than the 4 of its magic");
  uint32_t magic = uint32_t(header[0]) << 24 | uint32_t(header[1]) << 16 |
                   uint32_t(header[2]) << 8 | header[3];
  uint32_t wanted = 0x800 | rank;
  if (magic != wanted)
    return damaged(input.path,
                   "is no IDX file of bytes with " + std::to_string(rank) +
                       " dimensions: its magic is " + std::to_string(magic) +
                       ", not " + std::to_string(wanted));
  for (unsigned i = 0; i < rank; ++i) {
    uint8_t size[4];
    REPRISE_RETURN_IF_ERROR(readUpTo(input, size, 4, &done));
    if (done != 4)
      return damaged(input.path, "is truncated in its header");
    array.shape.push_back(uint32_t(size[0]) << 24 | uint32_t(size[1]) << 16 |
                          uint32_t(size[2]) << 8 | size[3]);
  }
  return Status();
}

/// Reads `total` bytes; memory is touched as far as was read.
static Status readData(Input &input, uint64_t total, IdxArray &array) {
  constexpr uint64_t kChunk = uint64_t(1) << 20;
  // No file holds more: deflate makes at most 1032 bytes of one. What is
  // reserved and not read takes no memory, and a vector that grows would hold
  // its bytes twice.
  constexpr uint64_t kLargestRatio = 1032;
  array.data.reserve(std::min(total, input.fileBytes * kLargestRatio));
  while (array.data.size() < total) {
    size_t have = array.data.size();
    unsigned want = unsigned(std::min(kChunk, total - have));
    array.data.resize(have + want);
    unsigned done = 0;
    REPRISE_RETURN_IF_ERROR(
        readUpTo(input, array.data.data() + have, want, &done));
    if (done != want)
      return damaged(input.path, "is truncated: its header announces " +
                                     std::to_string(total) + " bytes, but " +
                                     std::to_string(have + done) + " follow");
  }
  uint8_t extra;
  unsigned done = 0;
  REPRISE_RETURN_IF_ERROR(readUpTo(input, &extra, 1, &done));
  if (done != 0)
    return damaged(input.path, "has more than the " + std::to_string(total) +
                                   " bytes its header announces");
  return Status();
}

Expected<IdxArray> reprise::rt::readIdxFile(const std::string &path,
                                            unsigned rank) {
  Expected<Input> input = openInput(path);
  if (!input.ok())
    return input.status();
  IdxArray array;
  REPRISE_RETURN_IF_ERROR(readHeader(*input, rank, array));
  uint64_t total = 1;
  for (uint32_t size : array.shape)
    if (__builtin_mul_overflow(total, uint64_t(size), &total))
      return damaged(path, "announces more than 2^64 bytes");
  REPRISE_RETURN_IF_ERROR(readData(*input, total, array));
  return array;
}

Expected<std::vector<uint32_t>>
reprise::rt::readIdxShape(const std::string &path, unsigned rank) {
  Expected<Input> input = openInput(path);
  if (!input.ok())
    return input.status();
  IdxArray array;
  REPRISE_RETURN_IF_ERROR(readHeader(*input, rank, array));
  return std::move(array.shape);
}
