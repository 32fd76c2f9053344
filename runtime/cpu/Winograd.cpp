//===- Winograd.cpp - Convolutions by minimal filtering -------------------===//
//
// Input:   a checked call; its operands and a workspace.
// Output:  a convolution, or a gradient of one.
// Method:  see the header; the transforms are in WinogradRows.cpp.
// Cost:    4/9 of the multiplications of a direct convolution, more where tiles
//          reach beyond the result; writing and reading four times the bytes of
//          image and result, and 16/9 of the filter's.
// Fails:   where oneDNN's kernels fail.
//
//===----------------------------------------------------------------------===//
#include "Winograd.h"
#include "AttentionRows.h"
#include "LibraryCalls.h"
#include "ThreadScope.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace reprise::rt {

using dnnl::memory;

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// The largest number of tiles of a block. Each block reads the whole
/// transformed filter, so that small ones are slow with many channels (with
/// 512, 32 tiles take 1.5 times as long); with more tiles the transformed ones
/// leave the caches.
static constexpr int64_t kMostTiles = 98;
/// Below these limits the transforms, or reading the transformed filter, take
/// as long as the saved multiplications (oneDNN 2.6.3, AVX-512).
static constexpr int64_t kLeastChannels = 32, kLeastTiles = 256,
                         kLeastTilesOfMember = 32;

/// Tiles of images with odd or few pixels compute unused results: 512 channels
/// at 7x7, with 0.58, take as long as the direct convolution.
static constexpr double kMostArithmetic = 0.55;

static bool isOfFloats(const LibraryCallDesc &call) {
  return call.inputs[0].type == RP_F32 && call.inputs[1].type == RP_F32 &&
         call.outputs[0].type == RP_F32;
}

static bool hasPlainWindows(const std::vector<int64_t> &filter,
                            const std::vector<int64_t> &p) {
  bool isDense = p[0] == 1 && p[1] == 1 && p[6] == 1 && p[7] == 1 && p[8] == 1;
  return isDense && filter[1] == 3 && filter[2] == 3;
}

static WinogradPlan::Plane planeOf(const TensorDesc &t) {
  return {t.shape[1], t.shape[2], t.shape[3]};
}

static std::optional<WinogradPlan> describe(const LibraryCallDesc &call) {
  using Kind = WinogradPlan::Kind;
  Kind kind;
  switch (call.op) {
  case LibraryOp::Conv2D:
    kind = Kind::Result;
    break;
  case LibraryOp::Conv2DInputGrad:
    kind = Kind::InputGradient;
    break;
  case LibraryOp::Conv2DFilterGrad:
    kind = Kind::FilterGradient;
    break;
  default:
    return std::nullopt;
  }
  bool isFilter = kind == Kind::FilterGradient;
  const TensorDesc &filter = isFilter ? call.outputs[0] : call.inputs[1];
  if (!isOfFloats(call) || !hasPlainWindows(filter.shape, call.ints))
    return std::nullopt;
  WinogradPlan plan;
  plan.kind = kind;
  plan.batch = call.inputs[0].shape[0];
  plan.image = planeOf(call.inputs[0]);
  plan.result = planeOf(isFilter ? call.inputs[1] : call.outputs[0]);
  plan.top = call.ints[2];
  plan.left = call.ints[4];
  if (kind == Kind::InputGradient) {
    plan.top = 2 - plan.top;
    plan.left = 2 - plan.left;
  }
  return plan;
}

static bool isFaster(const WinogradPlan &plan, unsigned threads) {
  int64_t image = plan.image.channels, result = plan.result.channels;
  int64_t tiles = std::max(kLeastTiles, kLeastTilesOfMember * int64_t(threads));
  return std::min(image, result) >= kLeastChannels &&
         image % kWinogradLanes == 0 && result % kWinogradLanes == 0 &&
         plan.tiles() >= tiles && plan.arithmetic() <= kMostArithmetic;
}

