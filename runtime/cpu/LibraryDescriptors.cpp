//===- LibraryDescriptors.cpp - Plan a call of oneDNN ---------------------===//
//
// Input:   a checked call and a number of threads.
// Output:  primitive descriptors, the layout of the workspace, the names of
//          the kernels.
// Method:  activations keep their NHWC layout; the filter is left to oneDNN
//          (`any`) and reordered in the workspace if it prefers a layout other
//          than O,KH,KW,I; a gradient in blocks is reordered in place. An
//          input's gradient may be a convolution with the rotated filter. See
//          also Winograd.h, Attention.h and Products.cpp. Implementations that
//          allocate hidden memory (those built on its gemm) are skipped.
// Fails:   RP_INVALID_ARGUMENT on shapes, RP_UNAVAILABLE if oneDNN lacks the
//          call.
//
//===----------------------------------------------------------------------===//
#include "Host.h"
#include "LibraryCalls.h"
#include "reprise/Runtime/Cpu/Cpu.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace reprise::rt {

using dnnl::memory;

static dnnl::engine openEngine() {
  holdLibrary();
  // The environment can select other code under the same kernels' names.
  dnnl_set_cpu_isa_hints(dnnl_cpu_isa_no_hints);
  return dnnl::engine(dnnl::engine::kind::cpu, 0);
}

dnnl::engine &cpuEngine() {
  static dnnl::engine engine = openEngine();
  return engine;
}

namespace {
/// The operands of a convolution in oneDNN's order of dimensions, NC(D)HW and
/// (G)OI(D)HW, with strides that describe N(D)HWC and O(D)HWI.
struct ConvolutionDescs {
  memory::desc x, y, plainFilter, anyFilter;
  memory::dims strides, dilations, paddingBegin, paddingEnd;
};
} // namespace

memory::data_type dataType(rp_element_type type) {
  return type == RP_BF16 ? memory::data_type::bf16 : memory::data_type::f32;
}

/// Describes a dense tensor with its channels innermost; with several groups, a
/// filter whose outputs are in groups.
static memory::desc channelsLast(const TensorDesc &t, int64_t groups) {
  memory::dims dims = t.shape, strides(dims.size(), 1);
  for (size_t d = dims.size() - 1; d-- > 0;)
    strides[d] = strides[d + 1] * dims[d + 1];
  // The channels follow the first dimension.
  std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
  std::rotate(strides.begin() + 1, strides.end() - 1, strides.end());
  if (groups > 1) {
    dims[0] /= groups;
    strides.insert(strides.begin(), strides[0] * dims[0]);
    dims.insert(dims.begin(), groups);
  }
  return memory::desc(dims, dataType(t.type), strides);
}

static memory::desc activation(const TensorDesc &t) {
  return channelsLast(t, /*groups=*/1);
}

static ConvolutionDescs describeConvolution(const LibraryCallDesc &call) {
  ConvolutionCall c = convolutionOf(call);
  ConvolutionDescs d;
  d.x = activation(c.x);
  d.y = activation(c.y);
  d.plainFilter = channelsLast(c.w, c.groups);
  d.anyFilter = memory::desc(d.plainFilter.dims(), dataType(c.w.type),
                             memory::format_tag::any);
  d.strides = c.strides;
  d.paddingBegin = c.padBefore;
  d.paddingEnd = c.padAfter;
  d.dilations = c.dilations;
  for (int64_t &dilation : d.dilations)
    --dilation; // oneDNN counts from 0
  return d;
}

dnnl::primitive_attr userScratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  // Overrides the environment: f32 is never rounded to bf16.
  attr.set_fpmath_mode(dnnl::fpmath_mode::strict);
  return attr;
}

/// oneDNN's gemm packs its operands into buffers of its own.
bool allocates(const dnnl::primitive_desc_base &desc) {
  return std::strstr(desc.impl_info_str(), "gemm:jit") != nullptr;
}

