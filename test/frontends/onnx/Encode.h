//===- Encode.h - Messages in protobuf's wire format ------------*- C++ -*-===//
#ifndef REPRISE_TEST_FRONTENDS_ENCODE_H
#define REPRISE_TEST_FRONTENDS_ENCODE_H

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::onnx::encode {

inline std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

/// A field that holds a number.
inline std::string number(unsigned field, uint64_t value) {
  return varint(field << 3) + varint(value);
}

/// A field that holds text or a message.
inline std::string bytes(unsigned field, const std::string &text) {
  return varint(field << 3 | 2) + varint(text.size()) + text;
}

inline std::string floats(const std::vector<float> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * 4};
}

/// A float tensor with raw data.
inline std::string tensor(const std::string &name,
                          const std::vector<int64_t> &dims,
                          const std::vector<float> &values) {
  std::string message;
  for (int64_t extent : dims)
    message += number(1, extent);
  return message + number(2, 1) + bytes(8, name) + bytes(9, floats(values));
}

/// A float value of a shape; -1 is an extent named "N".
inline std::string value(const std::string &name,
                         const std::vector<int64_t> &dims) {
  std::string shape;
  for (int64_t extent : dims)
    shape += bytes(1, extent < 0 ? bytes(2, "N") : number(1, extent));
  return bytes(1, name) + bytes(2, bytes(1, number(1, 1) + bytes(2, shape)));
}

inline std::string node(const std::string &op,
                        const std::vector<std::string> &inputs,
                        const std::vector<std::string> &outputs,
                        const std::string &attributes = "") {
  std::string message;
  for (const std::string &input : inputs)
    message += bytes(1, input);
  for (const std::string &output : outputs)
    message += bytes(2, output);
  return message + bytes(3, op + "_node") + bytes(4, op) + attributes;
}

inline std::string model(const std::string &graph, int64_t opset = 17) {
  return number(1, 8) + bytes(7, graph) + bytes(8, number(2, opset));
}

} // namespace reprise::onnx::encode

#endif // REPRISE_TEST_FRONTENDS_ENCODE_H
