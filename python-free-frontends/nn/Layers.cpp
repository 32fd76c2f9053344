//===- Layers.cpp - Layers ------------------------------------------------===//

#include "reprise/NN/Layers.h"
#include "reprise/NN/Trace.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::nn;

Initializer Initializer::xavierUniform(int64_t in, int64_t out) {
  return uniform(std::sqrt(6.0 / static_cast<double>(in + out)));
}

VariableSpec Initializer::variable(std::string name,
                                   llvm::ArrayRef<int64_t> shape) const {
  return {std::move(name), llvm::SmallVector<int64_t>(shape),
          sg::Role::Parameter, kind, parameter};
}

LinearInit LinearInit::uniform(int64_t fanIn) {
  Initializer both =
      Initializer::uniform(1.0 / std::sqrt(static_cast<double>(fanIn)));
  return {both, both};
}

static LinearInit torchInit(int64_t fanIn, bool bias) {
  LinearInit init = LinearInit::uniform(fanIn);
  if (!bias)
    init.bias.reset();
  return init;
}

Linear::Linear(int64_t in, int64_t out, bool bias)
    : Linear(in, out, torchInit(in, bias)) {}

Linear::Linear(int64_t in, int64_t out, const LinearInit &init)
    : hasBias(init.bias.has_value()) {
  registerVariable(init.weight.variable("weight", {out, in}));
  if (hasBias)
    registerVariable(init.bias->variable("bias", {out}));
}

Tensor Linear::forward(Tensor x) {
  Tensor y = linear(x, read(x.getTrace(), "weight"));
  return hasBias ? addTrailing(y, read(x.getTrace(), "bias")) : y;
}

template <typename Options>
Conv<Options>::Conv(int64_t in, int64_t out, const Options &options)
    : geometry(options.geometry), hasBias(options.bias) {
  // The op reports a number of groups that does not divide the channels.
  int64_t perGroup = geometry.groups > 0 ? in / geometry.groups : in;
  llvm::SmallVector<int64_t> shape = {out};
  llvm::append_range(shape, options.kernel);
  shape.push_back(perGroup);
  int64_t fanIn = perGroup;
  for (int64_t extent : options.kernel)
    fanIn *= extent;
  LinearInit init = options.init.value_or(LinearInit{
      {sg::InitKind::KaimingNormal}, LinearInit::uniform(fanIn).bias});
  VariableSpec weight = init.weight.variable("weight", shape);
  // Files have the channels after the first dimension.
  weight.filePermutation = {0, int32_t(shape.size()) - 1};
  for (size_t d = 1; d + 1 < shape.size(); ++d)
    weight.filePermutation.push_back(int32_t(d));
  registerVariable(std::move(weight));
  if (hasBias)
    registerVariable(
        init.bias.value_or(Initializer::zeros()).variable("bias", {out}));
}

static Tensor convolve(const Tensor &x, const Tensor &weight,
                       const ConvGeometry &geometry) {
  return conv2d(x, weight, geometry);
}
static Tensor convolve(const Tensor &x, const Tensor &weight,
                       const ConvGeometry3d &geometry) {
  return conv3d(x, weight, geometry);
}

template <typename Options> Tensor Conv<Options>::forward(Tensor x) {
  Tensor y = convolve(x, read(x.getTrace(), "weight"), geometry);
  return hasBias ? addTrailing(y, read(x.getTrace(), "bias")) : y;
}

template class nn::Conv<Conv2dOptions>;
template class nn::Conv<Conv3dOptions>;

BatchNorm2d::BatchNorm2d(int64_t channels, double epsilon, double momentum)
    : epsilon(epsilon), momentum(momentum) {
  registerVariable(
      {"weight", {channels}, sg::Role::Parameter, sg::InitKind::Ones});
  registerVariable(
      {"bias", {channels}, sg::Role::Parameter, sg::InitKind::Zeros});
  registerVariable({"running_mean",
                    {channels},
                    sg::Role::RunningStatistics,
                    sg::InitKind::Zeros});
  registerVariable({"running_var",
                    {channels},
                    sg::Role::RunningStatistics,
                    sg::InitKind::Ones});
}

Tensor BatchNorm2d::forward(Tensor x) {
  Trace &trace = x.getTrace();
  std::string mean = *trace.nameOf(*this, "running_mean");
  std::string variance = *trace.nameOf(*this, "running_var");
  if (!trace.claimWrite(mean) || !trace.claimWrite(variance))
    return trace.fail("batch norm is called twice, but its running statistics "
                      "can be written once a step; give each call its own");
  Tensor gamma = read(trace, "weight"), beta = read(trace, "bias");
  if (!x || !gamma || !beta)
    return x ? gamma : x;
  if (x.getType().getRank() < 2 ||
      x.getType().getShape().back() != gamma.dim(0))
    return trace.fail("batch norm of " + llvm::Twine(gamma.dim(0)) +
                      " channels does not fit an input of " +
                      llvm::Twine(x.dim(x.getType().getRank() - 1)));
  Builder &builder = trace.getBuilder();
  sg::BatchNormOp::Properties properties;
  properties.epsilon = builder.getF64FloatAttr(epsilon);
  properties.momentum = builder.getF64FloatAttr(momentum);
  properties.running_mean = FlatSymbolRefAttr::get(builder.getContext(), mean);
  properties.running_variance =
      FlatSymbolRefAttr::get(builder.getContext(), variance);
  return trace.createAs<sg::BatchNormOp>(x.getType(), {x, gamma, beta},
                                         properties);
}

LayerNorm::LayerNorm(int64_t channels, double epsilon) : epsilon(epsilon) {
  registerVariable(
      {"weight", {channels}, sg::Role::Parameter, sg::InitKind::Ones});
  registerVariable(
      {"bias", {channels}, sg::Role::Parameter, sg::InitKind::Zeros});
}

Tensor LayerNorm::forward(Tensor x) {
  Trace &trace = x.getTrace();
  return layerNorm(x, read(trace, "weight"), read(trace, "bias"), epsilon);
}

Tensors CrossEntropyLoss::forward(llvm::ArrayRef<Tensor> inputs) {
  if (inputs.size() != 2)
    return {inputs.front().getTrace().fail(
        "cross entropy needs logits and labels, but has " +
        llvm::Twine(inputs.size()) + " inputs")};
  return {crossEntropy(inputs[0], inputs[1])};
}

Residual::Residual(std::shared_ptr<Module> body,
                   std::shared_ptr<Module> shortcut)
    : body(registerModule("body", std::move(body))) {
  if (shortcut)
    this->shortcut = &registerModule("shortcut", std::move(shortcut));
}

Tensor Residual::forward(Tensor x) {
  Tensor y = body(x);
  return y + (shortcut ? (*shortcut)(x) : x);
}
