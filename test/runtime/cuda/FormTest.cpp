//===- FormTest.cpp - Calls as the libraries see them ---------------------===//
//
// What cuDNN and cuBLASLt compute by a form is computed here by its definition,
// with small whole numbers, and compared with the call's own definition: sums
// are exact, so every element is equal.
//
//===----------------------------------------------------------------------===//
#include "../../../runtime/cuda/CallForm.h"
#include "Calls.h"

#include <gtest/gtest.h>
#include <random>

using namespace reprise;
using namespace reprise::rt;
using namespace reprise::rt::cuda;
using namespace reprise::test;
using Values = std::vector<double>;

static Values randomValues(std::mt19937 &random, size_t count) {
  Values v(count);
  for (double &x : v)
    x = int(random() % 15) - 7;
  return v;
}

static std::vector<int64_t> stridesOf(const TensorDesc &t) {
  if (!t.strides.empty())
    return t.strides;
  std::vector<int64_t> s(t.shape.size(), 1);
  for (size_t i = s.size() - 1; i-- > 0;)
    s[i] = s[i + 1] * t.shape[i + 1];
  return s;
}

/// Elements from the start of a tensor to behind its last one.
static size_t reachOf(const TensorDesc &t) {
  std::vector<int64_t> s = stridesOf(t);
  int64_t reach = 1;
  for (size_t i = 0; i < s.size(); ++i)
    reach += (t.shape[i] - 1) * s[i];
  return size_t(reach);
}

/// The product as `LibraryCall` in program.fbs says.
static Values multiply(const LibraryCallDesc &desc, const Values &a,
                       const Values &b) {
  const TensorDesc &c = desc.outputs[0];
  size_t rank = c.shape.size(), leading = rank - 2;
  std::vector<int64_t> sa = stridesOf(desc.inputs[0]),
                       sb = stridesOf(desc.inputs[1]);
  if (desc.ints[0])
    std::swap(sa[rank - 1], sa[rank - 2]);
  if (desc.ints[1])
    std::swap(sb[rank - 1], sb[rank - 2]);
  int64_t k = desc.inputs[0].shape[desc.ints[0] ? rank - 2 : rank - 1];
  Values result(reachOf(c));
  for (size_t at = 0; at < result.size(); ++at) {
    int64_t rest = int64_t(at), ia = 0, ib = 0;
    int64_t column = rest % c.shape[rank - 1];
    rest /= c.shape[rank - 1];
    int64_t row = rest % c.shape[rank - 2];
    rest /= c.shape[rank - 2];
    for (size_t i = leading; i-- > 0; rest /= c.shape[i]) {
      ia += rest % c.shape[i] * sa[i];
      ib += rest % c.shape[i] * sb[i];
    }
    for (int64_t i = 0; i < k; ++i)
      result[at] += a[ia + row * sa[rank - 2] + i * sa[rank - 1]] *
                    b[ib + i * sb[rank - 2] + column * sb[rank - 1]];
  }
  return result;
}

/// The same by the form: rows with a pitch, a batch, starts.
static Values multiply(const ProductForm &form, const Values &first,
                       const Values &second, size_t size) {
  const Values *inputs[] = {&first, &second};
  const Values &a = *inputs[form.inputs[0]], &b = *inputs[form.inputs[1]];
  auto at = [](const Matrix &m, int64_t row, int64_t column) {
    return m.isTransposed ? column * m.pitch + row : row * m.pitch + column;
  };
  Values c(size);
  for (const std::array<int64_t, 3> &start : form.starts)
    for (int64_t g = 0; g < form.batch; ++g)
      for (int64_t m = 0; m < form.m; ++m)
        for (int64_t n = 0; n < form.n; ++n)
          for (int64_t k = 0; k < form.k; ++k)
            c[start[2] + g * form.c.batchStride + at(form.c, m, n)] +=
                a[start[0] + g * form.a.batchStride + at(form.a, m, k)] *
                b[start[1] + g * form.b.batchStride + at(form.b, k, n)];
  return c;
}

/// A convolution without padding, strides and groups, by its definition.
static Values convolve(const ConvolutionForm &form, const Values &a,
                       const Values &b, size_t size) {
  Values c(size);
  const Values *inputs[] = {&a, &b};
  auto value = [&](const ConvolutionTensor &t, int64_t i) {
    return (*inputs[t.operand])[i];
  };
  int64_t n = form.x.dims[0], channels = form.x.dims[1];
  int64_t outputs = form.w.dims[0];
  EXPECT_EQ(form.x.dims, (std::vector<int64_t>{n, channels, 1, 1}));
  EXPECT_EQ(form.y.dims, (std::vector<int64_t>{n, outputs, 1, 1}));
  EXPECT_EQ(form.w.dims, (std::vector<int64_t>{outputs, channels, 1, 1}));
  for (int64_t i = 0; i < n; ++i)
    for (int64_t o = 0; o < outputs; ++o)
      for (int64_t k = 0; k < channels; ++k) {
        int64_t x = i * channels + k, f = o * channels + k, y = i * outputs + o;
        if (form.kind == ConvolutionKind::Forward)
          c[y] += value(form.x, x) * value(form.w, f);
        else if (form.kind == ConvolutionKind::InputGrad)
          c[x] += value(form.y, y) * value(form.w, f);
        else
          c[f] += value(form.x, x) * value(form.y, y);
      }
  return c;
}

