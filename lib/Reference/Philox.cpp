//===- Philox.cpp - Random words from counters ----------------------------===//

#include "reprise/Reference/Philox.h"

using namespace reprise;

static uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
static uint32_t high(uint64_t value) {
  return static_cast<uint32_t>(value >> 32);
}

std::array<uint32_t, 4> reference::philox(std::array<uint32_t, 4> counter,
                                          std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = uint64_t{0xD2511F53} * counter[0];
    uint64_t product1 = uint64_t{0xCD9E8D57} * counter[2];
    counter = {high(product1) ^ counter[1] ^ key[0], low(product1),
               high(product0) ^ counter[3] ^ key[1], low(product0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

double reference::uniformElement(int64_t seed, int64_t step, int64_t stream,
                                 int64_t index) {
  uint32_t word =
      philox({low(index), high(index), low(step), low(stream) + high(step)},
             {low(seed), high(seed)})[0];
  return (word >> 8) / 16777216.0;
}
