//===- AttentionTest.cpp - Attention by tiles against sums in double ------===//
//
// Cases that are cut in every way: several pairs a tile with some left over,
// one pair, some rows of a pair; biases that several threads add to; weights
// that are dropped.
//
//===----------------------------------------------------------------------===//
#include "ArtifactBuilder.h"
#include "Devices.h"
#include "NaiveLoops.h"
#include "SessionHandle.h"
#include "reprise/Runtime/Cpu/Cpu.h"
#include "reprise/Runtime/Philox.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::test;

namespace {

// Of weights that are dropped.
constexpr int64_t kSeed = 0x123456789abcdef0, kStep = 3,
                  kStream = (int64_t(7) << 22) + 5;

struct AttentionCase {
  const char *name;
  int64_t samples, tokens, heads, width, biasRows;
  double scale, probability = 0;

  Shape qkv() const { return {samples, tokens, 3, heads, width}; }
  Shape y() const { return {samples, tokens, heads, width}; }
  Shape lse() const { return {samples, heads, tokens}; }
  Shape bias() const { return {biasRows, heads, tokens, tokens}; }

  int64_t atPart(int64_t b, int64_t n, int64_t part, int64_t h,
                 int64_t c) const {
    return (((b * tokens + n) * 3 + part) * heads + h) * width + c;
  }
  int64_t atY(int64_t b, int64_t n, int64_t h, int64_t c) const {
    return ((b * tokens + n) * heads + h) * width + c;
  }
  int64_t atLse(int64_t b, int64_t h, int64_t n) const {
    return (b * heads + h) * tokens + n;
  }
  int64_t atBias(int64_t b, int64_t h, int64_t n, int64_t m) const {
    return ((b % biasRows * heads + h) * tokens + n) * tokens + m;
  }
  /// What a weight is multiplied by: as element of (samples, heads, tokens,
  /// tokens).
  double keeps(int64_t b, int64_t h, int64_t n, int64_t m) const {
    if (probability == 0)
      return 1;
    uint64_t i = ((b * heads + h) * tokens + n) * tokens + m;
    uint32_t word = rt::philox4x32({{uint32_t(i), uint32_t(i >> 32),
                                     uint32_t(kStep), uint32_t(kStream)}},
                                   {{uint32_t(kSeed), uint32_t(kSeed >> 32)}})
                        .word[0];
    return (word >> 8) / double(1 << 24) >= float(probability)
               ? 1 / (1 - probability)
               : 0;
  }
};

/// Values as a device has them, f32 or bf16.
struct Values {
  std::vector<float> numbers;
  fb::ElementType type = fb::ElementType::F32;

  void set(SessionHandle &s, const char *name) const {
    if (type == fb::ElementType::F32) {
      ASSERT_EQ(s.setInput(name, numbers).message, "");
      return;
    }
    std::vector<uint16_t> halves;
    for (float number : numbers) {
      uint32_t word;
      std::memcpy(&word, &number, 4);
      halves.push_back(uint16_t(word >> 16));
    }
    ASSERT_EQ(s.setInput(name, halves).message, "");
  }
};

struct Outputs {
  std::vector<double> y, lse, dqkv, dbias;
};

using Param = std::tuple<std::string, AttentionCase>;

class AttentionTest : public testing::TestWithParam<Param> {
protected:
  void SetUp() override {
    if (!deviceForm().hasAttention())
      GTEST_SKIP() << "the library of '" << deviceForm().device()
                   << "' has no attention, which is decomposed for it";
  }
  const AttentionCase &shape() const { return std::get<1>(GetParam()); }
  Outputs expected() const;
  /// Runs forward or gradient with `threads`; empty where the type is not run.
  std::vector<std::vector<float>> run(bool isGrad, unsigned threads);
  void check(bool isGrad);
  void fill(fb::ElementType type);

  Values qkv, bias, y, lse, dy;
};

} // namespace

// samples, tokens, heads, width, rows of biases, scale, probability
static const AttentionCase kCases[] = {
    {"one_number", 1, 1, 1, 1, 0, 1.0},
    {"image", 2, 197, 3, 64, 0, 0.125},
    {"windows", 24, 49, 3, 32, 1, 0.1767766952966369},
    {"shifted_windows", 24, 49, 3, 32, 4, 0.1767766952966369},
    {"small_windows", 10, 4, 2, 8, 5, 0.25},
    {"fifteen", 7, 15, 1, 5, 7, -0.5},
    {"sixteen", 5, 16, 3, 16, 1, 0.0},
    {"seventeen", 5, 17, 2, 33, 5, 1.5},
    {"rows_of_a_pair", 1, 777, 2, 16, 0, 0.25},
    {"rows_of_a_pair_with_bias", 2, 600, 1, 8, 1, 0.3},
    {"drops_of_an_image", 2, 197, 3, 64, 0, 0.125, 0.25},
    {"drops_of_windows", 24, 49, 3, 32, 4, 0.1767766952966369, 0.1},
    {"drops_of_five", 3, 5, 2, 4, 3, 0.5, 0.6},
    {"drops_of_rows_of_a_pair", 1, 777, 2, 16, 1, 0.25, 0.5},
};