/// Returns true if padding is so wide that a window can be outside the image.
static bool hasEmptyWindows(const ConvolutionDescs &d) {
  memory::dims filter = d.plainFilter.dims();
  size_t spatial = d.strides.size();
  for (size_t i = 0; i < spatial; ++i) {
    int64_t extent = filter[filter.size() - spatial + i];
    int64_t reach = (extent - 1) * (d.dilations[i] + 1) + 1;
    if (d.paddingBegin[i] >= reach || d.paddingEnd[i] >= reach)
      return true;
  }
  return false;
}

/// Returns true for oneDNN's kernel for matrix tiles if a window is outside the
/// image: the kernel then reads an invalid address (seen in 2.6.3).
static bool followsNoAddress(const dnnl::primitive_desc_base &desc,
                             const ConvolutionDescs &d) {
  const char *name = desc.impl_info_str();
  return std::strstr(name, "brgconv") && std::strstr(name, "amx") &&
         hasEmptyWindows(d);
}

static dnnl::convolution_forward::primitive_desc
forwardDesc(const ConvolutionDescs &d,
            const dnnl::primitive_attr &attr = userScratchpad()) {
  dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_training,
                                       dnnl::algorithm::convolution_direct, d.x,
                                       d.anyFilter, d.y, d.strides, d.dilations,
                                       d.paddingBegin, d.paddingEnd);
  dnnl::convolution_forward::primitive_desc first(desc, attr, cpuEngine());
  while (followsNoAddress(first, d))
    if (!first.next_impl())
      throw dnnl::error(dnnl_unimplemented, "no sound implementation");
  return avoidAllocation(first);
}

void planReorder(LibraryPlan &plan, const memory::desc &from, Place fromPlace,
                 const memory::desc &to, Place toPlace) {
  dnnl::reorder::primitive_desc desc(cpuEngine(), from, cpuEngine(), to,
                                     userScratchpad());
  plan.primitives.push_back(
      {desc, {{DNNL_ARG_FROM, fromPlace, from}, {DNNL_ARG_TO, toPlace, to}}});
}

/// Returns the filter in the layout of an operation: the plain one, or a copy
/// in the wanted layout, whose reorder is added.
static PlannedPrimitive::Argument planFilter(LibraryPlan &plan,
                                             const ConvolutionDescs &d,
                                             const memory::desc &wanted) {
  if (wanted == d.plainFilter)
    return {DNNL_ARG_WEIGHTS, Place::input(1), wanted};
  planReorder(plan, d.plainFilter, Place::input(1), wanted, Place::packed());
  return {DNNL_ARG_WEIGHTS, Place::packed(), wanted};
}

static void planForward(LibraryPlan &plan, const ConvolutionDescs &d,
                        const Attached &attached) {
  auto desc = forwardDesc(d, attached.attr());
  auto filter = planFilter(plan, d, desc.weights_desc());
  plan.primitives.push_back({desc,
                             {{DNNL_ARG_SRC, Place::input(0), d.x},
                              filter,
                              {DNNL_ARG_DST, Place::output(), d.y}}});
  attached.addArguments(plan.primitives.back());
}

/// Returns, for a convolution of images without groups and strides, the
/// convolution of the cotangent with the filter rotated by half a turn, inputs
/// and outputs exchanged. Returns nothing if padding exceeds the reach of a
/// window.
static std::optional<dnnl::convolution_forward::primitive_desc>
turnedDesc(const ConvolutionDescs &d, const dnnl::primitive_attr &attr) {
  memory::dims filter = d.plainFilter.dims();
  std::array<memory::dims, 2> padding = {d.paddingBegin, d.paddingEnd};
  for (memory::dims &side : padding)
    for (size_t i = 0; i < 2; ++i) {
      side[i] = (filter[2 + i] - 1) * (d.dilations[i] + 1) - side[i];
      if (side[i] < 0)
        return std::nullopt;
    }
  std::swap(filter[0], filter[1]);
  memory::desc any(filter, d.plainFilter.data_type(), memory::format_tag::any);
  dnnl::convolution_forward::desc desc(
      dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct,
      d.y, any, d.x, d.strides, d.dilations, padding[0], padding[1]);
  return avoidAllocation(
      dnnl::convolution_forward::primitive_desc(desc, attr, cpuEngine()));
}

