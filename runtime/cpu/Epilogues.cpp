//===- Epilogues.cpp - Epilogues by our own loops -------------------------===//
//
// A block of the product at a time goes through all epilogues in a buffer that
// stays in the first-level cache.
//
//===----------------------------------------------------------------------===//
#include "Epilogues.h"
#include "Bf16.h"
#include "Team.h"

#include <algorithm>
#include <cstring>

namespace reprise::rt {

static void add(float *x, const Numbers &operand, int64_t at, int64_t count) {
  if (operand.isHalf) {
    const uint16_t *y = static_cast<const uint16_t *>(operand.address) + at;
    for (int64_t i = 0; i < count; ++i)
      x[i] += fromHalf(y[i]);
    return;
  }
  const float *y = static_cast<const float *>(operand.address) + at;
  for (int64_t i = 0; i < count; ++i)
    x[i] += y[i];
}

/// Adds a bias to elements that begin at index `at`, row by row.
static void addBias(float *x, const Numbers &bias, int64_t channels, int64_t at,
                    int64_t count) {
  for (int64_t done = 0; done < count;) {
    int64_t channel = (at + done) % channels;
    int64_t rest = std::min(channels - channel, count - done);
    add(x + done, bias, channel, rest);
    done += rest;
  }
}

static void store(const float *x, const Numbers &result, int64_t at,
                  int64_t count) {
  if (!result.isHalf) {
    std::memcpy(static_cast<float *>(result.address) + at, x,
                size_t(count) * 4);
    return;
  }
  uint16_t *y = static_cast<uint16_t *>(result.address) + at;
  for (int64_t i = 0; i < count; ++i)
    y[i] = toHalf(x[i]);
}

void EpilogueLoop::run(int64_t begin, int64_t end) const {
  constexpr int64_t kBlock = 2048;
  float x[kBlock];
  for (int64_t at = begin; at < end; at += kBlock) {
    int64_t count = std::min(kBlock, end - at);
    std::memcpy(x, product + at, size_t(count) * 4);
    for (const Term &term : terms) {
      switch (term.epilogue) {
      case Epilogue::Bias:
        addBias(x, term.operand, channels, at, count);
        break;
      case Epilogue::Add:
        add(x, term.operand, at, count);
        break;
      case Epilogue::Relu:
        for (int64_t i = 0; i < count; ++i)
          x[i] = x[i] < 0 ? 0 : x[i];
        break;
      }
    }
    store(x, result, at, count);
  }
}

void EpilogueLoop::run(Team &team) const {
  // Below this size, waking the other threads costs more than they save.
  constexpr int64_t kInlineElements = 8 << 10;
  runShares(team, elements, elements <= kInlineElements ? 1 : team.size(),
            [&](int64_t begin, int64_t end, unsigned) { run(begin, end); });
}

} // namespace reprise::rt
