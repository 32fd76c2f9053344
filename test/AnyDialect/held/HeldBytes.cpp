//===- HeldBytes.cpp - What a step of the tests holds and makes -----------===//
//
// Memory for programs in mlir-runner that are lowered with
// finalize-memref-to-llvm{use-generic-functions use-aligned-alloc}: it counts
// the bytes held at once, in multiples of 64, and prints digests of results.
//
//===----------------------------------------------------------------------===//
#include "mlir/ExecutionEngine/CRunnerUtils.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

static std::unordered_map<void *, uint64_t> sizes;
static uint64_t held, peak, heldBefore;

static void *allocate(uint64_t bytes) {
  uint64_t rounded = (bytes + 63) / 64 * 64;
  void *made = std::aligned_alloc(64, rounded ? rounded : 64);
  sizes[made] = rounded;
  held += rounded;
  peak = std::max(peak, held);
  // Equal programs read equal bytes where nothing was written.
  std::memset(made, 0x3c, rounded);
  return made;
}

extern "C" {
void *_mlir_memref_to_llvm_alloc(uint64_t bytes) { return allocate(bytes); }

void *_mlir_memref_to_llvm_aligned_alloc(uint64_t, uint64_t bytes) {
  return allocate(bytes);
}

void _mlir_memref_to_llvm_free(void *made) {
  auto found = sizes.find(made);
  if (found == sizes.end()) {
    std::printf("freed what was not allocated\n");
    return;
  }
  held -= found->second;
  sizes.erase(found);
  std::free(made);
}

/// Starts the count: earlier allocations are excluded.
void heldBegin() { heldBefore = peak = held; }

void heldEnd(int64_t step) {
  std::printf("step %ld held %lu\n", long(step),
              (unsigned long)(peak - heldBefore));
}

/// FNV-1a of the words in row-major order.
void _mlir_ciface_digest(UnrankedMemRefType<int32_t> *unranked) {
  DynamicMemRefType<int32_t> values(*unranked);
  uint64_t hash = 14695981039346656037u;
  for (int32_t value : values)
    hash = (hash ^ uint32_t(value)) * 1099511628211u;
  std::printf("%016lx\n", (unsigned long)(hash));
}
}
