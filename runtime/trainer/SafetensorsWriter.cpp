//===- SafetensorsWriter.cpp - Named tensors into a file ------------------===//
//
// Input:   names, types, shapes, metadata, and a source of bytes.
// Output:  a file that every reader of the format takes: wide types first, so
//          that each tensor is aligned; the header padded with spaces.
// Memory:  one tensor at a time.
//
//===----------------------------------------------------------------------===//
#include "Digest.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

using namespace reprise::rt;

namespace {

struct Plan {
  std::vector<size_t> order;   // of writing; indices of tensors
  std::vector<uint64_t> bytes; // by index of tensors
  std::string header;
};

} // namespace

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

static Status planHeader(const std::string &path,
                         const SafetensorsContent &content, Plan &plan) {
  nlohmann::ordered_json root = nlohmann::ordered_json::object();
  Metadata metadata = content.metadata;
  if (content.seal == Seal::Digest)
    metadata["digest"] = std::string(kDigestDigits, '0');
  if (!metadata.empty())
    root["__metadata__"] = metadata;
  uint64_t offset = 0;
  for (size_t index : plan.order) {
    const TensorToWrite &tensor = content.tensors[index];
    if (tensor.name == "__metadata__" || root.contains(tensor.name))
      return Status::error(RP_INVALID_ARGUMENT,
                           "cannot write '" + path + "': tensor '" +
                               tensor.name + "' is there twice or reserved");
    uint64_t end = offset + plan.bytes[index];
    root[tensor.name] = {{"dtype", dtypeName(tensor.type)},
                         {"shape", tensor.shape},
                         {"data_offsets", {offset, end}}};
    offset = end;
  }
  try {
    plan.header = root.dump();
  } catch (const nlohmann::json::exception &) {
    // The library has no other way to say this.
    return Status::error(RP_INVALID_ARGUMENT,
                         "cannot write '" + path +
                             "': a name in it is not UTF-8");
  }
  // The data begin at a multiple of 8.
  plan.header.resize((plan.header.size() + 7) / 8 * 8, ' ');
  return Status();
}

static Status writeData(AtomicFile &file, const Plan &plan, Digest &digest,
                        const TensorSource &source) {
  uint64_t largest = 1; // a source is never given a null pointer
  for (uint64_t bytes : plan.bytes)
    largest = std::max(largest, bytes);
  std::vector<uint8_t> data(static_cast<size_t>(largest));
  for (size_t index : plan.order) {
    size_t bytes = size_t(plan.bytes[index]);
    REPRISE_RETURN_IF_ERROR(source(index, data.data(), bytes));
    digest.add(data.data(), bytes);
    REPRISE_RETURN_IF_ERROR(file.append(data.data(), bytes));
  }
  return Status();
}

Status reprise::rt::writeSafetensors(const std::string &path,
                                     const SafetensorsContent &content,
                                     const TensorSource &source) {
  Plan plan;
  REPRISE_RETURN_IF_ERROR(planBytes(path, content, plan));
  REPRISE_RETURN_IF_ERROR(planHeader(path, content, plan));
  Expected<AtomicFile> created = AtomicFile::create(path);
  if (!created.ok())
    return created.status();
  AtomicFile &file = *created;
  uint8_t length[8];
  for (int i = 0; i < 8; ++i)
    length[i] = uint8_t(uint64_t(plan.header.size()) >> (8 * i));
  REPRISE_RETURN_IF_ERROR(file.append(length, sizeof length));
  REPRISE_RETURN_IF_ERROR(file.append(plan.header.data(), plan.header.size()));
  Digest digest;
  digest.addHeader(plan.header);
  REPRISE_RETURN_IF_ERROR(writeData(file, plan, digest, source));
  if (content.seal == Seal::Digest) {
    size_t at = findDigest(plan.header, std::string(kDigestDigits, '0'));
    std::string hex = digest.hex();
    REPRISE_RETURN_IF_ERROR(file.overwrite(8 + at, hex.data(), hex.size()));
  }
  return file.commit();
}
