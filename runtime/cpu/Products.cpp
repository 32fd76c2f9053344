//===- Products.cpp - Products of matrices --------------------------------===//
//
// Input:   a checked call of matmul.
// Output:  primitives: one product, or several in turn, each over a range of
//          the inner dimension, accumulated in the result's place; before them
//          copies of operands, if they pay or the kernels need them.
// Method:  oneDNN sums over the inner dimension in f32 sequentially. The error
//          of a sequential sum of n numbers grows like sqrt(n), that of parts
//          of p like sqrt(p) + sqrt(n / p) (N. J. Higham, "The Accuracy of
//          Floating Point Summation", SIAM J. Sci. Comput. 14, 1993, on blocked
//          sums).
// Cost:    with parts: rereading the result for each but the first, and the
//          copies.
//
//===----------------------------------------------------------------------===//
#include "LibraryCalls.h"

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

/// Describes an operand; a transposed one keeps its bytes and swaps the last
/// two dimensions and strides.
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

/// Returns true if a copy of the second operand in oneDNN's own layout pays:
/// for rows of bf16, which its kernel would gather again for each block of the
/// result, and for rows of f32 a multiple of a page apart, of which a block
/// maps to few sets of a cache (1576x768 by 768x3072: 42 ms become 24).
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
/// A product of matrices in the library's form.
struct Product {
  memory::desc a, b, c;
  bool packs; // the second operand

  int64_t inner() const { return a.dims().back(); }
  dnnl::matmul::primitive_desc desc(const dnnl::primitive_attr &attr) const;
};
} // namespace

dnnl::matmul::primitive_desc
Product::desc(const dnnl::primitive_attr &attr) const {
  memory::desc any(b.dims(), b.data_type(), memory::format_tag::any);
  return planProduct(a, packs ? any : b, c, attr);
}

