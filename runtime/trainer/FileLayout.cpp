//===- FileLayout.cpp - Convert between program and file layouts ----------===//
//
// One loop in file order over both directions: an odometer over the outer file
// dimensions, a strided run over the innermost.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/FileLayout.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include <cstring>

using namespace reprise::rt;

namespace {

/// Element strides of the program's layout, in the order of file dimensions.
struct Walk {
  std::vector<int64_t> shape, strides;
};

} // namespace

static Walk walkOf(const TensorInfo &variable) {
  size_t rank = variable.shape.size();
  std::vector<int64_t> dense(rank);
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0;) {
    dense[i] = stride;
    stride *= variable.shape[i];
  }
  Walk walk;
  for (size_t i = 0; i < rank; ++i) {
    size_t from =
        variable.filePermutation.empty() ? i : variable.filePermutation[i];
    walk.shape.push_back(variable.shape[from]);
    walk.strides.push_back(dense[from]);
  }
  return walk;
}

/// Calls visit(file index, program index) for every element in file order.
template <typename Visit> static void forEach(const Walk &walk, Visit visit) {
  size_t rank = walk.shape.size();
  for (int64_t size : walk.shape)
    if (size == 0)
      return;
  int64_t inner = rank ? walk.shape[rank - 1] : 1;
  int64_t innerStride = rank ? walk.strides[rank - 1] : 0;
  std::vector<int64_t> at(rank, 0);
  size_t file = 0;
  while (true) {
    int64_t base = 0;
    for (size_t i = 0; i + 1 < rank; ++i)
      base += at[i] * walk.strides[i];
    for (int64_t i = 0; i < inner; ++i)
      visit(file++, size_t(base + i * innerStride));
    size_t dim = rank ? rank - 1 : 0;
    while (dim > 0 && ++at[dim - 1] == walk.shape[dim - 1])
      at[--dim] = 0;
    if (dim == 0)
      return;
  }
}

template <typename T>
static void permute(const Walk &walk, bool toFile, const void *from, void *to) {
  const T *source = static_cast<const T *>(from);
  T *target = static_cast<T *>(to);
  if (toFile)
    forEach(walk, [&](size_t f, size_t p) { target[f] = source[p]; });
  else
    forEach(walk, [&](size_t f, size_t p) { target[p] = source[f]; });
}

static void copyLayout(const TensorInfo &variable, bool toFile,
                       const void *from, void *to) {
  if (variable.bytes == 0)
    return;
  if (variable.filePermutation.empty()) {
    std::memcpy(to, from, variable.bytes);
    return;
  }
  Walk walk = walkOf(variable);
  switch (dtypeBytes(dtypeOf(variable.type))) {
  case 1:
    return permute<uint8_t>(walk, toFile, from, to);
  case 2:
    return permute<uint16_t>(walk, toFile, from, to);
  case 4:
    return permute<uint32_t>(walk, toFile, from, to);
  default:
    return permute<uint64_t>(walk, toFile, from, to);
  }
}

Expected<std::vector<int64_t>>
reprise::rt::fileShape(const TensorInfo &variable) {
  uint64_t bytes = dtypeBytes(dtypeOf(variable.type));
  for (int64_t size : variable.shape)
    if (size < 0 || __builtin_mul_overflow(bytes, uint64_t(size), &bytes))
      return Status::error(RP_INVALID_ARGUMENT,
                           "variable '" + variable.name + "' has the shape " +
                               formatShape(variable.shape));
  if (bytes != variable.bytes)
    return Status::error(RP_INVALID_ARGUMENT,
                         "variable '" + variable.name + "' of shape " +
                             formatShape(variable.shape) + " needs " +
                             std::to_string(bytes) + " bytes, but has " +
                             std::to_string(variable.bytes));
  const std::vector<int32_t> &permutation = variable.filePermutation;
  if (permutation.empty())
    return variable.shape;
  std::vector<bool> seen(variable.shape.size(), false);
  std::vector<int64_t> shape;
  for (int32_t dim : permutation) {
    if (dim < 0 || size_t(dim) >= seen.size() || seen[size_t(dim)])
      break;
    seen[size_t(dim)] = true;
    shape.push_back(variable.shape[size_t(dim)]);
  }
  if (shape.size() != variable.shape.size() ||
      permutation.size() != variable.shape.size())
    return Status::error(RP_INVALID_ARGUMENT,
                         "the file permutation of variable '" + variable.name +
                             "' is not a permutation of its " +
                             std::to_string(variable.shape.size()) +
                             " dimensions");
  return shape;
}

void reprise::rt::toFileLayout(const TensorInfo &variable, const void *program,
                               void *file) {
  copyLayout(variable, true, program, file);
}

void reprise::rt::fromFileLayout(const TensorInfo &variable, const void *file,
                                 void *program) {
  copyLayout(variable, false, file, program);
}