/// Compares what libraries compute with what the call says.
static void check(const LibraryCallDesc &desc, unsigned seed) {
  ASSERT_TRUE(verifyLibraryCall(desc).ok())
      << verifyLibraryCall(desc).message();
  Expected<ProductForm> form = productForm(desc);
  ASSERT_TRUE(form.ok()) << form.status().message();
  std::mt19937 random(seed);
  Values a = randomValues(random, reachOf(desc.inputs[0])),
         b = randomValues(random, reachOf(desc.inputs[1]));
  Values expected = multiply(desc, a, b);
  EXPECT_EQ(multiply(*form, a, b, expected.size()), expected);
  if (std::optional<ConvolutionForm> convolution = asConvolution(*form)) {
    EXPECT_EQ(convolve(*convolution, a, b, expected.size()), expected);
  }
}

TEST(Form, ProductsAreConvolutionsButForBothTransposed) {
  for (int a : {0, 1})
    for (int b : {0, 1})
      for (int64_t m : {1, 3})
        for (int64_t n : {1, 4}) {
          LibraryCallDesc desc = product(RP_F32, m, 5, n, a, b);
          check(desc, unsigned(m * 10 + n));
          EXPECT_EQ(asConvolution(*productForm(desc)).has_value(), !(a && b));
        }
}

TEST(Form, ViewsAreProductsWithAPitch) {
  LibraryCallDesc desc = product(RP_BF16, 3, 5, 4, false, false);
  desc.inputs[0].strides = {7, 1}; // columns of a wider matrix
  desc.inputs[1].strides = {1, 6}; // by columns
  check(desc, 1);
  Expected<ProductForm> form = productForm(desc);
  EXPECT_EQ(form->a.pitch, 7);
  EXPECT_TRUE(form->b.isTransposed);
  EXPECT_FALSE(asConvolution(*form));
}

/// (batch, heads) of an attention's queries and keys in (B,N,3,H,D).
TEST(Form, LeadingDimensionsBecomeABatchAndStarts) {
  int64_t batch = 5, tokens = 4, heads = 3, d = 2, row = 3 * heads * d;
  TensorDesc q{RP_F32, {batch, heads, tokens, d}, {tokens * row, d, row, 1}};
  TensorDesc scores{RP_F32, {batch, heads, tokens, tokens}, {}};
  LibraryCallDesc desc{LibraryOp::MatMul, {q, q}, {scores}, {0, 1}};
  check(desc, 2);
  Expected<ProductForm> form = productForm(desc);
  EXPECT_EQ(form->batch, batch); // the longer one
  EXPECT_EQ(form->starts.size(), size_t(heads));
  // Dense ones are one batch.
  q.strides.clear();
  desc.inputs = {q, q};
  check(desc, 3);
  EXPECT_EQ(productForm(desc)->batch, batch * heads);
  EXPECT_EQ(productForm(desc)->starts.size(), 1u);
}

TEST(Form, RandomProducts) {
  std::mt19937 random(11);
  auto some = [&](int64_t limit) { return 1 + int64_t(random() % limit); };
  for (int round = 0; round < 400; ++round) {
    std::vector<int64_t> lead;
    for (size_t i = random() % 4; i > 0; --i)
      lead.push_back(some(3));
    bool ta = random() % 2, tb = random() % 2;
    LibraryCallDesc desc = product(RP_F32, some(4), some(4), some(4), ta, tb);
    for (TensorDesc *t : {&desc.inputs[0], &desc.inputs[1], &desc.outputs[0]})
      t->shape.insert(t->shape.begin(), lead.begin(), lead.end());
    for (TensorDesc &t : desc.inputs) {
      if (random() % 2)
        continue;
      // Room behind rows, by rows or by columns, leading ones in any order.
      size_t rank = t.shape.size();
      size_t inner = rank - 1 - random() % 2, outer = 2 * rank - 3 - inner;
      t.strides.assign(rank, 1);
      t.strides[outer] = t.shape[inner] + int64_t(random() % 3);
      int64_t next = t.strides[outer] * t.shape[outer] + int64_t(random() % 3);
      for (size_t i = rank - 2; i-- > 0; next *= t.shape[i])
        t.strides[i] = next;
    }
    check(desc, unsigned(round));
  }
}

