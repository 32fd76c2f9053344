//===- AllocationTest.cpp - Steps take no memory from the heap ------------===//
//
// Counts calls of malloc while an entry runs. Steps of the runtime make none.
// oneDNN keeps the table of arguments of each execution on the heap: a few
// nodes of some tens of bytes, and never memory for a tensor, which is what
// the limit of 4 KiB below tells apart.
//
// Which of its kernels the library takes depends on the processor: without
// AVX512-BF16 some calls have none but oneDNN's gemm, which packs operands into
// memory of its own, at most what libraryHeapBytes says. With
// REPRISE_TEST_LEVEL the library is held to a processor of that level: avx2,
// without AVX-512, or avx512, without AVX512-BF16.
//
//===----------------------------------------------------------------------===//
#include "../conformance/ArtifactBuilder.h"
#include "../conformance/SessionHandle.h"
#include "reprise/Runtime/Cpu/Cpu.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>

#if defined(__SANITIZE_ADDRESS__)
#define REPRISE_COUNTS_ALLOCATIONS 0
#else
#define REPRISE_COUNTS_ALLOCATIONS 1
#endif

static std::atomic<bool> counting{false};
static std::atomic<size_t> calls{0}, largest{0};
// Of blocks that may hold tensors: how many bytes there were together.
static constexpr size_t kTensor = 4096;
static std::atomic<size_t> held{0}, atOnce{0};

static void raise(std::atomic<size_t> &highest, size_t value) {
  size_t seen = highest;
  while (value > seen && !highest.compare_exchange_weak(seen, value)) {
  }
}

[[maybe_unused]] static void *note(void *block, size_t bytes) {
  if (!counting.load(std::memory_order_relaxed))
    return block;
  ++calls;
  raise(largest, bytes);
  if (bytes >= kTensor)
    raise(atOnce, held += malloc_usable_size(block));
  return block;
}

/// What was taken before counting began is not given back while it lasts.
[[maybe_unused]] static void noteFree(void *block) {
  if (!block || !counting.load(std::memory_order_relaxed))
    return;
  size_t bytes = malloc_usable_size(block);
  if (bytes >= kTensor)
    held -= bytes;
}

#if REPRISE_COUNTS_ALLOCATIONS
// glibc's own allocator under the names it exports for this purpose.
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

