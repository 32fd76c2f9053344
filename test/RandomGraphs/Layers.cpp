//===- Layers.cpp - Random layers on a value ------------------------------===//

#include "Layers.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::random_graphs;

/// Larger values are only made smaller.
static constexpr int64_t kLargest = 2000;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static bool isImage(Value value) { return typeOf(value).getRank() == 4; }

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

sg::VariableOp State::declare(StringRef name, RankedTensorType type,
                              sg::Role role, sg::InitKind init) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  MLIRContext *context = module.getContext();
  return sg::VariableOp::create(b, module.getLoc(), name, type, role,
                                sg::InitAttr::get(context, init, FloatAttr()),
                                DenseI32ArrayAttr(), DenseI64ArrayAttr());
}

sg::VariableOp State::declareParameter(StringRef path, RankedTensorType type) {
  sg::InitKind init =
      type.getRank() > 1 ? sg::InitKind::KaimingNormal : sg::InitKind::Ones;
  parameters.push_back(declare((path + ".weight" + Twine(names++)).str(), type,
                               sg::Role::Parameter, init));
  return parameters.back();
}

Value State::read(OpBuilder &b, sg::VariableOp variable) {
  return sg::ReadOp::create(b, b.getUnknownLoc(), variable.getTensorType(),
                            FlatSymbolRefAttr::get(variable));
}

Value State::parameter(OpBuilder &b, StringRef path, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, b.getF32Type());
  sg::VariableOp variable;
  if (random.oneIn(4))
    for (sg::VariableOp other : parameters)
      if (other.getTensorType() == type)
        variable = other;
  return read(b, variable ? variable : declareParameter(path, type));
}

Value State::newParameter(OpBuilder &b, StringRef path,
                          ArrayRef<int64_t> shape) {
  return read(
      b, declareParameter(path, RankedTensorType::get(shape, b.getF32Type())));
}

FlatSymbolRefAttr State::statistic(StringRef path, int64_t channels,
                                   sg::InitKind init) {
  Type element = Float32Type::get(module.getContext());
  return FlatSymbolRefAttr::get(
      declare((path + ".running" + Twine(names++)).str(),
              RankedTensorType::get({channels}, element),
              sg::Role::RunningStatistics, init));
}

Value State::counter(OpBuilder &b, StringRef name, sg::Role role) {
  auto type = RankedTensorType::get({}, b.getI64Type());
  if (!module.lookupSymbol(name))
    declare(name, type, role, sg::InitKind::Zeros);
  return sg::ReadOp::create(b, b.getUnknownLoc(), type, name);
}

//===----------------------------------------------------------------------===//
// Layers with weights or state
//===----------------------------------------------------------------------===//

Value Layers::scale(Value x, double factor) {
  Value splat = sg::createSplat(b, b.getUnknownLoc(), typeOf(x), factor);
  return sg::MulOp::create(b, b.getUnknownLoc(), x, splat);
}

/// x in the element type of `like`.
Value Layers::as(Value x, Value like) {
  RankedTensorType type = typeOf(x).clone(typeOf(like).getElementType());
  if (x.getType() == type)
    return x;
  return sg::CastOp::create(b, b.getUnknownLoc(), type, x);
}

Value Layers::linear(Value x, int64_t features, StringRef path) {
  Location loc = b.getUnknownLoc();
  int64_t inputs = typeOf(x).getDimSize(1);
  bool transposed = random.oneIn(2);
  SmallVector<int64_t> shape = {inputs, features};
  if (transposed)
    std::swap(shape[0], shape[1]);
  Value weight = as(state.parameter(b, path, shape), x);
  Value product = sg::MatMulOp::create(b, loc, x, weight, /*transpose_a=*/false,
                                       transposed);
  Value bias = as(state.parameter(b, path, {features}), x);
  return sg::AddOp::create(
      b, loc, product, sg::broadcastTrailing(b, loc, bias, typeOf(product)));
}

