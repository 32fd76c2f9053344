//===- MeetingTest.cpp - Barriers, warps and shuffles ---------------------===//

#include "Program.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise::gpu_test;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Each block sums 128 elements of %a into one of %b, by halves.
static Program blockSum(std::optional<unsigned> dropped = std::nullopt) {
  std::string memory = sharedType("128xf32");
  std::string at = " : " + memory + "\n";
  std::string body =
      "%n = gpu.block_dim x\n%o = arith.muli %bid, %n : index\n"
      "%i = arith.addi %o, %tid : index\n" +
      load("%x", "%a", "%i") + "memref.store %x, %m[%tid]" + at +
      "gpu.barrier\n%c7 = arith.constant 7 : index\n"
      "%half = arith.constant 64 : index\n"
      "scf.for %k = %c0 to %c7 step %c1 {\n"
      "%s = arith.shrui %half, %k : index\n"
      "%low = arith.cmpi ult, %tid, %s : index\nscf.if %low {\n"
      "%j = arith.addi %tid, %s : index\n"
      "%p = memref.load %m[%tid]" +
      at + "%q = memref.load %m[%j]" + at +
      "%r = arith.addf %p, %q : f32\nmemref.store %r, %m[%tid]" + at +
      "}\ngpu.barrier\n}\n"
      "%first = arith.cmpi eq, %tid, %c0 : index\nscf.if %first {\n"
      "%y = memref.load %m[%c0]" +
      at + store("%y", "%b", "%bid") + "}\n";
  return Program(3, 128,
                 "(%a: !llvm.ptr, %b: !llvm.ptr) workgroup(%m: " + memory + ")",
                 body, {dropped});
}

TEST(GpuMeetings, barriers_order_a_sum_in_any_order_of_threads) {
  Program sum = blockSum();
  for (uint64_t seed : kSeeds) {
    Array<float> a = counting(384), b(3);
    EXPECT_EQ(sum.problemsOf({a.buffer("a"), b.buffer("b", false)}, {seed}),
              "");
    EXPECT_EQ(b[0], 127 * 64.0f);
    EXPECT_EQ(b[2], 383 * 192.0f - 255 * 128.0f);
  }
}

TEST(GpuMeetings, every_dropped_barrier_is_a_race_in_any_order_of_threads) {
  unsigned barriers = blockSum().simulator->barriers("k");
  EXPECT_EQ(barriers, 2u);
  for (unsigned dropped = 0; dropped < barriers; ++dropped) {
    Program sum = blockSum(dropped);
    EXPECT_EQ(sum.simulator->barriers("k"), barriers);
    for (uint64_t seed : kSeeds) {
      Array<float> a = counting(384), b(3);
      std::string problems =
          sum.problemsOf({a.buffer("a"), b.buffer("b")}, {seed});
      EXPECT_NE(problems.find("race: "), std::string::npos)
          << "barrier " << dropped << ", seed " << seed;
    }
  }
}

/// Threads below 32 run `then`, the others `otherwise`.
static std::string divergent(const std::string &then,
                             const std::string &otherwise) {
  return "%n = arith.constant 32 : index\n"
         "%low = arith.cmpi ult, %tid, %n : index\nscf.if %low {\n" +
         then + "} else {\n" + otherwise + "}\n";
}

TEST(GpuMeetings, threads_meet_at_one_barrier) {
  Program program(1, 64, "()", divergent("gpu.barrier\n", "gpu.barrier\n"));
  EXPECT_EQ(program.problemsOf({}),
            "divergence: barrier at -:7:1: thread 32 of block 0 comes while "
            "others wait at barrier at -:5:1\n");
  EXPECT_EQ(Program(1, 32, "()", divergent("gpu.barrier\n", "gpu.barrier\n"))
                .problemsOf({}),
            "");
}

TEST(GpuMeetings, a_thread_that_ends_before_a_barrier_is_a_deadlock) {
  Program program(2, 64, "()", divergent("gpu.barrier\n", ""));
  for (uint64_t seed : kSeeds)
    EXPECT_EQ(program.problemsOf({}, {seed}),
              "deadlock: barrier at -:5:1: 32 threads wait while 32 of 64 "
              "threads of block " +
                  std::to_string(seed == 1) + " have ended\n");
  // By branches.
  std::string body = "%n = arith.constant 63 : index\n"
                     "%last = arith.cmpi eq, %tid, %n : index\n"
                     "cf.cond_br %last, ^end, ^on\n^on:\ngpu.barrier\n"
                     "cf.br ^end\n^end:\n";
  EXPECT_EQ(Program(1, 64, "()", body).problemsOf({}),
            "deadlock: barrier at -:6:1: 63 threads wait while 1 of 64 "
            "threads of block 0 have ended\n");
}

