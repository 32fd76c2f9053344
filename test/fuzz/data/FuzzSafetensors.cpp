//===- FuzzSafetensors.cpp - Any bytes as safetensors ---------------------===//
//
// Input:   a file. It is opened, read whole, and used as data, weights and
//          state of a linear model; once more with its digest made right, so
//          that what lies behind the digest is reached.
// Holds:   no crash, no sanitizer report; an opened file is readable to its
//          last byte; what is refused has a message.
//
//===----------------------------------------------------------------------===//
#include "../../../runtime/trainer/Digest.h"
#include "../../runtime/trainer/FakeBackend.h"
#include "MemoryFile.h"
#include "reprise/Runtime/Trainer/Dataset.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include "reprise/Runtime/Trainer/State.h"
#include <algorithm>

using namespace reprise::rt;

static void require(bool condition) {
  if (!condition)
    std::abort();
}

static void checkMessage(const Status &status) {
  require(status.ok() || !status.message().empty());
}

static void readTensors(const SafetensorsFile &file) {
  for (const TensorEntry &entry : file.header().tensors) {
    std::vector<uint8_t> data(static_cast<size_t>(entry.bytes()));
    require(file.read(entry, data.data()).ok());
    require(file.header().find(entry.name) == &entry);
  }
}

static void readDataset(const std::string &path) {
  auto data = openTensorDataset(path, {});
  checkMessage(data.status());
  if (!data.ok())
    return;
  std::vector<float> image((*data)->columns()[0].elements());
  int32_t label = -1;
  void *out[] = {image.data(), &label};
  for (uint64_t i = 0; i < std::min<uint64_t>((*data)->size(), 8); ++i) {
    require((*data)->fill(&i, 1, out).ok());
    require(label >= 0 && label < (*data)->classes());
  }
}

static void readAll(const uint8_t *data, size_t size) {
  MemoryFile input(data, size);
  auto file = SafetensorsFile::open(input.path);
  checkMessage(file.status());
  if (!file.ok())
    return;
  readTensors(*file);
  checkMessage(file->verifyDigest());
  readDataset(input.path);
  test::FakeBackend backend(1, {2, 1, 1}, 2);
  checkMessage(loadWeights(backend, input.path).status());
  checkMessage(loadState(backend, input.path).status());
}

/// A copy whose digest is right; empty when there is no place for one.
static std::string withDigest(const uint8_t *data, size_t size) {
  if (size < 8)
    return "";
  std::string bytes(reinterpret_cast<const char *>(data), size);
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i)
    length = length << 8 | data[i];
  const std::string key = "\"digest\":\"";
  size_t at = bytes.find(key);
  if (length > size - 8 || at == std::string::npos ||
      at + key.size() + kDigestDigits > 8 + length)
    return "";
  at += key.size();
  bytes.replace(at, kDigestDigits, kDigestDigits, '0');
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  return bytes.replace(at, kDigestDigits, digest.hex());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  readAll(data, size);
  std::string sealed = withDigest(data, size);
  if (!sealed.empty())
    readAll(reinterpret_cast<const uint8_t *>(sealed.data()), sealed.size());
  return 0;
}