INSTANTIATE_TEST_SUITE_P(Devices, AttentionTest,
                         testing::Combine(devicesHere(),
                                          testing::ValuesIn(kCases)),
                         [](const auto &info) {
                           return std::get<0>(info.param) + "_" +
                                  std::get<1>(info.param).name;
                         });

/// Numbers from -1 to 1 that bf16 holds.
static std::vector<float> numbers(const Shape &shape, uint64_t seed) {
  std::vector<float> values(size_t(elements(shape)));
  uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
  for (float &value : values) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    value = float(int64_t(state >> 56) - 128) / 128;
  }
  return values;
}

void AttentionTest::fill(fb::ElementType type) {
  const AttentionCase &c = shape();
  qkv = {numbers(c.qkv(), 1), type};
  dy = {numbers(c.y(), 2), type};
  if (c.biasRows)
    bias = {numbers(c.bias(), 3)};
  Outputs out = expected();
  y = {std::vector<float>(out.y.begin(), out.y.end()), type};
  if (type == fb::ElementType::BF16)
    for (float &number : y.numbers) {
      uint32_t word;
      std::memcpy(&word, &number, 4);
      word &= 0xffff0000;
      std::memcpy(&number, &word, 4);
    }
  lse = {std::vector<float>(out.lse.begin(), out.lse.end())};
}

Outputs AttentionTest::expected() const {
  const AttentionCase &c = shape();
  Outputs out;
  out.y.resize(elements(c.y()));
  out.lse.resize(elements(c.lse()));
  out.dqkv.resize(elements(c.qkv()));
  if (c.biasRows)
    out.dbias.resize(elements(c.bias()));
  auto x = [&](int64_t b, int64_t n, int64_t part, int64_t h, int64_t i) {
    return double(qkv.numbers[c.atPart(b, n, part, h, i)]);
  };
  for (int64_t b = 0; b < c.samples; ++b)
    for (int64_t h = 0; h < c.heads; ++h)
      for (int64_t n = 0; n < c.tokens; ++n) {
        std::vector<double> p(c.tokens);
        double sum = 0;
        for (int64_t m = 0; m < c.tokens; ++m) {
          double dot = 0;
          for (int64_t i = 0; i < c.width; ++i)
            dot += x(b, n, 0, h, i) * x(b, m, 1, h, i);
          p[m] = std::exp(
              c.scale * dot +
              (c.biasRows ? bias.numbers[c.atBias(b, h, n, m)] : 0.0f));
          sum += p[m];
        }
        out.lse[c.atLse(b, h, n)] = std::log(sum);
        double delta = 0;
        for (int64_t i = 0; i < c.width; ++i) {
          double mixed = 0;
          for (int64_t m = 0; m < c.tokens; ++m)
            mixed += p[m] / sum * c.keeps(b, h, n, m) * x(b, m, 2, h, i);
          out.y[c.atY(b, n, h, i)] = mixed;
          delta += mixed * dy.numbers[c.atY(b, n, h, i)];
        }
        for (int64_t m = 0; m < c.tokens; ++m) {
          double dp = 0, weight = p[m] / sum, kept = c.keeps(b, h, n, m);
          for (int64_t i = 0; i < c.width; ++i)
            dp += dy.numbers[c.atY(b, n, h, i)] * x(b, m, 2, h, i);
          double ds = weight * (kept * dp - delta);
          if (c.biasRows)
            out.dbias[c.atBias(b, h, n, m)] += ds;
          for (int64_t i = 0; i < c.width; ++i) {
            out.dqkv[c.atPart(b, n, 0, h, i)] +=
                c.scale * ds * x(b, m, 1, h, i);
            out.dqkv[c.atPart(b, m, 1, h, i)] +=
                c.scale * ds * x(b, n, 0, h, i);
            out.dqkv[c.atPart(b, m, 2, h, i)] +=
                weight * kept * dy.numbers[c.atY(b, n, h, i)];
          }
        }
      }
  return out;
}

