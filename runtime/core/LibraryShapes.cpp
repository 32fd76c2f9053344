//===- LibraryShapes.cpp - Check library calls without a library ----------===//
//
// The rules of `LibraryCall` in program.fbs. The verifier of artifacts calls
// this on untrusted numbers, hence the bounds before any arithmetic.
//
//===----------------------------------------------------------------------===//
#include "reprise/Limits.h"
#include "reprise/Runtime/Library.h"

#include <cmath>
#include <cstring>

namespace reprise::rt {

namespace {
// Libraries count elements of a dimension in 32 bits. Parameters stay small
// enough that products with dimensions fit into 64 bits.
constexpr int64_t kMaxDim = INT32_MAX, kMaxParameter = 1 << 20;
} // namespace

static Status wrong(const std::string &what,
                    const char *file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  return Status::error(RP_INVALID_ARGUMENT, what, file, line);
}

static std::string text(const std::vector<int64_t> &dims) {
  std::string s;
  for (int64_t d : dims)
    s += (s.empty() ? "" : "x") + std::to_string(d);
  return s.empty() ? "scalar" : s;
}

static Status checkTensor(const TensorDesc &tensor) {
  if (tensor.shape.size() > 12)
    return wrong("a tensor of rank " + std::to_string(tensor.shape.size()) +
                 "; libraries take 12 dimensions");
  for (int64_t d : tensor.shape)
    if (d < 1 || d > kMaxDim)
      return wrong("a dimension of " + std::to_string(d) + " in " +
                   text(tensor.shape) + " is not between 1 and 2147483647");
  if (!tensor.strides.empty() && tensor.strides.size() != tensor.shape.size())
    return wrong(std::to_string(tensor.strides.size()) + " strides for shape " +
                 text(tensor.shape));
  for (int64_t s : tensor.strides)
    if (s < 1)
      return wrong("a stride of " + std::to_string(s) +
                   " elements; library operands need positive strides");
  return {};
}

static bool isRowMajor(const TensorDesc &tensor) {
  int64_t dense = 1;
  for (size_t i = tensor.shape.size(); i-- > 0 && !tensor.strides.empty();) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != dense)
      return false;
    if (__builtin_mul_overflow(dense, tensor.shape[i], &dense))
      return false;
  }
  return true;
}

/// Returns the extent of a convolution's output along one dimension, or a
/// negative number.
static int64_t outputExtent(int64_t in, int64_t kernel, int64_t stride,
                            int64_t padding, int64_t dilation) {
  int64_t room = in + padding - ((kernel - 1) * dilation + 1);
  return room < 0 ? -1 : room / stride + 1;
}

ConvolutionCall convolutionOf(const LibraryCallDesc &desc) {
  ConvolutionKind kind = *convolutionKind(desc.op);
  const TensorDesc *x = &desc.inputs[0], *w = &desc.inputs[1],
                   *y = &desc.outputs[0];
  if (kind == ConvolutionKind::InputGrad)
    std::swap(x, y);
  if (kind == ConvolutionKind::FilterGrad)
    std::swap(w, y);
  ConvolutionCall c = {kind, *x, *w, *y, {}, {}, {}, {}, desc.ints.back()};
  size_t dims = desc.ints.size() / 4; // four numbers each, and the groups
  for (size_t d = 0; d < dims; ++d) {
    c.strides.push_back(desc.ints[d]);
    c.padBefore.push_back(desc.ints[dims + 2 * d]);
    c.padAfter.push_back(desc.ints[dims + 2 * d + 1]);
    c.dilations.push_back(desc.ints[3 * dims + d]);
  }
  return c;
}

static Status checkConvParameters(const ConvolutionCall &c) {
  auto check = [](const char *what, const std::vector<int64_t> &numbers,
                  int64_t least) -> Status {
    for (int64_t number : numbers)
      if (number < least || number > kMaxParameter)
        return wrong(std::string("a ") + what + " of a convolution is " +
                     std::to_string(number));
    return {};
  };
  REPRISE_RETURN_IF_ERROR(check("stride", c.strides, 1));
  REPRISE_RETURN_IF_ERROR(check("padding", c.padBefore, 0));
  REPRISE_RETURN_IF_ERROR(check("padding", c.padAfter, 0));
  REPRISE_RETURN_IF_ERROR(check("dilation", c.dilations, 1));
  return check("number of groups", {c.groups}, 1);
}

