//===- Safetensors.cpp - Named tensors in a file --------------------------===//
//
// Input:   arbitrary bytes.
// Output:  a header whose every tensor is within the file, without overlap or
//          hole, with the bytes of its shape and type.
// Fails:   with the file, the tensor and both numbers.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Safetensors.h"
#include "Digest.h"
#include "reprise/Runtime/Expect.h"
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

using namespace reprise::rt;
using nlohmann::json;

namespace {

struct DTypeRow {
  DType type;
  const char *name;
  size_t bytes;
  std::optional<rp_element_type> element; // of tensors in memory
};

constexpr DTypeRow kDTypes[] = {
    {DType::Bool, "BOOL", 1, RP_I1},   {DType::U8, "U8", 1, {}},
    {DType::I8, "I8", 1, RP_I8},       {DType::I32, "I32", 4, RP_I32},
    {DType::I64, "I64", 8, RP_I64},    {DType::F16, "F16", 2, RP_F16},
    {DType::BF16, "BF16", 2, RP_BF16}, {DType::F32, "F32", 4, RP_F32},
    {DType::F64, "F64", 8, RP_F64}};

} // namespace

const char *reprise::rt::dtypeName(DType type) {
  return kDTypes[size_t(type)].name;
}

size_t reprise::rt::dtypeBytes(DType type) {
  return kDTypes[size_t(type)].bytes;
}

DType reprise::rt::dtypeOf(rp_element_type type) {
  for (const DTypeRow &row : kDTypes)
    if (row.element == type)
      return row.type;
  return DType::F32;
}

std::string reprise::rt::formatShape(const std::vector<int64_t> &shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

const TensorEntry *SafetensorsHeader::find(const std::string &name) const {
  auto it = std::lower_bound(
      tensors.begin(), tensors.end(), name,
      [](const TensorEntry &e, const std::string &n) { return e.name < n; });
  return it != tensors.end() && it->name == name ? &*it : nullptr;
}

static Status damaged(const std::string &file, const std::string &what,
                      const char *site = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  return Status::error(RP_DATA_LOSS,
                       "'" + file + "' is not a safetensors file: " + what,
                       site, line);
}

static Status damagedTensor(const std::string &file, const std::string &tensor,
                            const std::string &what,
                            const char *site = __builtin_FILE(),
                            int line = __builtin_LINE()) {
  return Status::error(RP_DATA_LOSS,
                       "'" + file + "': tensor '" + tensor + "' " + what, site,
                       line);
}

/// Computes the bytes of a dense tensor; false if they exceed 64 bits.
static bool denseBytes(const TensorEntry &entry, uint64_t *bytes) {
  uint64_t total = dtypeBytes(entry.type);
  for (int64_t size : entry.shape)
    if (__builtin_mul_overflow(total, uint64_t(size), &total))
      return false;
  *bytes = total;
  return true;
}

/// Parses the dimensions; sizes that do not fit a signed 64-bit number are
/// rejected.
static Status parseShape(const std::string &file, const json &value,
                         TensorEntry &entry) {
  if (!value.is_array())
    return damagedTensor(file, entry.name, "has no list of sizes as its shape");
  for (const json &size : value) {
    if (!size.is_number_unsigned() || size.get<uint64_t>() > INT64_MAX)
      return damagedTensor(
          file, entry.name,
          "has '" + size.dump(-1, ' ', true, json::error_handler_t::replace) +
              "' as a size in its shape");
    entry.shape.push_back(int64_t(size.get<uint64_t>()));
  }
  return Status();
}

static Status parseOffsets(const std::string &file, const json &value,
                           uint64_t dataBytes, TensorEntry &entry) {
  if (!value.is_array() || value.size() != 2 ||
      !value[0].is_number_unsigned() || !value[1].is_number_unsigned())
    return damagedTensor(file, entry.name, "has no two offsets of its data");
  entry.begin = value[0].get<uint64_t>();
  entry.end = value[1].get<uint64_t>();
  if (entry.begin > entry.end)
    return damagedTensor(file, entry.name,
                         "begins at byte " + std::to_string(entry.begin) +
                             ", after its end at " + std::to_string(entry.end));
  if (entry.end > dataBytes)
    return damagedTensor(file, entry.name,
                         "ends at byte " + std::to_string(entry.end) +
                             ", but the file holds " +
                             std::to_string(dataBytes) + " bytes of data");
  return Status();
}

static Status parseType(const std::string &file, const json &value,
                        TensorEntry &entry) {
  if (!value.is_string())
    return damagedTensor(file, entry.name, "has no type");
  const std::string &name = value.get_ref<const std::string &>();
  for (const DTypeRow &row : kDTypes)
    if (name == row.name) {
      entry.type = row.type;
      return Status();
    }
  return damagedTensor(file, entry.name,
                       "has the type '" + name +
                           "'; BOOL, U8, I8, I32, I64, F16, BF16, F32 and F64 "
                           "can be read");
}

static Status parseTensor(const std::string &file, const json &value,
                          uint64_t dataBytes, TensorEntry &entry) {
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") ||
      !value.contains("shape") || !value.contains("data_offsets"))
    return damagedTensor(file, entry.name,
                         "does not have exactly dtype, shape and data_offsets");
  REPRISE_RETURN_IF_ERROR(parseType(file, value["dtype"], entry));
  REPRISE_RETURN_IF_ERROR(parseShape(file, value["shape"], entry));
  REPRISE_RETURN_IF_ERROR(
      parseOffsets(file, value["data_offsets"], dataBytes, entry));
  uint64_t needed = 0;
  if (!denseBytes(entry, &needed))
    return damagedTensor(file, entry.name,
                         "of shape " + formatShape(entry.shape) +
                             " needs more than 2^64 bytes");
  if (needed != entry.bytes())
    return damagedTensor(file, entry.name,
                         "of shape " + formatShape(entry.shape) + " and type " +
                             dtypeName(entry.type) + " needs " +
                             std::to_string(needed) + " bytes, but has " +
                             std::to_string(entry.bytes()));
  return Status();
}