static std::vector<float> outputOf(SessionHandle &s, const char *name,
                                   int64_t count, fb::ElementType type) {
  std::vector<float> numbers(count);
  if (type == fb::ElementType::F32) {
    EXPECT_EQ(s.getOutput(name, numbers).message, "");
    return numbers;
  }
  std::vector<uint16_t> halves(count);
  EXPECT_EQ(s.getOutput(name, halves).message, "");
  for (int64_t i = 0; i < count; ++i) {
    uint32_t word = uint32_t(halves[i]) << 16;
    std::memcpy(&numbers[i], &word, 4);
  }
  return numbers;
}

std::vector<std::vector<float>> AttentionTest::run(bool isGrad,
                                                   unsigned threads) {
  const AttentionCase &c = shape();
  fb::ElementType type = qkv.type;
  ArtifactBuilder builder(threads);
  std::vector<Tensor> inputs = {builder.input("qkv", c.qkv(), type)}, outputs;
  if (isGrad) {
    inputs.push_back(builder.input("y", c.y(), type));
    inputs.push_back(builder.input("lse", c.lse()));
    inputs.push_back(builder.input("dy", c.y(), type));
  }
  if (c.biasRows)
    inputs.push_back(builder.input("bias", c.bias()));
  std::vector<int64_t> ints;
  std::vector<double> floats = {c.scale};
  if (c.probability > 0) {
    for (const char *counter : {"seed", "step"})
      inputs.push_back(builder.input(counter, {}, fb::ElementType::I64));
    ints.push_back(kStream);
    floats.push_back(c.probability);
  }
  outputs.push_back(
      builder.activation("first", isGrad ? c.qkv() : c.y(), type));
  if (!isGrad || c.biasRows)
    outputs.push_back(
        builder.activation("second", isGrad ? c.bias() : c.lse()));
  rt::Status status =
      builder.call({isGrad ? LibraryOp::AttentionGrad : LibraryOp::Attention,
                    inputs, outputs, ints, floats});
  if (status.code() == RP_UNAVAILABLE)
    return {};
  EXPECT_EQ(status.message(), "");
  builder.output("first", outputs[0]);
  if (outputs.size() > 1)
    builder.output("second", outputs[1]);
  builder.finish();
  SessionHandle s;
  EXPECT_EQ(s.open(builder.seal(), {std::get<0>(GetParam()).c_str(), 1, 0, 1})
                .message,
            "");
  // Nothing is left from one run to the next.
  std::vector<std::vector<float>> results, again;
  for (std::vector<std::vector<float>> *r : {&results, &again}) {
    qkv.set(s, "qkv");
    if (isGrad) {
      y.set(s, "y");
      lse.set(s, "lse");
      dy.set(s, "dy");
    }
    if (c.biasRows)
      bias.set(s, "bias");
    if (c.probability > 0) {
      EXPECT_EQ(s.setInput("seed", std::vector<int64_t>{kSeed}).message, "");
      EXPECT_EQ(s.setInput("step", std::vector<int64_t>{kStep}).message, "");
    }
    EXPECT_EQ(s.run().message, "");
    r->push_back(
        outputOf(s, "first", elements(outputs[0].shape), outputs[0].type));
    if (outputs.size() > 1)
      r->push_back(
          outputOf(s, "second", elements(outputs[1].shape), outputs[1].type));
  }
  for (size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(
        std::memcmp(results[i].data(), again[i].data(), 4 * results[i].size()),
        0)
        << "the second run gives other bits";
  size_t predicted = 0;
  rp_status_free(rp_program_peak_bytes(s.program, "step", &predicted));
  EXPECT_EQ(s.memory().high_water_bytes, predicted);
  return results;
}

static void expectNear(const std::vector<float> &got,
                       const std::vector<double> &expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  double largest = 1e-3;
  for (double value : expected)
    largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], expected[i], tolerance * largest) << "element " << i;
}

void AttentionTest::check(bool isGrad) {
  for (fb::ElementType type : {fb::ElementType::F32, fb::ElementType::BF16}) {
    SCOPED_TRACE(type == fb::ElementType::F32 ? "f32" : "bf16");
    fill(type);
    Outputs exact = expected();
    // Sums of up to 777 terms; weights, and what is given, rounded to bf16.
    double tolerance = type == fb::ElementType::F32 ? 2e-6 : 1e-2;
    std::vector<std::vector<float>> one = run(isGrad, 1);
    if (one.empty() && type == fb::ElementType::BF16)
      GTEST_SKIP() << "the device runs no bf16";
    ASSERT_FALSE(one.empty());
    expectNear(one[0], isGrad ? exact.dqkv : exact.y, tolerance);
    if (one.size() > 1)
      expectNear(one[1], isGrad ? exact.dbias : exact.lse, tolerance);
    for (unsigned threads : {2u, 3u}) {
      std::vector<std::vector<float>> more = run(isGrad, threads);
      ASSERT_EQ(more.size(), one.size());
      EXPECT_EQ(more[0], one[0]) << threads << " threads";
      // What threads add to one bias is added in another order.
      if (more.size() < 2)
        continue;
      if (isGrad)
        expectNear(more[1], exact.dbias, tolerance);
      else
        EXPECT_EQ(more[1], one[1]) << threads << " threads";
    }
  }
}

