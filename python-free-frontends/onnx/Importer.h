//===- Importer.h - Values and nodes during an import -----------*- C++ -*-===//
//
// A value of the file is a constant, a weight or a tensor of the model. A
// tensor of rank 3 or more may exist in two layouts: the file's ("plain") and
// with the channels, dimension 1 of the file, last. An op asks for the one that
// it needs; the other one is made by a transpose when it is first asked for.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_ONNX_IMPORTER_H
#define REPRISE_ONNX_IMPORTER_H

#include "BatchShapes.h"
#include "Elements.h"
#include "reprise/NN/Functional.h"
#include "reprise/NN/Trace.h"
#include "reprise/Onnx/Import.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <deque>
#include <functional>

namespace reprise::onnx {

/// Floating-point elements of the file that become a variable or a constant
/// when a tensor of them is asked for.
struct Weight {
  std::string name;
  Shape shape;
  const TensorMessage *message = nullptr; // null: `splat` repeated
  float splat = 0;
  /// A new weight, drawn from (-bound, bound).
  std::optional<double> bound;
  /// True for an initializer, false for a tensor that a node holds.
  bool isInitializer = false;
  /// The variable, its order of the file's dimensions, and whether it is one.
  std::string variable;
  Shape order;
  bool isDeclared = false, isConstant = false;
};

struct Value {
  std::string name;
  /// False after a refusal: nothing is known of the value.
  bool isGood = false;
  /// True for an input of the graph that is no constant.
  bool isInput = false;
  /// True for a constant that nodes compute, rather than the file holds.
  bool isComputed = false;
  TensorElement type = TensorElement::Undefined;
  /// The type that the file states; undefined for a computed value.
  TensorElement fileType = TensorElement::Undefined;
  Shape shape;
  std::shared_ptr<const Elements> constant;
  Weight *weight = nullptr;
  std::optional<nn::Tensor> plain, last;

  int64_t rank() const { return shape.size(); }
  bool isTensor() const { return plain || last; }
  /// True if the value exists with channels last only.
  bool prefersLast() const { return last && !plain; }
};

/// "float 1x3x224x224"; extents that have names show them.
std::string textOf(const ValueInfo &info);
/// The contents of a file that need no import.
Facts factsOf(const Model &model);

/// The order that moves dimension 1 of a rank to the end.
Shape lastOrder(int64_t rank);

/// Permutes x, by a reshape if only dimensions of extent 1 change places.
nn::Tensor permute(const nn::Tensor &x, llvm::ArrayRef<int64_t> order);

/// The limit of the elements of all constants that a model holds or that the
/// import computes.
inline constexpr int64_t kMostComputed = int64_t(1) << 27;

class Importer {
public:
  Importer(const ImportOptions &options, ModelFile &file, Imported &imported,
           BatchShapes &batches)
      : options(options), batches(batches), file(file), imported(imported) {}

  /// The value of a name, created on first use.
  Value &value(std::string_view name);
  Weight &addWeight(Value &value);
  /// Makes a weight a new one, with another extent: drawn from (-bound, bound),
  /// or zeros without a bound.
  void renew(Value &value, size_t axis, int64_t extent,
             std::optional<double> bound);
  /// Makes a tensor of the file the value: integers become a constant, other
  /// numbers a weight. False after a refusal.
  bool define(Value &value, const TensorMessage &tensor);

  /// Tensors of a value; missing after a failure, which is then refused.
  nn::Tensor plain(Value &value);
  nn::Tensor last(Value &value);
  /// The variable of a weight in its given order of dimensions.
  nn::Tensor read(Value &value, llvm::ArrayRef<int64_t> order,
                  sg::Role role = sg::Role::Parameter);
  /// The name of a variable of its own for a batch norm's statistic.
  std::optional<std::string> declareStatistic(Value &value);

  /// The elements of a constant or weight; null if it is neither or cannot be
  /// decoded.
  std::shared_ptr<const Elements> constantOf(Value &value);

  /// Counts the elements of a constant; false after a refusal of too many.
  bool spend(const Elements &elements);
  /// A constant of the model.
  nn::Tensor emitConstant(const Elements &elements);

  void refuse(const std::string &reason);
  void note(const std::string &text);
  /// Float for floating types, in which the model computes; records it.
  TensorElement computedType(TensorElement type);
  /// Records that the model takes an input with its channels last.
  void setLast(const std::string &input);
  /// Records that an input is a constant, or that it must be one.
  void setConstant(const std::string &input);
  void setUnbound(const std::string &input);
  /// The number of nodes and parts of the file that are refused.
  size_t refusals() const;

  /// Marks a value that a node or the graph reads.
  void markRead(std::string_view name) {
    reads.insert(llvm::StringRef(name.data(), name.size()));
  }
  /// Marks the values on the way to inputs that must be constants.
  void markConstants(const Graph &graph);
  bool mustBeConstant(std::string_view name) const {
    return constants.contains(llvm::StringRef(name.data(), name.size()));
  }
  bool isRead(std::string_view name) const {
    return reads.contains(llvm::StringRef(name.data(), name.size()));
  }

