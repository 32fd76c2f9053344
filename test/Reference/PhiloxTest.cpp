//===- PhiloxTest.cpp - Random words against published answers ------------===//

#include "reprise/Reference/Philox.h"
#include "Support.h"
#include "reprise/Runtime/Philox.h"

using namespace reprise;
using namespace reprise::reference;
using namespace reprise::reference::testing;

using Words = std::array<uint32_t, 4>;

// kat_vectors of Random123, the authors' library.
TEST(Philox, GivesTheKnownAnswers) {
  constexpr uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, AgreesWithTheRuntime) {
  for (uint32_t i = 0; i < 100; ++i) {
    Words counter = {i, i * 77, ~i, i << 20};
    rt::PhiloxBlock block = rt::philox4x32(
        {{counter[0], counter[1], counter[2], counter[3]}}, {{i * 5, ~i}});
    EXPECT_EQ(
        philox(counter, {i * 5, ~i}),
        (Words{block.word[0], block.word[1], block.word[2], block.word[3]}));
  }
}

TEST(RandomUniform, TakesTheUpper24BitsOfWord0) {
  EXPECT_EQ(uniformElement(0, 0, 0, 0), 0x6627e8 / 16777216.0);
}

TEST(RandomUniform, PlacesIndexStepStreamAndSeed) {
  int64_t seed = 0x123456789a, step = 0x1122334455, stream = 7,
          index = 0x100000003;
  uint32_t word = philox({3, 1, 0x22334455, 7 + 0x11}, {0x3456789a, 0x12})[0];
  EXPECT_EQ(uniformElement(seed, step, stream, index),
            (word >> 8) / 16777216.0);
}

TEST(RandomUniform, NumbersElementsInRowMajorOrder) {
  Program p(R"(
    func.func @f(%seed: tensor<i64>, %step: tensor<i64>) -> tensor<3x5xf32> {
      %u = sg.random_uniform %seed, %step stream 4
        : tensor<i64>, tensor<i64> -> tensor<3x5xf32>
      return %u : tensor<3x5xf32>
    })");
  Tensor u = p.run({p.integers({}, {42}, 64), p.integers({}, {9}, 64)})[0];
  EXPECT_EQ(u.real({2, 3}), uniformElement(42, 9, 4, 13));
}
