//===- RandomBits.cpp - Values of generators of random bits ---------------===//
//
// The generators are Threefry-2x32 of 20 rounds and Philox-4x32 of 10 (Salmon,
// Moraes, Dror, Shaw 2011). StableHLO defines that a state determines the bits,
// and leaves their arrangement open. Here the state is a key of 64 bits and a
// counter of 64, or of 128 for Philox; block k has the counter plus k; and the
// new state has the counter behind the last block. Words of Threefry's blocks
// are two halves of the result, those of Philox follow each other.
//
//===----------------------------------------------------------------------===//
#include "Models.h"
#include "reprise/Reference/Philox.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;
using namespace reprise::stablehlo;

static uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
static uint32_t high(uint64_t value) {
  return static_cast<uint32_t>(value >> 32);
}

static std::array<uint32_t, 2> threefry(std::array<uint32_t, 2> counter,
                                        std::array<uint32_t, 2> key) {
  constexpr int kRotations[] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t keys[] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA};
  uint32_t a = counter[0] + keys[0], b = counter[1] + keys[1];
  for (uint32_t round = 0; round < 20; ++round) {
    a += b;
    b = llvm::rotl(b, kRotations[round % 8]) ^ a;
    if (round % 4 != 3)
      continue;
    uint32_t group = round / 4 + 1;
    a += keys[group % 3];
    b += keys[(group + 1) % 3] + group;
  }
  return {a, b};
}

/// The words of `blocks` blocks, of two words each.
static std::vector<uint32_t> threefryWords(uint64_t key, uint64_t counter,
                                           uint64_t blocks, bool areHalves) {
  std::vector<uint32_t> words(2 * blocks);
  for (uint64_t k = 0; k < blocks; ++k) {
    uint64_t at = counter + k;
    std::array<uint32_t, 2> made =
        threefry({low(at), high(at)}, {low(key), high(key)});
    words[areHalves ? k : 2 * k] = made[0];
    words[areHalves ? blocks + k : 2 * k + 1] = made[1];
  }
  return words;
}

hlo::Results hlo::evaluateRandomBits(RngBitGeneratorOp op, Operands operands) {
  const Tensor &state = *operands[0];
  Tensor made(typeOf(cast<OpResult>(op.getOutput())));
  auto element = dyn_cast<IntegerType>(made.getElementType());
  bool isThreefry = op.getRngAlgorithm() == RngAlgorithm::THREE_FRY;
  if (!element || element.getWidth() < 8 || element.getWidth() > 64 ||
      state.getRank() != 1 || !state.getElementType().isInteger(64) ||
      !(state.size() == 2 || (state.size() == 3 && !isThreefry)))
    return op.emitOpError()
           << "is evaluated for integers of 8 bits or more and a state of two "
              "numbers of 64 bits, or three with Philox";
  bool isWide = element.getWidth() == 64;
  uint64_t key = state.integer(0), counter = state.integer(1);
  uint64_t top = state.size() == 3 ? state.integer(2) : 0;
  uint64_t needed = uint64_t(made.size()) * (isWide ? 2 : 1);
  uint64_t perBlock = isThreefry ? 2 : 4;
  uint64_t blocks = (needed + perBlock - 1) / perBlock;
  std::vector<uint32_t> words;
  if (isThreefry)
    words = threefryWords(key, counter, blocks, !isWide);
  for (uint64_t k = 0; k < blocks && !isThreefry; ++k) {
    uint64_t at = counter + k, carried = top + (at < counter);
    llvm::append_range(words,
                       philox({low(at), high(at), low(carried), high(carried)},
                              {low(key), high(key)}));
  }
  for (int64_t i = 0; i < made.size(); ++i)
    made.integer(i) =
        isWide ? int64_t(words[2 * i] | uint64_t(words[2 * i + 1]) << 32)
               : int64_t(words[i]);
  made.roundToStorage();
  Tensor next = state;
  next.integer(1) = counter + blocks;
  if (state.size() == 3)
    next.integer(2) = top + (counter + blocks < counter);
  return SmallVector<Tensor>{next, made};
}