  nn::Trace *trace = nullptr;
  const Node *node = nullptr; // being imported
  std::string nodeName;
  const ImportOptions &options;
  BatchShapes &batches;
  /// The file's and the model's number of samples, where they differ.
  int64_t fileBatch = 0, batch = 0;
  int64_t fileOpset = 0;
  /// Refuses a node in training mode if there is no loss.
  bool mayTrain();
  /// Decides from the file which of its tensors may be parameters.
  void readOrigin(const Model &model);
  /// True for an initializer with the name that it has in the exporting
  /// framework: a parameter, or a buffer, even if it is a single number.
  bool isNamed(const Weight &weight) const;
  /// True for a single number of the file that is no parameter.
  bool isNumber(const Value &value) const;
  /// True for zeros of the file that only initial states are made of: buffers
  /// that an exporter stored, not parameters.
  bool isZeroState(Value &value);
  /// Gives a constant of the file that has its number of samples along
  /// dimension d that of the model. False if it cannot follow.
  bool follow(Value &value, size_t d);
  /// Lets those of the inputs follow that have the file's samples in a
  /// dimension, counted from the last, in which another one has the model's;
  /// but not along `except`, counted from the first.
  void followAll(llvm::ArrayRef<Value *> inputs,
                 std::optional<size_t> except = {});
  /// How a refusal ends that another batch than the file's may cause.
  std::string batchHint() const;
  /// Refuses patterns of weights that match none.
  void checkFreeze();

private:
  std::optional<Elements> elementsOf(const Weight &weight, std::string &error);
  bool declare(Weight &weight, Value &value, llvm::ArrayRef<int64_t> order,
               sg::Role role);
  bool isFrozen(const Weight &weight, const Elements *elements);
  std::string newName(const std::string &wanted);
  nn::Tensor missing();

  ModelFile &file;
  Imported &imported;
  std::deque<Value> values;
  std::deque<Weight> weights;
  llvm::StringMap<Value *> byName;
  llvm::StringMap<unsigned> variableNames;
  llvm::StringSet<> reads, constants, states, matched;
  int64_t spent = 0;
  bool isFromPyTorch = false, nodesHoldWeights = false;
};

/// A node, its attributes and values, while its op's function runs.
class NodeImport {
public:
  NodeImport(Importer &importer, const Node &node, int64_t opset)
      : importer(importer), node(node), opset(opset) {}

  Importer &importer;
  const Node &node;
  /// The version whose meaning counts.
  int64_t opset;

  nn::Trace &trace() const { return *importer.trace; }
  mlir::Builder &builder() const { return importer.trace->getBuilder(); }

  size_t inputs() const { return node.inputs.size(); }
  bool has(size_t k) const {
    return k < node.inputs.size() && !node.inputs[k].empty();
  }
  /// Input k; a value of which nothing is known if there is none.
  Value &in(size_t k) {
    return importer.value(k < inputs() ? node.inputs[k] : std::string_view());
  }
  /// True if a later node or the graph reads output k.
  bool hasOutput(size_t k) const {
    return k < node.outputs.size() && importer.isRead(node.outputs[k]);
  }
  /// True if the first output is on the way to an input that must be constant.
  bool mustBeConstant() const {
    return !node.outputs.empty() && importer.mustBeConstant(node.outputs[0]);
  }
  nn::Tensor plain(size_t k) { return importer.plain(in(k)); }
  nn::Tensor last(size_t k) { return importer.last(in(k)); }

  const Attribute *find(std::string_view name) const;
  int64_t integer(std::string_view name, int64_t otherwise) const;
  double number(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, std::string otherwise) const;
  std::optional<Shape> integers(std::string_view name) const;
  /// Integers of an attribute, or of constant input `k`. Nothing, after a
  /// refusal, if the input is not constant; `given` tells whether there is one.
  std::optional<Shape> integersOf(std::string_view name, size_t k, bool &given);
  /// Constant elements of input k; null, after a refusal, if it has none.
  std::shared_ptr<const Elements> constant(size_t k);
  /// The number that input k, a constant of one element, is; nothing for a
  /// parameter.
  std::optional<double> number(size_t k);
  /// Returns it, too, but refuses an input that is not such a constant.
  std::optional<double> requiredNumber(size_t k);
  /// Makes an axis of a rank positive; nothing, after a refusal, outside.
  std::optional<int64_t> axis(int64_t axis, int64_t rank);

  /// Records why the node is not imported; returns false.
  bool refuse(const std::string &reason);

  /// Sets an output; false if the tensor is missing.
  bool set(size_t k, const nn::Tensor &plain);
  bool setLast(size_t k, const nn::Tensor &last);
  bool set(size_t k, Elements constant);
  /// Makes the output another name of an input.
  bool alias(size_t output, Value &value);

private:
  Value *output(size_t k);
};

/// Imports a node; false after a refusal.
using OpFunction = bool (*)(NodeImport &);

/// A line of the table of ops; null if none fits.
struct OpEntry {
  const char *domain, *name;
  int64_t first, last;
  OpFunction function;
};
const OpEntry *findOp(std::string_view domain, std::string_view name);

/// Folds a node whose inputs are all constants or single numbers, or weights
/// where the result must be constant. False if the op is not folded; errors are
/// refused.
bool fold(NodeImport &node);

#define ONNX_OP(DOMAIN, NAME, FIRST, LAST, FUNCTION)                           \
  bool FUNCTION(NodeImport &node);
#include "Ops.def"
#undef ONNX_OP

} // namespace reprise::onnx

#endif // REPRISE_ONNX_IMPORTER_H