static Status checkConvolution(const LibraryCallDesc &desc) {
  ConvolutionCall c = convolutionOf(desc);
  REPRISE_RETURN_IF_ERROR(checkConvParameters(c));
  size_t rank = c.dims() + 2;
  for (const TensorDesc *t : {&c.x, &c.w, &c.y})
    if (t->shape.size() != rank || !isRowMajor(*t))
      return wrong("operand " + text(t->shape) +
                   " of a convolution is not a dense tensor of rank " +
                   std::to_string(rank));
  const std::vector<int64_t> &x = c.x.shape, &w = c.w.shape;
  if (w[0] % c.groups || w.back() * c.groups != x.back())
    return wrong("a filter of " + text(w) + " in " + std::to_string(c.groups) +
                 " groups does not fit " + std::to_string(x.back()) +
                 " input channels");
  std::vector<int64_t> expected = {x[0]};
  for (size_t d = 0; d < c.dims(); ++d)
    expected.push_back(outputExtent(x[d + 1], w[d + 1], c.strides[d],
                                    c.padBefore[d] + c.padAfter[d],
                                    c.dilations[d]));
  expected.push_back(w[0]);
  if (c.y.shape != expected)
    return wrong("a convolution of " + text(x) + " with " + text(w) +
                 " gives " + text(expected) + ", not " + text(c.y.shape));
  return {};
}

static Status checkMatMul(const LibraryCallDesc &desc) {
  if (desc.ints[0] < 0 || desc.ints[0] > 1 || desc.ints[1] < 0 ||
      desc.ints[1] > 1)
    return wrong("a matrix product takes two parameters of 0 or 1");
  std::vector<int64_t> a = desc.inputs[0].shape, b = desc.inputs[1].shape,
                       c = desc.outputs[0].shape;
  size_t rank = c.size();
  if (rank < 2 || a.size() != rank || b.size() != rank)
    return wrong("the operands of a matrix product, " + text(a) + ", " +
                 text(b) + " and " + text(c) + ", differ in rank");
  if (desc.ints[0])
    std::swap(a[rank - 1], a[rank - 2]);
  if (desc.ints[1])
    std::swap(b[rank - 1], b[rank - 2]);
  bool fits = a[rank - 1] == b[rank - 2] && c[rank - 2] == a[rank - 2] &&
              c[rank - 1] == b[rank - 1];
  for (size_t i = 0; i + 2 < rank; ++i)
    fits = fits && a[i] == b[i] && a[i] == c[i];
  if (!fits)
    return wrong("a matrix product of " + text(a) + " and " + text(b) +
                 " does not give " + text(c));
  if (!isRowMajor(desc.outputs[0]))
    return wrong("the result " + text(c) + " of a matrix product is not dense");
  return {};
}

/// Checks (...,C) and (C) to (...,C) and (...).
static Status checkRmsNorm(const LibraryCallDesc &desc) {
  const TensorDesc &x = desc.inputs[0], &gamma = desc.inputs[1],
                   &y = desc.outputs[0], &rstd = desc.outputs[1];
  if (x.shape.empty())
    return wrong("rms_norm of a scalar");
  std::vector<int64_t> rows(x.shape.begin(), x.shape.end() - 1);
  if (gamma.shape != std::vector<int64_t>{x.shape.back()} ||
      y.shape != x.shape || rstd.shape != rows)
    return wrong("rms_norm of " + text(x.shape) + " with " + text(gamma.shape) +
                 " does not give " + text(y.shape) + " and " +
                 text(rstd.shape));
  for (const TensorDesc *t : {&x, &gamma, &y, &rstd})
    if (!isRowMajor(*t))
      return wrong("operand " + text(t->shape) + " of rms_norm is not dense");
  if (y.type != x.type)
    return wrong("rms_norm of " + std::string(elementName(x.type)) +
                 " does not give " + elementName(y.type));
  if (!(desc.floats[0] > 0) || desc.floats[0] > 1)
    return wrong("the epsilon of rms_norm is " +
                 std::to_string(desc.floats[0]) +
                 ", which is not above 0 and at most 1");
  return {};
}

/// Checks an attention's scale and the probability of dropping a weight.
static Status checkAttentionNumbers(const LibraryCallDesc &desc) {
  if (!(std::abs(desc.floats[0]) < HUGE_VAL))
    return wrong("the scale of an attention is not a number");
  if (desc.floats.size() > 1 && !(desc.floats[1] > 0 && desc.floats[1] < 1))
    return wrong("an attention drops with probability " +
                 std::to_string(desc.floats[1]) +
                 ", which is not between 0 and 1");
  return {};
}

