//===- SimulatorTest.cpp - What the simulator says of memory --------------===//
//
// Every kind of problem, beside a kernel without it.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/IR/Verifier.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise::gpu_test;

//===----------------------------------------------------------------------===//
// Traffic
//===----------------------------------------------------------------------===//

static const char kThreePointers[] =
    "(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr)";

/// c = a + b in vectors of four, one a thread, `stride` vectors apart.
static std::string addBody(unsigned stride) {
  std::string vector = "vector<4xf32>";
  return "%n = gpu.block_dim x\n%o = arith.muli %bid, %n : index\n"
         "%j = arith.addi %o, %tid : index\n%s = arith.constant " +
         std::to_string(stride) + " : index\n%i = arith.muli %j, %s : index\n" +
         load("%x", "%a", "%i", vector) + load("%y", "%b", "%i", vector) +
         "%z = arith.addf %x, %y : vector<4xf32>\n" +
         store("%z", "%c", "%i", vector);
}

TEST(GpuSimulator, vectors_side_by_side_take_the_fewest_sectors) {
  Program add(3, 64, kThreePointers, addBody(1));
  for (uint64_t seed : kSeeds) {
    Array<float> a = counting(768), b(768, 0.5f), c(768);
    SimulationReport report =
        add.run({a.buffer("a"), b.buffer("b"), c.buffer("c", false)}, {seed});
    EXPECT_TRUE(report.problems.empty()) << report.problems[0];
    for (size_t i = 0; i < 768; ++i)
      ASSERT_EQ(c[i], float(i) + 0.5f);
    EXPECT_EQ(report.loads.accesses, 2u * 192);
    EXPECT_EQ(report.loads.sectors, 2u * 768 * 4 / 32);
    EXPECT_EQ(report.loads.leastSectors, report.loads.sectors);
    EXPECT_EQ(report.stores.accesses, 192u);
    EXPECT_EQ(report.stores.sectors, 768u * 4 / 32);
    EXPECT_EQ(report.stores.leastSectors, report.stores.sectors);
    EXPECT_EQ(report.total().sharedPasses, 0u);
    EXPECT_EQ(report.total().accesses, 3u * 192);
  }
}

TEST(GpuSimulator, vectors_apart_take_a_sector_each) {
  Program add(1, 64, kThreePointers, addBody(4));
  Array<float> a = counting(1024), b(1024, 1.0f), c(1024);
  SimulationReport report =
      add.run({a.buffer("a"), b.buffer("b"), c.buffer("c")});
  EXPECT_TRUE(report.problems.empty());
  EXPECT_EQ(report.stores.sectors, 64u);
  EXPECT_EQ(report.stores.leastSectors, 32u);
  EXPECT_EQ(report.loads.sectors, 2 * report.stores.sectors);
}

/// The processor splits what is not aligned, and so does the count: a warp's
/// quarter of a vector is 16 bytes from the next lane's.
TEST(GpuSimulator, vectors_of_small_alignment_are_several_instructions) {
  std::string body = element("%p", "%a", "%tid", "vector<4xf32>") +
                     "%x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> "
                     "vector<4xf32>\n" +
                     store("%x", "%b", "%c0", "vector<4xf32>");
  Program program(1, 32, "(%a: !llvm.ptr, %b: !llvm.ptr)", body);
  Array<float> a(128), b(4);
  SimulationReport report = program.run({a.buffer("a"), b.buffer("b")});
  EXPECT_EQ(report.loads.accesses, 32u);
  EXPECT_EQ(report.loads.sectors, 4u * 16);
  EXPECT_EQ(report.loads.leastSectors, 4u * 4);
}

TEST(GpuSimulator, lanes_that_read_one_address_share_its_sector) {
  Program program(1, 64, "(%a: !llvm.ptr)",
                  load("%x", "%a", "%c1") + store("%x", "%a", "%tid"));
  Array<float> a(64);
  SimulationReport report = program.run({a.buffer("a")});
  EXPECT_EQ(report.loads.accesses, 64u);
  EXPECT_EQ(report.loads.sectors, 2u);
  EXPECT_EQ(report.loads.leastSectors, 2u);
}

/// Passes over the banks when lane i stores to element i * stride.
static SimulationReport bankRun(const std::string &type, unsigned stride) {
  std::string body =
      "%s = arith.constant " + std::to_string(stride) +
      " : index\n%i = arith.muli %tid, %s : index\n"
      "%x = arith.constant dense<1.0> : " +
      type + "\nmemref.store %x, %m[%i] : " + sharedType("1024x" + type) + "\n";
  Program program(1, 32, "() workgroup(%m: " + sharedType("1024x" + type) + ")",
                  body);
  SimulationReport report = program.run({});
  EXPECT_TRUE(report.problems.empty());
  EXPECT_EQ(report.loads.sharedPasses, 0u);
  EXPECT_EQ(report.total().sectors, 0u);
  return report;
}