Value Layers::convolution(Value x, StringRef path) {
  Location loc = b.getUnknownLoc();
  ArrayRef<int64_t> shape = typeOf(x).getShape();
  int64_t channels = shape[3];
  int64_t groups = random.oneIn(3) ? channels : 1;
  if (channels % 2 == 0 && random.oneIn(4))
    groups = 2;
  int64_t outputs =
      groups * std::max<int64_t>(1, random.between(2, 6) / groups);
  SmallVector<int64_t> kernel, strides, dilation, padding;
  for (int d = 0; d < 2; ++d) {
    kernel.push_back(random.between(1, 3));
    strides.push_back(random.between(1, 2));
    dilation.push_back(random.oneIn(4) ? 2 : 1);
    int64_t low = random.below(3), high = random.below(3);
    // Too large a window is padded until it fits once.
    int64_t reach = dilation[d] * (kernel[d] - 1) + 1;
    high += std::max<int64_t>(0, reach - shape[1 + d] - low - high);
    padding.append({low, high});
  }
  Value filter =
      as(state.parameter(b, path,
                         {outputs, kernel[0], kernel[1], channels / groups}),
         x);
  Value y = sg::Conv2DOp::create(b, loc, x, filter, strides, padding, dilation,
                                 groups);
  return volumeChoices.oneIn(4) ? volumes(y, path) : y;
}

/// An image (N,H,W,C) as a volume (N,D,H/D,W,C), whose convolution a transposed
/// one brings back to its extents.
Value Layers::volumes(Value x, StringRef path) {
  Location loc = b.getUnknownLoc();
  ArrayRef<int64_t> shape = typeOf(x).getShape();
  int64_t depth = volumeChoices.between(1, shape[1]), channels = shape[3];
  while (shape[1] % depth)
    --depth;
  SmallVector<int64_t> extents = {depth, shape[1] / depth, shape[2]};
  int64_t groups = volumeChoices.oneIn(3) ? channels : 1;
  SmallVector<int64_t> kernel = {channels}, strides, dilation, padding;
  for (int64_t extent : extents) {
    kernel.push_back(volumeChoices.between(1, 3));
    strides.push_back(volumeChoices.between(1, 2));
    dilation.push_back(volumeChoices.oneIn(4) ? 2 : 1);
    int64_t low = volumeChoices.below(2), high = volumeChoices.below(2);
    int64_t reach = dilation.back() * (kernel.back() - 1) + 1;
    high += std::max<int64_t>(0, reach - extent - low - high);
    padding.append({low, high});
  }
  kernel.push_back(channels / groups);
  RankedTensorType type =
      typeOf(x).clone({shape[0], extents[0], extents[1], extents[2], channels});
  Value volume = sg::ReshapeOp::create(b, loc, type, x);
  Value filter = as(state.newParameter(b, path, kernel), x);
  Value y = sg::Conv3DOp::create(b, loc, volume, filter, strides, padding,
                                 dilation, groups);
  Value back = sg::Conv3DInputGradOp::create(b, loc, type, y, filter, strides,
                                             padding, dilation, groups);
  return sg::ReshapeOp::create(b, loc, x.getType(), back);
}

Value Layers::batchNorm(Value x, StringRef path) {
  int64_t channels = typeOf(x).getShape().back();
  Value gamma = state.parameter(b, path, {channels});
  Value beta = state.parameter(b, path, {channels});
  return sg::BatchNormOp::create(
      b, b.getUnknownLoc(), x.getType(), x, gamma, beta,
      b.getF64FloatAttr(1e-2), b.getF64FloatAttr(0.1),
      state.statistic(path, channels, sg::InitKind::Zeros),
      state.statistic(path, channels, sg::InitKind::Ones));
}

Value Layers::dropout(Value x) {
  Value seed = state.counter(b, "rng.seed", sg::Role::Seed);
  Value step = state.counter(b, "rng.step", sg::Role::Counter);
  double probability = random.pick<double>({0.125, 0.3, 0.5});
  return sg::DropoutOp::create(b, b.getUnknownLoc(), x.getType(), x, seed, step,
                               b.getF64FloatAttr(probability),
                               b.getI64IntegerAttr(state.nextStream()),
                               /*per_sample=*/UnitAttr());
}

//===----------------------------------------------------------------------===//
// Layers without
//===----------------------------------------------------------------------===//

Value Layers::pool(Value x) {
  Location loc = b.getUnknownLoc();
  ArrayRef<int64_t> shape = typeOf(x).getShape();
  SmallVector<int64_t> window, strides, padding;
  for (int d = 0; d < 2; ++d) {
    window.push_back(random.between(1, std::min<int64_t>(3, shape[1 + d])));
    strides.push_back(random.between(1, 3));
    padding.append({random.below(window[d]), random.below(window[d])});
  }
  if (random.oneIn(2))
    return sg::MaxPool2DOp::create(b, loc, x, window, strides, padding);
  return sg::AvgPool2DOp::create(b, loc, x, window, strides, padding,
                                 random.oneIn(2));
}

