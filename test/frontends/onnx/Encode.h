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
                        const std::string &attributes = "",
                        const std::string &name = "") {
  std::string message;
  for (const std::string &input : inputs)
    message += bytes(1, input);
  for (const std::string &output : outputs)
    message += bytes(2, output);
  return message + bytes(3, name.empty() ? op + "_node" : name) + bytes(4, op) +
         attributes;
}

/// A classifier of 4x3x8x8 in the scopes stem, layer1.0, layer1.1 (without
/// names of nodes) and fc, with a batch norm, maybe in training mode, and a
/// dropout.
inline std::string scopedNetwork(bool trains = false) {
  std::string pads = bytes(1, "pads") + number(20, 7), filter, graph;
  for (int k = 0; k < 4; ++k)
    pads += number(8, 1);
  std::string mode = bytes(1, "training_mode") + number(20, 2) + number(3, 1);
  auto add = [&](const std::string &name, const std::string &op,
                 const std::vector<std::string> &inputs,
                 const std::string &output) {
    graph +=
        bytes(1, node(op, inputs, {output},
                      op == "Conv"                           ? bytes(5, pads)
                      : op == "BatchNormalization" && trains ? bytes(5, mode)
                                                             : "",
                      name));
  };
  auto weight = [&](const std::string &name, const std::vector<int64_t> &dims) {
    int64_t count = 1;
    for (int64_t extent : dims)
      count *= extent;
    std::vector<float> values;
    for (int64_t k = 0; k < count; ++k)
      values.push_back(float((k * 7 + 3) % 11 - 5) / 16);
    graph += bytes(5, tensor(name, dims, values));
  };
  add("/stem/conv/Conv", "Conv", {"image", "stem.conv.weight"}, "a");
  add("/stem/relu/Relu", "Relu", {"a"}, "b");
  add("/layer1/layer1.0/conv1/Conv", "Conv", {"b", "onnx::1"}, "c");
  add("/layer1/layer1.0/bn1/BatchNormalization", "BatchNormalization",
      {"c", "scale", "shift", "mean", "variance"}, "d");
  add("/layer1/layer1.0/relu/Relu", "Relu", {"d"}, "e");
  add("/layer1/layer1.0/drop/Dropout", "Dropout", {"e"}, "f");
  add("/layer1/layer1.0/Add", "Add", {"f", "b"}, "g");
  add("Conv_7", "Conv", {"g", "layer1.1.conv1.weight"}, "h");
  add("Relu_8", "Relu", {"h"}, "i");
  add("Conv_9", "Conv", {"i", "layer1.1.conv2.weight"}, "j");
  add("/GlobalAveragePool", "GlobalAveragePool", {"j"}, "k");
  add("/Flatten", "Flatten", {"k"}, "l");
  add("/fc/Gemm", "Gemm", {"l", "fc.weight", "fc.bias"}, "logits");
  weight("stem.conv.weight", {4, 3, 3, 3});
  for (const char *name :
       {"onnx::1", "layer1.1.conv1.weight", "layer1.1.conv2.weight"})
    weight(name, {4, 4, 3, 3});
  for (const char *name : {"shift", "mean"})
    weight(name, {4});
  for (const char *name : {"scale", "variance"})
    graph += bytes(5, tensor(name, {4}, {1, 0.5f, 2, 0.25f}));
  weight("fc.weight", {4, 5});
  weight("fc.bias", {5});
  return graph + bytes(11, value("image", {4, 3, 8, 8})) +
         bytes(12, value("logits", {4, 5}));
}

inline std::string model(const std::string &graph, int64_t opset = 17) {
  return number(1, 8) + bytes(7, graph) + bytes(8, number(2, opset));
}

} // namespace reprise::onnx::encode

#endif // REPRISE_TEST_FRONTENDS_ENCODE_H