TEST(GpuSimulator, conflicts_of_banks_are_counted) {
  auto passes = [](const std::string &type, unsigned stride) {
    SimulationReport report = bankRun(type, stride);
    return std::make_pair(report.stores.sharedPasses,
                          report.stores.leastSharedPasses);
  };
  using Passes = std::pair<uint64_t, uint64_t>;
  EXPECT_EQ(passes("vector<1xf32>", 1), Passes(1, 1));
  EXPECT_EQ(passes("vector<1xf32>", 2), Passes(2, 1));
  EXPECT_EQ(passes("vector<1xf32>", 32), Passes(32, 1));
  EXPECT_EQ(passes("vector<1xf32>", 31), Passes(1, 1));
  EXPECT_EQ(passes("vector<2xf32>", 1), Passes(2, 2));
  EXPECT_EQ(passes("vector<4xf32>", 1), Passes(4, 4));
  EXPECT_EQ(passes("vector<4xf32>", 8), Passes(32, 4));
  EXPECT_EQ(passes("vector<2xbf16>", 32), Passes(32, 1));
  // Two lanes in one word do not conflict.
  EXPECT_EQ(passes("vector<1xbf16>", 1), Passes(1, 1));
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

TEST(GpuSimulator, one_past_the_end_is_reported_and_not_written) {
  std::string body = "%one = arith.constant 1.0 : f32\n"
                     "%i = arith.addi %tid, %c1 : index\n" +
                     store("%one", "%a", "%i");
  Program program(1, 8, "(%a: !llvm.ptr)", body);
  Array<float> a(9);
  EXPECT_EQ(program.problemsOf({a.buffer("a")}), "");
  EXPECT_EQ(a[8], 1.0f);
  Array<float> b(9);
  Buffer less = b.buffer("b");
  less.bytes -= sizeof(float);
  EXPECT_EQ(program.problemsOf({less}),
            "bounds: store at -:6:1: thread 7 of block 0 leaves all buffers\n");
  EXPECT_EQ(b[8], 0.0f);
  less.bytes += 2;
  EXPECT_EQ(program.problemsOf({less}),
            "bounds: store at -:6:1: thread 7 of block 0 is 32 bytes into 'b' "
            "of 34 bytes\n");
  EXPECT_EQ(b[8], 0.0f);
}

TEST(GpuSimulator, alignment_is_what_the_access_states) {
  auto problems = [](const std::string &alignment) {
    std::string body = element("%p", "%a", "%c1") + "%x = llvm.load %p " +
                       alignment + " : !llvm.ptr -> vector<2xf32>\n" +
                       store("%x", "%a", "%c0", "vector<2xf32>");
    Array<float> a(3);
    return Program(1, 1, "(%a: !llvm.ptr)", body).problemsOf({a.buffer("a")});
  };
  EXPECT_EQ(problems("{alignment = 4 : i64}"), "");
  EXPECT_EQ(problems("{alignment = 8 : i64}"),
            "alignment: load at -:4:6: thread 0 of block 0 is at an address "
            "that is not a multiple of 8 in 'a'\n");
  EXPECT_EQ(problems(""), problems("{alignment = 8 : i64}"));
}

// Shared memory of numbers holds vectors only where it says so.
TEST(GpuSimulator, shared_memory_begins_where_it_states) {
  auto problems = [](const std::string &elements, const std::string &stated) {
    std::string memory = sharedType("64x" + elements);
    std::string body =
        "%i = memref.extract_aligned_pointer_as_index %m : " + memory +
        " -> index\n%j = arith.index_cast %i : index to i64\n"
        "%p = llvm.inttoptr %j : i64 to !llvm.ptr\n"
        "%z = arith.constant dense<0.0> : vector<4xf32>\n"
        "llvm.store %z, %p {alignment = 16 : i64} : vector<4xf32>, "
        "!llvm.ptr\n";
    return Program(1, 1, "() workgroup(%m: " + memory + stated + ")", body)
        .problemsOf({});
  };
  EXPECT_EQ(problems("f32", ""), "alignment: store at -:6:1: 'shared memory 0' "
                                 "begins at a multiple of 4, not of 16\n");
  EXPECT_EQ(problems("f32", " {llvm.align = 16 : i64}"), "");
  EXPECT_EQ(problems("vector<4xf32>", ""), "");
}

TEST(GpuSimulator, variables_of_a_thread_are_its_own) {
  std::string body = "%v = memref.alloca() : memref<4xf32>\n"
                     "%x = arith.constant 2.0 : f32\nmemref.store %x, %v[%c1] "
                     ": memref<4xf32>\n"
                     "%y = memref.load %v[%c1] : memref<4xf32>\n" +
                     store("%y", "%a", "%tid");
  Program program(1, 64, "(%a: !llvm.ptr)", body);
  Array<float> a(64);
  SimulationReport report = program.run({a.buffer("a")});
  EXPECT_TRUE(report.problems.empty());
  EXPECT_EQ(a[63], 2.0f);
  EXPECT_EQ(report.total().accesses, 64u);
}

//===----------------------------------------------------------------------===//
// Races and what is not written
//===----------------------------------------------------------------------===//

TEST(GpuSimulator, blocks_that_write_one_byte_race) {
  std::string same = "%two = arith.constant 2 : index\n"
                     "%one = arith.constant 1 : i8\n"
                     "%n = arith.remui %bid, %two : index\n" +
                     store("%one", "%a", "%n", "i8");
  Array<uint8_t> a(64);
  EXPECT_EQ(Program(2, 1, "(%a: !llvm.ptr)", same).problemsOf({a.buffer("a")}),
            "");
  Program three(3, 1, "(%a: !llvm.ptr)", same);
  EXPECT_EQ(three.problemsOf({a.buffer("a")}),
            "race: store at -:7:1: thread 0 of block 2 is at byte 0 of 'a', "
            "where a thread of another block was without a barrier between "
            "them\n");
  for (uint64_t seed : kSeeds)
    EXPECT_NE(three.problemsOf({a.buffer("a")}, {seed}), "");
}

TEST(GpuSimulator, a_block_may_not_read_what_another_writes) {
  std::string body = load("%x", "%a", "%c0") +
                     "%first = arith.cmpi eq, %bid, %c0 : index\n"
                     "scf.if %first {\n" +
                     store("%x", "%a", "%c0") + "}\n";
  Program program(2, 1, "(%a: !llvm.ptr)", body);
  for (uint64_t seed : kSeeds) {
    Array<float> a(1);
    EXPECT_EQ(program.problemsOf({a.buffer("a")}, {seed}).substr(0, 5), "race:")
        << seed;
  }
  Program one(1, 1, "(%a: !llvm.ptr)", body);
  Array<float> a(1);
  EXPECT_EQ(one.problemsOf({a.buffer("a")}), "");
}

TEST(GpuSimulator, outputs_may_lie_over_inputs) {
  Program add(1, 64, kThreePointers, addBody(1));
  Array<float> a = counting(256), b(256, 1.0f);
  EXPECT_EQ(add.problemsOf({a.buffer("a"), b.buffer("b"), a.buffer("c")}), "");
  EXPECT_EQ(a[255], 256.0f);
  // Half of the input, and what follows it.
  Array<float> c(384, 1.0f);
  Buffer input = c.buffer("input"), output = c.buffer("output");
  input.bytes = output.bytes = 1024;
  output.data = &c[128];
  EXPECT_EQ(
      add.problemsOf({input, b.buffer("b"), output}),
      "race: load at -:9:6: thread 32 of block 0 is at byte 512 of "
      "'input/output', where thread 0 was without a barrier between them\n");
}

TEST(GpuSimulator, buffers_are_written_before_they_are_read) {
  Program copy(1, 64, "(%a: !llvm.ptr, %b: !llvm.ptr)",
               load("%x", "%a", "%tid") + store("%x", "%b", "%tid") +
                   load("%y", "%b", "%tid") + store("%y", "%b", "%tid"));
  Array<float> a(64), b(64);
  EXPECT_EQ(copy.problemsOf({a.buffer("a"), b.buffer("b", false)}), "");
  EXPECT_EQ(copy.problemsOf({a.buffer("a", false), b.buffer("b")}),
            "unwritten: load at -:4:6: thread 0 of block 0 is at byte 0 of "
            "'a', which nobody wrote\n");
}

TEST(GpuSimulator, shared_memory_is_new_in_every_block) {
  std::string memory = sharedType("32xf32");
  std::string body = "%first = arith.cmpi eq, %bid, %c0 : index\n"
                     "%one = arith.constant 1.0 : f32\n"
                     "scf.if %first {\nmemref.store %one, %m[%tid] : " +
                     memory + "\n}\n%x = memref.load %m[%tid] : " + memory +
                     "\nmemref.store %x, %m[%tid] : " + memory + "\n";
  std::string signature = "() workgroup(%m: " + memory + ")";
  EXPECT_EQ(Program(1, 32, signature, body).problemsOf({}), "");
  EXPECT_EQ(Program(2, 32, signature, body).problemsOf({}),
            "unwritten: load at -:7:6: thread 0 of block 1 is at byte 0 of "
            "'shared memory 0', which nobody wrote\n");
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

TEST(GpuSimulator, mathematics_is_the_processors) {
  std::string body = load("%x", "%a", "%tid") +
                     "%r = math.sqrt %x : f32\n%f = math.floor %r : f32\n"
                     "%g = math.fma %x, %r, %f : f32\n"
                     "%n = arith.negf %g : f32\n%p = math.absf %n : f32\n"
                     "%q = math.copysign %p, %n : f32\n"
                     "%h = arith.truncf %q : f32 to bf16\n" +
                     store("%h", "%b", "%tid", "bf16");
  Program program(1, 64, "(%a: !llvm.ptr, %b: !llvm.ptr)", body);
  Array<float> a = counting(64);
  Array<uint16_t> b(64);
  EXPECT_EQ(program.problemsOf({a.buffer("a"), b.buffer("b", false)}), "");
  for (size_t i = 0; i < 64; ++i) {
    float root = std::sqrt(float(i));
    float expected = -std::fma(float(i), root, std::floor(root));
    uint32_t bits;
    std::memcpy(&bits, &expected, sizeof bits);
    // To the nearest, to even.
    EXPECT_EQ(b[i], (bits + 0x7fff + (bits >> 16 & 1)) >> 16) << i;
  }
}

TEST(GpuSimulator, pointers_may_say_that_they_are_global) {
  std::string body =
      "%i = arith.index_cast %tid : index to i64\n"
      "%p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> "
      "!llvm.ptr<1>, i32\n%x = llvm.load %p : !llvm.ptr<1> -> i32\n"
      "%y = arith.addi %x, %x : i32\n"
      "%g = llvm.addrspacecast %p : !llvm.ptr<1> to !llvm.ptr\n"
      "llvm.store %y, %g : i32, !llvm.ptr\n";
  Program program(1, 8, "(%a: !llvm.ptr<1>)", body);
  Array<int32_t> a(8, 21);
  EXPECT_EQ(program.problemsOf({a.buffer("a")}), "");
  EXPECT_EQ(a[7], 42);
}

static std::string textOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream);
  return text;
}