Value Layers::activation(Value x) {
  Location loc = b.getUnknownLoc();
  switch (random.below(7)) {
  case 0:
    return sg::TanhOp::create(b, loc, x);
  case 1:
    return sg::SigmoidOp::create(b, loc, x);
  case 2:
    return sg::MulOp::create(b, loc, x, sg::SigmoidOp::create(b, loc, x));
  case 3:
    return sg::ErfOp::create(b, loc, x);
  case 4:
    return sg::SoftmaxOp::create(b, loc, x);
  default:
    return sg::ReluOp::create(b, loc, x);
  }
}

/// Functions with a pole, kept away from it, and one that grows, kept small.
Value Layers::moderate(Value x) {
  Location loc = b.getUnknownLoc();
  if (random.oneIn(4)) {
    Value bounded = sg::TanhOp::create(b, loc, x);
    return sg::ExpOp::create(b, loc, bounded);
  }
  Value square = sg::MulOp::create(b, loc, x, x);
  Value one = sg::createSplat(b, loc, typeOf(x), 1.0);
  Value above = sg::AddOp::create(b, loc, square, one);
  switch (random.below(4)) {
  case 0:
    return sg::LogOp::create(b, loc, above);
  case 1:
    return sg::SqrtOp::create(b, loc, above);
  case 2:
    return sg::RsqrtOp::create(b, loc, above);
  default:
    return sg::DivOp::create(b, loc, x, above);
  }
}

/// x and another value of its type (x itself, if there is none).
Value Layers::combine(Value x, ArrayRef<Value> values) {
  Location loc = b.getUnknownLoc();
  SmallVector<Value> others;
  for (Value value : values)
    if (value.getType() == x.getType() && value != x)
      others.push_back(value);
  Value y = others.empty() ? x : random.pick<Value>(others);
  switch (random.below(6)) {
  case 0:
    return sg::SubOp::create(b, loc, scale(x, 0.5), y);
  case 1:
    return sg::MulOp::create(b, loc, x, sg::TanhOp::create(b, loc, y));
  case 2:
    return sg::MaximumOp::create(b, loc, x, y);
  case 3:
    return sg::MinimumOp::create(b, loc, x, sg::AbsOp::create(b, loc, y));
  default:
    return sg::AddOp::create(b, loc, x, y);
  }
}

/// x and another value that differs in the last dimension at most, side by
/// side.
Value Layers::join(Value x, ArrayRef<Value> values) {
  SmallVector<Value> parts = {x};
  for (Value value : values)
    if (value != x && typeOf(value).getRank() == typeOf(x).getRank() &&
        typeOf(value).getShape().drop_back() ==
            typeOf(x).getShape().drop_back())
      parts.push_back(value);
  if (parts.size() > 2)
    parts = {x, parts[random.between(1, parts.size() - 1)]};
  if (parts.size() == 1)
    parts.push_back(sg::NegOp::create(b, b.getUnknownLoc(), x));
  return sg::ConcatOp::create(b, b.getUnknownLoc(), parts,
                              typeOf(x).getRank() - 1);
}

/// Moves elements: transposes, crops or strides, pads, reshapes.
Value Layers::move(Value x) {
  Location loc = b.getUnknownLoc();
  ArrayRef<int64_t> shape = typeOf(x).getShape();
  int64_t rank = shape.size();
  if (rank == 2) {
    SmallVector<int64_t> image = {shape[0], 1, 1, shape[1]};
    if (shape[1] % 2 == 0)
      image = {shape[0], 2, 1, shape[1] / 2};
    return sg::ReshapeOp::create(
        b, loc, RankedTensorType::get(image, b.getF32Type()), x);
  }
  if (random.oneIn(3))
    return sg::TransposeOp::create(b, loc, x, ArrayRef<int64_t>{0, 2, 1, 3});
  bool pads = random.oneIn(2);
  SmallVector<int64_t> starts(rank, 0), limits(shape), strides(rank, 1),
      high(rank, 0), interior(rank, 0);
  for (int64_t d = 1; d < rank; ++d) {
    starts[d] = random.below(std::min<int64_t>(2, shape[d]));
    strides[d] = random.between(1, 2);
    high[d] = random.below(2);
    interior[d] = d < 3 && random.oneIn(4);
  }
  if (pads)
    return sg::PadOp::create(b, loc, x, starts, high, interior, APFloat(0.25));
  return sg::SliceOp::create(b, loc, x, starts, limits, strides);
}

