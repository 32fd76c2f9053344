//===- Blocks.cpp - Building blocks of convolutional networks -------------===//

#include "Blocks.h"
#include <cmath>

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

Tensor zoo::activate(Activation activation, const Tensor &x) {
  return activation ? activation(x) : x;
}

nn::LinearInit zoo::normalInit(double deviation) {
  return {nn::Initializer::normal(deviation), nn::Initializer::zeros()};
}

int64_t zoo::makeDivisible(double channels, int64_t divisor) {
  int64_t nearest = int64_t(channels + double(divisor) / 2) / divisor * divisor;
  int64_t rounded = std::max(divisor, nearest);
  return double(rounded) < 0.9 * channels ? rounded + divisor : rounded;
}

nn::Conv2dOptions zoo::convOptions(const ConvShape &shape, bool bias) {
  nn::Conv2dOptions options;
  options.kernel = {shape.kernel, shape.kernel};
  options.geometry.stride = {shape.stride, shape.stride};
  options.geometry.padding = {shape.kernel / 2, shape.kernel / 2};
  options.geometry.groups = shape.groups;
  options.bias = bias;
  return options;
}

nn::Conv3dOptions zoo::conv3dOptions(std::array<int64_t, 3> kernel,
                                     std::array<int64_t, 3> stride) {
  nn::Conv3dOptions options;
  options.kernel = kernel;
  options.geometry.stride = stride;
  for (size_t d = 0; d < kernel.size(); ++d)
    options.geometry.padding[d] = kernel[d] / 2;
  return options;
}

static nn::Conv2dOptions styled(const ConvShape &shape,
                                const LayerStyle &style) {
  nn::Conv2dOptions options = convOptions(shape);
  options.init = style.init;
  return options;
}

ConvNormActivation::ConvNormActivation(int64_t in, int64_t out,
                                       const ConvShape &shape,
                                       const LayerStyle &style)
    : conv(add<nn::Conv2d>("0", in, out, styled(shape, style))),
      norm(add<nn::BatchNorm2d>("1", out, style.norm.epsilon,
                                style.norm.momentum)),
      activation(style.activation) {}

Tensor ConvNormActivation::forward(Tensor x) {
  return activate(activation, norm(conv(x)));
}

//===----------------------------------------------------------------------===//
// Squeeze and excitation
//===----------------------------------------------------------------------===//

/// A linear layer whose weight has the layout of a 1x1 convolution's.
class SqueezeExcitation::Projection : public nn::Module {
public:
  Projection(int64_t in, int64_t out, const Options &options) {
    nn::VariableSpec weight =
        options.weight.variable("weight", {out, 1, 1, in});
    weight.filePermutation = {0, 3, 1, 2};
    registerVariable(std::move(weight));
    nn::Initializer bias =
        options.bias.value_or(*nn::LinearInit::uniform(in).bias);
    registerVariable(bias.variable("bias", {out}));
  }

protected:
  Tensor forward(Tensor x) override {
    Tensor weight = read(x.getTrace(), "weight");
    Tensor matrix = nn::reshape(weight, {weight.dim(0), weight.dim(3)});
    return nn::addTrailing(nn::linear(x, matrix), read(x.getTrace(), "bias"));
  }
};

SqueezeExcitation::SqueezeExcitation(int64_t channels, int64_t squeezed,
                                     const Options &options)
    : fc1(add<Projection>("fc1", channels, squeezed, options)),
      fc2(add<Projection>("fc2", squeezed, channels, options)),
      activation(options.activation), scale(options.scale) {}

Tensor SqueezeExcitation::forward(Tensor x) {
  Tensor squeezed = activate(activation, fc1(nn::globalAvgPool(x)));
  Tensor factors = activate(scale, fc2(squeezed));
  return nn::mulAlong(x, factors, {0, 3});
}

//===----------------------------------------------------------------------===//
// Inverted bottlenecks
//===----------------------------------------------------------------------===//

InvertedBottleneck::InvertedBottleneck(
    const InvertedShape &shape, const LayerStyle &style,
    const SqueezeExcitation::Options &excitation, double stochasticDepth)
    : block(add<nn::Sequential>("block")),
      depth(add<nn::StochasticDepth>("stochastic_depth", stochasticDepth)),
      isResidual(shape.stride == 1 && shape.in == shape.out) {
  bool expands = shape.expanded != shape.in;
  ConvShape filter{shape.kernel, shape.stride};
  if (shape.fused) {
    block.append<ConvNormActivation>(
        shape.in, expands ? shape.expanded : shape.out, filter, style);
  } else {
    if (expands)
      block.append<ConvNormActivation>(shape.in, shape.expanded, ConvShape{1},
                                       style);
    filter.groups = shape.expanded;
    block.append<ConvNormActivation>(shape.expanded, shape.expanded, filter,
                                     style);
  }
  if (shape.squeezed)
    block.append<SqueezeExcitation>(shape.expanded, shape.squeezed, excitation);
  if (!shape.fused || expands)
    block.append<ConvNormActivation>(shape.expanded, shape.out, ConvShape{1},
                                     style.with(nullptr));
  config().block();
}

Tensor InvertedBottleneck::forward(Tensor x) {
  Tensor y = block(x);
  return isResidual ? depth(y) + x : y;
}
