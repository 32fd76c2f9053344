//===- Idx.h - Arrays of bytes in IDX files ---------------------*- C++ -*-===//
//
// An IDX file is two zero bytes, a type (8: unsigned byte), the rank, one
// big-endian 32-bit size per dimension, and the bytes. The format of MNIST:
// http://yann.lecun.com/exdb/mnist
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_IDX_H
#define REPRISE_RUNTIME_TRAINER_IDX_H

#include "reprise/Runtime/Status.h"
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::rt {

struct IdxArray {
  std::vector<uint32_t> shape;
  std::vector<uint8_t> data;
};

/// Reads an IDX file of unsigned bytes with `rank` dimensions, plain or gzipped
/// (detected by content). Memory grows with the file's contents, not with the
/// size that its header claims.
Expected<IdxArray> readIdxFile(const std::string &path, unsigned rank);

/// Reads only the sizes that the header announces.
Expected<std::vector<uint32_t>> readIdxShape(const std::string &path,
                                             unsigned rank);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_IDX_H