/// What has one element a row, for each element of the row.
Value Layers::alongRow(Value value, Value like) {
  return sg::broadcastLeading(b, b.getUnknownLoc(), value, typeOf(like));
}

Value Layers::softmaxOfRows(Value x, ArrayRef<int64_t> row) {
  Location loc = b.getUnknownLoc();
  Value largest = sg::ReduceMaxOp::create(b, loc, x, row);
  Value shifted = sg::SubOp::create(b, loc, x, alongRow(largest, x));
  Value powers = sg::ExpOp::create(b, loc, shifted);
  Value sum = sg::ReduceSumOp::create(b, loc, powers, row);
  return sg::DivOp::create(b, loc, powers, alongRow(sum, x));
}

/// Less their mean, unless only their length is to be about 1.
Value Layers::normalizedRows(Value x, ArrayRef<int64_t> row) {
  Location loc = b.getUnknownLoc();
  int64_t count = 1;
  for (int64_t d : row)
    count *= typeOf(x).getDimSize(d);
  Value centered = x;
  if (!rowChoices.oneIn(3)) {
    Value sum = sg::ReduceSumOp::create(b, loc, x, row);
    Value mean = scale(sum, 1.0 / count);
    centered = sg::SubOp::create(b, loc, x, alongRow(mean, x));
  }
  Value squares = sg::MulOp::create(b, loc, centered, centered);
  Value sum = sg::ReduceSumOp::create(b, loc, squares, row);
  Value variance = scale(sum, 1.0 / count);
  Value epsilon = sg::createSplat(b, loc, typeOf(variance), 0.5);
  Value above = sg::AddOp::create(b, loc, variance, epsilon);
  Value rstd = sg::RsqrtOp::create(b, loc, above);
  return sg::MulOp::create(b, loc, centered, alongRow(rstd, x));
}

/// A softmax or a normalization made of primitives, over the last dimensions.
Value Layers::overRows(Value x) {
  int64_t rank = typeOf(x).getRank();
  SmallVector<int64_t> row;
  for (int64_t d = rank - rowChoices.between(1, rank - 1); d < rank; ++d)
    row.push_back(d);
  return rowChoices.oneIn(3) ? softmaxOfRows(x, row) : normalizedRows(x, row);
}

/// Squeeze and excitation without weights: channels gated by their mean or
/// lowered by their maximum.
Value Layers::excite(Value x) {
  if (rowChoices.oneIn(2))
    return overRows(x);
  Location loc = b.getUnknownLoc();
  ArrayRef<int64_t> shape = typeOf(x).getShape();
  if (!isImage(x)) {
    Value largest = sg::ReduceMaxOp::create(b, loc, x, ArrayRef<int64_t>{1});
    return sg::SubOp::create(b, loc, x,
                             sg::broadcastLeading(b, loc, largest, typeOf(x)));
  }
  Value sum = sg::ReduceSumOp::create(b, loc, x, ArrayRef<int64_t>{1, 2});
  Value gate =
      sg::SigmoidOp::create(b, loc, scale(sum, 1.0 / (shape[1] * shape[2])));
  Value repeated = sg::BroadcastOp::create(b, loc, x.getType(), gate,
                                           ArrayRef<int64_t>{0, 3});
  return sg::MulOp::create(b, loc, x, repeated);
}

/// Attention of the positions of an image to one another.
Value Layers::attend(Value x) {
  Location loc = b.getUnknownLoc();
  ArrayRef<int64_t> shape = typeOf(x).getShape();
  auto flat = RankedTensorType::get({shape[0], shape[1] * shape[2], shape[3]},
                                    b.getF32Type());
  Value rows = sg::ReshapeOp::create(b, loc, flat, x);
  Value bounded = sg::TanhOp::create(b, loc, rows);
  Value scores = sg::MatMulOp::create(b, loc, bounded, bounded,
                                      /*transpose_a=*/false,
                                      /*transpose_b=*/true);
  Value weights = sg::SoftmaxOp::create(b, loc, scores);
  Value mixed = sg::MatMulOp::create(b, loc, weights, rows,
                                     /*transpose_a=*/random.oneIn(2),
                                     /*transpose_b=*/false);
  return sg::ReshapeOp::create(b, loc, x.getType(), mixed);
}

