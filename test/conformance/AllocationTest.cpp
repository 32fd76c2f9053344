//===- AllocationTest.cpp - Steps take no memory from the heap ------------===//
//
// Counts calls of malloc while an entry runs. Steps of the runtime make none.
// oneDNN keeps the table of arguments of each execution on the heap: a few
// nodes of some tens of bytes, and never memory for a tensor, which is what
// the limit of 4 KiB below tells apart.
//
//===----------------------------------------------------------------------===//
#include "ArtifactBuilder.h"
#include "SessionHandle.h"

#include <atomic>
#include <gtest/gtest.h>

#if defined(__SANITIZE_ADDRESS__)
#define REPRISE_COUNTS_ALLOCATIONS 0
#else
#define REPRISE_COUNTS_ALLOCATIONS 1
#endif

static std::atomic<bool> counting{false};
static std::atomic<size_t> calls{0}, largest{0};

[[maybe_unused]] static void note(size_t bytes) {
  if (!counting.load(std::memory_order_relaxed))
    return;
  ++calls;
  size_t seen = largest;
  while (bytes > seen && !largest.compare_exchange_weak(seen, bytes)) {
  }
}

#if REPRISE_COUNTS_ALLOCATIONS
// glibc's own allocator under the names it exports for this purpose.
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t bytes) {
  note(bytes);
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  note(count * bytes);
  return __libc_calloc(count, bytes);
}
void *realloc(void *old, size_t bytes) {
  note(bytes);
  return __libc_realloc(old, bytes);
}
void *memalign(size_t alignment, size_t bytes) {
  note(bytes);
  return __libc_memalign(alignment, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  return memalign(alignment, bytes);
}
int posix_memalign(void **out, size_t alignment, size_t bytes) {
  *out = memalign(alignment, bytes);
  return *out ? 0 : 12;
}
}
#endif

using namespace reprise;
using namespace reprise::test;

/// Runs once to settle thread pools, then counts a second run.
static void countRun(ArtifactBuilder &b) {
  SessionHandle s;
  ASSERT_EQ(s.open(b.seal(), {"cpu", 0, 0, 0}).message, "");
  for (bool count : {false, true}) {
    for (auto &input : b.entry().inputs) {
      std::vector<float> zeros(size_t(elements(input->view->shape)));
      ASSERT_EQ(s.setInput(input->name.c_str(), zeros).message, "");
    }
    calls = largest = 0;
    counting = count;
    rp_status *status = rp_session_run(s.session, "step");
    counting = false;
    ASSERT_EQ(take(status).message, "");
  }
}

TEST(Allocation, TheCounterCounts) {
  if (!REPRISE_COUNTS_ALLOCATIONS)
    GTEST_SKIP() << "the sanitizer owns malloc";
  calls = largest = 0;
  counting = true;
  std::vector<char> big(5000);
  counting = false;
  EXPECT_GE(calls, 1u);
  EXPECT_GE(largest, 5000u);
  EXPECT_EQ(big[0], 0);
}

TEST(Allocation, LaunchesAndCopiesMakeNone) {
  const int64_t n = 100000;
  ArtifactBuilder b;
  Tensor scale = b.variable("scale", {1});
  Tensor x = b.input("x", {n}), y = b.activation("y", {n}),
         z = b.activation("z", {n});
  b.launch("scale_add", {x, scale, x, y}, {3}, uint64_t(n));
  b.copy(y, z);
  b.output("z", z);
  b.finish();
  if (!REPRISE_COUNTS_ALLOCATIONS)
    GTEST_SKIP() << "the sanitizer owns malloc";
  countRun(b);
  EXPECT_EQ(calls, 0u);
}

TEST(Allocation, LibraryCallsTakeNoTensorMemory) {
  ArtifactBuilder b;
  Tensor x = b.input("x", {2, 14, 14, 64}), w = b.input("w", {64, 3, 3, 64});
  Tensor y = b.activation("y", {2, 14, 14, 64});
  Tensor dx = b.activation("dx", {2, 14, 14, 64});
  Tensor dw = b.activation("dw", {64, 3, 3, 64});
  std::vector<int64_t> ints = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  ASSERT_TRUE(b.call(rt::LibraryOp::Conv2D, {x, w}, y, ints).ok());
  ASSERT_TRUE(b.call(rt::LibraryOp::Conv2DInputGrad, {y, w}, dx, ints).ok());
  ASSERT_TRUE(b.call(rt::LibraryOp::Conv2DFilterGrad, {x, y}, dw, ints).ok());
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      Tensor a = b.input("a" + std::to_string(ta * 2 + tb), {192, 192});
      Tensor c = b.activation("c", {192, 192});
      ASSERT_TRUE(b.call(rt::LibraryOp::MatMul, {a, a}, c, {ta, tb}).ok());
    }
  b.finish();
  if (!REPRISE_COUNTS_ALLOCATIONS)
    GTEST_SKIP() << "the sanitizer owns malloc";
  countRun(b);
  EXPECT_LT(largest, 4096u);
}
