//===- SafetensorsWriter.cpp - Write named tensors to a file --------------===//
//
// Input:   names, types, shapes, metadata, and a source of bytes.
// Output:  a file that every reader of the format accepts: wide types first, so
//          that each tensor is aligned; the header padded with spaces.
// Memory:  one tensor at a time.
// Cost:    tensors * log(tensors). The digest comes before its data, so that on
//          a stream, which cannot seek back, the bytes are taken twice: for the
//          digest, then to write them.
//
//===----------------------------------------------------------------------===//
#include "Digest.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string_view>

using namespace reprise::rt;

namespace {

struct Plan {
  std::vector<size_t> order;   // of writing, by index of tensors
  std::vector<uint64_t> bytes; // by index of tensors
  std::string header;
};

} // namespace

/// Tests by the library that will write it, which has no other function for
/// this.
static bool isUtf8(const std::string &text) {
  try {
    (void)nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::exception &) {
    return false;
  }
}

static Status planBytes(const std::string &path,
                        const SafetensorsContent &content, Plan &plan) {
  for (const TensorToWrite &tensor : content.tensors) {
    uint64_t total = dtypeBytes(tensor.type);
    for (int64_t size : tensor.shape)
      if (size < 0 || __builtin_mul_overflow(total, uint64_t(size), &total))
        return Status::error(RP_INVALID_ARGUMENT,
                             "cannot write '" + path + "': tensor '" +
                                 tensor.name + "' has the shape " +
                                 formatShape(tensor.shape));
    plan.bytes.push_back(total);
  }
  plan.order.resize(content.tensors.size());
  std::iota(plan.order.begin(), plan.order.end(), size_t(0));
  std::stable_sort(plan.order.begin(), plan.order.end(),
                   [&](size_t a, size_t b) {
                     return dtypeBytes(content.tensors[a].type) >
                            dtypeBytes(content.tensors[b].type);
                   });
  return Status();
}

/// Rejects every name of `content` that JSON cannot hold.
static Status checkNames(const std::string &path,
                         const SafetensorsContent &content) {
  std::set<std::string_view> names = {"__metadata__"};
  auto refuse = [&](const std::string &name, const std::string &why) {
    return Status::error(RP_INVALID_ARGUMENT, "cannot write '" + path +
                                                  "': the name '" + name +
                                                  "' " + why);
  };
  for (const TensorToWrite &tensor : content.tensors) {
    if (!isUtf8(tensor.name))
      return refuse(tensor.name, "is not UTF-8");
    if (tensor.name == "__metadata__")
      return refuse(tensor.name, "is reserved by the format for its metadata");
    if (!names.insert(tensor.name).second)
      return refuse(tensor.name, "is given twice");
  }
  for (const auto &[key, value] : content.metadata)
    if (!isUtf8(key) || !isUtf8(value))
      return refuse(isUtf8(key) ? value : key, "is not UTF-8");
  return Status();
}

/// Formats the header here: the library's objects search all of their keys for
/// each new one.
static void planHeader(const SafetensorsContent &content, Plan &plan) {
  using json = nlohmann::ordered_json;
  Metadata metadata = content.metadata;
  if (content.seal == Seal::Digest)
    metadata["digest"] = std::string(kDigestDigits, '0');
  std::string text;
  auto add = [&](const std::string &key, const json &value) {
    text += (text.empty() ? "{" : ",") + json(key).dump() + ":" + value.dump();
  };
  if (!metadata.empty())
    add("__metadata__", metadata);
  uint64_t offset = 0;
  for (size_t index : plan.order) {
    const TensorToWrite &tensor = content.tensors[index];
    uint64_t end = offset + plan.bytes[index];
    add(tensor.name, {{"dtype", dtypeName(tensor.type)},
                      {"shape", tensor.shape},
                      {"data_offsets", {offset, end}}});
    offset = end;
  }
  plan.header = (text.empty() ? "{" : text) + "}";
  // The data begins at a multiple of 8.
  plan.header.resize((plan.header.size() + 7) / 8 * 8, ' ');
}

Status reprise::rt::checkSafetensors(const std::string &path,
                                     const SafetensorsContent &content) {
  Plan plan;
  REPRISE_RETURN_IF_ERROR(planBytes(path, content, plan));
  return checkNames(path, content);
}

/// Takes every tensor from `source` in the order of the file.
template <typename Take>
static Status forEachTensor(const Plan &plan, const TensorSource &source,
                            Take take) {
  uint64_t largest = 1; // a source is never given a null pointer
  for (uint64_t bytes : plan.bytes)
    largest = std::max(largest, bytes);
  std::vector<uint8_t> data(static_cast<size_t>(largest));
  for (size_t index : plan.order) {
    size_t bytes = size_t(plan.bytes[index]);
    REPRISE_RETURN_IF_ERROR(source(index, data.data(), bytes));
    REPRISE_RETURN_IF_ERROR(take(data.data(), bytes));
  }
  return Status();
}

static Status writeHeader(OutputFile &file, const std::string &header) {
  uint8_t length[8];
  for (int i = 0; i < 8; ++i)
    length[i] = uint8_t(uint64_t(header.size()) >> (8 * i));
  REPRISE_RETURN_IF_ERROR(file.append(length, sizeof length));
  return file.append(header.data(), header.size());
}

Status reprise::rt::writeSafetensors(const std::string &path,
                                     const SafetensorsContent &content,
                                     const TensorSource &source) {
  Plan plan;
  REPRISE_RETURN_IF_ERROR(planBytes(path, content, plan));
  REPRISE_RETURN_IF_ERROR(checkNames(path, content));
  planHeader(content, plan);
  REPRISE_EXPECT(file, OutputFile::create(path));
  bool sealed = content.seal == Seal::Digest;
  size_t at = 8 + findDigest(plan.header, std::string(kDigestDigits, '0'));
  Digest digest;
  digest.addHeader(plan.header);
  auto count = [&](const uint8_t *data, size_t bytes) {
    digest.add(data, bytes);
    return Status();
  };
  if (sealed && file->isStream()) {
    REPRISE_RETURN_IF_ERROR(forEachTensor(plan, source, count));
    plan.header.replace(at - 8, kDigestDigits, digest.hex());
  }
  REPRISE_RETURN_IF_ERROR(writeHeader(*file, plan.header));
  auto write = [&](const uint8_t *data, size_t bytes) {
    if (sealed && !file->isStream())
      digest.add(data, bytes);
    return file->append(data, bytes);
  };
  REPRISE_RETURN_IF_ERROR(forEachTensor(plan, source, write));
  if (sealed && !file->isStream()) {
    std::string hex = digest.hex();
    REPRISE_RETURN_IF_ERROR(file->overwrite(at, hex.data(), hex.size()));
  }
  return file->commit();
}