/// The sums of a convolution of 1x1 by its definition, pixel by pixel.
TEST(Form, ConvolutionsOfPointsAreProducts) {
  std::mt19937 random(5);
  for (LibraryOp op : {LibraryOp::Conv2D, LibraryOp::Conv2DInputGrad,
                       LibraryOp::Conv2DFilterGrad}) {
    LibraryCallDesc desc = call(op, RP_F32, {2, 3, 4, 5, 6, 1, 1, 0, 0, 1, 1});
    Expected<ConvolutionForm> form = convolutionForm(desc);
    ASSERT_TRUE(form.ok()) << form.status().message();
    std::optional<ProductForm> product = asProduct(*form);
    ASSERT_TRUE(product);
    Values a = randomValues(random, reachOf(desc.inputs[0])),
           b = randomValues(random, reachOf(desc.inputs[1]));
    // Pixels as a batch.
    ConvolutionForm flat = *form;
    for (ConvolutionTensor *t : {&flat.x, &flat.y})
      t->dims = {t->dims[0] * t->dims[2] * t->dims[3], t->dims[1], 1, 1};
    size_t size = reachOf(desc.outputs[0]);
    EXPECT_EQ(multiply(*product, a, b, size), convolve(flat, a, b, size));
  }
  Convolution plain{2, 3, 4, 6, 6, 1, 1, 0, 0, 1, 1};
  auto isProduct = [](const Convolution &v) {
    return asProduct(*convolutionForm(call(LibraryOp::Conv2D, RP_F32, v)))
        .has_value();
  };
  EXPECT_TRUE(isProduct(plain));
  EXPECT_FALSE(isProduct({2, 3, 4, 6, 6, 3, 1, 1, 1, 1, 1}));
  EXPECT_FALSE(isProduct({2, 3, 4, 6, 6, 1, 2, 0, 0, 1, 1}));
  EXPECT_FALSE(isProduct({2, 3, 4, 6, 6, 1, 1, 1, 0, 1, 1}));
  EXPECT_FALSE(isProduct({2, 3, 4, 6, 6, 1, 1, 0, 1, 1, 1}));
  EXPECT_FALSE(isProduct({2, 3, 4, 6, 6, 1, 1, 0, 0, 1, 2}));
}

TEST(Form, ConvolutionsNameTheirOperands) {
  Convolution v{2, 9, 8, 6, 4, 3, 2, 1, 0, 2, 2};
  for (LibraryOp op : {LibraryOp::Conv2D, LibraryOp::Conv2DInputGrad,
                       LibraryOp::Conv2DFilterGrad}) {
    LibraryCallDesc desc = call(op, RP_BF16, v);
    ASSERT_TRUE(verifyLibraryCall(desc).ok())
        << verifyLibraryCall(desc).message();
    Expected<ConvolutionForm> form = convolutionForm(desc);
    ASSERT_TRUE(form.ok()) << form.status().message();
    auto shapeOf = [&](const ConvolutionTensor &t) {
      const TensorDesc &d =
          t.operand < 2 ? desc.inputs[t.operand] : desc.outputs[0];
      return std::vector<int64_t>{d.shape[0], d.shape[3], d.shape[1],
                                  d.shape[2]};
    };
    // N,C,H,W by hand.
    EXPECT_EQ(form->x.dims, (std::vector<int64_t>{2, 6, 9, 8}));
    EXPECT_EQ(form->w.dims, (std::vector<int64_t>{4, 3, 3, 3}));
    EXPECT_EQ(form->y.dims, (std::vector<int64_t>{2, 4, 3, 3}));
    for (const ConvolutionTensor *t : {&form->x, &form->w, &form->y})
      EXPECT_EQ(t->dims, shapeOf(*t));
    EXPECT_EQ(form->strides, (std::vector<int64_t>{2, 2}));
    EXPECT_EQ(form->dilations, (std::vector<int64_t>{2, 2}));
    EXPECT_EQ(form->padBefore, (std::vector<int64_t>{1, 1}));
    EXPECT_EQ(form->padAfter, (std::vector<int64_t>{0, 0}));
  }
}

static std::string refusal(const LibraryCallDesc &desc) {
  EXPECT_TRUE(verifyLibraryCall(desc).ok())
      << verifyLibraryCall(desc).message();
  Status status = desc.op == LibraryOp::MatMul ? productForm(desc).status()
                                               : convolutionForm(desc).status();
  EXPECT_EQ(status.code(), RP_UNAVAILABLE);
  return status.message();
}