/// Checks the shapes of an attention on (B,N,3,H,D) and of its other operands.
static Status checkAttention(const LibraryCallDesc &desc) {
  bool isGrad = desc.op == LibraryOp::AttentionGrad;
  size_t required = functionOf(desc).inputs;
  bool hasBias = floatInputs(desc) > required;
  const TensorDesc &qkv = desc.inputs[0];
  if (qkv.shape.size() != 5 || qkv.shape[2] != 3)
    return wrong("attention takes (B,N,3,H,D), not " + text(qkv.shape));
  int64_t batch = qkv.shape[0], tokens = qkv.shape[1], heads = qkv.shape[3];
  // Scores of a pair, and bytes of all tensors, fit into 64 bits.
  constexpr int64_t kMaxTokens = 1 << 24, kMaxElements = int64_t(1) << 48;
  int64_t elements = 1;
  for (int64_t extent : qkv.shape)
    if (__builtin_mul_overflow(elements, extent, &elements) ||
        elements > kMaxElements)
      return wrong("attention of " + text(qkv.shape) + " is too large");
  if (tokens > kMaxTokens)
    return wrong("attention of " + std::to_string(tokens) + " tokens; " +
                 std::to_string(kMaxTokens) + " are possible");
  const std::vector<int64_t> y = {batch, tokens, heads, qkv.shape[4]};
  const std::vector<int64_t> lse = {batch, heads, tokens};
  struct Expected {
    const TensorDesc &tensor;
    const std::vector<int64_t> &shape;
    rp_element_type type;
  };
  std::vector<Expected> expected = {{qkv, qkv.shape, qkv.type}};
  if (isGrad) {
    expected.push_back({desc.inputs[1], y, qkv.type});
    expected.push_back({desc.inputs[2], lse, RP_F32});
    expected.push_back({desc.inputs[3], y, qkv.type});
    expected.push_back({desc.outputs[0], qkv.shape, qkv.type});
  } else {
    expected.push_back({desc.outputs[0], y, qkv.type});
    expected.push_back({desc.outputs[1], lse, RP_F32});
  }
  std::vector<int64_t> bias;
  if (hasBias) {
    const TensorDesc &given = desc.inputs[required];
    int64_t rows = given.shape.empty() ? 0 : given.shape[0];
    if (rows < 1 || batch % rows)
      return wrong("a bias of " + text(given.shape) +
                   " does not divide the scores of " + text(qkv.shape));
    bias = {rows, heads, tokens, tokens};
    expected.push_back({given, bias, RP_F32});
  }
  if (isGrad && hasBias != (desc.outputs.size() > 1))
    return wrong("attention_grad has a bias and its gradient, or neither");
  if (isGrad && hasBias)
    expected.push_back({desc.outputs[1], bias, RP_F32});
  for (const Expected &e : expected)
    if (e.tensor.shape != e.shape || e.tensor.type != e.type ||
        !isRowMajor(e.tensor))
      return wrong(std::string("an operand of attention is ") +
                   elementName(e.tensor.type) + " " + text(e.tensor.shape) +
                   "; a dense " + elementName(e.type) + " " + text(e.shape) +
                   " is needed");
  return checkAttentionNumbers(desc);
}

/// Checks the shapes of a tensor and of one rank's shard of it.
static Status checkShard(const char *name, int64_t ranks,
                         const TensorDesc &shard, const TensorDesc &whole) {
  int64_t elements = 1;
  for (int64_t extent : whole.shape)
    elements *= extent;
  std::vector<int64_t> expected = {(elements + ranks - 1) / ranks};
  if (shard.shape != expected || !isRowMajor(shard) || !isRowMajor(whole))
    return wrong(std::string(name) + " of " + text(whole.shape) +
                 " with shards of " + text(shard.shape) + "; a dense " +
                 text(expected) + " is needed");
  return {};
}

/// Checks operand and result k of a call of all ranks: dense tensors of one
/// type, the result the operand's, or a row for each rank, or a shard or the
/// whole of it.
static Status checkShared(const LibraryCallDesc &desc, size_t k) {
  const TensorDesc &x = desc.inputs[k], &y = desc.outputs[k];
  const char *name = functionOf(desc).name;
  int64_t ranks = desc.ints[0];
  if (x.type != desc.inputs[0].type)
    return wrong(std::string(name) + " of " + elementName(desc.inputs[0].type) +
                 " and " + elementName(x.type) + "; one type is needed");
  if (x.type != y.type || (x.type != RP_F32 && x.type != RP_F64))
    return wrong(std::string(name) + " of " + elementName(x.type) + " to " +
                 elementName(y.type) + "; one type, f32 or f64, is needed");
  std::vector<int64_t> expected = x.shape;
  if (desc.op == LibraryOp::AllGather)
    expected.insert(expected.begin(), ranks);
  else if (desc.op == LibraryOp::GatherShards)
    return checkShard(name, ranks, x, y);
  else if (desc.op != LibraryOp::AllReduce)
    return checkShard(name, ranks, y, x);
  if (y.shape != expected || !isRowMajor(x) || !isRowMajor(y))
    return wrong(std::string(name) + " of " + text(x.shape) + " to " +
                 text(y.shape) + "; a dense " + text(expected) + " is needed");
  return {};
}

