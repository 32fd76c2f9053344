//===- Blocks.h - Building blocks of convolutional networks -----*- C++ -*-===//
//
// Children and variables have torchvision's names.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_ZOO_BLOCKS_H
#define REPRISE_ZOO_BLOCKS_H

#include "reprise/NN/Attention.h"

namespace reprise::zoo {

/// A function of one tensor, element by element; null for the identity.
using Activation = nn::Tensor (*)(const nn::Tensor &);

nn::Tensor activate(Activation activation, const nn::Tensor &x);

/// An activation as a layer.
class Activated : public nn::Module {
public:
  explicit Activated(Activation activation) : activation(activation) {}

protected:
  nn::Tensor forward(nn::Tensor x) override { return activate(activation, x); }

private:
  Activation activation;
};

/// (N,H,W,C) to (N,C*H*W): the order in which linear layers of torchvision read
/// images.
class FlattenedChannels : public nn::Module {
protected:
  nn::Tensor forward(nn::Tensor x) override {
    return nn::flatten(nn::transpose(x, {0, 3, 1, 2}));
  }
};

/// A linear layer's weight with normal numbers of `deviation`, its bias zeros.
nn::LinearInit normalInit(double deviation);

/// Returns the multiple of `divisor` nearest to `channels` and at least
/// `divisor`; the next higher one if it is less than 0.9 times `channels`.
int64_t makeDivisible(double channels, int64_t divisor = 8);

/// A square convolution padded by half its kernel.
struct ConvShape {
  int64_t kernel = 3;
  int64_t stride = 1;
  int64_t groups = 1;
};

nn::Conv2dOptions convOptions(const ConvShape &shape, bool bias = false);

/// A convolution of volumes padded by half its kernel, without bias.
nn::Conv3dOptions conv3dOptions(std::array<int64_t, 3> kernel,
                                std::array<int64_t, 3> stride = {1, 1, 1});

struct NormOptions {
  double epsilon = 1e-5;
  double momentum = 0.1;
};

/// The normalization of a network and the activation after it.
struct LayerStyle {
  NormOptions norm;
  Activation activation = nullptr;
  /// Initialization of filters; absent: Kaiming's normal one.
  std::optional<nn::LinearInit> init = std::nullopt;

  LayerStyle with(Activation other) const { return {norm, other, init}; }
};

/// A convolution "0" without bias, a batch normalization "1", an activation.
class ConvNormActivation : public nn::Module {
public:
  ConvNormActivation(int64_t in, int64_t out, const ConvShape &shape,
                     const LayerStyle &style);

protected:
  nn::Tensor forward(nn::Tensor x) override;

private:
  nn::Conv2d &conv;
  nn::BatchNorm2d &norm;
  Activation activation;
};

/// Scales each channel of an image by a number between 0 and 1 that two layers
/// compute from the means of all channels: squeeze and excitation (Hu et al.
/// 2018, arXiv 1709.01507). Children `fc1` and `fc2`, convolutions 1x1 in
/// files.
class SqueezeExcitation : public nn::Module {
public:
  struct Options {
    Activation activation = nn::relu;
    Activation scale = nn::sigmoid;
    nn::Initializer weight = {sg::InitKind::KaimingNormal};
    /// Absent: within 1 / sqrt(channels) of a layer's input.
    std::optional<nn::Initializer> bias = nn::Initializer::zeros();
  };

  SqueezeExcitation(int64_t channels, int64_t squeezed, const Options &options);

protected:
  nn::Tensor forward(nn::Tensor x) override;

private:
  class Projection;
  Projection &fc1, &fc2;
  Activation activation, scale;
};

/// The shape of an InvertedBottleneck.
struct InvertedShape {
  int64_t in, expanded, out;
  int64_t kernel = 3;
  int64_t stride = 1;
  /// Channels between the layers of a squeeze and excitation; 0: none.
  int64_t squeezed = 0;
  /// One full convolution expands and filters (Gupta, Tan 2019, EfficientNet
  /// for EdgeTPU), or is all if nothing is expanded.
  bool fused = false;
};

/// A 1x1 convolution that expands the channels, if they differ, a depthwise
/// one, a squeeze and excitation and a 1x1 convolution that narrows; the input
/// is added if it has the result's shape. Children `block`, which are parts
/// "0", "1"..., and `stochastic_depth`.
class InvertedBottleneck : public nn::Module {
public:
  InvertedBottleneck(const InvertedShape &shape, const LayerStyle &style,
                     const SqueezeExcitation::Options &excitation,
                     double stochasticDepth = 0.0);

protected:
  nn::Tensor forward(nn::Tensor x) override;

private:
  nn::Sequential &block;
  nn::StochasticDepth &depth;
  bool isResidual;
};

} // namespace reprise::zoo

#endif // REPRISE_ZOO_BLOCKS_H
