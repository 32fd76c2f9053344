//===- Wire.cpp - Protobuf's wire format ----------------------------------===//

#include "Wire.h"

using namespace reprise::onnx;

bool Reading::fail(std::string_view at, const std::string &reason) {
  if (error.empty())
    error = reason + " at byte " + std::to_string(at.data() - file.data());
  return false;
}

bool Reading::count(std::string_view at) {
  if (++messages <= kMostMessages)
    return true;
  return fail(at, "more than " + std::to_string(kMostMessages) +
                      " messages; the last one begins");
}

bool reprise::onnx::takeVarint(std::string_view &bytes, uint64_t &value) {
  value = 0;
  for (unsigned k = 0; k < 10 && k < bytes.size(); ++k) {
    uint64_t byte = static_cast<unsigned char>(bytes[k]);
    // The tenth byte holds the highest bit only; protobuf drops the others.
    value |= (byte & 0x7f) << (7 * k);
    if (byte & 0x80)
      continue;
    bytes.remove_prefix(k + 1);
    return true;
  }
  return false;
}

bool reprise::onnx::decodeVarints(std::string_view bytes,
                                  std::vector<int64_t> &values) {
  uint64_t value;
  while (!bytes.empty()) {
    if (!takeVarint(bytes, value))
      return false;
    values.push_back(static_cast<int64_t>(value));
  }
  return true;
}

bool FieldReader::take(uint64_t size, std::string_view &bytes) {
  if (size > rest.size())
    return reading.fail(rest, "a field of " + std::to_string(size) +
                                  " bytes has only " +
                                  std::to_string(rest.size()) + " left");
  bytes = rest.substr(0, size);
  rest.remove_prefix(size);
  return true;
}

bool FieldReader::readKey(uint64_t &key) {
  std::string_view at = rest;
  if (!takeVarint(rest, key))
    return reading.fail(at, "a field's number is malformed");
  if (key >> 3 == 0 || key >> 32 != 0)
    return reading.fail(at,
                        "a field has the number " + std::to_string(key >> 3));
  return true;
}

static uint64_t littleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t k = 0; k < bytes.size(); ++k)
    value |= uint64_t(static_cast<unsigned char>(bytes[k])) << (8 * k);
  return value;
}

bool FieldReader::readValue(unsigned type, Field &field) {
  std::string_view at = rest;
  field.type = static_cast<WireType>(type);
  switch (type) {
  case 0:
    if (!takeVarint(rest, field.varint))
      return reading.fail(at, "a number is malformed");
    field.bytes = at.substr(0, at.size() - rest.size());
    return true;
  case 2: {
    uint64_t size;
    if (!takeVarint(rest, size))
      return reading.fail(at, "a length is malformed");
    return take(size, field.bytes);
  }
  case 1:
  case 5:
    if (!take(type == 1 ? 8 : 4, field.bytes))
      return false;
    field.varint = littleEndian(field.bytes);
    return true;
  default:
    return reading.fail(at,
                        "a field has the wire type " + std::to_string(type));
  }
}

/// Skips to the end of a group; groups within it only deepen a counter.
bool FieldReader::skipGroup(uint64_t number) {
  std::vector<uint64_t> open = {number};
  while (!open.empty()) {
    uint64_t key;
    Field skipped;
    std::string_view at = rest;
    if (rest.empty())
      return reading.fail(at, "a group does not end");
    if (!readKey(key))
      return false;
    if ((key & 7) == 3) {
      if (!reading.count(at))
        return false;
      open.push_back(key >> 3);
    } else if ((key & 7) == 4) {
      if (open.back() != key >> 3)
        return reading.fail(at, "a group ends with another one's number");
      open.pop_back();
    } else if (!readValue(key & 7, skipped)) {
      return false;
    }
  }
  return true;
}

bool FieldReader::next(Field &field) {
  while (!rest.empty() && reading.error.empty()) {
    uint64_t key;
    if (!readKey(key))
      return false;
    if ((key & 7) == 3) {
      if (!skipGroup(key >> 3))
        return false;
      continue;
    }
    field = Field();
    field.number = static_cast<uint32_t>(key >> 3);
    return readValue(key & 7, field);
  }
  return false;
}
