//===- Products.cpp - Products of matrices --------------------------------===//
//
// Input:   a checked call of matmul.
// Output:  primitives: one product, or some in turn, each of a range of the
//          inner numbers, which add up where the result lies; in front of each
//          a copy of the second operand, where that pays.
// Method:  oneDNN adds up the inner numbers in f32 one by one. The error of a
//          sum of n numbers that are added one by one grows like sqrt(n), that
//          of parts of p like sqrt(p) + sqrt(n / p) (N. J. Higham, "The
//          Accuracy of Floating Point Summation", SIAM J. Sci. Comput. 14,
//          1993, on blocked sums).
// Cost:    of each part but the first, reading the result once more.
//
//===----------------------------------------------------------------------===//
#include "LibraryCalls.h"
#include "reprise/Fault.h"

#include <algorithm>

namespace reprise::rt {

using dnnl::memory;

dnnl::primitive_attr Attached::attr() const {
  dnnl::post_ops ops;
  if (onResult)
    ops.append_sum(1.0f);
  for (const Sum &sum : sums)
    ops.append_binary(dnnl::algorithm::binary_add, sum.desc);
  dnnl::primitive_attr attr = userScratchpad();
  attr.set_post_ops(ops);
  return attr;
}

void Attached::addArguments(PlannedPrimitive &operation) const {
  int number = onResult ? 1 : 0;
  for (const Sum &sum : sums)
    operation.arguments.push_back(
        {DNNL_ARG_ATTR_MULTIPLE_POST_OP(number++) | DNNL_ARG_SRC_1, sum.place,
         sum.desc});
}

/// A transposed one keeps its bytes and swaps the last two dimensions and
/// strides.
memory::desc matrix(const TensorDesc &t, bool transposed) {
  memory::dims dims = t.shape, strides = t.strides;
  if (strides.empty()) {
    strides.assign(dims.size(), 1);
    for (size_t i = dims.size() - 1; i-- > 0;)
      strides[i] = strides[i + 1] * dims[i + 1];
  }
  size_t rank = dims.size();
  if (transposed) {
    std::swap(dims[rank - 1], dims[rank - 2]);
    std::swap(strides[rank - 1], strides[rank - 2]);
  }
  return memory::desc(dims, dataType(t.type), strides);
}

/// True where a copy of the second operand in oneDNN's own layout pays: rows of
/// bf16 that its kernel would gather again for each block of the result, and
/// rows of f32 that lie a multiple of a page apart, so that a block of them
/// falls on few places of a cache (1576x768 by 768x3072: 42 ms to 24).
static bool packsSecond(const LibraryCallDesc &call) {
  constexpr int64_t kPage = 4096, kFewRows = 64;
  const TensorDesc &b = call.inputs[1];
  if (b.shape.size() != 2)
    return false;
  if (b.type == RP_BF16)
    return !call.ints[0];
  return !call.ints[1] && 4 * b.shape[1] % kPage == 0 &&
         call.outputs[0].shape[0] >= kFewRows;
}

dnnl::matmul::primitive_desc planProduct(const memory::desc &a,
                                         const memory::desc &b,
                                         const memory::desc &c,
                                         const dnnl::primitive_attr &attr) {
  return avoidAllocation(dnnl::matmul::primitive_desc(
      dnnl::matmul::desc(a, b, c), attr, cpuEngine()));
}

namespace {
/// A product of matrices as the library sees it.
struct Product {
  memory::desc a, b, c;
  bool packs;

  int64_t inner() const { return a.dims().back(); }
  dnnl::matmul::primitive_desc desc(const dnnl::primitive_attr &attr) const;
  void plan(LibraryPlan &plan, Place first, Place second,
            const Attached &attached) const;
};
} // namespace

dnnl::matmul::primitive_desc
Product::desc(const dnnl::primitive_attr &attr) const {
  memory::desc any(b.dims(), b.data_type(), memory::format_tag::any);
  return planProduct(a, packs ? any : b, c, attr);
}

void Product::plan(LibraryPlan &plan, Place first, Place second,
                   const Attached &attached) const {
  auto planned = desc(attached.attr());
  memory::desc wanted = planned.weights_desc();
  if (wanted != b) {
    planReorder(plan, b, second, wanted, Place::packed());
    second = Place::packed();
  }
  plan.primitives.push_back({planned,
                             {{DNNL_ARG_SRC, first, a},
                              {DNNL_ARG_WEIGHTS, second, wanted},
                              {DNNL_ARG_DST, Place::output(), c}}});
  attached.addArguments(plan.primitives.back());
}

/// Inner numbers [begin, end) of an operand, which are its dimension `d`.
static memory::desc rangeOf(const memory::desc &operand, size_t d,
                            int64_t begin, int64_t end) {
  memory::dims dims = operand.dims();
  dims[d] = end - begin;
  memory::dims strides(operand.data.format_desc.blocking.strides,
                       operand.data.format_desc.blocking.strides + dims.size());
  return memory::desc(dims, operand.data_type(), strides);
}

static Place placeOf(unsigned input, const memory::desc &operand, size_t d,
                     int64_t begin) {
  return Place::input(
      input, uint64_t(begin * operand.data.format_desc.blocking.strides[d]) *
                 memory::data_type_size(operand.data_type()));
}

/// How many inner numbers a part has: all of them where numbers are bf16, whose
/// own rounding is far coarser, where the kernel adds in blocks anyway, and
/// where there are so many that it takes them by thousands.
static int64_t partOf(const Product &product) {
  constexpr int64_t kLongest = 256, kMost = 4096, kVector = 16;
  int64_t inner = product.inner();
  if (product.a.data_type() != memory::data_type::f32 || inner <= kLongest ||
      inner > kMost ||
      std::strncmp(product.desc(userScratchpad()).impl_info_str(), "brg:", 4))
    return inner;
  int64_t parts = (inner + kLongest - 1) / kLongest;
  return ((inner + parts - 1) / parts + kVector - 1) / kVector * kVector;
}

void planMatMul(LibraryPlan &plan, const LibraryCallDesc &call,
                const Attached &attached) {
  Product whole{matrix(call.inputs[0], call.ints[0]),
                matrix(call.inputs[1], call.ints[1]),
                matrix(call.outputs[0], false), packsSecond(call)};
  int64_t part = partOf(whole), inner = whole.inner();
  REPRISE_FAULT("product-in-one-part", part = inner);
  size_t rank = whole.a.dims().size();
  plan.parts = 0;
  for (int64_t begin = 0, end; begin < inner; begin = end, ++plan.parts) {
    end = std::min(inner, begin + part);
    Product ranges = {rangeOf(whole.a, rank - 1, begin, end),
                      rangeOf(whole.b, rank - 2, begin, end), whole.c,
                      whole.packs};
    Attached own;
    own.onResult = begin > 0;
    REPRISE_FAULT("product-part-lost", own.onResult = false);
    if (end == inner)
      own.sums = attached.sums;
    ranges.plan(plan, placeOf(0, whole.a, rank - 1, begin),
                placeOf(1, whole.b, rank - 2, begin), own);
  }
}

} // namespace reprise::rt