/// Adds the reorders of the filter to `wanted`, rotated, position by position.
static void planTurnedFilter(LibraryPlan &plan, const ConvolutionDescs &d,
                             const memory::desc &wanted) {
  memory::dims turned = wanted.dims(), strides = {1, 0, 0, 0};
  int64_t inputs = turned[0], height = turned[2], width = turned[3];
  strides[1] = height * width * inputs;
  turned[2] = turned[3] = 1;
  for (int64_t h = 0; h < height; ++h)
    for (int64_t w = 0; w < width; ++w) {
      memory::desc from(turned, wanted.data_type(), strides);
      from.data.offset0 = (h * width + w) * inputs;
      int64_t toH = height - 1 - h, toW = width - 1 - w;
      planReorder(plan, from, Place::input(1),
                  wanted.submemory_desc(turned, {0, 0, toH, toW}),
                  Place::packed());
    }
}

/// Returns true if the gradient of the input is faster as a convolution: oneDNN
/// 2.6.3 has kernels of blocked products for f32 only forward, which take 5 to
/// 40% less time (ResNet-50, batch 8, AVX-512). If the image is larger than the
/// cotangent, they multiply padding (7x7 unpadded on 7x7: three times as long);
/// few channels leave their blocks empty; and each position of a window is a
/// reorder of its own.
static bool isFasterTurned(const ConvolutionDescs &d) {
  constexpr int64_t kLeastChannels = 16, kMostPositions = 16;
  memory::dims filter = d.plainFilter.dims();
  if (d.plainFilter.data_type() != memory::data_type::f32 ||
      filter.size() != 4 || d.strides != memory::dims{1, 1} ||
      std::min(filter[0], filter[1]) < kLeastChannels ||
      filter[2] > kMostPositions || filter[3] > kMostPositions ||
      filter[2] * filter[3] > kMostPositions)
    return false;
  memory::dims x = d.x.dims(), y = d.y.dims();
  return y[2] >= x[2] && y[3] >= x[3];
}

/// Plans the gradient of the input as a convolution. Returns false, and plans
/// nothing, if that is not faster or not available.
static bool planTurned(LibraryPlan &plan, const ConvolutionDescs &d,
                       const Attached &attached) {
  if (!isFasterTurned(d))
    return false;
  auto desc = turnedDesc(d, attached.attr());
  if (!desc || !std::strstr(desc->impl_info_str(), "brgconv"))
    return false;
  memory::desc filter = desc->weights_desc();
  planTurnedFilter(plan, d, filter);
  plan.primitives.push_back({*desc,
                             {{DNNL_ARG_SRC, Place::input(0), d.y},
                              {DNNL_ARG_WEIGHTS, Place::packed(), filter},
                              {DNNL_ARG_DST, Place::output(), d.x}}});
  return true;
}

/// If the call adds to the result in place, only by a convolution: throws
/// dnnl::error if there is none.
static void planInputGrad(LibraryPlan &plan, const ConvolutionDescs &d,
                          const Attached &attached) {
  if (planTurned(plan, d, attached))
    return;
  if (attached.onResult)
    throw dnnl::error(dnnl_unimplemented, "its kernels add to nothing");
  dnnl::convolution_backward_data::desc operation(
      dnnl::algorithm::convolution_direct, d.x, d.anyFilter, d.y, d.strides,
      d.dilations, d.paddingBegin, d.paddingEnd);
  auto desc = avoidAllocation(dnnl::convolution_backward_data::primitive_desc(
      operation, userScratchpad(), cpuEngine(), forwardDesc(d)));
  auto filter = planFilter(plan, d, desc.weights_desc());
  plan.primitives.push_back({desc,
                             {{DNNL_ARG_DIFF_DST, Place::input(0), d.y},
                              filter,
                              {DNNL_ARG_DIFF_SRC, Place::output(), d.x}}});
}