static Status parseMetadata(const std::string &file, const json &value,
                            Metadata &metadata) {
  if (!value.is_object())
    return damaged(file, "its metadata are not an object");
  for (const auto &item : value.items()) {
    if (!item.value().is_string())
      return damaged(file,
                     "its metadata '" + item.key() + "' are not a string");
    metadata[item.key()] = item.value().get<std::string>();
  }
  return Status();
}

/// Checks that the tensors together cover the data exactly once.
static Status checkCoverage(const std::string &file,
                            const std::vector<TensorEntry> &tensors,
                            uint64_t dataBytes) {
  std::vector<const TensorEntry *> byOffset;
  for (const TensorEntry &entry : tensors)
    byOffset.push_back(&entry);
  std::stable_sort(byOffset.begin(), byOffset.end(),
                   [](const TensorEntry *a, const TensorEntry *b) {
                     return std::make_pair(a->begin, a->end) <
                            std::make_pair(b->begin, b->end);
                   });
  uint64_t end = 0;
  for (const TensorEntry *entry : byOffset) {
    if (entry->begin != end)
      return damagedTensor(file, entry->name,
                           "begins at byte " + std::to_string(entry->begin) +
                               (entry->begin < end
                                    ? ", within a tensor that ends at "
                                    : ", after a hole that begins at ") +
                               std::to_string(end));
    end = entry->end;
  }
  if (end != dataBytes)
    return Status::error(RP_DATA_LOSS,
                         "'" + file + "': its tensors end at byte " +
                             std::to_string(end) + ", but it holds " +
                             std::to_string(dataBytes) + " bytes of data");
  return Status();
}

namespace {

/// Reads a header one entry at a time, so that a file of many tensors takes
/// linear time (the library's own tree searches all earlier ones for each, once
/// it may stop at errors). Rejects errors that the library would accept
/// silently: a duplicate key, and nesting deeper than the format's.
class HeaderReader final : public nlohmann::json_sax<json> {
public:
  HeaderReader(const std::string &file, uint64_t dataBytes)
      : file(file), dataBytes(dataBytes) {}

