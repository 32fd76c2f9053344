//===- Windows.cpp - Windows of images and volumes ------------------------===//

#include "Windows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

static int64_t product(llvm::ArrayRef<int64_t> factors) {
  int64_t result = 1;
  for (int64_t factor : factors)
    result *= factor;
  return result;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

bool WindowGrid::isShifted() const {
  return llvm::any_of(shift, [](int64_t by) { return by > 0; });
}

int64_t WindowGrid::count() const { return product(padded) / tokens(); }

int64_t WindowGrid::tokens() const { return product(window); }

WindowGrid zoo::layOutWindows(llvm::ArrayRef<int64_t> extents,
                              llvm::ArrayRef<int64_t> window,
                              llvm::ArrayRef<int64_t> shift, bool adapts) {
  WindowGrid grid;
  for (size_t d = 0; d < extents.size(); ++d) {
    int64_t side = adapts ? std::min(window[d], extents[d]) : window[d];
    int64_t padded = llvm::alignTo(extents[d], side);
    grid.window.push_back(side);
    grid.padded.push_back(padded);
    grid.shift.push_back(padded > side ? shift[d] : 0);
  }
  return grid;
}

//===----------------------------------------------------------------------===//
// Partitioning and joining
//===----------------------------------------------------------------------===//

/// Returns `by`, along the dimensions of the image, as shifts of a tensor
/// (B,...,C).
static llvm::SmallVector<int64_t> ofTensor(llvm::ArrayRef<int64_t> by,
                                           int64_t sign) {
  llvm::SmallVector<int64_t> shifts = {0};
  for (int64_t one : by)
    shifts.push_back(sign * one);
  shifts.push_back(0);
  return shifts;
}

/// Returns (B, n1, w1, n2, w2, ..., C) for windows `n` of extents `w`.
static llvm::SmallVector<int64_t> interleaved(int64_t batch, int64_t channels,
                                              const WindowGrid &grid) {
  llvm::SmallVector<int64_t> shape = {batch};
  for (auto [extent, side] : llvm::zip(grid.padded, grid.window))
    shape.append({extent / side, side});
  shape.push_back(channels);
  return shape;
}

Tensor zoo::partitionWindows(const Tensor &x, const WindowGrid &grid) {
  if (!x)
    return x;
  int64_t rank = grid.window.size(), batch = x.dim(0),
          channels = x.dim(rank + 1);
  Tensor rolled = grid.isShifted() ? nn::roll(x, ofTensor(grid.shift, -1)) : x;
  llvm::SmallVector<int64_t> order = {0};
  for (int64_t d = 0; d < rank; ++d)
    order.push_back(1 + 2 * d);
  for (int64_t d = 0; d < rank; ++d)
    order.push_back(2 + 2 * d);
  order.push_back(2 * rank + 1);
  Tensor turned = nn::transpose(
      nn::reshape(rolled, interleaved(batch, channels, grid)), order);
  return nn::reshape(turned, {batch * grid.count(), grid.tokens(), channels});
}

Tensor zoo::joinWindows(const Tensor &x, int64_t batch,
                        const WindowGrid &grid) {
  if (!x)
    return x;
  int64_t rank = grid.window.size(), channels = x.dim(2);
  llvm::SmallVector<int64_t> apart = {batch}, order = {0}, whole = {batch};
  for (auto [extent, side] : llvm::zip(grid.padded, grid.window))
    apart.push_back(extent / side);
  llvm::append_range(apart, grid.window);
  llvm::append_range(whole, grid.padded);
  for (int64_t d = 0; d < rank; ++d)
    order.append({1 + d, 1 + rank + d});
  order.push_back(2 * rank + 1);
  apart.push_back(channels);
  whole.push_back(channels);
  Tensor joined =
      nn::reshape(nn::transpose(nn::reshape(x, apart), order), whole);
  return grid.isShifted() ? nn::roll(joined, ofTensor(grid.shift, 1)) : joined;
}

//===----------------------------------------------------------------------===//
// Distances and masks
//===----------------------------------------------------------------------===//

/// Returns the coordinates of element `number` of a box, row-major.
static Extents coordinates(int64_t number, llvm::ArrayRef<int64_t> box) {
  Extents at(box.size());
  for (size_t d = box.size(); d-- > 0; number /= box[d])
    at[d] = number % box[d];
  return at;
}

int64_t zoo::countDistances(llvm::ArrayRef<int64_t> window) {
  int64_t count = 1;
  for (int64_t side : window)
    count *= 2 * side - 1;
  return count;
}

std::vector<int32_t> zoo::distanceIndices(llvm::ArrayRef<int64_t> window,
                                          int64_t tokens) {
  std::vector<int32_t> indices;
  indices.reserve(tokens * tokens);
  for (int64_t i = 0; i < tokens; ++i) {
    Extents from = coordinates(i, window);
    for (int64_t j = 0; j < tokens; ++j) {
      Extents to = coordinates(j, window);
      int64_t index = 0;
      for (size_t d = 0; d < window.size(); ++d)
        index = index * (2 * window[d] - 1) + from[d] - to[d] + window[d] - 1;
      indices.push_back(static_cast<int32_t>(index));
    }
  }
  return indices;
}

/// Returns the part of an element along one dimension, among the parts that a
/// shift brings together: 0 before the last window, 1 in it, 2 after the seam.
static int32_t partOf(int64_t at, int64_t padded, int64_t side, int64_t shift) {
  if (shift == 0)
    return 0;
  return at < padded - side ? 0 : at < padded - shift ? 1 : 2;
}

std::vector<int32_t> zoo::partsOfImage(const WindowGrid &grid) {
  Extents counts;
  for (auto [extent, side] : llvm::zip(grid.padded, grid.window))
    counts.push_back(extent / side);
  std::vector<int32_t> parts;
  parts.reserve(grid.count() * grid.tokens());
  for (int64_t window = 0; window < grid.count(); ++window) {
    Extents corner = coordinates(window, counts);
    for (int64_t token = 0; token < grid.tokens(); ++token) {
      Extents at = coordinates(token, grid.window);
      int32_t part = 0;
      for (size_t d = 0; d < at.size(); ++d)
        part = part * 3 + partOf(corner[d] * grid.window[d] + at[d],
                                 grid.padded[d], grid.window[d], grid.shift[d]);
      parts.push_back(part);
    }
  }
  return parts;
}

//===----------------------------------------------------------------------===//
// Patches
//===----------------------------------------------------------------------===//

Tensor zoo::mergeNeighbours(const Tensor &x) {
  if (!x)
    return x;
  int64_t rank = x.getType().getRank();
  llvm::SmallVector<int64_t> padded(
      x.getType().getShape().drop_front().drop_back());
  for (int64_t &extent : llvm::MutableArrayRef(padded).take_back(2))
    extent = llvm::alignTo(extent, 2);
  Tensor even = nn::padTo(x, padded);
  // (...,H/2,2,W/2,2,C) to (...,H/2,W/2,2 of W,2 of H,C).
  llvm::SmallVector<int64_t> apart(even.getType().getShape().drop_back(3));
  int64_t lead = apart.size();
  int64_t height = even.dim(rank - 3) / 2, width = even.dim(rank - 2) / 2;
  llvm::SmallVector<int64_t> merged(apart);
  apart.append({height, 2, width, 2, x.dim(rank - 1)});
  merged.append({height, width, 4 * x.dim(rank - 1)});
  llvm::SmallVector<int64_t> order;
  for (int64_t d = 0; d < lead; ++d)
    order.push_back(d);
  order.append({lead, lead + 2, lead + 3, lead + 1, lead + 4});
  return nn::reshape(nn::transpose(nn::reshape(even, apart), order), merged);
}

/// A linear layer whose weight has the layout of a convolution's.
class VolumePatches::Projection : public nn::Module {
public:
  Projection(int64_t in, int64_t out, std::array<int64_t, 3> patch)
      : columns(in * product(patch)) {
    nn::LinearInit init = nn::LinearInit::uniform(columns);
    nn::VariableSpec weight =
        init.weight.variable("weight", {out, patch[0], patch[1], patch[2], in});
    weight.filePermutation = {0, 4, 1, 2, 3};
    registerVariable(std::move(weight));
    registerVariable(init.bias->variable("bias", {out}));
  }

protected:
  Tensor forward(Tensor x) override {
    Tensor weight = read(x.getTrace(), "weight");
    Tensor matrix = nn::reshape(weight, {weight.dim(0), columns});
    return nn::addTrailing(nn::linear(x, matrix), read(x.getTrace(), "bias"));
  }

private:
  int64_t columns;
};

VolumePatches::VolumePatches(int64_t in, int64_t out,
                             std::array<int64_t, 3> patch)
    : patch(patch), proj(add<Projection>("proj", in, out, patch)),
      norm(add<nn::LayerNorm>("norm", out, 1e-5)) {}

Tensor VolumePatches::forward(Tensor x) {
  if (!x)
    return x;
  WindowGrid grid = layOutWindows(x.getType().getShape().slice(1, 3), patch,
                                  {0, 0, 0}, /*adapts=*/false);
  Tensor cut = partitionWindows(nn::padTo(x, grid.padded), grid);
  Tensor rows = nn::reshape(
      cut, {x.dim(0), grid.padded[0] / patch[0], grid.padded[1] / patch[1],
            grid.padded[2] / patch[2], grid.tokens() * x.dim(4)});
  return norm(proj(rows));
}