/// Returns true for oneDNN's kernel of 1x1 filters if a stride makes it copy
/// its input: with channels that don't fill its blocks it writes past the copy,
/// and the result is wrong (oneDNN's issue 6035).
static bool writesPastItsCopy(const dnnl::primitive_desc_base &desc,
                              const ConvolutionDescs &d) {
  constexpr int64_t block = 16; // of floats, at most
  memory::dims filter = d.plainFilter.dims();
  int64_t channels = filter[filter.size() - d.strides.size() - 1];
  bool isStrided = std::any_of(d.strides.begin(), d.strides.end(),
                               [](int64_t stride) { return stride > 1; });
  return isStrided && channels % block != 0 &&
         std::strstr(desc.impl_info_str(), "jit_1x1") != nullptr;
}

/// Returns the blocks of a filter's gradient if they can be reordered in place.
static std::optional<FilterBlocks> blocksOf(const memory::desc &filter) {
  memory::dims dims = filter.dims();
  constexpr int64_t n = FilterBlocks::kBlock;
  if (dims.size() != 4 || dims[0] % n || dims[1] % n ||
      filter != memory::desc(dims, memory::data_type::f32,
                             memory::format_tag::OIhw16i16o))
    return std::nullopt;
  FilterBlocks blocks;
  blocks.outputs = dims[0];
  blocks.inputs = dims[1];
  blocks.window = dims[2] * dims[3];
  return blocks;
}

static void planFilterGrad(LibraryPlan &plan, const ConvolutionDescs &d) {
  dnnl::convolution_backward_weights::desc operation(
      dnnl::algorithm::convolution_direct, d.x, d.anyFilter, d.y, d.strides,
      d.dilations, d.paddingBegin, d.paddingEnd);
  auto forward = forwardDesc(d); // next_impl() reads it
  dnnl::convolution_backward_weights::primitive_desc first(
      operation, userScratchpad(), cpuEngine(), forward);
  while (writesPastItsCopy(first, d))
    if (!first.next_impl())
      throw dnnl::error(dnnl_unimplemented, "no sound implementation");
  auto desc = avoidAllocation(first);
  memory::desc packed = desc.diff_weights_desc();
  plan.blocks = blocksOf(packed);
  bool pack = packed != d.plainFilter && !plan.blocks;
  plan.primitives.push_back(
      {desc,
       {{DNNL_ARG_SRC, Place::input(0), d.x},
        {DNNL_ARG_DIFF_DST, Place::input(1), d.y},
        {DNNL_ARG_DIFF_WEIGHTS, pack ? Place::packed() : Place::output(),
         packed}}});
  if (pack)
    planReorder(plan, packed, Place::packed(), d.plainFilter, Place::output());
}