TEST(GpuMeetings, the_simulator_goes_on_after_a_deadlock) {
  std::string body = load("%x", "%a", "%c0", "i32") +
                     "%z = arith.constant 0 : i32\n"
                     "%stop = arith.cmpi ne, %x, %z : i32\n"
                     "%other = arith.cmpi ne, %tid, %c0 : index\n"
                     "%wait = arith.ori %stop, %other : i1\n"
                     "scf.if %wait {\ngpu.barrier\n}\n";
  Program program(4, 64, "(%a: !llvm.ptr)", body);
  Array<int32_t> a(1);
  EXPECT_NE(program.problemsOf({a.buffer("a")}), "");
  a[0] = 1;
  EXPECT_EQ(program.problemsOf({a.buffer("a")}), "");
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

/// Lanes hand %a to the next lane through shared memory, `between` in between.
static std::string exchange(const std::string &between,
                            const std::string &partner) {
  std::string memory = " : " + sharedType("64xf32") + "\n";
  return load("%x", "%a", "%tid") + "memref.store %x, %m[%tid]" + memory +
         "%mask = arith.constant -1 : i32\n" + between +
         "%p = arith.constant " + partner +
         " : index\n%j = arith.xori %tid, %p : index\n"
         "%y = memref.load %m[%j]" +
         memory + store("%y", "%b", "%tid");
}

static std::string exchangeProblems(const std::string &between,
                                    const std::string &partner,
                                    const SimulationOptions &options = {},
                                    unsigned threads = 64) {
  Program program(1, threads,
                  "(%a: !llvm.ptr, %b: !llvm.ptr) workgroup(%m: " +
                      sharedType("64xf32") + ")",
                  exchange(between, partner));
  Array<float> a = counting(64), b(64);
  std::string problems =
      program.problemsOf({a.buffer("a"), b.buffer("b")}, options);
  for (size_t i = 0; problems.empty() && i < threads; ++i)
    EXPECT_EQ(b[i], float(i ^ std::stoul(partner)));
  return problems;
}

static const char kWarpBarrier[] = "nvvm.bar.warp.sync %mask : i32\n";

TEST(GpuMeetings, a_barrier_of_the_warp_orders_its_lanes) {
  for (uint64_t seed : kSeeds) {
    EXPECT_EQ(exchangeProblems(kWarpBarrier, "1", {seed}), "");
    EXPECT_NE(exchangeProblems("", "1", {seed}).find("race: "),
              std::string::npos)
        << seed;
  }
  // Of 8 lanes in the second warp.
  EXPECT_EQ(exchangeProblems(kWarpBarrier, "1", {}, 40), "");
}

TEST(GpuMeetings, a_barrier_of_the_warp_does_not_order_warps) {
  for (uint64_t seed : kSeeds) {
    EXPECT_NE(exchangeProblems(kWarpBarrier, "32", {seed}).find("race: "),
              std::string::npos)
        << seed;
    EXPECT_EQ(exchangeProblems("gpu.barrier\n", "32", {seed}), "");
  }
}

TEST(GpuMeetings, a_barrier_of_the_warp_waits_for_all_lanes) {
  EXPECT_EQ(exchangeProblems("%odd = arith.constant 1 : i32\n"
                             "nvvm.bar.warp.sync %odd : i32\n",
                             "1"),
            "divergence: warp barrier at -:8:1: thread 0 of block 0 waits "
            "for some lanes of its warp only\n");
  std::string body = "%mask = arith.constant -1 : i32\n"
                     "%even = arith.cmpi ne, %tid, %c1 : index\n"
                     "scf.if %even {\nnvvm.bar.warp.sync %mask : i32\n}\n";
  EXPECT_EQ(Program(1, 64, "()", body).problemsOf({}),
            "deadlock: warp barrier at -:5:1: 31 threads wait while 33 of 64 "
            "threads of block 0 have ended\n");
}

TEST(GpuMeetings, barriers_of_a_warp_can_be_dropped_too) {
  Program program(1, 64,
                  "(%a: !llvm.ptr, %b: !llvm.ptr) workgroup(%m: " +
                      sharedType("64xf32") + ")",
                  exchange(kWarpBarrier, "1"), {0});
  EXPECT_EQ(program.simulator->barriers("k"), 1u);
  Array<float> a(64), b(64);
  EXPECT_NE(program.problemsOf({a.buffer("a"), b.buffer("b")}), "");
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// The sums of warps by a tree of shuffles.
TEST(GpuMeetings, shuffles_sum_a_warp) {
  std::string body =
      load("%s0", "%a", "%tid") + "%w = arith.constant 32 : i32\n";
  std::string sum = "%s0";
  for (unsigned offset : {16, 8, 4, 2, 1}) {
    std::string n = std::to_string(offset);
    body += "%o" + n + " = arith.constant " + n + " : i32\n%t" + n + ", %v" +
            n + " = gpu.shuffle xor " + sum + ", %o" + n + ", %w : f32\n%s" +
            n + " = arith.addf " + sum + ", %t" + n + " : f32\n";
    sum = "%s" + n;
  }
  body += element("%p", "%b", "%tid") + "llvm.store " + sum +
          ", %p : f32, !llvm.ptr\n";
  Program program(1, 64, "(%a: !llvm.ptr, %b: !llvm.ptr)", body);
  for (uint64_t seed : kSeeds) {
    Array<float> a = counting(64), b(64);
    EXPECT_EQ(program.problemsOf({a.buffer("a"), b.buffer("b")}, {seed}), "");
    EXPECT_EQ(b[0], 31 * 16.0f);
    EXPECT_EQ(b[31], 31 * 16.0f);
    EXPECT_EQ(b[32], 63 * 32.0f - 31 * 16.0f);
  }
}

/// %a shuffled by 3 lanes in a mode, and whether it was valid.
template <typename T>
static std::pair<std::vector<T>, std::vector<uint8_t>>
shuffled(const std::string &mode, const std::string &type) {
  std::string body = load("%x", "%a", "%tid", type) +
                     "%o = arith.constant 3 : i32\n"
                     "%w = arith.constant 32 : i32\n%y, %v = gpu.shuffle " +
                     mode + " %x, %o, %w : " + type + "\n" +
                     "%u = arith.extui %v : i1 to i8\n" +
                     store("%y", "%b", "%tid", type) +
                     store("%u", "%c", "%tid", "i8");
  Program program(1, 32, "(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr)", body);
  Array<T> a(32), b(32);
  Array<uint8_t> c(32);
  for (size_t i = 0; i < 32; ++i)
    a[i] = T((uint64_t(i) << (sizeof(T) * 8 - 8)) + i);
  EXPECT_EQ(
      program.problemsOf({a.buffer("a"), b.buffer("b"), c.buffer("c")}, {2}),
      "");
  std::vector<T> lanes(32);
  for (size_t i = 0; i < 32; ++i)
    lanes[i] = T(b[i] & 31);
  return {lanes, std::vector<uint8_t>(&c[0], &c[0] + 32)};
}

TEST(GpuMeetings, shuffles_have_modes) {
  auto checkAll = [](auto zero, const std::string &type) {
    using T = decltype(zero);
    auto [exclusive, hasPartner] = shuffled<T>("xor", type);
    auto [up, hasLower] = shuffled<T>("up", type);
    auto [down, hasHigher] = shuffled<T>("down", type);
    auto [index, always] = shuffled<T>("idx", type);
    for (unsigned i = 0; i < 32; ++i) {
      EXPECT_EQ(exclusive[i], T(i ^ 3));
      EXPECT_EQ(hasPartner[i], 1);
      EXPECT_EQ(up[i], T(i < 3 ? i : i - 3));
      EXPECT_EQ(hasLower[i], i >= 3);
      EXPECT_EQ(down[i], T(i > 28 ? i : i + 3));
      EXPECT_EQ(hasHigher[i], i <= 28);
      EXPECT_EQ(index[i], T(3));
      EXPECT_EQ(always[i], 1);
    }
  };
  checkAll(uint32_t(), "i32");
  checkAll(uint64_t(), "i64");
}

TEST(GpuMeetings, shuffles_carry_doubles) {
  std::string body = load("%x", "%a", "%tid", "f64") +
                     "%o = arith.constant 1 : i32\n"
                     "%w = arith.constant 32 : i32\n%y, %v = gpu.shuffle xor "
                     "%x, %o, %w : f64\n" +
                     store("%y", "%b", "%tid", "f64");
  Program program(1, 32, "(%a: !llvm.ptr, %b: !llvm.ptr)", body);
  Array<double> a(32), b(32);
  for (size_t i = 0; i < 32; ++i)
    a[i] = 1.0 / double(i + 1);
  EXPECT_EQ(program.problemsOf({a.buffer("a"), b.buffer("b")}), "");
  for (size_t i = 0; i < 32; ++i)
    EXPECT_EQ(b[i], a[i ^ 1]);
}

TEST(GpuMeetings, shuffles_order_memory_if_asked_to) {
  std::string between = "%w = arith.constant 32 : i32\n"
                        "%s, %v = gpu.shuffle xor %mask, %w, %w : i32\n";
  EXPECT_EQ(exchangeProblems(between, "1"), "");
  EXPECT_NE(exchangeProblems(between, "32").find("race: "), std::string::npos);
  SimulationOptions strict;
  strict.shufflesOrderMemory = false;
  EXPECT_NE(exchangeProblems(between, "1", strict).find("race: "),
            std::string::npos);
}

/// Problems of a shuffle of `width` lanes in a block of `threads`.
static std::string widthProblems(unsigned threads, const std::string &width) {
  std::string body = "%x = arith.constant 1 : i32\n%w = arith.constant " +
                     width +
                     " : i32\n%y, %v = gpu.shuffle xor %x, %x, %w : i32\n" +
                     store("%y", "%a", "%tid", "i32");
  Array<int32_t> a(threads);
  return Program(1, threads, "(%a: !llvm.ptr)", body)
      .problemsOf({a.buffer("a")});
}

TEST(GpuMeetings, a_shuffle_is_as_wide_as_its_warp) {
  EXPECT_EQ(widthProblems(64, "32"), "");
  EXPECT_EQ(widthProblems(16, "16"), "");
  EXPECT_EQ(widthProblems(40, "32"),
            "shuffle: shuffle at -:4:10: thread 32 of block 0, lane 0 of 8, "
            "shuffles with a width of 32\n");
  EXPECT_EQ(widthProblems(32, "16"),
            "shuffle: shuffle at -:4:10: thread 16 of block 0, lane 16 of "
            "32, shuffles with a width of 16\n");
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// Four matrices of 8 by 8 numbers, each its own place, a row a lane; each lane
/// stores the words that it gets.
static Program
matrices(unsigned threads, const std::string &layout,
         const std::string &alignment = " {llvm.align = 16 : i64}") {
  std::string memory = sharedType("256xi16"), pointer = "!llvm.ptr<3>";
  std::string words = "!llvm.struct<(i32, i32, i32, i32)>";
  std::string body =
      "%eight = arith.constant 8 : index\n%four = arith.constant 4 : index\n"
      "%at = arith.muli %tid, %eight : index\n"
      "scf.for %k = %c0 to %eight step %c1 {\n"
      "%i = arith.addi %at, %k : index\n"
      "%x = arith.index_cast %i : index to i16\n"
      "memref.store %x, %m[%i] : " +
      memory +
      "\n}\n"
      "%begin = memref.extract_aligned_pointer_as_index %m : " +
      memory +
      " -> index\n%number = arith.index_cast %begin : index to i64\n"
      "%p = llvm.inttoptr %number : i64 to " +
      pointer + "\n%o = arith.index_cast %at : index to i64\n" +
      "%q = llvm.getelementptr %p[%o] : (" + pointer + ", i64) -> " + pointer +
      ", i16\n%y = nvvm.ldmatrix %q {num = 4 : i32, layout = "
      "#nvvm.mma_layout<" +
      layout +
      ">, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = "
      "#nvvm.ld_st_matrix_elt_type<b16>} : (" +
      pointer + ") -> " + words + "\n%first = arith.muli %tid, %four : index\n";
  for (unsigned i = 0; i < 4; ++i) {
    std::string n = std::to_string(i);
    body += "%w" + n + " = llvm.extractvalue %y[" + n + "] : " + words +
            "\n%c_" + n + " = arith.constant " + n + " : index\n%i" + n +
            " = arith.addi %first, %c_" + n + " : index\n" +
            store("%w" + n, "%a", "%i" + n, "i32");
  }
  return Program(1, threads,
                 "(%a: !llvm.ptr) workgroup(%m: " + memory + alignment + ")",
                 body);
}

TEST(GpuMeetings, lanes_get_rows_or_columns_of_matrices) {
  for (bool isTurned : {false, true}) {
    Program program = matrices(32, isTurned ? "col" : "row");
    for (uint64_t seed : kSeeds) {
      Array<uint32_t> a(128);
      SimulationOptions options;
      options.seed = seed;
      EXPECT_EQ(program.problemsOf({a.buffer("a", false)}, options), "");
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < 4; ++i) {
          unsigned g = lane / 4, t = lane % 4;
          unsigned low = isTurned ? 16 * t + g : 8 * g + 2 * t;
          unsigned high = isTurned ? low + 8 : low + 1;
          ASSERT_EQ(a[4 * lane + i], (64 * i + low) | (64 * i + high) << 16)
              << isTurned << ", lane " << lane << ", matrix " << i;
        }
    }
  }
}

TEST(GpuMeetings, matrices_need_a_whole_warp) {
  Program program = matrices(16, "row");
  Array<uint32_t> a(128);
  EXPECT_NE(program.problemsOf({a.buffer("a", false)})
                .find("loads matrices in a warp of 16 lanes"),
            std::string::npos);
}

TEST(GpuMeetings, rows_of_matrices_are_aligned) {
  Program program = matrices(32, "row", /*alignment=*/"");
  Array<uint32_t> a(128);
  EXPECT_NE(program.problemsOf({a.buffer("a", false)})
                .find("begins at a multiple of 2, not of 16"),
            std::string::npos);
}
