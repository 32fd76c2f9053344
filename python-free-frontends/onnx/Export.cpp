//===- Export.cpp - Trained weights in a copy of an ONNX file -------------===//
//
// Method:  the fields of the model and of its graph are copied one after the
//          other; a tensor or a node that holds a weight is written anew.
//
//===----------------------------------------------------------------------===//

#include "reprise/Onnx/Export.h"
#include "Elements.h"
#include "LastLayer.h"
#include "Wire.h"
#include "llvm/ADT/StringRef.h"

using namespace reprise;
using namespace reprise::onnx;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

static void writeNumber(std::string &out, uint32_t field, uint64_t value) {
  writeVarint(out, uint64_t(field) << 3);
  writeVarint(out, value);
}

static void writeBytes(std::string &out, uint32_t field,
                       std::string_view bytes) {
  writeVarint(out, uint64_t(field) << 3 | 2);
  writeVarint(out, bytes.size());
  out += bytes;
}

static void writeField(std::string &out, const Field &field) {
  if (field.type == WireType::Bytes)
    return writeBytes(out, field.number, field.bytes);
  writeVarint(out, uint64_t(field.number) << 3 | uint64_t(field.type));
  out += field.bytes;
}

static std::string_view bytesOf(const TrainedWeight &weight) {
  return {reinterpret_cast<const char *>(weight.elements.data()),
          weight.elements.size() * sizeof(float)};
}

/// A TensorProto.
static std::string encodeTensor(std::string_view name,
                                const TrainedWeight &weight) {
  std::string out;
  for (int64_t extent : weight.shape)
    writeNumber(out, 1, static_cast<uint64_t>(extent));
  writeNumber(out, 2, static_cast<uint64_t>(TensorElement::Float));
  writeBytes(out, 8, name);
  writeBytes(out, 9, bytesOf(weight));
  return out;
}

/// A NodeProto of the op Constant.
static std::string encodeConstant(const Node &node,
                                  const TrainedWeight &weight) {
  std::string attribute, out;
  writeBytes(attribute, 1, "value");
  writeBytes(attribute, 5, encodeTensor("", weight));
  writeNumber(attribute, 20, uint64_t(Attribute::Kind::Tensor));
  writeBytes(out, 2, node.outputs.front());
  writeBytes(out, 3, node.name);
  writeBytes(out, 4, "Constant");
  writeBytes(out, 5, attribute);
  return out;
}

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

namespace {
class Exporter {
public:
  Exporter(ModelFile &file, const TrainedWeights &weights)
      : file(file), weights(weights) {}

  std::optional<Exported> run(std::string &error);

private:
  void findHeads(const Graph &graph);
  void find(const Graph &graph);
  bool check(const TensorMessage *tensor, const std::string &name,
             const TrainedWeight &weight);
  bool writeExternal(const TensorMessage &tensor, const TrainedWeight &weight);
  void copyGraph(std::string_view bytes);
  std::string copyValue(std::string_view bytes);
  bool fail(const std::string &reason) {
    if (error.empty())
      error = reason;
    return false;
  }

  ModelFile &file;
  const TrainedWeights &weights;
  Reading reading;
  Exported exported;
  std::string error, graph;
  /// The initializers and nodes to write anew, by their positions.
  std::map<size_t, std::string> initializers, nodes;
  size_t initializer = 0, node = 0;

  /// A changed extent: that at `axis`, or else the last one, which is `from`.
  struct Change {
    size_t axis;
    int64_t from, to;
  };
  /// By the names of weights and of the values behind them.
  std::map<std::string, Change, std::less<>> changes;
};
} // namespace

/// Checks that the file's tensor, null for a repeated number, takes a weight.
bool Exporter::check(const TensorMessage *tensor, const std::string &name,
                     const TrainedWeight &weight) {
  if (countOf(weight.shape) != int64_t(weight.elements.size()))
    return fail("'" + name + "' has " + std::to_string(weight.elements.size()) +
                " elements, but the shape " + textOf(weight.shape));
  if (!tensor)
    return true;
  if (tensor->type != TensorElement::Float)
    return fail("'" + name + "' is " + nameOf(tensor->type) +
                " in the file, and only float weights are written");
  Shape shape = tensor->dims;
  if (auto change = changes.find(name); change != changes.end())
    shape[change->second.axis] = change->second.to;
  return shape == weight.shape ||
         fail("'" + name + "' has the shape " + textOf(weight.shape) +
              ", but in the file " + textOf(shape));
}

