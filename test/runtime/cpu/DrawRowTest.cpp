//===- DrawRowTest.cpp - Random numbers of a row, by vectors and not ------===//
#include "../../../runtime/cpu/DrawRow.h"
#include "reprise/Runtime/Philox.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace reprise;
using rt::Draw;

static const Draw kDraw{-0x123456789abcdef0, int64_t(1) << 40 | 9, 77, 0.3f,
                        0.7f};

/// Words 0 of blocks whose counters pass from one word to the next.
static const int64_t kFirst[] = {0, 5, (int64_t(1) << 32) - 20,
                                 (int64_t(7) << 32) - 1, int64_t(1) << 60};

TEST(DrawRow, GivesTheSameByVectors) {
  for (int64_t first : kFirst)
    for (int64_t count = 1; count <= 50; ++count) {
      // Nothing is written behind the row.
      std::vector<float> row(count + 1, -1.0f), each(count + 1, -1.0f);
      rt::drawRow(kDraw, first, row.data(), count);
      rt::drawEach(kDraw, first, each.data(), count);
      ASSERT_EQ(row, each) << count << " from " << first;
      ASSERT_EQ(row.back(), -1.0f);
    }
}

TEST(DrawRow, KeepsWhatIsNotBelowTheProbability) {
  for (int64_t first : kFirst) {
    std::vector<float> row(1000);
    rt::drawRow(kDraw, first, row.data(), 1000);
    int64_t dropped = 0;
    for (int64_t i = 0; i < 1000; ++i) {
      uint64_t index = uint64_t(first + i);
      uint32_t word =
          rt::philox4x32(
              {{uint32_t(index), uint32_t(index >> 32), uint32_t(kDraw.step),
                uint32_t(kDraw.stream + (kDraw.step >> 32))}},
              {{uint32_t(kDraw.seed), uint32_t(uint64_t(kDraw.seed) >> 32)}})
              .word[0];
      bool isKept = float(word >> 8) / (1 << 24) >= kDraw.probability;
      ASSERT_EQ(row[i], isKept ? 1 / kDraw.rest : 0.0f);
      dropped += !isKept;
    }
    EXPECT_NEAR(dropped, 300, 75);
  }
}

TEST(DrawRow, ComparesExactly) {
  // A number of the row itself is kept, the next larger probability drops it.
  uint32_t word = rt::philox4x32({{0, 0, 1, 2}}, {{3, 0}}).word[0];
  float number = float(word >> 8) / (1 << 24), factor = -1;
  ASSERT_GT(number, 0.0f);
  rt::drawRow({3, 1, 2, number, 1 - number}, 0, &factor, 1);
  EXPECT_GT(factor, 1.0f);
  rt::drawRow({3, 1, 2, std::nextafter(number, 1.0f), 1 - number}, 0, &factor,
              1);
  EXPECT_EQ(factor, 0.0f);
}