/// Choices by comparison: with zero, or with the index of the channel.
Value Layers::mask(Value x) {
  Location loc = b.getUnknownLoc();
  int64_t last = typeOf(x).getRank() - 1;
  if (random.oneIn(2)) {
    Value zero = sg::createSplat(b, loc, typeOf(x), 0.0);
    Value isPositive =
        sg::CompareOp::create(b, loc, sg::ComparePredicate::GT, x, zero);
    return sg::SelectOp::create(b, loc, x.getType(), isPositive, x,
                                scale(x, 0.25));
  }
  auto integers = RankedTensorType::get(typeOf(x).getShape(), b.getI32Type());
  Value index = sg::IotaOp::create(b, loc, integers, last);
  Value ramp = sg::CastOp::create(b, loc, x.getType(), index);
  return sg::AddOp::create(b, loc, x, scale(ramp, 0.125));
}

Value Layers::toMatrix(Value x) {
  Location loc = b.getUnknownLoc();
  if (!isImage(x))
    return x;
  ArrayRef<int64_t> shape = typeOf(x).getShape();
  int64_t features = shape[1] * shape[2] * shape[3];
  if (features > 64 || random.oneIn(2))
    return sg::GlobalAvgPoolOp::create(b, loc, x);
  return sg::ReshapeOp::create(
      b, loc, RankedTensorType::get({shape[0], features}, b.getF32Type()), x);
}

/// Some layers on x in bf16: a product's weights are cast, a normalization
/// reads its parameters and keeps its statistics in f32.
Value Layers::narrow(Value x, StringRef path) {
  auto type = typeOf(x).clone(b.getBF16Type());
  Value y = sg::CastOp::create(b, b.getUnknownLoc(), type, x);
  if (kinds.sharedWeights && random.oneIn(2))
    y = shared.any(y, path);
  for (int64_t i = random.between(1, 3); i > 0; --i)
    switch (random.below(kinds.transformers ? 6 : 4)) {
    case 4:
    case 5:
      y = transformer.any(y, path);
      break;
    case 0:
      y = isImage(y) ? convolution(y, path)
                     : linear(y, random.between(2, 9), path);
      break;
    case 1:
      y = batchNorm(y, path);
      break;
    case 2:
      y = isImage(y) ? pool(y) : dropout(y);
      break;
    default:
      y = sg::ReluOp::create(b, b.getUnknownLoc(), y);
    }
  return as(y, x);
}

Value Layers::any(Value x, ArrayRef<Value> values, StringRef path) {
  bool isSmall = typeOf(x).getNumElements() <= kLargest;
  if (kinds.mixedTypes && isSmall && random.oneIn(3))
    return narrow(x, path);
  if (kinds.transformers && isSmall && random.oneIn(3))
    return transformer.any(x, path);
  if (kinds.sharedWeights && isSmall && random.oneIn(3))
    return shared.any(x, path);
  if (!isSmall)
    return isImage(x) ? convolution(pool(x), path) : linear(x, 8, path);
  if (isImage(x) && random.oneIn(12))
    return toMatrix(x);
  int64_t positions =
      isImage(x) ? typeOf(x).getDimSize(1) * typeOf(x).getDimSize(2) : 0;
  switch (random.below(16)) {
  case 0:
  case 1:
  case 2:
    return isImage(x) ? convolution(x, path)
                      : linear(x, random.between(2, 9), path);
  case 3:
  case 4:
    return batchNorm(x, path);
  case 5:
  case 6:
    return activation(x);
  case 7:
    return isImage(x) ? pool(x) : moderate(x);
  case 8:
    return dropout(x);
  case 9:
  case 10:
    return combine(x, values);
  case 11:
    return join(x, values);
  case 12:
    return move(x);
  case 13:
    return mask(x);
  case 14:
    return excite(x);
  default:
    return positions > 1 && positions <= 25 ? attend(x) : moderate(x);
  }
}