static uint64_t align64(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

void layOutWorkspace(LibraryPlan &plan, unsigned threads) {
  uint64_t packed = plan.blocks ? plan.blocks->scratchBytes(threads) : 0;
  uint64_t rows = 0, scratchpad = 0, product = 0;
  for (PlannedPrimitive &p : plan.primitives) {
    for (PlannedPrimitive::Argument &a : p.arguments) {
      if (a.place.kind == Place::Kind::Packed)
        packed = std::max<uint64_t>(packed, a.place.offset + a.desc.get_size());
      if (a.place.kind == Place::Kind::Rows)
        rows = std::max<uint64_t>(rows, a.desc.get_size());
      if (a.place.kind == Place::Kind::Output && plan.hasProduct) {
        a.place = Place::product(); // whole, like everything but f32
        product = a.desc.get_size();
      }
    }
    memory::desc scratch = p.desc.query_md(dnnl::query::scratchpad_md);
    if (scratch.get_size()) {
      p.arguments.push_back(
          {DNNL_ARG_SCRATCHPAD, Place::scratchpad(), scratch});
      scratchpad = std::max<uint64_t>(scratchpad, scratch.get_size());
    }
  }
  plan.rowsOffset = align64(packed);
  plan.productOffset = plan.rowsOffset + align64(rows);
  plan.scratchpadOffset = plan.productOffset + align64(product);
  plan.info.workspaceBytes = plan.scratchpadOffset + align64(scratchpad);
  if (plan.cleared)
    plan.clearedBytes =
        plan.cleared->kind == Place::Kind::Packed ? packed : scratchpad;
}

/// Returns the one epilogue of a call that addsToGradient, if it has it.
static Attached attachToGradient(const LibraryCallDesc &call) {
  Attached attached;
  attached.onResult = !call.epilogues.empty();
  return attached;
}

/// Returns the additions among a call's epilogues as post-ops; `shape` returns
/// oneDNN's description of an operand of the result's rank.
template <typename Shape>
static Attached attachSums(const LibraryCallDesc &call, Shape shape) {
  Attached attached;
  unsigned input = functionOf(call).inputs;
  for (Epilogue epilogue : call.epilogues) {
    TensorDesc operand = call.inputs[input];
    operand.shape.assign(call.outputs[0].shape.size() - 1, 1);
    operand.shape.push_back(call.outputs[0].shape.back());
    if (epilogue == Epilogue::Add)
      operand.shape = call.outputs[0].shape;
    operand.strides.clear();
    memory::desc desc = shape(operand);
    attached.sums.push_back({Place::input(input++), desc});
  }
  return attached;
}

/// Names the kernels in order; of a product in parts, each one once.
static void nameImplementation(LibraryPlan &plan) {
  std::vector<std::string> names;
  for (const PlannedPrimitive &p : plan.primitives) {
    std::string name = p.desc.impl_info_str();
    bool isNew = std::find(names.begin(), names.end(), name) == names.end();
    if (plan.parts == 1 || isNew)
      names.push_back(name);
  }
  std::string &all = plan.info.implementation;
  for (const std::string &name : names)
    all += (all.empty() ? "" : ", ") + name;
  if (plan.parts > 1)
    all += ", in " + std::to_string(plan.parts) + " parts";
  if (plan.blocks)
    all += ", turned in place";
}

static void planConvolution(LibraryPlan &plan, const LibraryCallDesc &call) {
  switch (*convolutionKind(call.op)) {
  case ConvolutionKind::Forward:
    planForward(plan, describeConvolution(call), attachSums(call, activation));
    break;
  case ConvolutionKind::InputGrad:
    planInputGrad(plan, describeConvolution(call), attachToGradient(call));
    break;
  case ConvolutionKind::FilterGrad:
    if (planFilterProduct(plan, call))
      break;
    planFilterGrad(plan, describeConvolution(call));
    // Its copies of images have room for padding that it leaves uninitialized.
    if (call.inputs[0].type == RP_BF16)
      plan.cleared = Place::scratchpad();
    break;
  }
}

LibraryPlan planPrimitives(const LibraryCallDesc &call) {
  LibraryPlan plan;
  if (call.op == LibraryOp::MatMul)
    planMatMul(plan, call, attachSums(call, [](const TensorDesc &t) {
                 return matrix(t, false);
               }));
  else if (convolutionKind(call.op))
    planConvolution(plan, call);
  else
    throw dnnl::error(dnnl_unimplemented, "it has no such function");
  nameImplementation(plan);
  return plan;
}

/// Checks oneDNN's types of operands; its products support only some of them.
static Status checkElements(const LibraryCallDesc &desc) {
  for (const TensorDesc *tensor : floatTensors(desc))
    if (tensor->type != RP_F32 && tensor->type != RP_BF16)
      return Status::error(
          RP_UNAVAILABLE,
          std::string("oneDNN runs no ") + functionOf(desc).name + " of " +
              elementName(tensor->type) + " here; f32 and bf16 are possible");
  return {};
}

static LibraryPlan planTiles(const LibraryCallDesc &call, unsigned threads) {
  LibraryPlan plan;
  plan.attention =
      std::make_shared<const AttentionPlan>(planAttention(call, threads));
  plan.info.implementation = plan.attention->implementation();
  plan.info.workspaceBytes = plan.attention->workspaceBytes();
  return plan;
}

static LibraryPlan planMinimalFiltering(WinogradPlan winograd,
                                        const LibraryCallDesc &call) {
  LibraryPlan plan;
  plan.info.implementation = winograd.implementation();
  plan.info.workspaceBytes = winograd.workspaceBytes();
  plan.info.arithmetic = winograd.arithmetic();
  winograd.adds = addsToGradient(call);
  plan.winograd = std::make_shared<const WinogradPlan>(std::move(winograd));
  if (plan.winograd->adds)
    addInPlace(plan, call);
  else if (!call.epilogues.empty())
    endWithLoop(plan, call);
  return plan;
}

/// Returns true if oneDNN has a kernel for depthwise convolutions that runs the
/// call. Its other kernels compute them as groups of one channel, in blocks of
/// 8 or 16 channels.
static bool hasDepthwiseKernel(const LibraryCallDesc &call) {
  try {
    LibraryPlan plan =
        call.epilogues.empty() ? planPrimitives(call) : planWithEpilogues(call);
    return plan.info.implementation.find("dw") != std::string::npos;
  } catch (const dnnl::error &error) {
    if (error.status != dnnl_unimplemented)
      throw;
    return false;
  }
}

/// Plans a depthwise convolution that oneDNN has no kernel for. Returns nothing
/// for other calls.
static std::optional<LibraryPlan> planChannels(const LibraryCallDesc &call,
                                               unsigned threads) {
  std::optional<DepthwisePlan> depthwise = planDepthwise(call, threads);
  if (!depthwise || hasDepthwiseKernel(call))
    return std::nullopt;
  LibraryPlan plan;
  plan.info.implementation = depthwise->implementation();
  if (!call.epilogues.empty()) {
    endWithLoop(plan, call);
    depthwise->result = RP_F32;
  }
  plan.productOffset = align64(depthwise->workspaceBytes());
  plan.info.workspaceBytes = plan.productOffset;
  if (plan.hasProduct)
    plan.info.workspaceBytes +=
        align64(activation(call.outputs[0]).get_size() /
                elementBytes(call.outputs[0].type) * sizeof(float));
  plan.depthwise = std::make_shared<const DepthwisePlan>(std::move(*depthwise));
  return plan;
}

Expected<LibraryPlan> planLibraryCall(const LibraryCallDesc &desc,
                                      unsigned threads) {
  REPRISE_RETURN_IF_ERROR(verifyLibraryCall(desc));
  if (functionOf(desc).isCollective) {
    LibraryPlan plan;
    plan.collective = planCollective(desc);
    plan.info = plan.collective->info();
    return plan;
  }
  REPRISE_RETURN_IF_ERROR(checkElements(desc));
  if (threads < 1 || threads > 1024)
    return Status::error(RP_INVALID_ARGUMENT,
                         std::to_string(threads) +
                             " threads asked of the library; 1 to 1024 are "
                             "possible");
  ThreadScope scope(threads);
  try {
    if (desc.op == LibraryOp::Attention || desc.op == LibraryOp::AttentionGrad)
      return planTiles(desc, threads);
    if (std::optional<WinogradPlan> winograd = planWinograd(desc, threads))
      return planMinimalFiltering(std::move(*winograd), desc);
    if (std::optional<LibraryPlan> channels = planChannels(desc, threads))
      return std::move(*channels);
    LibraryPlan plan =
        desc.epilogues.empty() ? planPrimitives(desc) : planWithEpilogues(desc);
    layOutWorkspace(plan, threads);
    return plan;
  } catch (const dnnl::error &error) {
    if (error.status == dnnl_out_of_memory)
      return Status::error(RP_OUT_OF_MEMORY, "oneDNN ran out of memory");
    return Status::error(error.status == dnnl_unimplemented
                             ? RP_UNAVAILABLE
                             : RP_INVALID_ARGUMENT,
                         std::string("oneDNN cannot run ") +
                             functionOf(desc).name + " here: " + error.what());
  }
}

Expected<LibraryCallInfo> queryLibraryCall(const LibraryCallDesc &desc,
                                           unsigned threads) {
  REPRISE_EXPECT(plan, planLibraryCall(desc, threads));
  return plan->info;
}

} // namespace reprise::rt
