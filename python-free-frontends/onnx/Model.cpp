//===- Model.cpp - The messages of an ONNX file ---------------------------===//
//
// Numbers of fields are those of onnx.proto.
//
//===----------------------------------------------------------------------===//

#include "reprise/Onnx/Model.h"
#include "Wire.h"
#include <cstring>

using namespace reprise::onnx;

void Bytes::append(std::string_view part) {
  if (whole.empty() && copied.empty()) {
    whole = part;
    return;
  }
  if (copied.empty())
    copied = std::string(whole);
  copied += part;
}

std::string reprise::onnx::nameOf(TensorElement type) {
  static const char *const names[] = {
      "undefined", "float",  "uint8",     "int8",       "uint16",  "int16",
      "int32",     "int64",  "string",    "bool",       "float16", "double",
      "uint32",    "uint64", "complex64", "complex128", "bfloat16"};
  auto number = static_cast<int32_t>(type);
  if (number >= 0 && number <= 16)
    return names[number];
  return "type " + std::to_string(number);
}

namespace {
/// Readers of each message, into a structure that may hold an earlier part of
/// it. They return false after an error.
class Reader {
public:
  explicit Reader(std::string_view file) { reading.file = file; }

  bool read(std::string_view bytes, Model &model);
  bool read(std::string_view bytes, Graph &graph);
  bool read(std::string_view bytes, Node &node);
  bool read(std::string_view bytes, Attribute &attribute);
  bool read(std::string_view bytes, TensorMessage &tensor);
  bool read(std::string_view bytes, ValueInfo &info);

  std::string error() const { return reading.error; }

private:
  template <typename T> bool add(std::string_view bytes, std::vector<T> &list) {
    if (!reading.count(bytes))
      return false;
    list.emplace_back();
    return read(bytes, list.back());
  }
  bool add(std::string_view bytes, std::vector<std::string_view> &list) {
    list.push_back(bytes);
    return reading.count(bytes);
  }
  bool addIntegers(const Field &field, std::vector<int64_t> &list);
  bool readOpset(std::string_view bytes, Model &model);
  bool readType(std::string_view bytes, ValueInfo &info);
  bool readTensorType(std::string_view bytes, ValueInfo &info);
  bool readShape(std::string_view bytes, ValueInfo &info);
  bool readExtent(std::string_view bytes, ValueInfo &info);
  bool readData(const Field &field, TensorMessage &tensor);
  bool readExternal(std::string_view bytes, TensorMessage &tensor);
  bool ended() const { return reading.error.empty(); }

  Reading reading;
};
} // namespace

/// Reads a repeated integer, packed or not.
bool Reader::addIntegers(const Field &field, std::vector<int64_t> &list) {
  if (field.type == WireType::Varint)
    list.push_back(static_cast<int64_t>(field.varint));
  else if (field.type == WireType::Bytes && !decodeVarints(field.bytes, list))
    return reading.fail(field.bytes, "a list of integers is malformed");
  return true;
}

static float asFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

bool Reader::readExternal(std::string_view bytes, TensorMessage &tensor) {
  std::pair<std::string_view, std::string_view> entry;
  FieldReader fields(reading, bytes);
  for (Field field; fields.next(field);)
    if (field.isBytes(1))
      entry.first = field.bytes;
    else if (field.isBytes(2))
      entry.second = field.bytes;
  tensor.external.push_back(entry);
  return ended() && reading.count(bytes);
}

/// Reads the lists of numbers, packed or not.
bool Reader::readData(const Field &field, TensorMessage &tensor) {
  Bytes *lists[] = {&tensor.floats,  &tensor.int32s, nullptr,
                    &tensor.int64s,  nullptr,        nullptr,
                    &tensor.doubles, &tensor.uint64s};
  if (field.number < 4 || field.number > 11 || !lists[field.number - 4])
    return true;
  WireType one = field.number == 4    ? WireType::Fixed32
                 : field.number == 10 ? WireType::Fixed64
                                      : WireType::Varint;
  if (field.type == WireType::Bytes || field.type == one)
    lists[field.number - 4]->append(field.bytes);
  return true;
}