static void planWhole(LibraryPlan &plan, const Product &product,
                      const Attached &attached) {
  auto desc = product.desc(attached.attr());
  memory::desc wanted = desc.weights_desc();
  Place second = Place::input(1);
  if (wanted != product.b) {
    planReorder(plan, product.b, second, wanted, Place::packed());
    second = Place::packed();
  }
  plan.primitives.push_back({desc,
                             {{DNNL_ARG_SRC, Place::input(0), product.a},
                              {DNNL_ARG_WEIGHTS, second, wanted},
                              {DNNL_ARG_DST, Place::output(), product.c}}});
  attached.addArguments(plan.primitives.back());
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static int64_t strideOf(const memory::desc &matrix, size_t d) {
  return matrix.data.format_desc.blocking.strides[d];
}

namespace {
/// The range [begin, end) along one dimension of a matrix.
struct Range {
  size_t dimension;
  int64_t begin, end;

  int64_t size() const { return end - begin; }
  memory::desc of(const memory::desc &matrix) const {
    memory::dims dims = matrix.dims();
    dims[dimension] = size();
    return memory::desc(dims, matrix.data_type(),
                        {strideOf(matrix, 0), strideOf(matrix, 1)});
  }
  /// Returns the offset of its begin, in bytes.
  uint64_t offset(const memory::desc &matrix) const {
    return uint64_t(begin * strideOf(matrix, dimension)) *
           memory::data_type_size(matrix.data_type());
  }
};

/// Adds the primitives of a product in parts: for some rows of the result at a
/// time, which stay in a cache, part by part. oneDNN's kernels of blocked
/// products only take operands without gaps, so that ranges of the first
/// operand are copied; a second one that is not stored by rows is packed.
class Parts {
public:
  Parts(LibraryPlan &plan, const Product &whole, const Attached &attached,
        int64_t longest);
  /// Returns false if it would use other kernels.
  bool run();

private:
  /// A range of the inner dimension, and the place of its part of the second
  /// operand.
  struct Part {
    Range inner;
    Place second;
    memory::desc b;
  };

  bool addPart(Range inner);
  bool planRows(const Part &part, Range rows);
  Product productOf(Range inner, Range rows) const;
  Attached attach(Range inner, Range rows) const;

  LibraryPlan &plan;
  const Product &whole;
  const Attached &attached;
  int64_t part, block; // inner numbers; rows
  bool packs;
  std::vector<Part> parts;
  uint64_t packedBytes = 0;
};
} // namespace

static bool isBlocked(const dnnl::primitive_desc_base &desc) {
  return std::strncmp(desc.impl_info_str(), "brg:", 4) == 0;
}

/// Returns the size of equal blocks of `count` numbers with at most `most`
/// each.
static int64_t equalBlocks(int64_t count, int64_t most) {
  int64_t blocks = (count + most - 1) / most;
  return (count + blocks - 1) / blocks;
}

Parts::Parts(LibraryPlan &plan, const Product &whole, const Attached &attached,
             int64_t longest)
    : plan(plan), whole(whole), attached(attached),
      packs(whole.packs || strideOf(whole.b, 1) != 1) {
  constexpr int64_t kVector = 16, kLeastRows = 64;
  constexpr int64_t kBlockBytes = 4 << 20; // of the result
  part = equalBlocks(whole.inner(), longest);
  part = (part + kVector - 1) / kVector * kVector;
  int64_t rows = whole.c.dims()[0], columns = whole.c.dims()[1];
  int64_t most = std::max(kLeastRows, kBlockBytes / 4 / columns);
  block = equalBlocks(rows, most);
}

/// Returns the post-ops for some rows of a part.
Attached Parts::attach(Range inner, Range rows) const {
  Attached own;
  own.onResult = inner.begin > 0;
  if (inner.end < whole.inner())
    return own;
  own.sums = attached.sums;
  for (Attached::Sum &sum : own.sums)
    if (sum.desc.dims()[0] > 1) {
      sum.place.offset = rows.offset(sum.desc);
      sum.desc = rows.of(sum.desc);
    }
  return own;
}

/// Plans ranges without gaps; the second operand is not copied.
Product Parts::productOf(Range inner, Range rows) const {
  Range columns{1, inner.begin, inner.end};
  memory::desc a = columns.of(rows.of(whole.a));
  bool isByRows = strideOf(whole.a, 1) == 1;
  memory::desc dense(a.dims(), a.data_type(),
                     isByRows ? memory::dims{inner.size(), 1}
                              : memory::dims{1, rows.size()});
  return {dense, inner.of(whole.b), rows.of(whole.c), packs};
}

bool Parts::addPart(Range inner) {
  Product product = productOf(inner, {0, 0, block});
  auto desc = product.desc(userScratchpad());
  memory::desc wanted = desc.weights_desc();
  Place second = Place::input(1, inner.offset(whole.b));
  if (wanted != product.b) {
    Place copy = Place::packed(packedBytes);
    planReorder(plan, product.b, second, wanted, copy);
    packedBytes += (wanted.get_size() + 63) / 64 * 64;
    second = copy;
  }
  parts.push_back({inner, second, wanted});
  return isBlocked(desc);
}

bool Parts::planRows(const Part &part, Range rows) {
  Attached own = attach(part.inner, rows);
  Product product = productOf(part.inner, rows);
  auto desc = product.desc(own.attr());
  if (!isBlocked(desc) || desc.weights_desc() != part.b)
    return false;
  Range columns{1, part.inner.begin, part.inner.end};
  memory::desc from = columns.of(rows.of(whole.a));
  Place first = Place::input(0, columns.offset(whole.a) + rows.offset(whole.a));
  if (from != product.a) {
    planReorder(plan, from, first, product.a, Place::rows());
    first = Place::rows();
  }
  plan.primitives.push_back(
      {desc,
       {{DNNL_ARG_SRC, first, product.a},
        {DNNL_ARG_WEIGHTS, part.second, part.b},
        {DNNL_ARG_DST, Place::output(rows.offset(whole.c)), product.c}}});
  own.addArguments(plan.primitives.back());
  return true;
}

bool Parts::run() {
  int64_t inner = whole.inner(), rows = whole.c.dims()[0];
  for (int64_t begin = 0; begin < inner; begin += part)
    if (!addPart({0, begin, std::min(inner, begin + part)}))
      return false;
  for (int64_t row = 0; row < rows; row += block)
    for (const Part &each : parts)
      if (!planRows(each, {0, row, std::min(rows, row + block)}))
        return false;
  plan.parts = unsigned(parts.size());
  return true;
}

/// In bf16, rounding of the operands is far coarser; over very long inner
/// dimensions, which are rows of both operands in gradients of weights, the
/// kernel takes some thousand numbers at a time; with few columns, copies take
/// a notable part of the product's time.
static bool gainsByParts(const Product &product, int64_t longest) {
  constexpr int64_t kMost = 4096, kFewColumns = 128;
  return product.a.dims().size() == 2 && product.inner() > longest &&
         product.inner() <= kMost && product.b.dims()[1] >= kFewColumns &&
         product.a.data_type() == memory::data_type::f32 &&
         product.c.data_type() == memory::data_type::f32 &&
         isBlocked(product.desc(userScratchpad()));
}

void planMatMul(LibraryPlan &plan, const LibraryCallDesc &call,
                const Attached &attached) {
  constexpr int64_t kLongest = 256;
  Product whole{matrix(call.inputs[0], call.ints[0]),
                matrix(call.inputs[1], call.ints[1]),
                matrix(call.outputs[0], false), packsSecond(call)};
  bool cuts = gainsByParts(whole, kLongest);
  LibraryPlan parts;
  if (cuts && Parts(parts, whole, attached, kLongest).run())
    plan = std::move(parts);
  else
    planWhole(plan, whole, attached);
}

} // namespace reprise::rt