TEST_P(AttentionTest, Forward) { check(false); }
TEST_P(AttentionTest, Gradient) { check(true); }

// A row with a NaN is NaN, the others are as they were.
TEST_P(AttentionTest, ANanStaysInItsRow) {
  const AttentionCase &c = shape();
  fill(fb::ElementType::F32);
  std::vector<std::vector<float>> clean = run(false, 2);
  int64_t token = c.tokens / 2;
  qkv.numbers[c.atPart(0, token, 0, 0, 0)] = NAN;
  std::vector<std::vector<float>> got = run(false, 2);
  for (int64_t n = 0; n < c.tokens; ++n)
    for (int64_t i = 0; i < c.width; ++i) {
      float number = got[0][c.atY(0, n, 0, i)];
      bool isSame = n == token ? std::isnan(number)
                               : number == clean[0][c.atY(0, n, 0, i)];
      ASSERT_TRUE(isSame) << "token " << n;
    }
  EXPECT_TRUE(std::isnan(got[1][c.atLse(0, 0, token)]));
}

static std::string refusal(const rt::LibraryCallDesc &desc) {
  rt::Expected<rt::LibraryCallInfo> info = rt::queryLibraryCall(desc, 2);
  return info.ok() ? "" : info.status().message();
}

TEST(AttentionQuery, SaysWhatDoesNotFit) {
  rt::TensorDesc qkv{RP_F32, {4, 5, 3, 2, 8}, {}}, y{RP_F32, {4, 5, 2, 8}, {}},
      lse{RP_F32, {4, 2, 5}, {}}, bias{RP_F32, {2, 2, 5, 5}, {}};
  rt::LibraryCallDesc call{
      LibraryOp::Attention, {qkv, bias}, {y, lse}, {}, {0.5}};
  EXPECT_EQ(refusal(call), "");
  call.inputs[1].shape[0] = 3;
  EXPECT_EQ(refusal(call), "a bias of 3x2x5x5 does not divide the scores of "
                           "4x5x3x2x8");
  call.inputs[1].shape = {2, 2, 5, 4};
  EXPECT_EQ(refusal(call), "an operand of attention is f32 2x2x5x4; a dense "
                           "f32 2x2x5x5 is needed");
  call.inputs.resize(1);
  EXPECT_EQ(refusal(call), "");
  call.floats[0] = NAN;
  EXPECT_EQ(refusal(call), "the scale of an attention is not a number");
  call.floats[0] = 1;
  call.inputs[0].shape[2] = 2;
  EXPECT_EQ(refusal(call), "attention takes (B,N,3,H,D), not 4x5x2x2x8");
  call.inputs[0].shape = {1, 20000000, 3, 1, 1};
  EXPECT_EQ(refusal(call),
            "attention of 20000000 tokens; 16777216 are possible");
  call.inputs[0].shape = {2147483647, 1, 3, 1, 2147483647};
  EXPECT_EQ(refusal(call),
            "attention of 2147483647x1x3x1x2147483647 is too large");
  rt::LibraryCallDesc grad{
      LibraryOp::AttentionGrad, {qkv, y, lse, y, bias}, {qkv}, {}, {0.5}};
  EXPECT_EQ(refusal(grad),
            "attention_grad has a bias and its gradient, or neither");
  grad.outputs.push_back(bias);
  EXPECT_EQ(refusal(grad), "");
  rt::TensorDesc counter{RP_I64, {}, {}};
  rt::LibraryCallDesc drops{
      LibraryOp::Attention, {qkv, counter, counter}, {y, lse}, {3}, {0.5, 0.1}};
  EXPECT_EQ(refusal(drops), "");
  drops.inputs.pop_back();
  EXPECT_EQ(refusal(drops), "attention takes 3 inputs and 2 outputs, not 2 and "
                            "2");
  drops.inputs.push_back(lse);
  EXPECT_EQ(refusal(drops), "a call draws with a seed and a step, i64 scalars, "
                            "not f32 4x2x5");
  drops.inputs.back() = counter;
  for (double probability : {0.0, 1.0, double(NAN)}) {
    drops.floats[1] = probability;
    EXPECT_EQ(refusal(drops), "an attention drops with probability " +
                                  std::to_string(probability) +
                                  ", which is not between 0 and 1");
  }
  drops.floats.pop_back();
  EXPECT_EQ(refusal(drops), "attention takes 0 ints and 1 float, not 1 and 1");
}
