//===- Module.h - Networks as trees of modules ------------------*- C++ -*-===//
//
// A module owns variables and named children; `forward` defines its
// computation. A variable's name is its module's path and its own, joined by
// dots: "layer1.0.conv1.weight".
//
// A module becomes an `sg.module` of the program, a block, if its configuration
// requests it; other modules are emitted where they are called.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_NN_MODULE_H
#define REPRISE_NN_MODULE_H

#include "reprise/IR/Sg.h"
#include "reprise/NN/Tensor.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace reprise::nn {

/// Settings for the emission of a module.
class ModuleConfig {
public:
  /// Keep only this module's inputs for the backward pass and recompute the
  /// values between them and its results. Makes the module a block.
  ModuleConfig &activation_checkpointing(bool enabled) {
    checkpointed = enabled;
    return enabled ? block() : *this;
  }
  bool activation_checkpointing() const { return checkpointed; }

  /// Emit the module as an `sg.module`. Its name is the module's path, or
  /// `name` if given.
  ModuleConfig &block(std::string name = "") {
    isolated = true;
    if (!name.empty())
      blockName = std::move(name);
    return *this;
  }
  bool isBlock() const { return isolated; }
  llvm::StringRef getBlockName() const { return blockName; }

private:
  bool checkpointed = false;
  bool isolated = false;
  std::string blockName;
};

/// A variable as its module declares it.
struct VariableSpec {
  std::string name;
  llvm::SmallVector<int64_t> shape;
  sg::Role role = sg::Role::Parameter;
  sg::InitKind init = sg::InitKind::Zeros;
  /// The bound of `Uniform`, the deviation of `Normal`, the value of
  /// `Constant`.
  double initParameter = 0.0;
  /// The order of dimensions in files; empty for the identity.
  llvm::SmallVector<int32_t> filePermutation = {};
  /// The initial elements if `init` is `Elements`, row-major.
  std::vector<float> elements = {};
};

class Module {
public:
  Module() = default;
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;
  virtual ~Module();

  ModuleConfig &config() { return configuration; }
  const ModuleConfig &config() const { return configuration; }

  /// Runs a module of one input and one result.
  Tensor operator()(const Tensor &input);
  /// Runs a module of at least one input.
  Tensors operator()(llvm::ArrayRef<Tensor> inputs);

  struct Child {
    std::string name;
    std::shared_ptr<Module> module;
  };
  llvm::ArrayRef<Child> getChildren() const { return children; }
  llvm::ArrayRef<VariableSpec> getVariables() const { return variables; }

  /// Recomputes the Sequentials of this tree in `segments` segments each, as
  /// checkpointSequential does, in every graph traced from now on: this module
  /// if it is one, else the outermost ones below it. A module without any is an
  /// error of the trace.
  void enableCheckpointing(int64_t segments);
  /// Undoes enableCheckpointing on this module and on all below it. Annotations
  /// by `config` remain.
  void disableCheckpointing();
  /// Returns true if this module or one below it is split into segments.
  bool isCheckpointingEnabled() const;

  /// Adds `module` as a child. An empty name adds nothing to the path. A module
  /// may have several parents; its path then follows the first.
  template <typename T>
  T &registerModule(std::string name, std::shared_ptr<T> module) {
    T &reference = *module;
    children.push_back({std::move(name), std::move(module)});
    return reference;
  }

  /// Creates a child of type T.
  template <typename T, typename... Args>
  T &add(std::string name, Args &&...args) {
    return registerModule(std::move(name),
                          std::make_shared<T>(std::forward<Args>(args)...));
  }

protected:
  /// The module's computation: override one of the two.
  virtual Tensor forward(Tensor input);
  virtual Tensors forward(llvm::ArrayRef<Tensor> inputs);

  void registerVariable(VariableSpec variable) {
    variables.push_back(std::move(variable));
  }

  /// The value of this module's variable `name` at the beginning of the step.
  Tensor read(Trace &trace, llvm::StringRef name) const;

  /// Returns true if `forward` only runs the children one after the other, so
  /// that it can be split.
  virtual bool isChain() const { return false; }

private:
  friend class Trace;

  bool splitChains(int64_t intoSegments);

  ModuleConfig configuration;
  std::optional<int64_t> segments; // requested by enableCheckpointing
  std::vector<Child> children;
  std::vector<VariableSpec> variables;
};

/// Modules of one input and one result, one after the other, named "0", "1"...
class Sequential : public Module {
public:
  template <typename T, typename... Args> T &append(Args &&...args) {
    return add<T>(std::to_string(getChildren().size()),
                  std::forward<Args>(args)...);
  }
  template <typename T> T &append(std::shared_ptr<T> module) {
    return registerModule(std::to_string(getChildren().size()),
                          std::move(module));
  }

protected:
  Tensor forward(Tensor input) override;
  bool isChain() const override { return true; }
};

/// A Sequential that is recomputed in segments from the beginning; see
/// enableCheckpointing.
class CheckpointedSequential : public Sequential {
public:
  explicit CheckpointedSequential(int64_t segments) {
    enableCheckpointing(segments);
  }
};

/// Runs `sequential`, which must be part of the graph, on `input` in `segments`
/// runs of its children, of which all but the last become annotated blocks:
/// they keep only their inputs for the backward pass. Splits as torch's
/// checkpoint_sequential does: each run has children / segments of them,
/// rounded down, and the last one also the rest. The last run is not annotated,
/// because its backward pass begins at once. The blocks are named by the
/// module's path and ".segment1", ".segment2"... Fewer than one segment, or
/// more than there are children, is an error of the trace.
Tensor checkpointSequential(Sequential &sequential, int64_t segments,
                            const Tensor &input);

} // namespace reprise::nn

#endif // REPRISE_NN_MODULE_H