TEST(GpuSimulator, the_module_stays_as_it_is) {
  Program program(1, 64, "() workgroup(%m: " + sharedType("4xf32") + ")",
                  "gpu.barrier\n");
  std::string before = textOf(*program.module);
  std::string error;
  EXPECT_TRUE(Simulator::compile(*program.module, {0}, error)) << error;
  EXPECT_EQ(textOf(*program.module), before);
  EXPECT_TRUE(succeeded(verify(*program.module)));
  Operation *inner = &program.module->getBody()->front();
  EXPECT_TRUE(Simulator::compile(inner, {}, error)) << error;
}

TEST(GpuSimulator, refuses_what_it_does_not_simulate) {
  auto errorOf = [](unsigned threads, const std::string &signature,
                    const std::string &body) {
    return Program(1, threads, signature, body).error;
  };
  EXPECT_EQ(errorOf(1025, "()", ""),
            "'gpu.func' op has 1025 threads in a block, more than 1024");
  EXPECT_EQ(errorOf(0, "()", ""),
            "'gpu.func' op needs known_block_size = [n, 1, 1]");
  EXPECT_EQ(errorOf(1, "(%n: i64)", ""),
            "'gpu.func' op has an argument of type 'i64', not !llvm.ptr");
  EXPECT_EQ(errorOf(1, "(%a: !llvm.ptr)",
                    "%x = arith.constant 1 : i32\n%y = llvm.atomicrmw add "
                    "%a, %x monotonic : !llvm.ptr, i32\n"),
            "'llvm.atomicrmw' op touches memory in a way that is not "
            "simulated");
  EXPECT_EQ(errorOf(1, "() workgroup(%m: " + sharedType("6145xf64") + ")", ""),
            "'gpu.func' op has 49160 bytes of shared memory, more than 49152");
  EXPECT_EQ(errorOf(1, "() private(%m: memref<4xf32, 5>)", ""),
            "'gpu.func' op has private attributions");
  EXPECT_NE(errorOf(1, "(%a: !llvm.ptr)",
                    "%x = gpu.cluster_id x\n" + load("%y", "%a", "%x") +
                        store("%y", "%a", "%x"))
                .find("failed to legalize operation 'gpu.cluster_id'"),
            std::string::npos);
}

TEST(GpuSimulator, a_launch_names_a_kernel_and_its_buffers) {
  Program program(1, 1, "(%a: !llvm.ptr)", "");
  EXPECT_EQ(program.simulator->kernels(), std::vector<std::string>{"k"});
  EXPECT_EQ(program.problemsOf({}), "launch: 'k' takes 1 buffers, not 0\n");
  EXPECT_EQ(program.simulator->launch("j", {}).problems,
            std::vector<std::string>{"launch: there is no kernel 'j'"});
}