static Status checkCollective(const LibraryCallDesc &desc) {
  const char *name = functionOf(desc).name;
  int64_t ranks = desc.ints[0];
  if (ranks < 2 || ranks > int64_t(kMaxRanks) || desc.ints[1] < 0)
    return wrong(std::string(name) + " number " + std::to_string(desc.ints[1]) +
                 " of " + std::to_string(ranks) + " ranks; 2 to " +
                 std::to_string(kMaxRanks) + " are possible");
  if (desc.inputs.size() != desc.outputs.size())
    return wrong(std::string(name) + " of " +
                 std::to_string(desc.inputs.size()) + " tensors to " +
                 std::to_string(desc.outputs.size()));
  for (size_t k = 0; k < desc.inputs.size(); ++k)
    REPRISE_RETURN_IF_ERROR(checkShared(desc, k));
  return {};
}

//===----------------------------------------------------------------------===//
// Checks of all functions
//===----------------------------------------------------------------------===//

static std::string counted(size_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Checks the number of everything before anything is read.
static Status checkCounts(const LibraryCallDesc &desc) {
  if (size_t(desc.op) >= kLibraryFunctionCount)
    return wrong("unknown library operation");
  const LibraryFunction &function = functionOf(desc);
  std::string name = function.name;
  if (!desc.epilogues.empty() && !function.takesEpilogues)
    return wrong(name + " takes no epilogues");
  if (desc.epilogues.size() > kMaxEpilogues)
    return wrong(counted(desc.epilogues.size(), "epilogue") +
                 "; a call takes " + std::to_string(kMaxEpilogues));
  for (Epilogue epilogue : desc.epilogues)
    if (size_t(epilogue) >= kLibraryEpilogueCount)
      return wrong("unknown epilogue " + std::to_string(int(epilogue)));
  size_t inputs = libraryInputCount(function, desc.epilogues);
  size_t own = desc.inputs.size() - (inputs - function.inputs);
  if (desc.inputs.size() < inputs ||
      !function.takes(own, desc.outputs.size(), desc.ints.size()))
    return wrong(
        name + (desc.epilogues.empty() ? "" : " with its epilogues") +
        " takes " +
        counted(inputs + function.counters(desc.ints.size()), "input") +
        " and " + counted(function.outputs, "output") + ", not " +
        std::to_string(desc.inputs.size()) + " and " +
        std::to_string(desc.outputs.size()));
  if (!function.takesNumbers(desc.ints.size(), desc.floats.size()))
    return wrong(name + " takes " + counted(function.ints, "int") + " and " +
                 counted(function.floats, "float") + ", not " +
                 std::to_string(desc.ints.size()) + " and " +
                 std::to_string(desc.floats.size()));
  return {};
}

/// Checks seed and step of a call that draws random numbers.
static Status checkDraw(const LibraryCallDesc &desc) {
  for (size_t i = floatInputs(desc); i < desc.inputs.size(); ++i)
    if (desc.inputs[i].type != RP_I64 || !desc.inputs[i].shape.empty())
      return wrong("a call draws with a seed and a step, i64 scalars, not " +
                   std::string(elementName(desc.inputs[i].type)) + " " +
                   text(desc.inputs[i].shape));
  return {};
}

/// Checks that tensors other than the function's own inputs are of that type or
/// f32.
static Status checkTypes(const LibraryCallDesc &desc) {
  rp_element_type type = desc.inputs[0].type;
  for (const TensorDesc *tensor : floatTensors(desc)) {
    REPRISE_RETURN_IF_ERROR(checkTensor(*tensor));
    if (tensor->type > RP_F64)
      return wrong("library calls take floating-point operands, not " +
                   std::string(elementName(tensor->type)));
    if (tensor->type != type && tensor->type != RP_F32)
      return wrong("a library call on " + std::string(elementName(type)) +
                   " has operands of that or f32, not " +
                   elementName(tensor->type));
  }
  REPRISE_RETURN_IF_ERROR(checkDraw(desc));
  bool isProduct = functionOf(desc).takesEpilogues;
  if (isProduct && desc.inputs[1].type != type)
    return wrong("the inputs of a library call differ in type");
  return {};
}

/// Checks that the inputs of epilogues fit the result and are not wider than
/// it.
static Status checkEpilogues(const LibraryCallDesc &desc) {
  const TensorDesc &result = desc.outputs[0];
  size_t input = functionOf(desc).inputs;
  for (Epilogue epilogue : desc.epilogues) {
    const LibraryEpilogueForm &form = kLibraryEpilogues[size_t(epilogue)];
    if (!form.inputs)
      continue;
    const TensorDesc &operand = desc.inputs[input++];
    std::vector<int64_t> expected = result.shape;
    if (epilogue == Epilogue::Bias)
      expected = {result.shape.back()};
    if (operand.shape != expected || !isRowMajor(operand))
      return wrong("the input of epilogue " + std::string(form.name) + ", " +
                   text(operand.shape) + ", is not a dense tensor of " +
                   text(expected));
    if (operand.type != RP_F32 && operand.type != result.type)
      return wrong("the input of epilogue " + std::string(form.name) + " is " +
                   elementName(operand.type) + "; f32 and " +
                   elementName(result.type) + ", the result's, are possible");
  }
  return {};
}

Status verifyLibraryCall(const LibraryCallDesc &desc) {
  REPRISE_RETURN_IF_ERROR(checkCounts(desc));
  REPRISE_RETURN_IF_ERROR(checkTypes(desc));
  switch (desc.op) {
  case LibraryOp::Conv2D:
  case LibraryOp::Conv2DInputGrad:
  case LibraryOp::Conv2DFilterGrad:
  case LibraryOp::Conv3D:
  case LibraryOp::Conv3DInputGrad:
  case LibraryOp::Conv3DFilterGrad:
    REPRISE_RETURN_IF_ERROR(checkConvolution(desc));
    break;
  case LibraryOp::MatMul:
    REPRISE_RETURN_IF_ERROR(checkMatMul(desc));
    break;
  case LibraryOp::RmsNorm:
    REPRISE_RETURN_IF_ERROR(checkRmsNorm(desc));
    break;
  case LibraryOp::Attention:
  case LibraryOp::AttentionGrad:
    REPRISE_RETURN_IF_ERROR(checkAttention(desc));
    break;
  case LibraryOp::AllReduce:
  case LibraryOp::AllGather:
  case LibraryOp::ReduceScatter:
  case LibraryOp::GatherShards:
  case LibraryOp::TakeShard:
    REPRISE_RETURN_IF_ERROR(checkCollective(desc));
    break;
  }
  return checkEpilogues(desc);
}

std::vector<int64_t> codeInts(LibraryOp op, std::vector<int64_t> ints) {
  if (size_t(op) >= kLibraryFunctionCount)
    return ints;
  const LibraryFunction &function = kLibraryFunctions[size_t(op)];
  if (function.draws(ints.size()) || (function.isCollective && !ints.empty()))
    ints.pop_back();
  return ints;
}

size_t floatInputs(const LibraryCallDesc &desc) {
  return desc.inputs.size() - functionOf(desc).counters(desc.ints.size());
}

std::vector<const TensorDesc *> floatTensors(const LibraryCallDesc &desc) {
  std::vector<const TensorDesc *> tensors;
  for (size_t i = 0; i < floatInputs(desc); ++i)
    tensors.push_back(&desc.inputs[i]);
  for (const TensorDesc &output : desc.outputs)
    tensors.push_back(&output);
  return tensors;
}

const char *elementName(rp_element_type type) {
  return size_t(type) < kCountOf<ElementType> ? termName(ElementType(type))
                                              : "unknown";
}

std::vector<int64_t> libraryCallKey(const LibraryCallDesc &desc) {
  std::vector<int64_t> key = {int64_t(desc.op)};
  auto append = [&key](const std::vector<int64_t> &values) {
    key.push_back(int64_t(values.size()));
    key.insert(key.end(), values.begin(), values.end());
  };
  for (const std::vector<TensorDesc> *list : {&desc.inputs, &desc.outputs})
    for (const TensorDesc &t : *list) {
      key.push_back(t.type);
      append(t.shape);
      append(t.strides);
    }
  append(desc.ints);
  std::vector<int64_t> bits;
  for (double number : desc.floats)
    std::memcpy(&bits.emplace_back(), &number, sizeof number);
  append(bits);
  std::vector<int64_t> epilogues;
  for (Epilogue epilogue : desc.epilogues)
    epilogues.push_back(int64_t(epilogue));
  append(epilogues);
  return key;
}

} // namespace reprise::rt
