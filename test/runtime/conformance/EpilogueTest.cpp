//===- EpilogueTest.cpp - What follows a product in its call --------------===//
//
// A program makes each product twice: alone, and with epilogues. In f32 the
// second result has the bits of the first and of the same operations done here,
// one by one: NaN, -0 and the order of the product's sums included, for which
// the numbers are no integers. In bf16 the products are exact, so that the
// single rounding at the end is seen.
//
//===----------------------------------------------------------------------===//
#include "ArtifactBuilder.h"
#include "Devices.h"
#include "NaiveLoops.h"
#include "SessionHandle.h"
#include "reprise/Runtime/Cpu/Cpu.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::test;
using rt::Epilogue;
using Epilogues = std::vector<Epilogue>;

namespace {
/// A product without its epilogues.
struct Product {
  const char *name;
  LibraryOp op;
  Shape a, b, out;
  std::vector<int64_t> ints;
};
using Param = std::tuple<std::string, Product>;
class EpilogueTest : public testing::TestWithParam<Param> {};
} // namespace

static Product convolution(const char *name, LibraryOp op, const ConvShape &c) {
  if (op == LibraryOp::Conv2D)
    return {name, op, c.x(), c.w(), c.y(), c.ints()};
  if (op == LibraryOp::Conv2DInputGrad)
    return {name, op, c.y(), c.w(), c.x(), c.ints()};
  return {name, op, c.x(), c.y(), c.w(), c.ints()};
}

