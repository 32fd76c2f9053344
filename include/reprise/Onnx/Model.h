//===- Model.h - The messages of an ONNX file -------------------*- C++ -*-===//
//
// A reader of the messages that a graph is made of, without protobuf's library.
// Files come from strangers: every length is checked against the bytes that are
// left, nothing recurses, and the number of messages is bounded. Fields follow
// protobuf's rules: unknown ones are skipped, the last of several numbers
// counts, and several parts of one message are merged.
//
// Views refer to the bytes of the file, so that weights are not copied.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_ONNX_MODEL_H
#define REPRISE_ONNX_MODEL_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reprise::onnx {

/// The limit of nodes, tensors, names and attributes of a file, all together.
inline constexpr uint64_t kMostMessages = uint64_t(1) << 20;

/// A field's bytes: a view of the file, or a copy if the file holds several
/// parts.
class Bytes {
public:
  void append(std::string_view part);
  std::string_view view() const { return copied.empty() ? whole : copied; }

private:
  std::string_view whole;
  std::string copied;
};

/// Numbers of TensorProto.DataType.
enum class TensorElement : int32_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  BFloat16 = 16
};

/// Returns the specification's name, as "float16"; "type 99" if it has none.
std::string nameOf(TensorElement type);

struct TensorMessage {
  std::string_view name;
  std::vector<int64_t> dims;
  TensorElement type = TensorElement::Undefined;
  std::optional<std::string_view> raw;
  /// Fields of one kind of number, as written.
  Bytes floats, int32s, int64s, doubles, uint64s;
  bool hasStrings = false;
  bool hasSegment = false;
  bool isExternal = false;
  std::vector<std::pair<std::string_view, std::string_view>> external;
};

struct Attribute {
  enum class Kind {
    Undefined = 0,
    Float = 1,
    Int = 2,
    String = 3,
    Tensor = 4,
    Graph = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8
  };
  std::string_view name;
  Kind kind = Kind::Undefined;
  float number = 0;
  int64_t integer = 0;
  std::string_view text;
  std::unique_ptr<TensorMessage> tensor;
  std::vector<float> numbers;
  std::vector<int64_t> integers;
  std::vector<std::string_view> texts;
  /// The number of graphs inside, which are not read.
  size_t graphs = 0;
};

struct Node {
  std::string_view name, op, domain;
  std::vector<std::string_view> inputs, outputs;
  std::vector<Attribute> attributes;
};

/// An extent: a number, a name, or neither.
struct Extent {
  std::optional<int64_t> value;
  std::string_view name;
};

struct ValueInfo {
  std::string_view name;
  bool isTensor = false;
  TensorElement type = TensorElement::Undefined;
  bool hasShape = false;
  std::vector<Extent> shape;
};

struct Graph {
  std::string_view name;
  std::vector<Node> nodes;
  std::vector<TensorMessage> initializers;
  std::vector<ValueInfo> inputs, outputs;
  size_t sparseInitializers = 0;
};

struct Model {
  int64_t irVersion = 0;
  std::string_view producer, producerVersion;
  std::vector<std::pair<std::string_view, int64_t>> opsets;
  bool hasGraph = false;
  Graph graph;
  size_t functions = 0, trainingGraphs = 0;
};

/// Reads a model from bytes that outlive it. On failure, returns nothing and
/// sets `error` to the reason and the byte.
std::optional<Model> readModel(std::string_view bytes, std::string &error);

/// Reads a file that holds one tensor, as the outputs of test data do.
std::optional<TensorMessage> readTensor(std::string_view bytes,
                                        std::string &error);

/// Decodes packed varints; false if they are malformed.
bool decodeVarints(std::string_view bytes, std::vector<int64_t> &values);

} // namespace reprise::onnx

#endif // REPRISE_ONNX_MODEL_H
