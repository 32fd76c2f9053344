//===- Layers.h - Layers ----------------------------------------*- C++ -*-===//
//
// Names and initial values of variables are torchvision's; files store filters
// in its order, (O,I,H,W) or (O,I,D,H,W).
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_NN_LAYERS_H
#define REPRISE_NN_LAYERS_H

#include "reprise/NN/Functional.h"
#include "reprise/NN/Module.h"

namespace reprise::nn {

/// The initialization of a variable.
struct Initializer {
  sg::InitKind kind;
  double parameter = 0.0;

  static Initializer zeros() { return {sg::InitKind::Zeros}; }
  static Initializer normal(double deviation) {
    return {sg::InitKind::Normal, deviation};
  }
  /// Within [-bound, bound).
  static Initializer uniform(double bound) {
    return {sg::InitKind::Uniform, bound};
  }
  /// Within sqrt(6 / (in + out)) (Glorot, Bengio 2010).
  static Initializer xavierUniform(int64_t in, int64_t out);

  /// A parameter with this initialization.
  VariableSpec variable(std::string name, llvm::ArrayRef<int64_t> shape) const;
};

/// The initialization of a layer's weight and bias; without `bias` it has none.
struct LinearInit {
  Initializer weight;
  std::optional<Initializer> bias;

  static LinearInit zeros() {
    return {Initializer::zeros(), Initializer::zeros()};
  }
  /// torch's: both within 1 / sqrt(fanIn).
  static LinearInit uniform(int64_t fanIn);
};

/// x (...,in) to (...,out); `weight` (out,in), `bias` (out).
class Linear : public Module {
public:
  Linear(int64_t in, int64_t out, bool bias = true);
  Linear(int64_t in, int64_t out, const LinearInit &init);

protected:
  Tensor forward(Tensor x) override;

private:
  bool hasBias;
};

struct Conv2dOptions {
  std::array<int64_t, 2> kernel = {3, 3};
  ConvGeometry geometry = {};
  bool bias = false;
  /// If absent, the weight has Kaiming's normal initialization, the bias
  /// torch's.
  std::optional<LinearInit> init = std::nullopt;
};

/// The counterpart of Conv2dOptions for volumes.
struct Conv3dOptions {
  std::array<int64_t, 3> kernel = {3, 3, 3};
  ConvGeometry3d geometry = {};
  bool bias = false;
  std::optional<LinearInit> init = std::nullopt;
};

/// `weight` (out,kernel,in/groups), `bias` (out).
template <typename Options> class Conv : public Module {
public:
  Conv(int64_t in, int64_t out, const Options &options);

protected:
  Tensor forward(Tensor x) override;

private:
  decltype(Options::geometry) geometry;
  bool hasBias;
};

extern template class Conv<Conv2dOptions>;
extern template class Conv<Conv3dOptions>;
using Conv2d = Conv<Conv2dOptions>;
using Conv3d = Conv<Conv3dOptions>;

/// Normalizes over all but the channels. Variables: `weight` and `bias`, and
/// the running statistics `running_mean` and `running_var`, each (channels).
/// These are written once a step: a batch norm can't be called twice in a
/// graph.
class BatchNorm2d : public Module {
public:
  explicit BatchNorm2d(int64_t channels, double epsilon = 1e-5,
                       double momentum = 0.1);

protected:
  Tensor forward(Tensor x) override;

private:
  double epsilon, momentum;
};

using BatchNorm3d = BatchNorm2d;

/// Normalizes along the last dimension; `weight` and `bias` (channels).
class LayerNorm : public Module {
public:
  explicit LayerNorm(int64_t channels, double epsilon = 1e-5);

protected:
  Tensor forward(Tensor x) override;

private:
  double epsilon;
};

class ReLU : public Module {
protected:
  Tensor forward(Tensor x) override { return relu(x); }
};

/// Along the last dimension.
class Softmax : public Module {
protected:
  Tensor forward(Tensor x) override { return softmax(x); }
};

class MaxPool2d : public Module {
public:
  explicit MaxPool2d(const PoolGeometry &geometry) : geometry(geometry) {}

protected:
  Tensor forward(Tensor x) override { return maxPool2d(x, geometry); }

private:
  PoolGeometry geometry;
};

class AvgPool2d : public Module {
public:
  explicit AvgPool2d(const PoolGeometry &geometry) : geometry(geometry) {}

protected:
  Tensor forward(Tensor x) override { return avgPool2d(x, geometry); }

private:
  PoolGeometry geometry;
};

class MaxPool3d : public Module {
public:
  explicit MaxPool3d(const PoolGeometry3d &geometry) : geometry(geometry) {}

protected:
  Tensor forward(Tensor x) override { return maxPool3d(x, geometry); }

private:
  PoolGeometry3d geometry;
};

/// The mean over the dimensions between the first and the last: torch's
/// AdaptiveAvgPool3d(1) with its flattening.
class MeanOfTokens : public Module {
protected:
  Tensor forward(Tensor x) override { return meanOfTokens(x); }
};

/// The mean over height and width, (N,H,W,C) to (N,C): torch's
/// AdaptiveAvgPool2d(1) with its flattening.
class GlobalAvgPool : public Module {
protected:
  Tensor forward(Tensor x) override { return globalAvgPool(x); }
};

/// See adaptiveAvgPool2d.
class AdaptiveAvgPool2d : public Module {
public:
  explicit AdaptiveAvgPool2d(int64_t extent) : extent(extent) {}

protected:
  Tensor forward(Tensor x) override { return adaptiveAvgPool2d(x, extent); }

private:
  int64_t extent;
};

class Flatten : public Module {
protected:
  Tensor forward(Tensor x) override { return flatten(x); }
};

class Dropout : public Module {
public:
  explicit Dropout(double probability) : probability(probability) {}

protected:
  Tensor forward(Tensor x) override { return dropout(x, probability); }

private:
  double probability;
};

/// Logits (N,K) and labels (N) to the mean loss.
class CrossEntropyLoss : public Module {
protected:
  Tensors forward(llvm::ArrayRef<Tensor> inputs) override;
};

/// x + body(x), or shortcut(x) + body(x) if there is one. Children "body" and
/// "shortcut".
class Residual : public Module {
public:
  explicit Residual(std::shared_ptr<Module> body,
                    std::shared_ptr<Module> shortcut = nullptr);

protected:
  Tensor forward(Tensor x) override;

private:
  Module &body;
  Module *shortcut = nullptr;
};

} // namespace reprise::nn

#endif // REPRISE_NN_LAYERS_H