static std::vector<Product> products() {
  // n h w c | o kh kw | sh sw | top bottom left right | dh dw | groups
  ConvShape plain = {2, 7, 9, 5, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  ConvShape wide = {2, 14, 14, 64, 96, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  ConvShape tiles = {3, 19, 20, 48, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  ConvShape strided = {2, 14, 14, 64, 32, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1};
  ConvShape narrow = {1, 7, 8, 256, 16, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1};
  ConvShape stem = {2, 23, 21, 3, 16, 7, 7, 2, 2, 3, 3, 3, 3, 1, 1, 1};
  ConvShape groups = {2, 8, 8, 12, 8, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 4};
  ConvShape depthwise = {2, 9, 9, 16, 16, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 16};
  LibraryOp forward = LibraryOp::Conv2D, matmul = LibraryOp::MatMul;
  return {
      convolution("plain", forward, plain),
      convolution("wide", forward, wide),
      convolution("strided", forward, strided),
      convolution("narrow", forward, narrow),
      convolution("stem", forward, stem),
      convolution("groups", forward, groups),
      convolution("depthwise", forward, depthwise),
      {"volume_depthwise",
       LibraryOp::Conv3D,
       {2, 3, 6, 5, 19},
       {19, 3, 3, 3, 1},
       {2, 3, 6, 5, 19},
       {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 19}},
      {"volume_depthwise_input_grad",
       LibraryOp::Conv3DInputGrad,
       {2, 3, 3, 3, 19},
       {19, 3, 3, 3, 1},
       {2, 3, 6, 5, 19},
       {1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 19}},
      convolution("tiles", forward, tiles),
      convolution("tiles_input_grad", LibraryOp::Conv2DInputGrad, tiles),
      convolution("input_grad", LibraryOp::Conv2DInputGrad, wide),
      convolution("filter_grad", LibraryOp::Conv2DFilterGrad, strided),
      convolution("strided_input_grad", LibraryOp::Conv2DInputGrad, strided),
      {"matmul", matmul, {7, 3}, {3, 5}, {7, 5}, {0, 0}},
      {"matmul_deep", matmul, {33, 700}, {700, 48}, {33, 48}, {0, 0}},
      {"matmul_large", matmul, {300, 260}, {190, 260}, {300, 190}, {0, 1}},
      {"matmul_batch", matmul, {2, 9, 17}, {2, 9, 33}, {2, 17, 33}, {1, 0}},
      {"matmul_parts", matmul, {2500, 500}, {500, 512}, {2500, 512}, {0, 0}},
      {"matmul_row", matmul, {1, 512}, {512, 10}, {1, 10}, {0, 0}}};
}

INSTANTIATE_TEST_SUITE_P(Devices, EpilogueTest,
                         testing::Combine(devicesHere(),
                                          testing::ValuesIn(products())),
                         [](const auto &info) {
                           return std::get<0>(info.param) + "_" +
                                  std::get<1>(info.param).name;
                         });

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// In (-1, 1), with all their digits.
static std::vector<float> numbers(const Shape &shape, uint32_t seed) {
  std::vector<float> values(size_t(elements(shape)));
  uint64_t state = seed * 7919 + 1;
  for (float &value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = float(int32_t(state >> 32)) / 2147483648.0f;
  }
  return values;
}

/// Rounds to bf16, to nearest, ties to even: the numbers here are finite.
static uint16_t rounded(float value) {
  uint32_t word;
  std::memcpy(&word, &value, 4);
  return uint16_t((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

static std::vector<uint16_t> rounded(const std::vector<float> &values) {
  std::vector<uint16_t> halves;
  for (float value : values)
    halves.push_back(rounded(value));
  return halves;
}

/// The epilogues one by one, as kernels would do them; `operands` are theirs.
static std::vector<float>
follow(std::vector<float> x, const Epilogues &epilogues,
       const std::vector<std::vector<float>> &operands) {
  size_t next = 0;
  for (Epilogue epilogue : epilogues) {
    const std::vector<float> *operand =
        epilogue == Epilogue::Relu ? nullptr : &operands[next++];
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = operand ? x[i] + (*operand)[i % operand->size()]
                     : (x[i] < 0 ? 0 : x[i]);
  }
  return x;
}

/// The shapes of the epilogues' operands.
static std::vector<Shape> operandShapes(const Product &product,
                                        const Epilogues &epilogues) {
  std::vector<Shape> shapes;
  for (Epilogue epilogue : epilogues)
    if (epilogue != Epilogue::Relu)
      shapes.push_back(epilogue == Epilogue::Bias ? Shape{product.out.back()}
                                                  : product.out);
  return shapes;
}

//===----------------------------------------------------------------------===//
// f32
//===----------------------------------------------------------------------===//

/// Runs the product alone and with epilogues.
static void checkBits(const std::string &device, const Product &product,
                      const Epilogues &epilogues, unsigned threads) {
  ArtifactBuilder builder(threads);
  Tensor a = builder.input("a", product.a), b = builder.input("b", product.b);
  std::vector<Tensor> inputs = {a, b};
  std::vector<std::vector<float>> operands;
  for (const Shape &shape : operandShapes(product, epilogues)) {
    std::string name = "e" + std::to_string(operands.size());
    inputs.push_back(builder.input(name, shape));
    operands.push_back(numbers(shape, 10 + uint32_t(operands.size())));
  }
  Tensor alone = builder.activation("alone", product.out),
         out = builder.activation("out", product.out);
  ASSERT_EQ(builder.call({product.op, {a, b}, {alone}, product.ints}).message(),
            "");
  rt::Status planned =
      builder.call({product.op, inputs, {out}, product.ints, {}, epilogues});
  if (planned.code() == RP_UNAVAILABLE && deviceForm().choosesByEpilogues())
    return;
  ASSERT_EQ(planned.message(), "");
  builder.output("alone", alone);
  builder.output("out", out);
  builder.finish();
  SessionHandle s;
  ASSERT_EQ(s.open(builder.seal(), {device.c_str(), 1, 0, 1}).message, "");
  std::vector<float> x = numbers(product.a, 1);
  x.back() = NAN;
  ASSERT_EQ(s.setInput("a", x).message, "");
  ASSERT_EQ(s.setInput("b", numbers(product.b, 2)).message, "");
  for (size_t i = 0; i < operands.size(); ++i)
    ASSERT_EQ(
        s.setInput(("e" + std::to_string(i)).c_str(), operands[i]).message, "");
  ASSERT_EQ(s.run().message, "");
  std::vector<float> plain(size_t(elements(product.out))), got(plain);
  ASSERT_EQ(s.getOutput("alone", plain).message, "");
  ASSERT_EQ(s.getOutput("out", got).message, "");
  std::vector<float> expected = follow(plain, epilogues, operands);
  bool sawNan = false;
  for (size_t i = 0; i < got.size(); ++i) {
    sawNan |= std::isnan(got[i]);
    // Of another kernel for the product, too.
    float bound = deviceForm().choosesByEpilogues() ? 1e-5f : 0;
    ASSERT_TRUE(std::memcmp(&got[i], &expected[i], 4) == 0 ||
                (std::isnan(got[i]) && std::isnan(expected[i])) ||
                std::abs(got[i] - expected[i]) <=
                    bound * (1 + std::abs(expected[i])))
        << "element " << i << ": " << got[i] << ", not " << expected[i];
  }
  EXPECT_TRUE(sawNan);
}

TEST_P(EpilogueTest, HasTheBitsOfTheProductAndKernels) {
  const auto &[device, product] = GetParam();
  const Epilogues lists[] = {{Epilogue::Bias},
                             {Epilogue::Add},
                             {Epilogue::Relu},
                             {Epilogue::Bias, Epilogue::Add},
                             {Epilogue::Bias, Epilogue::Relu},
                             {Epilogue::Add, Epilogue::Relu, Epilogue::Bias}};
  for (unsigned threads : {1u, 2u})
    for (const Epilogues &epilogues : lists) {
      SCOPED_TRACE(testing::Message()
                   << threads << " threads, " << epilogues.size()
                   << " epilogues, of " << int(epilogues[0]));
      checkBits(device, product, epilogues, threads);
    }
}

/// What a gradient is added to lies where the sum goes, or elsewhere: the bits
/// are the same, and a second run adds again.
static void checkSums(const std::string &device, const Product &product,
                      unsigned threads, bool isInPlace) {
  ArtifactBuilder builder(threads);
  Tensor a = builder.input("a", product.a), b = builder.input("b", product.b),
         z = builder.input("z", product.out);
  Tensor alone = builder.activation("alone", product.out),
         addend = builder.activation("addend", product.out),
         sum = isInPlace ? addend : builder.activation("sum", product.out);
  ASSERT_EQ(builder.call({product.op, {a, b}, {alone}, product.ints}).message(),
            "");
  builder.copy(z, addend);
  rt::Status planned = builder.call(
      {product.op, {a, b, addend}, {sum}, product.ints, {}, {Epilogue::Add}});
  if (planned.code() == RP_UNAVAILABLE && deviceForm().choosesByEpilogues())
    return;
  ASSERT_EQ(planned.message(), "");
  auto *call = builder.entry().steps.back()->action.AsLibraryCall();
  bool adds = call->implementation.find("in place with") != std::string::npos;
  builder.output("alone", alone);
  builder.output("sum", sum);
  builder.finish();
  SessionHandle s;
  auto expected = isInPlace && !adds ? RP_INCOMPATIBLE : RP_OK;
  ASSERT_EQ(s.open(builder.seal(), {device.c_str(), 1, 0, 1}).code, expected);
  if (expected != RP_OK)
    return;
  std::vector<float> others = numbers(product.out, 3);
  std::vector<float> plain(size_t(elements(product.out))), got(plain);
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(s.setInput("a", numbers(product.a, 1)).message, "");
    ASSERT_EQ(s.setInput("b", numbers(product.b, 2)).message, "");
    ASSERT_EQ(s.setInput("z", others).message, "");
    ASSERT_EQ(s.run().message, "");
    ASSERT_EQ(s.getOutput("alone", plain).message, "");
    ASSERT_EQ(s.getOutput("sum", got).message, "");
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], plain[i] + others[i]) << "element " << i;
  }
}

namespace {
class GradientSums : public testing::TestWithParam<Product> {};
} // namespace

/// With many inner numbers, few channels, windows that lie outside in part or
/// whole, and padding on one side.
static std::vector<Product> gradients() {
  std::vector<Product> all;
  auto add = [&](const char *name, ConvShape c) {
    all.push_back(convolution(name, LibraryOp::Conv2DInputGrad, c));
  };
  // n h w c | o kh kw | sh sw | top bottom left right | dh dw | groups
  add("points", {2, 9, 11, 96, 32, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1});
  add("points_512", {2, 7, 7, 64, 512, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1});
  add("points_1024", {2, 14, 14, 32, 1024, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1});
  add("points_2048", {2, 7, 7, 512, 2048, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1});
  add("uneven", {3, 5, 7, 25, 37, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1});
  add("direct", {2, 7, 7, 64, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  add("direct_deep", {1, 7, 7, 512, 512, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  add("filtered", {3, 19, 20, 48, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  add("filtered_large", {2, 28, 28, 64, 96, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  add("outside", {2, 1, 1, 32, 32, 2, 2, 1, 1, 1, 1, 1, 1, 2, 2, 1});
  add("dilated", {2, 9, 9, 32, 48, 3, 3, 1, 1, 2, 2, 2, 2, 2, 2, 1});
  add("one_side", {2, 9, 8, 32, 48, 3, 3, 1, 1, 2, 0, 0, 2, 1, 1, 1});
  add("strided", {2, 14, 14, 64, 32, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1});
  add("groups", {2, 8, 8, 12, 8, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 4});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Processor, GradientSums,
                         testing::ValuesIn(gradients()), [](const auto &info) {
                           return std::string(info.param.name);
                         });

TEST_P(GradientSums, AddWhereItLies) {
  std::string device = deviceForm().device();
  const Product &product = GetParam();
  if (device != "cpu")
    GTEST_SKIP() << "of processors";
  for (unsigned threads : {1u, 2u, 3u, 8u})
    for (bool isInPlace : {false, true}) {
      SCOPED_TRACE(testing::Message()
                   << threads << " threads" << (isInPlace ? ", in place" : ""));
      checkSums(device, product, threads, isInPlace);
    }
}

//===----------------------------------------------------------------------===//
// bf16
//===----------------------------------------------------------------------===//

/// A product of small whole numbers, exact, then `epilogues`, with the bias of
/// `bias` and other operands of bf16. The result is rounded once.
static void checkRounding(const std::string &device, const Epilogues &epilogues,
                          fb::ElementType bias) {
  constexpr auto kHalf = fb::ElementType::BF16;
  MatShape m = {{}, 9, 32, 64};
  Product product = {"",    LibraryOp::MatMul, m.a(false), m.b(false), m.c(),
                     {0, 0}};
  ArtifactBuilder builder;
  Tensor a = builder.input("a", m.a(false), kHalf),
         b = builder.input("b", m.b(false), kHalf);
  std::vector<Tensor> inputs = {a, b};
  std::vector<Shape> shapes = operandShapes(product, epilogues);
  for (size_t i = 0; i < shapes.size(); ++i)
    inputs.push_back(builder.input("e" + std::to_string(i), shapes[i],
                                   shapes[i].size() == 1 ? bias : kHalf));
  Tensor out = builder.activation("out", m.c(), kHalf);
  rt::Status status =
      builder.call({product.op, inputs, {out}, {0, 0}, {}, epilogues});
  if (status.code() == RP_UNAVAILABLE)
    GTEST_SKIP() << status.message();
  ASSERT_EQ(status.message(), "");
  builder.output("out", out);
  builder.finish();
  SessionHandle s;
  ASSERT_EQ(s.open(builder.seal(), {device.c_str(), 1, 0, 1}).message, "");
  std::vector<float> xs = smallIntegers(m.a(false), 1),
                     ys = smallIntegers(m.b(false), 2);
  ASSERT_EQ(s.setInput("a", rounded(xs)).message, "");
  ASSERT_EQ(s.setInput("b", rounded(ys)).message, "");
  std::vector<std::vector<float>> operands;
  for (size_t i = 0; i < shapes.size(); ++i) {
    std::string name = "e" + std::to_string(i);
    operands.push_back(numbers(shapes[i], 3 + uint32_t(i)));
    bool isWide = shapes[i].size() == 1 && bias == fb::ElementType::F32;
    ASSERT_EQ((isWide ? s.setInput(name.c_str(), operands[i])
                      : s.setInput(name.c_str(), rounded(operands[i])))
                  .message,
              "");
    for (float &value : operands[i])
      if (!isWide) {
        uint32_t word = uint32_t(rounded(value)) << 16;
        std::memcpy(&value, &word, 4);
      }
  }
  ASSERT_EQ(s.run().message, "");
  std::vector<uint16_t> got(size_t(elements(m.c())));
  ASSERT_EQ(s.getOutput("out", got).message, "");
  std::vector<float> exact = naiveMatMul(m, xs, ys, false, false);
  EXPECT_EQ(got, rounded(follow(exact, epilogues, operands)));
}

namespace {
class EpilogueRounding : public testing::TestWithParam<std::string> {};
} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, EpilogueRounding, devicesHere(), deviceLabel);

TEST_P(EpilogueRounding, IsOneForAllOfThem) {
  for (const Epilogues &epilogues :
       {Epilogues{Epilogue::Bias}, Epilogues{Epilogue::Bias, Epilogue::Add},
        Epilogues{Epilogue::Bias, Epilogue::Relu},
        Epilogues{Epilogue::Add, Epilogue::Relu, Epilogue::Bias}})
    for (fb::ElementType bias : {fb::ElementType::F32, fb::ElementType::BF16}) {
      SCOPED_TRACE(testing::Message() << epilogues.size() << " epilogues");
      checkRounding(GetParam(), epilogues, bias);
      if (IsSkipped())
        return;
    }
}

/// Where a half lies between two numbers of bf16, the even one is taken.
TEST_P(EpilogueRounding, TakesTheEvenOneOfTwo) {
  ArtifactBuilder builder;
  constexpr auto kHalf = fb::ElementType::BF16;
  Tensor a = builder.input("a", {1, 1}, kHalf),
         b = builder.input("b", {1, 4}, kHalf), e = builder.input("e", {4});
  Tensor out = builder.activation("out", {1, 4}, kHalf);
  rt::Status status = builder.call({LibraryOp::MatMul,
                                    {a, b, e},
                                    {out},
                                    {0, 0},
                                    {},
                                    {Epilogue::Bias, Epilogue::Relu}});
  if (status.code() == RP_UNAVAILABLE)
    GTEST_SKIP() << status.message();
  builder.output("out", out);
  builder.finish();
  SessionHandle s;
  ASSERT_EQ(s.open(builder.seal(), {GetParam().c_str(), 1, 0, 1}).message, "");
  ASSERT_EQ(s.setInput("a", rounded(std::vector<float>{1})).message, "");
  ASSERT_EQ(s.setInput("b", rounded(std::vector<float>{1, 1, 2, -4})).message,
            "");
  // bf16 has 1 + k / 128: 1 + 1 / 256 and 1 + 3 / 256 lie between two of them.
  std::vector<float> bias = {1.0f / 256, 3.0f / 256, 1.0f / 256, 1};
  ASSERT_EQ(s.setInput("e", bias).message, "");
  ASSERT_EQ(s.run().message, "");
  std::vector<uint16_t> got(4);
  ASSERT_EQ(s.getOutput("out", got).message, "");
  EXPECT_EQ(got, rounded(std::vector<float>{1, 1 + 2.0f / 128, 2, 0}));
}

//===----------------------------------------------------------------------===//
// Calls that differ in their epilogues alone
//===----------------------------------------------------------------------===//

TEST_P(EpilogueRounding, OrdersOfOneProgramStayApart) {
  ArtifactBuilder builder;
  Shape square = {8, 8};
  Tensor a = builder.input("a", square), b = builder.input("b", square),
         e = builder.input("e", {8});
  Tensor first = builder.activation("first", square),
         second = builder.activation("second", square);
  for (auto &[out, epilogues] :
       {std::pair{first, Epilogues{Epilogue::Bias, Epilogue::Relu}},
        std::pair{second, Epilogues{Epilogue::Relu, Epilogue::Bias}}}) {
    rt::Status planned = builder.call(
        {LibraryOp::MatMul, {a, b, e}, {out}, {0, 0}, {}, epilogues});
    if (planned.code() == RP_UNAVAILABLE && deviceForm().choosesByEpilogues())
      GTEST_SKIP() << planned.message();
    ASSERT_EQ(planned.message(), "");
  }
  builder.output("first", first);
  builder.output("second", second);
  builder.finish();
  SessionHandle s;
  ASSERT_EQ(s.open(builder.seal(), {GetParam().c_str(), 1, 0, 1}).message, "");
  std::vector<float> zero(64, 0), bias(8, -1), one(64), other(64);
  ASSERT_EQ(s.setInput("a", zero).message, "");
  ASSERT_EQ(s.setInput("b", zero).message, "");
  ASSERT_EQ(s.setInput("e", bias).message, "");
  ASSERT_EQ(s.run().message, "");
  ASSERT_EQ(s.getOutput("first", one).message, "");
  ASSERT_EQ(s.getOutput("second", other).message, "");
  EXPECT_EQ(one, std::vector<float>(64, 0));
  EXPECT_EQ(other, std::vector<float>(64, -1));
}

//===----------------------------------------------------------------------===//
// The query
//===----------------------------------------------------------------------===//

static rt::LibraryCallDesc dense() {
  return {LibraryOp::MatMul,
          {{RP_F32, {2, 3}, {}}, {RP_F32, {3, 5}, {}}, {RP_F32, {5}, {}}},
          {{RP_F32, {2, 5}, {}}},
          {0, 0},
          {},
          {Epilogue::Bias}};
}

static std::string refusal(const rt::LibraryCallDesc &desc,
                           rp_code code = RP_INVALID_ARGUMENT) {
  rt::Expected<rt::LibraryCallInfo> info = rt::queryLibraryCall(desc, 2);
  EXPECT_EQ(info.status().code(), code);
  return info.status().message();
}

TEST(EpilogueQuery, RefusesWhatDoesNotFit) {
  rt::LibraryCallDesc desc = dense();
  desc.inputs.pop_back();
  EXPECT_EQ(refusal(desc), "matmul with its epilogues takes 3 inputs and 1 "
                           "output, not 2 and 1");
  desc = dense();
  desc.inputs[2].shape = {4};
  EXPECT_EQ(refusal(desc),
            "the input of epilogue bias, 4, is not a dense tensor of 5");
  desc.epilogues = {Epilogue::Add};
  EXPECT_EQ(refusal(desc),
            "the input of epilogue add, 4, is not a dense tensor of 2x5");
  desc = dense();
  desc.epilogues.push_back(Epilogue(7));
  EXPECT_EQ(refusal(desc), "unknown epilogue 7");
  desc.epilogues.assign(9, Epilogue::Relu);
  EXPECT_EQ(refusal(desc), "9 epilogues; a call takes 8");
  desc = dense();
  desc.floats = {1};
  EXPECT_EQ(refusal(desc), "matmul takes 2 ints and 0 floats, not 2 and 1");
  desc = dense();
  desc.inputs[2].type = RP_BF16;
  EXPECT_EQ(refusal(desc),
            "a library call on f32 has operands of that or f32, not bf16");
}

/// A function of two results and a number, which oneDNN of this version lacks.
TEST(EpilogueQuery, RefusesByNameWhatTheLibraryLacks) {
  rt::LibraryCallDesc desc{LibraryOp::RmsNorm,
                           {{RP_F32, {4, 8}, {}}, {RP_F32, {8}, {}}},
                           {{RP_F32, {4, 8}, {}}, {RP_F32, {4}, {}}},
                           {},
                           {1e-5}};
  EXPECT_EQ(refusal(desc, RP_UNAVAILABLE),
            "oneDNN cannot run rms_norm here: it has no such function");
  desc.floats = {0};
  EXPECT_EQ(refusal(desc), "the epsilon of rms_norm is 0.000000, which is not "
                           "above 0 and at most 1");
  desc.floats = {1e-5};
  desc.outputs[1].shape = {8};
  EXPECT_EQ(refusal(desc), "rms_norm of 4x8 with 8 does not give 4x8 and 8");
  desc.outputs.pop_back();
  EXPECT_EQ(refusal(desc),
            "rms_norm takes 2 inputs and 2 outputs, not 2 and 1");
  desc = dense();
  for (rt::TensorDesc &tensor : desc.inputs)
    tensor.type = RP_F64;
  desc.outputs[0].type = RP_F64;
  EXPECT_EQ(refusal(desc, RP_UNAVAILABLE),
            "oneDNN runs no matmul of f64 here; f32 and bf16 are possible");
}