static dnnl::matmul::primitive_desc planProduct(const WinogradPlan &plan,
                                                int64_t tiles) {
  constexpr auto f32 = memory::data_type::f32;
  int64_t image = plan.image.channels, result = plan.result.channels;
  if (plan.kind != WinogradPlan::Kind::FilterGradient)
    return rt::planProduct(matrices(kWinogradNumbers, tiles, image, f32),
                           matrices(kWinogradNumbers, image, result, f32),
                           matrices(kWinogradNumbers, tiles, result, f32));
  int64_t outputs = plan.partOutputs();
  return rt::planProduct(matrices(kWinogradRows, outputs, tiles, f32, true),
                         matrices(kWinogradRows, tiles, image, f32),
                         matrices(kWinogradRows, outputs, image, f32));
}

/// Returns the number of parts for which the slowest member has the least work.
/// Transforming the image once more costs as much as some outputs of a tile.
static int64_t partsFor(const WinogradPlan &plan, unsigned threads) {
  constexpr int64_t kTransform = 12;
  int64_t groups = plan.result.channels / kWinogradLanes, best = 1;
  auto time = [&](int64_t parts) {
    int64_t rounds = (kWinogradRows * parts + threads - 1) / threads;
    return rounds * (plan.result.channels / parts + kTransform);
  };
  for (int64_t parts = 2; parts <= groups; ++parts)
    if (groups % parts == 0 && time(parts) < time(best))
      best = parts;
  return best;
}

/// Sets members and blocks.
static void cut(WinogradPlan &plan, unsigned threads) {
  bool isFilter = plan.kind == WinogradPlan::Kind::FilterGradient;
  if (isFilter)
    plan.parts = partsFor(plan, threads);
  // The bits of a filter's gradient depend on its blocks.
  int64_t share =
      isFilter ? plan.tiles() : (plan.tiles() + threads - 1) / threads;
  int64_t blocks = (share + kMostTiles - 1) / kMostTiles;
  plan.block = (share + blocks - 1) / blocks;
  plan.members = unsigned(
      std::min<int64_t>(threads, isFilter ? plan.units() : plan.blocks()));
}

static WinogradPlan::Layout layOut(const WinogradPlan &plan) {
  WinogradPlan::Layout at;
  auto align = [](uint64_t bytes) { return (bytes + 63) / 64 * 64; };
  auto take = [&](uint64_t bytes) {
    uint64_t begin = at.bytes;
    at.bytes += align(bytes);
    return begin;
  };
  bool isFilter = plan.kind == WinogradPlan::Kind::FilterGradient;
  int64_t image = plan.image.channels, result = plan.result.channels;
  uint64_t numbers = isFilter ? kWinogradRows : kWinogradNumbers;
  uint64_t outputs = isFilter ? plan.partOutputs() : result;
  at.members = align(4 * uint64_t(kWinogradNumbers * image * result));
  at.zeros = take(4 * uint64_t(std::max(image, result)));
  at.image = take(4 * numbers * uint64_t(plan.block * image));
  at.other = take(4 * numbers * uint64_t(plan.block) * outputs);
  if (isFilter && plan.blocks() > 1)
    at.sums = take(4 * numbers * outputs * uint64_t(image));
  uint64_t scratchpad = 0;
  for (const WinogradPlan::Product &product : plan.products)
    scratchpad = std::max<uint64_t>(scratchpad,
                                    product.desc.scratchpad_desc().get_size());
  at.scratchpad = take(scratchpad);
  return at;
}

std::optional<WinogradPlan> planWinograd(const LibraryCallDesc &call,
                                         unsigned threads) {
  std::optional<WinogradPlan> plan = describe(call);
  if (!plan || !isFaster(*plan, threads))
    return std::nullopt;
  cut(*plan, threads);
  // Each product runs on its calling thread.
  ThreadScope alone(1);
  plan->products.push_back({plan->block, planProduct(*plan, plan->block)});
  if (int64_t rest = plan->tiles() % plan->block)
    plan->products.push_back({rest, planProduct(*plan, rest)});
  for (const WinogradPlan::Product &product : plan->products)
    if (allocates(product.desc))
      return std::nullopt;
  plan->layout = layOut(*plan);
  return plan;
}

