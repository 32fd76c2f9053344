//===- Import.h - ONNX files as models --------------------------*- C++ -*-===//
//
// Images are NHWC in the model: an input of rank 3 to 5 that a convolution, a
// pool or a batch norm reads becomes channels-last, and transposes stay only
// where an op sees the layout. Outputs have the file's layout.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_ONNX_IMPORT_H
#define REPRISE_ONNX_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "reprise/Zoo/Zoo.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace reprise::onnx {

/// The loss that training adds: none; the cross entropy of the logits with an
/// input of labels, a label for each sample or each position; or the mean, over
/// the elements of an output, of the binary cross entropy of logits or of the
/// squared distance, with an input of targets of the output's shape.
enum class Loss { None, CrossEntropy, BinaryCrossEntropy, SquaredError };

struct ImportOptions {
  /// The first extent of every input, in place of the file's.
  std::optional<int64_t> batch;
  /// The whole shapes of inputs, in the file's layout, by name.
  std::map<std::string, std::vector<int64_t>> shapes;
  /// The elements of inputs that are constants of the model, by name: shapes,
  /// axes and scales, which sg must know.
  std::map<std::string, std::vector<double>> values;
  Loss loss = Loss::None;
  /// True if nobody chose the loss: then the cross entropy of all positions of
  /// an output is refused, because it may be another kind of output.
  bool isLossAssumed = false;
  /// The output that the loss reads; empty for the file's only output.
  std::string logits;
  /// The name of the input of labels or targets.
  std::string label = "label";
  /// The number of classes. Where it is not the file's, the last layer is a new
  /// one, drawn at random.
  std::optional<int64_t> classes;
  /// The blocks, which scopes of the nodes' names form, to annotate: outermost
  /// ones but the last, or innermost ones.
  zoo::Annotate annotate = zoo::Annotate::None;
  /// Patterns (`*`, `?`) of weights that stay constants.
  std::vector<std::string> freeze;
  /// True to read a file's contents without a use for its model: nodes may be
  /// in training mode without a loss, and parameters are listed although
  /// extents of inputs are open.
  bool inspects = false;
};

/// Returns the loss of an option's word, nothing for another word.
std::optional<Loss> parseLoss(const std::string &word);

/// Returns the options of an import; `otherwise` is the loss if none is given.
ImportOptions importOptionsOf(const zoo::ModelOptions &options, Loss otherwise);

/// A reason why a file is not imported, and the nodes that have it.
struct Refusal {
  std::string op;   // empty: of the file as a whole
  std::string node; // the first one's name
  std::string reason;
  size_t nodes = 1;
};

/// Returns "Loop (2 nodes, first a): the reason".
std::string textOf(const Refusal &refusal);

/// An input or output: "float 1x3x224x224"; extents that have names show them.
struct TensorFacts {
  std::string name, type;
  /// True for an input that the model takes with its channels last.
  bool isLast = false;
  /// True for an input that is a constant of the model.
  bool isConstant = false;
};

struct OpCount {
  std::string op;
  size_t nodes = 0;
};

/// The contents of a file.
struct Facts {
  std::string producer;
  int64_t irVersion = 0;
  std::vector<std::pair<std::string, int64_t>> opsets;
  std::vector<TensorFacts> inputs, outputs;
  std::vector<OpCount> ops; // most frequent first
};

/// A weight that became a variable.
struct ParameterFacts {
  std::string name;
  std::vector<int64_t> shape; // the file's
  bool isStatistic = false;   // of batch normalization
};

struct Imported {
  Facts facts;
  std::vector<Refusal> refusals;
  /// Inputs that must be constants: their numbers are missing in `values`.
  std::vector<std::string> unbound;
  std::vector<ParameterFacts> parameters;
  /// The number of the model's blocks, which scopes of nodes' names form.
  size_t blocks = 0;
  /// Decisions that a user should know.
  std::vector<std::string> notes;
  /// The model; null if there are refusals.
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Reads a file and builds its model. All refusals are collected. On a file
/// that cannot be read as ONNX, returns nothing and sets `error`.
std::optional<Imported> importModel(mlir::MLIRContext &context,
                                    const std::string &path,
                                    const ImportOptions &options,
                                    std::string &error);

/// A supported op: its name (with its domain, unless that is ONNX's own) and
/// the first and last version of the opset whose meaning is implemented.
struct SupportedOp {
  std::string name;
  int64_t first, last;
};
std::vector<SupportedOp> supportedOps();

} // namespace reprise::onnx

#endif // REPRISE_ONNX_IMPORT_H