void *malloc(size_t bytes) { return note(__libc_malloc(bytes), bytes); }
void *calloc(size_t count, size_t bytes) {
  return note(__libc_calloc(count, bytes), count * bytes);
}
void *realloc(void *old, size_t bytes) {
  noteFree(old);
  return note(__libc_realloc(old, bytes), bytes);
}
void *memalign(size_t alignment, size_t bytes) {
  return note(__libc_memalign(alignment, bytes), bytes);
}
void free(void *block) {
  noteFree(block);
  __libc_free(block);
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

/// Features without those whose names begin so.
static std::string without(std::string features,
                           const std::vector<std::string> &prefixes) {
  std::string left;
  for (size_t begin = 0; begin < features.size();) {
    size_t end = std::min(features.find(',', begin), features.size());
    std::string feature = features.substr(begin, end - begin);
    begin = end + 1;
    if (std::none_of(prefixes.begin(), prefixes.end(),
                     [&](auto &p) { return feature.rfind(p, 0) == 0; }))
      left += (left.empty() ? "" : ",") + feature;
  }
  return left;
}

namespace {
/// Before anything uses the library, which keeps what it found first.
class Processor : public testing::Environment {
  void SetUp() override {
    const char *level = std::getenv("REPRISE_TEST_LEVEL");
    if (!level)
      return;
    std::vector<std::string> missing = {"amx", "avx512"};
    if (level == std::string("avx512"))
      missing = {"amx", "avx512bf16", "avx512fp16"};
    rt::Status status = rt::limitLibrary(without(rt::hostTarget(), missing));
    ASSERT_TRUE(status.ok()) << status.message();
  }
};
} // namespace
static testing::Environment *const processor =
    testing::AddGlobalTestEnvironment(new Processor);

/// Runs once to settle thread pools, then counts a second run.
static void countRun(ArtifactBuilder &b) {
  SessionHandle s;
  ASSERT_EQ(s.open(b.seal(), {"cpu", 0, 0, 0}).message, "");
  for (bool count : {false, true}) {
    for (auto &input : b.entry().inputs) {
      size_t width = input->view->type == fb::ElementType::BF16 ? 2 : 4;
      std::vector<uint8_t> zeros(width * size_t(elements(input->view->shape)));
      ASSERT_EQ(s.setInput(input->name.c_str(), zeros).message, "");
    }
    calls = largest = held = atOnce = 0;
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
  ASSERT_TRUE(b.call(LibraryOp::Conv2D, {x, w}, y, ints).ok());
  ASSERT_TRUE(b.call(LibraryOp::Conv2DInputGrad, {y, w}, dx, ints).ok());
  ASSERT_TRUE(b.call(LibraryOp::Conv2DFilterGrad, {x, y}, dw, ints).ok());
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      Tensor a = b.input("a" + std::to_string(ta * 2 + tb), {192, 192});
      Tensor c = b.activation("c", {192, 192});
      ASSERT_TRUE(b.call(LibraryOp::MatMul, {a, a}, c, {ta, tb}).ok());
    }
  b.finish();
  if (!REPRISE_COUNTS_ALLOCATIONS)
    GTEST_SKIP() << "the sanitizer owns malloc";
  if (rt::libraryVersion().find("avx512_core") == std::string::npos)
    GTEST_SKIP() << "oneDNN's gemm runs some of these here";
  countRun(b);
  EXPECT_LT(largest, kTensor);
}

namespace {
struct Convolution {
  const char *what;
  int64_t batch, extent, channels, filters, window, stride, padding, dilation,
      groups;
};
} // namespace

static constexpr Convolution kConvolutions[] = {
    {"of images", 4, 32, 3, 64, 7, 2, 3, 1, 1},
    {"of small images", 2, 28, 1, 16, 3, 1, 1, 1, 1},
    {"of 3x3", 4, 16, 64, 64, 3, 1, 1, 1, 1},
    {"of 3x3, strided", 4, 16, 64, 128, 3, 2, 1, 1, 1},
    {"of 1x1", 4, 14, 64, 256, 1, 1, 0, 1, 1},
    {"of 1x1, wide", 4, 14, 256, 64, 1, 1, 0, 1, 1},
    {"of 1x1, strided", 4, 16, 64, 128, 1, 2, 0, 1, 1},
    {"of few channels", 3, 9, 5, 7, 3, 1, 1, 1, 1},
    {"of few channels, strided", 1, 9, 10, 13, 3, 2, 1, 1, 1},
    {"of few channels, 1x1", 2, 9, 10, 13, 1, 1, 0, 1, 1},
    {"of few channels, 1x1, strided", 2, 9, 10, 13, 1, 2, 0, 1, 1},
    {"of few channels, 5x5", 2, 12, 6, 16, 5, 1, 0, 1, 1},
    {"of many channels", 1, 7, 512, 512, 3, 1, 1, 1, 1},
    {"with dilation", 2, 16, 32, 32, 3, 1, 2, 2, 1},
    {"of groups", 2, 14, 64, 64, 3, 1, 1, 1, 4},
    {"of groups of few channels", 2, 14, 12, 12, 3, 1, 1, 1, 3},
    {"by depth", 2, 14, 64, 64, 3, 1, 1, 1, 64},
    {"by depth, strided", 2, 14, 20, 20, 3, 2, 1, 1, 20},
    {"of one pixel", 2, 1, 16, 16, 1, 1, 0, 1, 1},
};

/// Whether every call has a kernel that keeps to its workspace.
static bool hasKernelsForAll() {
  std::string library = rt::libraryVersion();
  return library.find("avx512_core_bf16") != library.npos ||
         library.find("avx512_core_amx") != library.npos;
}

/// Runs one call, if the library has it: it takes no memory for tensors, or at
/// most what is said of it. With `hasKernels` nothing is said.
static void checkHeapOf(LibraryOp op, Shape x, Shape w, Shape y,
                        const std::vector<int64_t> &ints, fb::ElementType type,
                        bool hasKernels = hasKernelsForAll()) {
  ArtifactBuilder b;
  Tensor in0 = b.input("x", x, type), in1 = b.input("w", w, type);
  if (!b.call(op, {in0, in1}, b.activation("y", y, type), ints).ok())
    return;
  b.finish();
  countRun(b);
  SessionHandle s;
  std::vector<uint8_t> artifact = b.seal();
  ASSERT_EQ(
      take(rp_program_from_memory(artifact.data(), artifact.size(), &s.program))
          .message,
      "");
  size_t arena = 0, kept = 0, said = 0;
  rp_status *failed = rp_program_host_bytes(s.program, &arena, &kept, &said);
  ASSERT_EQ(failed, nullptr);
  EXPECT_LE(atOnce, said);
  EXPECT_TRUE(!said || !hasKernels);
}

TEST(Allocation, ConvolutionsTakeNoTensorMemoryOrWhatIsSaid) {
  if (!REPRISE_COUNTS_ALLOCATIONS)
    GTEST_SKIP() << "the sanitizer owns malloc";
  for (fb::ElementType type : {fb::ElementType::F32, fb::ElementType::BF16})
    for (const Convolution &c : kConvolutions) {
      SCOPED_TRACE(std::string(c.what) + ", " + fb::EnumNameElementType(type));
      int64_t reach = c.dilation * (c.window - 1) + 1;
      int64_t out = (c.extent + 2 * c.padding - reach) / c.stride + 1;
      Shape x = {c.batch, c.extent, c.extent, c.channels};
      Shape w = {c.filters, c.window, c.window, c.channels / c.groups};
      Shape y = {c.batch, out, out, c.filters};
      std::vector<int64_t> ints = {c.stride,   c.stride,   c.padding,
                                   c.padding,  c.padding,  c.padding,
                                   c.dilation, c.dilation, c.groups};
      checkHeapOf(LibraryOp::Conv2D, x, w, y, ints, type);
      checkHeapOf(LibraryOp::Conv2DInputGrad, y, w, x, ints, type);
      checkHeapOf(LibraryOp::Conv2DFilterGrad, x, y, w, ints, type);
    }
}

// oneDNN has no kernel but its product for some gradients of strided filters.
TEST(Allocation, ConvolutionsOfVolumesTakeWhatIsSaid) {
  if (!REPRISE_COUNTS_ALLOCATIONS)
    GTEST_SKIP() << "the sanitizer owns malloc";
  for (fb::ElementType type : {fb::ElementType::F32, fb::ElementType::BF16})
    for (int64_t stride : {1, 2})
      for (int64_t groups : {1, 4}) {
        SCOPED_TRACE(std::to_string(stride) + ", " + std::to_string(groups) +
                     " groups, " + fb::EnumNameElementType(type));
        int64_t out = 8 / stride;
        Shape x = {2, 8, 8, 8, 32}, w = {64, 3, 3, 3, 32 / groups},
              y = {2, out, out, out, 64};
        std::vector<int64_t> ints = {stride, stride, stride, 1, 1, 1,     1,
                                     1,      1,      1,      1, 1, groups};
        checkHeapOf(LibraryOp::Conv3D, x, w, y, ints, type, false);
        checkHeapOf(LibraryOp::Conv3DInputGrad, y, w, x, ints, type, false);
        checkHeapOf(LibraryOp::Conv3DFilterGrad, x, y, w, ints, type, false);
      }
}

TEST(Allocation, ProductsTakeNoTensorMemoryOrWhatIsSaid) {
  if (!REPRISE_COUNTS_ALLOCATIONS)
    GTEST_SKIP() << "the sanitizer owns malloc";
  const int64_t extents[][3] = {
      {1, 1, 1},     {8, 784, 256},  {8, 256, 10},    {784, 8, 256},
      {256, 10, 8},  {3, 5, 7},      {192, 192, 192}, {64, 2048, 10},
      {512, 3, 512}, {8, 512, 1000}, {512, 8, 1000},  {8, 1000, 512}};
  for (fb::ElementType type : {fb::ElementType::F32, fb::ElementType::BF16})
    for (auto [m, k, n] : extents)
      for (int64_t batch : {0, 6})
        for (bool ta : {false, true})
          for (bool tb : {false, true}) {
            Shape a = ta ? Shape{k, m} : Shape{m, k};
            Shape b = tb ? Shape{n, k} : Shape{k, n};
            Shape c = {m, n};
            if (batch)
              for (Shape *shape : {&a, &b, &c})
                shape->insert(shape->begin(), batch);
            SCOPED_TRACE(std::to_string(batch) + " x " + std::to_string(m) +
                         "x" + std::to_string(k) + "x" + std::to_string(n) +
                         (ta ? " a'" : "") + (tb ? " b'" : "") + ", " +
                         fb::EnumNameElementType(type));
            checkHeapOf(LibraryOp::MatMul, a, b, c, {ta, tb}, type);
          }
}