std::string WinogradPlan::implementation() const {
  std::string text =
      "minimal filtering, " + std::to_string(block) + " tiles of 2x2:";
  for (const Product &product : products)
    text += std::string(" ") + product.desc.impl_info_str();
  return text;
}

std::vector<dnnl::matmul> generateProducts(const WinogradPlan &plan) {
  // One thread, as planned: oneDNN's cache distinguishes code by the number of
  // threads, and its descriptions refer to attributes of those they were copied
  // from.
  ThreadScope alone(1);
  std::vector<dnnl::matmul> products;
  for (const WinogradPlan::Product &product : plan.products)
    products.emplace_back(product.desc);
  return products;
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

char *BoundWinograd::memberBase(unsigned member) const {
  return workspace + plan.layout.members + member * plan.layout.bytes;
}

/// Returns a block's rows of the transformed gradient.
float *BoundWinograd::sumsOf(unsigned member) const {
  return reinterpret_cast<float *>(memberBase(member) + plan.layout.sums);
}

/// Returns the rows of the transformed gradient that a unit accumulates.
float *BoundWinograd::formOf(int64_t unit) const {
  return reinterpret_cast<float *>(workspace) +
         unit * kWinogradRows * plan.partOutputs() * plan.image.channels;
}

/// `form`: the second operand, or the result of a filter gradient's product.
BoundPrimitive BoundWinograd::bind(const dnnl::matmul &code, size_t number,
                                   unsigned member, float *form) {
  const WinogradPlan::Layout &at = plan.layout;
  const dnnl::matmul::primitive_desc &desc = plan.products[number].desc;
  char *base = memberBase(member);
  char *image = base + at.image, *other = base + at.other,
       *filter = reinterpret_cast<char *>(form);
  BoundPrimitive product{code};
  bool isFilter = plan.kind == WinogradPlan::Kind::FilterGradient;
  product.add(DNNL_ARG_SRC, desc.src_desc(), isFilter ? other : image);
  product.add(DNNL_ARG_WEIGHTS, desc.weights_desc(), isFilter ? image : filter);
  product.add(DNNL_ARG_DST, desc.dst_desc(), isFilter ? filter : other);
  product.addScratchpad(desc.scratchpad_desc(), base + at.scratchpad);
  return product;
}

BoundWinograd::BoundWinograd(const WinogradPlan &plan,
                             const std::vector<dnnl::matmul> &codes,
                             const std::vector<void *> &inputs, void *output,
                             void *workspace)
    : plan(plan), image(static_cast<const float *>(inputs[0])),
      other(static_cast<const float *>(inputs[1])),
      output(static_cast<float *>(output)),
      workspace(static_cast<char *>(workspace)),
      statuses(plan.members, dnnl_success) {
  bool isFilter = plan.kind == WinogradPlan::Kind::FilterGradient;
  for (unsigned member = 0; member < plan.members; ++member) {
    std::vector<BoundPrimitive> &own = products.emplace_back();
    for (size_t i = 0; i < codes.size(); ++i)
      own.push_back(
          bind(codes[i], i, member, isFilter ? sumsOf(member) : formOf(0)));
  }
  if (isFilter)
    for (int64_t unit = 0; unit < plan.units(); ++unit)
      firsts.push_back(
          bind(codes[0], 0, unsigned(unit % plan.members), formOf(unit)));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {
/// Tiles in the order of their pixels.
struct Tile {
  const WinogradPlan &plan;
  int64_t sample, down, across;

  Tile(const WinogradPlan &plan, int64_t number)
      : plan(plan), sample(number / plan.tilesAcross() / plan.tilesDown()),
        down(number / plan.tilesAcross() % plan.tilesDown()),
        across(number % plan.tilesAcross()) {}

  void next() {
    if (++across < plan.tilesAcross())
      return;
    across = 0;
    if (++down < plan.tilesDown())
      return;
    down = 0;
    ++sample;
  }

  /// Returns pixel (y, x) of this sample, or null outside.
  template <typename T>
  T *pixel(T *tensor, const WinogradPlan::Plane &plane, int64_t y,
           int64_t x) const {
    if (y < 0 || y >= plane.height || x < 0 || x >= plane.width)
      return nullptr;
    return tensor +
           ((sample * plane.height + y) * plane.width + x) * plane.channels;
  }
};
} // namespace

/// Transforms all rows if `row` is negative.
void BoundWinograd::loadImages(unsigned member, int row, int64_t first,
                               int64_t count) {
  char *base = memberBase(member);
  auto *zeros = reinterpret_cast<const float *>(base + plan.layout.zeros);
  int64_t channels = plan.image.channels;
  WinogradForm form{reinterpret_cast<float *>(base + plan.layout.image),
                    count * channels};
  Tile tile(plan, first);
  for (int64_t i = 0; i < count; ++i, tile.next(), form.numbers += channels) {
    std::array<const float *, 16> pixels;
    for (int64_t p = 0; p < 16; ++p) {
      const float *pixel =
          tile.pixel(image, plan.image, 2 * tile.down + p / 4 - plan.top,
                     2 * tile.across + p % 4 - plan.left);
      pixels[size_t(p)] = pixel ? pixel : zeros;
    }
    transformImage(pixels.data(), row, form, channels);
  }
}

void BoundWinograd::loadCotangents(unsigned member, int64_t unit, int64_t first,
                                   int64_t count) {
  char *base = memberBase(member);
  auto *zeros = reinterpret_cast<const float *>(base + plan.layout.zeros);
  int64_t outputs = plan.partOutputs(), part = unit / kWinogradRows;
  WinogradForm form{reinterpret_cast<float *>(base + plan.layout.other),
                    count * outputs};
  Tile tile(plan, first);
  for (int64_t i = 0; i < count; ++i, tile.next(), form.numbers += outputs) {
    std::array<const float *, 4> pixels;
    for (int64_t p = 0; p < 4; ++p) {
      const float *pixel = tile.pixel(other, plan.result, 2 * tile.down + p / 2,
                                      2 * tile.across + p % 2);
      pixels[size_t(p)] = pixel ? pixel + part * outputs : zeros;
    }
    transformCotangent(pixels.data(), int(unit % kWinogradRows), form, outputs);
  }
}

void BoundWinograd::storeResults(unsigned member, int64_t first,
                                 int64_t count) {
  int64_t channels = plan.result.channels;
  WinogradForm form{
      reinterpret_cast<float *>(memberBase(member) + plan.layout.other),
      count * channels};
  Tile tile(plan, first);
  for (int64_t i = 0; i < count; ++i, tile.next(), form.numbers += channels) {
    std::array<float *, 4> pixels;
    for (int64_t p = 0; p < 4; ++p)
      pixels[size_t(p)] = tile.pixel(output, plan.result, 2 * tile.down + p / 2,
                                     2 * tile.across + p % 2);
    bool adds = plan.adds;
    transformBack(form, adds, pixels.data(), channels);
  }
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

void BoundWinograd::execute(unsigned member, const BoundPrimitive &product,
                            dnnl::stream &stream) {
  dnnl_status_t status = product.execute(stream);
  if (status != dnnl_success)
    statuses[member] = status;
}

/// Returns the usual product, or that of the remaining tiles.
BoundPrimitive &BoundWinograd::productOf(unsigned member, int64_t count) {
  return products[member][count == plan.block ? 0 : 1];
}

/// Returns a member's share of `count`.
static std::pair<int64_t, int64_t> shareOf(int64_t count, unsigned member,
                                           unsigned members) {
  return {count * member / members, count * (member + 1) / members};
}

/// Transforms a member's groups of 16 outputs of the filter.
void BoundWinograd::transformGroups(unsigned member) {
  bool isTurned = plan.kind == WinogradPlan::Kind::InputGradient;
  // The extents of the filter: (outputs,3,3,inputs).
  int64_t inputs = isTurned ? plan.result.channels : plan.image.channels;
  int64_t outputs = isTurned ? plan.image.channels : plan.result.channels;
  WinogradForm form{formOf(0), inputs * outputs};
  auto [begin, end] = shareOf(outputs / kWinogradLanes, member, plan.members);
  begin *= kWinogradLanes;
  end *= kWinogradLanes;
  if (!isTurned)
    return transformFilters(other + begin * 9 * inputs, end - begin, inputs,
                            outputs, {form.numbers + begin, form.step});
  for (int64_t o = begin; o < end; ++o)
    transformTurned(other + o * 9 * inputs, inputs,
                    {form.numbers + o * inputs, form.step});
}

void BoundWinograd::multiplyBlocks(unsigned member, dnnl::stream &stream) {
  auto [begin, end] = shareOf(plan.blocks(), member, plan.members);
  std::memset(memberBase(member) + plan.layout.zeros, 0,
              size_t(4 * plan.image.channels));
  for (int64_t block = begin; block < end; ++block) {
    int64_t first = block * plan.block;
    int64_t count = std::min(plan.block, plan.tiles() - first);
    loadImages(member, -1, first, count);
    execute(member, productOf(member, count), stream);
    storeResults(member, first, count);
  }
}

void BoundWinograd::addUnits(unsigned member, dnnl::stream &stream) {
  std::memset(memberBase(member) + plan.layout.zeros, 0,
              size_t(4 * std::max(plan.image.channels, plan.result.channels)));
  // Added here rather than by oneDNN: its cache may return an accumulating
  // product that refers to destroyed attributes (2.6.3).
  int64_t elements = kWinogradRows * plan.partOutputs() * plan.image.channels;
  for (int64_t first = 0; first < plan.tiles(); first += plan.block) {
    int64_t count = std::min(plan.block, plan.tiles() - first);
    // The units of a member read the same pixels.
    for (int64_t unit = member; unit < plan.units(); unit += plan.members) {
      loadImages(member, int(unit % kWinogradRows), first, count);
      loadCotangents(member, unit, first, count);
      if (first == 0) {
        execute(member, firsts[size_t(unit)], stream);
        continue;
      }
      execute(member, productOf(member, count), stream);
      addRow(sumsOf(member), formOf(unit), elements);
    }
  }
}

void BoundWinograd::transformGradients(unsigned member) {
  int64_t inputs = plan.image.channels, outputs = plan.partOutputs();
  auto [begin, end] = shareOf(plan.result.channels, member, plan.members);
  for (int64_t o = begin; o < end; ++o) {
    float *form = formOf(o / outputs * kWinogradRows) + o % outputs * inputs;
    transformFilterBack({form, outputs * inputs}, inputs,
                        output + o * 9 * inputs);
  }
}

template <void (BoundWinograd::*Work)(unsigned)>
void BoundWinograd::onMembers() {
  ThreadScope::runMembers(
      [](void *context, unsigned member) {
        (static_cast<BoundWinograd *>(context)->*Work)(member);
      },
      this, plan.members);
}

template <void (BoundWinograd::*Work)(unsigned, dnnl::stream &)>
void BoundWinograd::onMembers(dnnl::stream &stream) {
  std::pair<BoundWinograd *, dnnl::stream *> call{this, &stream};
  ThreadScope::runMembers(
      [](void *context, unsigned member) {
        auto &[self, stream] = *static_cast<decltype(call) *>(context);
        (self->*Work)(member, *stream);
      },
      &call, plan.members);
}

Status BoundWinograd::run(dnnl::stream &stream) {
  std::fill(statuses.begin(), statuses.end(), dnnl_success);
  if (plan.kind == WinogradPlan::Kind::FilterGradient) {
    onMembers<&BoundWinograd::addUnits>(stream);
    onMembers<&BoundWinograd::transformGradients>();
  } else {
    onMembers<&BoundWinograd::transformGroups>();
    onMembers<&BoundWinograd::multiplyBlocks>(stream);
  }
  for (dnnl_status_t status : statuses)
    REPRISE_RETURN_IF_ERROR(statusOf(status));
  return {};
}

} // namespace reprise::rt
