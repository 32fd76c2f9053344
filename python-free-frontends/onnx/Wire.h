//===- Wire.h - Protobuf's wire format --------------------------*- C++ -*-===//
//
// A message is a sequence of fields: a key (number and wire type), then a
// varint, 4 or 8 bytes, or a length and as many bytes
// (https://protobuf.dev/programming-guides/encoding).
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_ONNX_WIRE_H
#define REPRISE_ONNX_WIRE_H

#include "reprise/Onnx/Model.h"

namespace reprise::onnx {

enum class WireType { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

struct Field {
  uint32_t number = 0;
  WireType type = WireType::Varint;
  uint64_t varint = 0;    // of Varint, Fixed32 and Fixed64
  std::string_view bytes; // the value as written

  bool isVarint(uint32_t wanted) const {
    return number == wanted && type == WireType::Varint;
  }
  bool isBytes(uint32_t wanted) const {
    return number == wanted && type == WireType::Bytes;
  }
};

/// The state that the readers of all messages of a file share.
struct Reading {
  std::string_view file;
  uint64_t messages = 0;
  std::string error;

  /// Sets the first error, with the offset of `at` in the file; returns false.
  bool fail(std::string_view at, const std::string &reason);
  /// Counts a message; false if there are too many.
  bool count(std::string_view at);
};

/// Reads the fields of a message one after the other. Groups, which proto2
/// had and ONNX never used, are skipped.
class FieldReader {
public:
  FieldReader(Reading &reading, std::string_view message)
      : reading(reading), rest(message) {}

  /// Reads the next field; false at the end and after an error, which the
  /// reading then holds.
  bool next(Field &field);

private:
  bool readKey(uint64_t &key);
  bool readValue(unsigned type, Field &field);
  bool take(uint64_t size, std::string_view &bytes);
  bool skipGroup(uint64_t number);

  Reading &reading;
  std::string_view rest;
};

/// Removes a varint from the beginning of `bytes`; false if it is truncated or
/// longer than ten bytes.
bool takeVarint(std::string_view &bytes, uint64_t &value);

} // namespace reprise::onnx

#endif // REPRISE_ONNX_WIRE_H