bool Reader::read(std::string_view bytes, TensorMessage &tensor) {
  FieldReader fields(reading, bytes);
  for (Field field; fields.next(field);) {
    if (field.number == 1 && !addIntegers(field, tensor.dims))
      return false;
    if (field.isVarint(2))
      tensor.type =
          static_cast<TensorElement>(static_cast<int32_t>(field.varint));
    else if (field.isBytes(3))
      tensor.hasSegment = true;
    else if (field.isBytes(6))
      tensor.hasStrings = true;
    else if (field.isBytes(8))
      tensor.name = field.bytes;
    else if (field.isBytes(9))
      tensor.raw = field.bytes;
    else if (field.isBytes(13) && !readExternal(field.bytes, tensor))
      return false;
    else if (field.isVarint(14))
      tensor.isExternal = field.varint == 1;
    else if (!readData(field, tensor))
      return false;
  }
  return ended();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

bool Reader::read(std::string_view bytes, Attribute &attribute) {
  FieldReader fields(reading, bytes);
  for (Field field; fields.next(field);) {
    if (field.isBytes(1))
      attribute.name = field.bytes;
    else if (field.isVarint(20))
      attribute.kind = static_cast<Attribute::Kind>(field.varint & 0xff);
    else if (field.number == 2 && field.type == WireType::Fixed32)
      attribute.number = asFloat(static_cast<uint32_t>(field.varint));
    else if (field.isVarint(3))
      attribute.integer = static_cast<int64_t>(field.varint);
    else if (field.isBytes(4))
      attribute.text = field.bytes;
    else if (field.isBytes(5)) {
      if (!attribute.tensor)
        attribute.tensor = std::make_unique<TensorMessage>();
      if (!reading.count(field.bytes) || !read(field.bytes, *attribute.tensor))
        return false;
    } else if (field.isBytes(6) || field.isBytes(11))
      ++attribute.graphs;
    else if (field.number == 7 && field.type == WireType::Fixed32)
      attribute.numbers.push_back(asFloat(static_cast<uint32_t>(field.varint)));
    else if (field.isBytes(7)) {
      if (field.bytes.size() % 4)
        return reading.fail(field.bytes, "a list of floats is malformed");
      for (size_t k = 0; k < field.bytes.size(); k += 4) {
        float value;
        std::memcpy(&value, field.bytes.data() + k, 4);
        attribute.numbers.push_back(value);
      }
    } else if (field.number == 8 && !addIntegers(field, attribute.integers))
      return false;
    else if (field.isBytes(9) && !add(field.bytes, attribute.texts))
      return false;
  }
  return ended();
}

bool Reader::read(std::string_view bytes, Node &node) {
  FieldReader fields(reading, bytes);
  for (Field field; fields.next(field);) {
    if (field.type != WireType::Bytes)
      continue;
    if (field.number == 1 && !add(field.bytes, node.inputs))
      return false;
    if (field.number == 2 && !add(field.bytes, node.outputs))
      return false;
    if (field.number == 3)
      node.name = field.bytes;
    else if (field.number == 4)
      node.op = field.bytes;
    else if (field.number == 5 && !add(field.bytes, node.attributes))
      return false;
    else if (field.number == 7)
      node.domain = field.bytes;
  }
  return ended();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool Reader::readExtent(std::string_view bytes, ValueInfo &info) {
  Extent extent;
  FieldReader fields(reading, bytes);
  for (Field field; fields.next(field);)
    if (field.isVarint(1)) {
      extent = Extent();
      extent.value = static_cast<int64_t>(field.varint);
    } else if (field.isBytes(2)) {
      extent = Extent();
      extent.name = field.bytes;
    }
  info.shape.push_back(extent);
  return ended() && reading.count(bytes);
}

bool Reader::readShape(std::string_view bytes, ValueInfo &info) {
  info.hasShape = true;
  FieldReader fields(reading, bytes);
  for (Field field; fields.next(field);)
    if (field.isBytes(1) && !readExtent(field.bytes, info))
      return false;
  return ended();
}

bool Reader::readTensorType(std::string_view bytes, ValueInfo &info) {
  FieldReader fields(reading, bytes);
  for (Field field; fields.next(field);)
    if (field.isVarint(1))
      info.type =
          static_cast<TensorElement>(static_cast<int32_t>(field.varint));
    else if (field.isBytes(2) && !readShape(field.bytes, info))
      return false;
  return ended();
}

bool Reader::readType(std::string_view bytes, ValueInfo &info) {
  FieldReader fields(reading, bytes);
  for (Field field; fields.next(field);) {
    if (field.type != WireType::Bytes)
      continue;
    if (field.number == 1) {
      info.isTensor = true;
      if (!readTensorType(field.bytes, info))
        return false;
    } else if (field.number == 4 || field.number == 5 || field.number == 8 ||
               field.number == 9) {
      info.isTensor = false; // a sequence, map, sparse tensor or optional
    }
  }
  return ended();
}

bool Reader::read(std::string_view bytes, ValueInfo &info) {
  FieldReader fields(reading, bytes);
  for (Field field; fields.next(field);)
    if (field.isBytes(1))
      info.name = field.bytes;
    else if (field.isBytes(2) && !readType(field.bytes, info))
      return false;
  return ended();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

bool Reader::read(std::string_view bytes, Graph &graph) {
  FieldReader fields(reading, bytes);
  for (Field field; fields.next(field);) {
    if (field.type != WireType::Bytes)
      continue;
    bool good = true;
    switch (field.number) {
    case 1:
      good = add(field.bytes, graph.nodes);
      break;
    case 2:
      graph.name = field.bytes;
      break;
    case 5:
      good = add(field.bytes, graph.initializers);
      break;
    case 11:
      good = add(field.bytes, graph.inputs);
      break;
    case 12:
      good = add(field.bytes, graph.outputs);
      break;
    case 15:
      ++graph.sparseInitializers;
      break;
    }
    if (!good)
      return false;
  }
  return ended();
}

bool Reader::readOpset(std::string_view bytes, Model &model) {
  std::pair<std::string_view, int64_t> opset = {{}, 0};
  FieldReader fields(reading, bytes);
  for (Field field; fields.next(field);)
    if (field.isBytes(1))
      opset.first = field.bytes;
    else if (field.isVarint(2))
      opset.second = static_cast<int64_t>(field.varint);
  model.opsets.push_back(opset);
  return ended() && reading.count(bytes);
}

bool Reader::read(std::string_view bytes, Model &model) {
  FieldReader fields(reading, bytes);
  for (Field field; fields.next(field);) {
    if (field.isVarint(1))
      model.irVersion = static_cast<int64_t>(field.varint);
    else if (field.isBytes(2))
      model.producer = field.bytes;
    else if (field.isBytes(3))
      model.producerVersion = field.bytes;
    else if (field.isBytes(7)) {
      model.hasGraph = true;
      if (!read(field.bytes, model.graph))
        return false;
    } else if (field.isBytes(8) && !readOpset(field.bytes, model))
      return false;
    else if (field.isBytes(20))
      ++model.trainingGraphs;
    else if (field.isBytes(25))
      ++model.functions;
  }
  return ended();
}

template <typename T>
static std::optional<T> readWhole(std::string_view bytes, std::string &error) {
  Reader reader(bytes);
  T message;
  if (reader.read(bytes, message))
    return message;
  error = reader.error();
  return std::nullopt;
}

std::optional<Model> reprise::onnx::readModel(std::string_view bytes,
                                              std::string &error) {
  return readWhole<Model>(bytes, error);
}

std::optional<TensorMessage> reprise::onnx::readTensor(std::string_view bytes,
                                                       std::string &error) {
  return readWhole<TensorMessage>(bytes, error);
}
