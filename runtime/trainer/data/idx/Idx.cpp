//===- Idx.cpp - Arrays of bytes in IDX files -----------------------------===//
//
// The length and CRC of a gzip stream are checked when its end is read; so the
// end is always read.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Idx.h"
#include "../GzipInput.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/NameText.h"
#include <algorithm>

using namespace reprise::rt;

static Status damaged(const std::string &path, const std::string &what,
                      const char *file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  return Status::error(RP_DATA_LOSS, "'" + nameText(path) + "' " + what, file,
                       line);
}

static Status readHeader(GzipInput &input, const std::string &path,
                         unsigned rank, IdxArray &array) {
  uint8_t header[4];
  uint64_t done = 0;
  REPRISE_RETURN_IF_ERROR(input.read(header, 4, &done));
  if (done != 4)
    return damaged(path, "is truncated: it has " + std::to_string(done) +
                             " bytes, fewer than the 4 of its magic");
  uint32_t magic = uint32_t(header[0]) << 24 | uint32_t(header[1]) << 16 |
                   uint32_t(header[2]) << 8 | header[3];
  uint32_t wanted = 0x800 | rank;
  if (magic != wanted)
    return damaged(path,
                   "is not an IDX file of bytes with " + std::to_string(rank) +
                       " dimensions: its magic is " + std::to_string(magic) +
                       ", not " + std::to_string(wanted));
  for (unsigned i = 0; i < rank; ++i) {
    uint8_t size[4];
    REPRISE_RETURN_IF_ERROR(input.read(size, 4, &done));
    if (done != 4)
      return damaged(path, "is truncated in its header");
    array.shape.push_back(uint32_t(size[0]) << 24 | uint32_t(size[1]) << 16 |
                          uint32_t(size[2]) << 8 | size[3]);
  }
  return Status();
}

/// Reads `total` bytes; memory is touched as far as was read.
static Status readData(GzipInput &input, const std::string &path,
                       uint64_t total, IdxArray &array) {
  constexpr uint64_t kChunk = uint64_t(1) << 20;
  // No file holds more: deflate produces at most 1032 bytes from one. Memory
  // that is reserved but not written is not resident, and a growing vector
  // would hold its bytes twice.
  constexpr uint64_t kLargestRatio = 1032;
  array.data.reserve(std::min(total, input.fileBytes() * kLargestRatio));
  while (array.data.size() < total) {
    size_t have = array.data.size();
    uint64_t want = std::min(kChunk, total - have);
    array.data.resize(have + want);
    uint64_t done = 0;
    REPRISE_RETURN_IF_ERROR(input.read(array.data.data() + have, want, &done));
    if (done != want)
      return damaged(path, "is truncated: its header announces " +
                               std::to_string(total) + " bytes, but " +
                               std::to_string(have + done) + " follow");
  }
  uint8_t extra;
  uint64_t done = 0;
  REPRISE_RETURN_IF_ERROR(input.read(&extra, 1, &done));
  if (done != 0)
    return damaged(path, "has more than the " + std::to_string(total) +
                             " bytes its header announces");
  return Status();
}

Expected<IdxArray> reprise::rt::readIdxFile(const std::string &path,
                                            unsigned rank) {
  REPRISE_EXPECT(input, GzipInput::open(path));
  IdxArray array;
  REPRISE_RETURN_IF_ERROR(readHeader(*input, path, rank, array));
  uint64_t total = 1;
  for (uint32_t size : array.shape)
    if (__builtin_mul_overflow(total, uint64_t(size), &total))
      return damaged(path, "announces more than 2^64 bytes");
  REPRISE_RETURN_IF_ERROR(readData(*input, path, total, array));
  return array;
}

Expected<std::vector<uint32_t>>
reprise::rt::readIdxShape(const std::string &path, unsigned rank) {
  REPRISE_EXPECT(input, GzipInput::open(path));
  IdxArray array;
  REPRISE_RETURN_IF_ERROR(readHeader(*input, path, rank, array));
  return std::move(array.shape);
}
