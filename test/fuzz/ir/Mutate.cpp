//===- Mutate.cpp - Mutations of libFuzzer's inputs -----------------------===//
#include "MutateText.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

using namespace reprise::fuzz;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  Random random(seed + 1);
  if (random() % 4 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(reinterpret_cast<char *>(data), size);
  for (unsigned count = 1 + random() % 3; count > 0; --count)
    mutateText(text, random);
  if (text.empty() || text.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