TEST(Form, EpiloguesThatRoundOtherwiseAreRefused) {
  auto with = [](rp_element_type type, std::vector<Epilogue> epilogues,
                 std::vector<TensorDesc> more) {
    LibraryCallDesc desc = product(type, 3, 5, 4, false, false);
    desc.epilogues = epilogues;
    desc.inputs.insert(desc.inputs.end(), more.begin(), more.end());
    return desc;
  };
  TensorDesc narrow{RP_BF16, {4}, {}}, wide{RP_F32, {4}, {}},
      matrix{RP_BF16, {3, 4}, {}};
  // Of the result's type: cuBLASLt's own.
  EXPECT_TRUE(productForm(with(RP_BF16, {Epilogue::Bias}, {narrow}))->hasBias);
  EXPECT_TRUE(productForm(with(RP_F32, {Epilogue::Bias}, {wide}))->hasBias);
  LibraryCallDesc mixed = with(RP_BF16, {Epilogue::Bias}, {wide});
  mixed.outputs[0].type = RP_F32;
  EXPECT_TRUE(productForm(mixed)->hasBias);
  EXPECT_NE(refusal(with(RP_BF16, {Epilogue::Bias}, {wide}))
                .find("adds a bias of the result's type, bf16"),
            std::string::npos);
  EXPECT_NE(refusal(with(RP_BF16, {Epilogue::Relu}, {})).find("epilogue relu"),
            std::string::npos);
  EXPECT_NE(
      refusal(with(RP_BF16, {Epilogue::Bias, Epilogue::Add}, {narrow, matrix}))
          .find("epilogue add"),
      std::string::npos);
  EXPECT_NE(
      refusal(with(RP_BF16, {Epilogue::Bias, Epilogue::Bias}, {narrow, narrow}))
          .find("more than one"),
      std::string::npos);
  LibraryCallDesc convolution =
      call(LibraryOp::Conv2D, RP_BF16, {1, 4, 4, 8, 4, 1});
  convolution.epilogues = {Epilogue::Bias};
  convolution.inputs.push_back(narrow);
  EXPECT_NE(refusal(convolution).find("conv2d with the epilogue bias"),
            std::string::npos);
}

TEST(Form, ConvolutionsOfVolumesBeginWithTheDepth) {
  LibraryCallDesc desc =
      callOfVolumes(LibraryOp::Conv3DInputGrad, RP_BF16, 9, 4, 6, 2);
  desc.ints = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 1};
  Expected<ConvolutionForm> form = convolutionForm(desc);
  ASSERT_TRUE(form.ok()) << form.status().message();
  using Numbers = std::vector<int64_t>;
  EXPECT_EQ(form->x.dims, (Numbers{2, 4, 16, 9, 9}));
  EXPECT_EQ(form->w.dims, (Numbers{6, 4, 3, 3, 3}));
  EXPECT_EQ(form->y.dims, (Numbers{2, 6, 8, 5, 5}));
  EXPECT_EQ(form->x.operand, 2u);
  EXPECT_EQ(form->y.operand, 0u);
  EXPECT_EQ(form->strides, (Numbers{2, 3, 4}));
  EXPECT_EQ(form->padBefore, (Numbers{5, 7, 9}));
  EXPECT_EQ(form->padAfter, (Numbers{6, 8, 10}));
  EXPECT_EQ(form->dilations, (Numbers{11, 12, 13}));
  EXPECT_FALSE(asProduct(*form));
}

TEST(Form, OperandsThatNoLibraryTakesAreRefused) {
  LibraryCallDesc desc = product(RP_F64, 3, 5, 4, false, false);
  EXPECT_NE(refusal(desc).find("matmul of f64"), std::string::npos);
  desc = product(RP_F32, 3, 5, 4, false, false);
  desc.inputs[0].strides = {10, 2};
  EXPECT_NE(refusal(desc).find("strides of 10 and 2"), std::string::npos);
  desc.inputs[0].strides = {4, 1};
  EXPECT_NE(refusal(desc).find("overlapping rows"), std::string::npos);
  desc.inputs[0].strides = {INT64_MAX, 1};
  EXPECT_NE(refusal(desc).find("beyond any memory"), std::string::npos);
  int64_t large = INT32_MAX;
  desc = product(RP_F32, large, large, large, false, false);
  EXPECT_NE(refusal(desc).find("too large"), std::string::npos);
  desc = call(LibraryOp::Conv2D, RP_F32, {large, large, large, 1, 1, 1});
  EXPECT_NE(refusal(desc).find("too large"), std::string::npos);
  // Views whose leading dimensions cannot be joined.
  TensorDesc t{RP_F32, {2000, 2000, 2, 2}, {1 << 20, 8, 2, 1}};
  TensorDesc c{RP_F32, {2000, 2000, 2, 2}, {}};
  EXPECT_NE(
      refusal({LibraryOp::MatMul, {t, t}, {c}, {0, 0}}).find("1024 batches"),
      std::string::npos);
}