/// Writes a weight over its bytes in a copy of the file that holds it.
bool Exporter::writeExternal(const TensorMessage &tensor,
                             const TrainedWeight &weight) {
  std::string reason;
  std::optional<Elements> present = decode(tensor, &file, reason);
  if (!present) // also checks the place
    return fail("'" + std::string(tensor.name) + "' is not read: " + reason);
  std::string location;
  uint64_t offset = 0;
  for (auto [key, value] : tensor.external)
    if (key == "location")
      location = value;
    else if (key == "offset")
      offset = std::stoull(std::string(value));
  if (llvm::StringRef(location).starts_with("./"))
    location.erase(0, 2);
  std::string &copy = exported.external[location];
  if (copy.empty())
    copy = std::string(file.external(location, reason));
  std::string_view bytes = bytesOf(weight);
  copy.replace(offset, bytes.size(), bytes);
  return true;
}

/// Finds last layers whose weights have another number of classes.
void Exporter::findHeads(const Graph &found) {
  auto shapeOf = [&](std::string_view name) -> std::optional<Shape> {
    for (const TensorMessage &tensor : found.initializers)
      if (tensor.name == name)
        return tensor.dims;
    return std::nullopt;
  };
  for (const ValueInfo &output : found.outputs) {
    auto layer = findLastLayer(found, output.name, shapeOf);
    auto weight =
        layer ? weights.find(std::string(layer->weight)) : weights.end();
    if (weight == weights.end() ||
        weight->second.shape.size() != layer->weightShape.size())
      continue;
    int64_t classes = weight->second.shape[layer->weightAxis];
    Shape renewed = layer->weightShape;
    renewed[layer->weightAxis] = classes;
    if (classes == layer->classes || renewed != weight->second.shape)
      continue;
    auto change = [&](std::string_view name, size_t axis) {
      changes.emplace(name, Change{axis, layer->classes, classes});
    };
    change(layer->weight, layer->weightAxis);
    if (!layer->bias.empty())
      change(layer->bias, layer->biasAxis);
    if (!layer->bias.empty() && !weights.count(std::string(layer->bias)))
      fail("'" + weight->first + "' has " + std::to_string(classes) +
           " classes, but there is no '" + std::string(layer->bias) +
           "' of as many");
    for (std::string_view value : layer->values)
      change(value, layer->isImage ? 1 : SIZE_MAX);
  }
}

/// Finds the tensors of the weights.
void Exporter::find(const Graph &found) {
  std::map<std::string, const TrainedWeight *> rest;
  for (const auto &[name, weight] : weights)
    rest[name] = &weight;
  auto take = [&](std::string_view name) {
    auto it = rest.extract(std::string(name));
    exported.written += bool(it);
    return it ? it.mapped() : nullptr;
  };
  for (size_t k = 0; k < found.initializers.size(); ++k) {
    const TensorMessage &tensor = found.initializers[k];
    const TrainedWeight *weight = take(tensor.name);
    if (!weight || !check(&tensor, std::string(tensor.name), *weight))
      continue;
    if (tensor.isExternal && tensor.dims == weight->shape)
      writeExternal(tensor, *weight);
    else
      initializers[k] = encodeTensor(tensor.name, *weight);
  }
  for (size_t k = 0; k < found.nodes.size(); ++k) {
    const Node &node = found.nodes[k];
    if ((node.op != "Constant" && node.op != "ConstantOfShape") ||
        node.outputs.size() != 1)
      continue;
    const TrainedWeight *weight = take(node.outputs.front());
    if (!weight)
      continue;
    const TensorMessage *tensor = nullptr;
    for (const Attribute &attribute : node.attributes)
      if (node.op == "Constant" && attribute.name == "value")
        tensor = attribute.tensor.get();
    if (check(tensor, std::string(node.outputs.front()), *weight))
      nodes[k] = encodeConstant(node, *weight);
  }
  for (auto it = rest.begin(); it != rest.end();)
    it = it->second->isOptional ? rest.erase(it) : std::next(it);
  if (!rest.empty())
    fail("the file has no tensor '" + rest.begin()->first + "'" +
         (rest.size() > 1
              ? " and " + std::to_string(rest.size() - 1) + " others"
              : ""));
}