  SafetensorsHeader header;
  Status status; // of the first error

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(int64_t value) override { return add(value); }
  bool number_unsigned(uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string &) override {
    return add(value);
  }
  bool string(std::string &value) override { return add(std::move(value)); }
  bool binary(json::binary_t &) override { return refuse("is not JSON"); }
  bool start_object(size_t) override {
    if (inRoot)
      return open(json::object());
    inRoot = true;
    return true;
  }
  bool start_array(size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string &name) override;
  bool parse_error(size_t, const std::string &,
                   const nlohmann::detail::exception &) override {
    return refuse("is not JSON");
  }

private:
  // Nesting: the root, a tensor's object, a list in it, a list in that.
  static constexpr size_t kDepth = 3;

  bool refuse(const std::string &what) {
    status = damaged(file, "its header " + what);
    return false;
  }
  bool add(json value);
  bool open(json value);
  bool close();
  bool take();
  /// Puts a value in its place.
  json &place(json value);

  const std::string &file;
  uint64_t dataBytes;
  bool inRoot = false;
  std::string name; // of the entry
  json entry;
  std::vector<json *> nest;      // open objects and lists of the entry
  std::vector<std::string> keys; // of the next values in them
  std::unordered_set<std::string> names;
};

} // namespace

bool HeaderReader::key(std::string &text) {
  bool isNew =
      nest.empty() ? names.insert(text).second : !nest.back()->contains(text);
  if (!isNew)
    return refuse("has '" + text + "' twice");
  (nest.empty() ? name : keys.back()) = text;
  return true;
}

json &HeaderReader::place(json value) {
  if (nest.empty())
    return entry = std::move(value);
  json &parent = *nest.back();
  if (parent.is_object())
    return parent[keys.back()] = std::move(value);
  parent.push_back(std::move(value));
  return parent.back();
}

bool HeaderReader::add(json value) {
  place(std::move(value));
  return !nest.empty() || take();
}

bool HeaderReader::open(json value) {
  if (nest.size() == kDepth)
    return refuse("is nested deeper than the format allows");
  nest.push_back(&place(std::move(value)));
  keys.emplace_back();
  return true;
}

bool HeaderReader::close() {
  if (nest.empty()) {
    inRoot = false;
    return true;
  }
  nest.pop_back();
  keys.pop_back();
  return !nest.empty() || take();
}

/// Takes a complete entry.
bool HeaderReader::take() {
  if (name == "__metadata__") {
    status = parseMetadata(file, entry, header.metadata);
    return status.ok();
  }
  TensorEntry tensor;
  tensor.name = name;
  status = parseTensor(file, entry, dataBytes, tensor);
  header.tensors.push_back(std::move(tensor));
  return status.ok();
}

Expected<SafetensorsHeader> reprise::rt::parseSafetensorsHeader(
    const std::string &file, const std::string &text, uint64_t dataBytes) {
  if (text.empty() || text[0] != '{')
    return damaged(file, "its header does not begin with '{'");
  HeaderReader reader(file, dataBytes);
  if (!json::sax_parse(text, &reader))
    return reader.status.ok() ? damaged(file, "its header is not JSON")
                              : reader.status;
  SafetensorsHeader header = std::move(reader.header);
  // Required by find().
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const TensorEntry &a, const TensorEntry &b) {
              return a.name < b.name;
            });
  REPRISE_RETURN_IF_ERROR(checkCoverage(file, header.tensors, dataBytes));
  return header;
}

