//===- Safetensors.h - Named tensors in a file ------------------*- C++ -*-===//
//
// A file is the header's length (8 bytes, little endian), the header (JSON:
// name -> dtype, shape, data_offsets, and "__metadata__" with strings), and the
// tensors' bytes, dense row-major, without holes or overlaps up to the end of
// the file. https://huggingface.co/docs/safetensors
//
// Reprise's files have a "digest" in the metadata: XXH3-128 of the whole file
// with the digest's 32 digits replaced by '0'.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_SAFETENSORS_H
#define REPRISE_RUNTIME_TRAINER_SAFETENSORS_H

#include "reprise/Runtime/Status.h"
#include "reprise/Runtime/Trainer/File.h"
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace reprise::rt {

enum class DType : uint8_t { Bool, U8, I8, I32, I64, F16, BF16, F32, F64 };

/// "F32" and so on, as in the file.
const char *dtypeName(DType type);
size_t dtypeBytes(DType type);
DType dtypeOf(rp_element_type type);

/// "64x3x7x7"; "scalar" for rank 0.
std::string formatShape(const std::vector<int64_t> &shape);

/// A tensor of a file: bytes [begin, end) of the data after the header.
struct TensorEntry {
  std::string name;
  DType type = DType::F32;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;
  uint64_t bytes() const { return end - begin; }
};

using Metadata = std::map<std::string, std::string>;

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors; // by name
  Metadata metadata;
  /// Null if there is none.
  const TensorEntry *find(const std::string &name) const;
};

/// The longest accepted header, the limit of other readers of the format.
constexpr uint64_t kMaxHeaderBytes = 100'000'000;

/// Parses and checks a header; `dataBytes` is the length of the data after it.
/// Messages name `file` and the tensor.
Expected<SafetensorsHeader> parseSafetensorsHeader(const std::string &file,
                                                   const std::string &json,
                                                   uint64_t dataBytes);

class SafetensorsFile {
public:
  static Expected<SafetensorsFile> open(const std::string &path);
  const std::string &path() const { return file.path(); }
  const SafetensorsHeader &header() const { return parsed; }
  /// Reads a whole tensor. `data` holds entry.bytes().
  Status read(const TensorEntry &entry, void *data) const;
  /// Reads `size` bytes from `offset` within a tensor, from any thread.
  Status readPart(const TensorEntry &entry, uint64_t offset, void *data,
                  size_t size) const;
  /// Fails unless the metadata hold a digest and it matches every byte.
  Status verifyDigest() const;

private:
  InputFile file;
  std::string json;
  SafetensorsHeader parsed;
};

struct TensorToWrite {
  std::string name;
  DType type = DType::F32;
  std::vector<int64_t> shape;
};

/// Fills `data` with the bytes of tensor `index` of the list.
using TensorSource =
    std::function<Status(size_t index, void *data, size_t bytes)>;

enum class Seal { None, Digest };

struct SafetensorsContent {
  std::vector<TensorToWrite> tensors;
  Metadata metadata;
  Seal seal = Seal::None;
};

/// Fails if `content` could not be written to `path` because of the names and
/// shapes in it.
Status checkSafetensors(const std::string &path,
                        const SafetensorsContent &content);

/// Writes a file as a whole or not at all. If `source` fails, its error is
/// returned and the old file is unchanged.
Status writeSafetensors(const std::string &path,
                        const SafetensorsContent &content,
                        const TensorSource &source);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_SAFETENSORS_H