/// Copies a message; `change` makes the contents of its fields of a number.
static std::string
copyField(Reading &reading, std::string_view bytes, uint32_t number,
          llvm::function_ref<std::string(std::string_view)> change) {
  std::string out;
  FieldReader fields(reading, bytes);
  for (Field field; fields.next(field);)
    if (field.isBytes(number))
      writeBytes(out, number, change(field.bytes));
    else
      writeField(out, field);
  return out;
}

/// Copies a TensorShapeProto with one changed extent.
static std::string copyShape(Reading &reading, std::string_view bytes,
                             size_t axis, int64_t from, int64_t to) {
  std::optional<size_t> place;
  size_t dimension = 0;
  FieldReader dimensions(reading, bytes);
  for (Field field; dimensions.next(field);) {
    if (!field.isBytes(1))
      continue;
    FieldReader extent(reading, field.bytes);
    for (Field part; extent.next(part);)
      if (part.isVarint(1) && int64_t(part.varint) == from && place != axis)
        place = dimension;
    ++dimension;
  }
  dimension = 0;
  return copyField(reading, bytes, 1, [&](std::string_view extent) {
    if (dimension++ != place)
      return std::string(extent);
    std::string changed;
    writeNumber(changed, 1, uint64_t(to));
    return changed;
  });
}

/// Copies a ValueInfoProto; the shape follows a changed number of classes.
std::string Exporter::copyValue(std::string_view bytes) {
  std::string_view name;
  FieldReader fields(reading, bytes);
  for (Field field; fields.next(field);)
    if (field.isBytes(1))
      name = field.bytes;
  auto found = changes.find(name);
  if (found == changes.end())
    return std::string(bytes);
  const Change &change = found->second;
  return copyField(reading, bytes, 2, [&](std::string_view type) {
    return copyField(reading, type, 1, [&](std::string_view tensor) {
      return copyField(reading, tensor, 2, [&](std::string_view shape) {
        return copyShape(reading, shape, change.axis, change.from, change.to);
      });
    });
  });
}

void Exporter::copyGraph(std::string_view bytes) {
  graph.clear();
  FieldReader fields(reading, bytes);
  for (Field field; fields.next(field);) {
    bool isNode = field.isBytes(1), isTensor = field.isBytes(5);
    auto &anew = isNode ? nodes : initializers;
    auto found = isNode || isTensor ? anew.find(isNode ? node++ : initializer++)
                                    : anew.end();
    // An input, an output, or a value between.
    if (field.isBytes(11) || field.isBytes(12) || field.isBytes(13))
      writeBytes(graph, field.number, copyValue(field.bytes));
    else if (found == anew.end())
      writeField(graph, field);
    else
      writeBytes(graph, field.number, found->second);
  }
}

std::optional<Exported> Exporter::run(std::string &reason) {
  std::optional<Model> model = readModel(file.bytes(), error);
  if (model)
    findHeads(model->graph);
  if (model)
    find(model->graph);
  reading.file = file.bytes();
  if (error.empty()) {
    FieldReader fields(reading, file.bytes());
    for (Field field; fields.next(field);) {
      if (!field.isBytes(7)) {
        writeField(exported.model, field);
        continue;
      }
      copyGraph(field.bytes);
      writeBytes(exported.model, 7, graph);
    }
    error = reading.error;
  }
  reason = error;
  if (!error.empty())
    return std::nullopt;
  return std::move(exported);
}

std::optional<Exported> onnx::exportWeights(const std::string &path,
                                            const TrainedWeights &weights,
                                            std::string &error) {
  std::unique_ptr<ModelFile> file = ModelFile::open(path, error);
  if (!file) {
    error = "cannot read '" + path + "': " + error;
    return std::nullopt;
  }
  auto exported = Exporter(*file, weights).run(error);
  if (!exported)
    error = "'" + path + "': " + error;
  return exported;
}