/// Identifies weights in other formats; "" for none. Their first bytes are not
/// a header's length.
static std::string otherFormat(const uint8_t (&begin)[8]) {
  constexpr const char *kNames[][2] = {{"\x89HDF", "an HDF5 file"},
                                       {"\x93NUM", "an array of NumPy"},
                                       {"GGUF", "a GGUF file"}};
  for (auto [magic, name] : kNames)
    if (!std::memcmp(begin, magic, 4))
      return std::string("it is ") + name + "; convert it to safetensors";
  bool isZip = !std::memcmp(begin, "PK\3\4", 4);
  bool isPickle = begin[0] == 0x80 && begin[1] >= 2 && begin[1] <= 5;
  if (!isZip && !isPickle)
    return "";
  return std::string("it is ") +
         (isZip ? "a zip archive, as those of torch.save are"
                : "a Python pickle, as those of torch.save were") +
         "; convert it with safetensors.torch.save_file(torch.load(FILE, "
         "weights_only=True), 'weights.safetensors')";
}

Expected<SafetensorsFile> SafetensorsFile::open(const std::string &path) {
  REPRISE_EXPECT(input, InputFile::open(path));
  SafetensorsFile result;
  result.file = std::move(*input);
  uint64_t size = result.file.size();
  if (size < 8)
    return damaged(path, "it has " + std::to_string(size) +
                             " bytes, fewer than the 8 of its first field");
  uint8_t prefix[8];
  REPRISE_RETURN_IF_ERROR(result.file.readAt(0, prefix, 8));
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i)
    length = length << 8 | prefix[i];
  if (std::string what = otherFormat(prefix);
      length > size - 8 && !what.empty())
    return damaged(path, what);
  if (length > size - 8)
    return damaged(path, "its header is said to have " +
                             std::to_string(length) + " bytes, but only " +
                             std::to_string(size - 8) + " follow");
  if (length > kMaxHeaderBytes)
    return damaged(path, "its header has " + std::to_string(length) +
                             " bytes, more than the " +
                             std::to_string(kMaxHeaderBytes) + " allowed");
  result.json.resize(size_t(length));
  REPRISE_RETURN_IF_ERROR(
      result.file.readAt(8, result.json.data(), size_t(length)));
  REPRISE_EXPECT(header,
                 parseSafetensorsHeader(path, result.json, size - 8 - length));
  result.parsed = std::move(*header);
  return result;
}

Status SafetensorsFile::read(const TensorEntry &entry, void *data) const {
  return readPart(entry, 0, data, size_t(entry.bytes()));
}

Status SafetensorsFile::readPart(const TensorEntry &entry, uint64_t offset,
                                 void *data, size_t size) const {
  if (offset > entry.bytes() || size > entry.bytes() - offset)
    return Status::error(RP_INVALID_ARGUMENT,
                         "'" + path() + "': bytes " + std::to_string(offset) +
                             " to " + std::to_string(offset + size) +
                             " asked of tensor '" + entry.name +
                             "', which has " + std::to_string(entry.bytes()));
  return file.readAt(8 + json.size() + entry.begin + offset, data, size);
}

Status SafetensorsFile::verifyDigest() const {
  auto it = parsed.metadata.find("digest");
  if (it == parsed.metadata.end())
    return Status::error(RP_DATA_LOSS,
                         "'" + path() + "' has no digest in its metadata");
  std::string text = json;
  size_t at = findDigest(text, it->second);
  if (at == std::string::npos)
    return Status::error(RP_DATA_LOSS,
                         "'" + path() + "' has a malformed digest");
  text.replace(at, kDigestDigits, kDigestDigits, '0');
  Digest digest;
  digest.addHeader(text);
  std::vector<char> chunk(size_t(1) << 20);
  uint64_t offset = 8 + json.size();
  while (offset < file.size()) {
    size_t n = size_t(std::min<uint64_t>(chunk.size(), file.size() - offset));
    REPRISE_RETURN_IF_ERROR(file.readAt(offset, chunk.data(), n));
    digest.add(chunk.data(), n);
    offset += n;
  }
  if (digest.hex() != it->second)
    return Status::error(RP_DATA_LOSS, "'" + path() +
                                           "' is damaged: its bytes have the "
                                           "digest " +
                                           digest.hex() + ", not " +
                                           it->second);
  return Status();
}
