//===- CompileTest.cpp - Properties of code images ------------------------===//

#include "HostCode.h"
#include "KernelHarness.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "reprise/IR/Sg.h"
#include "reprise/Runtime/Cpu/Cpu.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace reprise;
using namespace reprise::test;

static Case sumCase(const std::string &name) {
  return {name,
          {"37x133xf32"},
          "%e = sg.exp %a0 : tensor<37x133xf32>\n"
          "%s = sg.reduce_sum %e dims [0] : tensor<37x133xf32> -> "
          "tensor<133xf32>\n",
          {{"%s", "133xf32"}}};
}

static Case rowCase(const std::string &name) {
  return {name,
          {"37x133xf32"},
          "%s = sg.reduce_sum %a0 dims [1] : tensor<37x133xf32> -> "
          "tensor<37xf32>\n",
          {{"%s", "37xf32"}}};
}

TEST(CompileKernels, equal_input_gives_equal_bytes) {
  auto context = createContext();
  auto module = parseCases(*context, {sumCase("a"), rowCase("b")});
  FailureOr<std::vector<uint8_t>> first = compileForHost(sourcesOf(*module));
  FailureOr<std::vector<uint8_t>> second = compileForHost(sourcesOf(*module));
  ASSERT_TRUE(succeeded(first) && succeeded(second));
  EXPECT_EQ(*first, *second);
}

TEST(CompileKernels, equal_bodies_share_code_under_their_names) {
  auto context = createContext();
  auto module =
      parseCases(*context, {sumCase("a"), rowCase("b"), sumCase("c")});
  FailureOr<std::vector<uint8_t>> image = compileForHost(sourcesOf(*module));
  ASSERT_TRUE(succeeded(image));
  LoadedCode code(*image);
  ASSERT_NE(code.find("a"), nullptr);
  EXPECT_EQ(code.find("a"), code.find("c"));
  EXPECT_NE(code.find("a"), code.find("b"));
}

/// Arithmetic on bf16 and f16, rounded after each op.
static Case halfCase(const std::string &name) {
  std::string body;
  for (std::string type : {"bf16", "f16"}) {
    std::string tensor = "tensor<37x133x" + type + ">", p = "%" + type;
    body += p + "a = sg.cast %a0 : tensor<37x133xf32> to " + tensor + "\n" + p +
            "b = sg.mul " + p + "a, " + p + "a : " + tensor + "\n" + p +
            "c = sg.add " + p + "b, " + p + "a : " + tensor + "\n" + p +
            "d = sg.exp " + p + "c : " + tensor + "\n" + p + "e = sg.div " + p +
            "d, " + p + "a : " + tensor + "\n" + p + "f = sg.cast " + p +
            "e : " + tensor + " to tensor<37x133xf32>\n" + p + "g = sg.cast " +
            p + "a : " + tensor + " to tensor<37x133xf32>\n";
  }
  return {name,
          {"37x133xf32"},
          body,
          {{"%bf16f", "37x133xf32"},
           {"%bf16g", "37x133xf32"},
           {"%f16f", "37x133xf32"},
           {"%f16g", "37x133xf32"}}};
}

/// An op from `from`, 37 * 133 numbers, to `to`: of `type`, for which $ stands
/// in `text`, between casts from f32 and to it.
static Case chosenCase(const std::string &op, const std::string &type,
                       const std::string &from, const std::string &to,
                       const std::string &text) {
  std::string body = "%x = sg.cast %a0 : tensor<" + from + "xf32> to tensor<" +
                     from + "x$>\n" + text + "\n%r = sg.cast %y : tensor<" +
                     to + "x$> to tensor<" + to + "xf32>\n";
  std::string typed;
  for (char c : body)
    typed += c == '$' ? type : std::string(1, c);
  return {op + "_" + type, {from + "xf32"}, typed, {{"%r", to + "xf32"}}};
}

/// Ops that choose element by element: padding, rows outside a table, pools
/// with padding, selections; and casts to other types and back.
static std::vector<Case> chosenCases(const std::string &type) {
  const char *all = "37x133", *image = "1x37x19x7";
  std::vector<Case> cases = {
      chosenCase("pad", type, all, "40x268",
                 "%y = sg.pad %x low [2, 3] high [1, 0] interior [0, 1] value "
                 "0.3 : tensor<37x133x$> -> tensor<40x268x$>"),
      chosenCase("gather", type, all, "41x133",
                 "%i = sg.iota 0 : tensor<41xi32>\n"
                 "%y = sg.gather %x, %i : (tensor<37x133x$>, tensor<41xi32>) "
                 "-> tensor<41x133x$>"),
      chosenCase("pool", type, image, "1x19x10x7",
                 "%y = sg.max_pool2d %x {window = array<i64: 3, 3>, strides = "
                 "array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : "
                 "(tensor<1x37x19x7x$>) -> tensor<1x19x10x7x$>"),
      chosenCase("average", type, image, "1x19x10x7",
                 "%y = sg.avg_pool2d %x {window = array<i64: 3, 3>, strides = "
                 "array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : "
                 "(tensor<1x37x19x7x$>) -> tensor<1x19x10x7x$>"),
      chosenCase("select", type, all, all,
                 "%c = sg.constant dense<0.7> : tensor<37x133x$>\n"
                 "%m = sg.compare lt %x, %c : tensor<37x133x$> -> "
                 "tensor<37x133xi1>\n"
                 "%y = sg.select %m, %x, %c : tensor<37x133xi1>, "
                 "tensor<37x133x$>")};
  for (const std::string other : {"bf16", "f16", "f32", "f64", "i32"}) {
    std::string there = "tensor<37x133x" + other + ">";
    cases.push_back(chosenCase("cast_" + other, type, all, all,
                               "%t = sg.cast %x : tensor<37x133x$> to " +
                                   there + "\n%y = sg.cast %t : " + there +
                                   " to tensor<37x133x$>"));
  }
  return cases;
}

/// Numbers of every size, those below the normal ones of each type included.
static std::vector<float> numbers(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = std::ldexp(1.0f + 0.3f * float(i % 7), int(i % 170) - 149) *
                (i % 3 ? 1.0f : -1.0f);
  values[1] = INFINITY;
  values[2] = NAN;
  values[3] = 0.0f;
  return values;
}

/// The bits that the kernels of `module` compute from `input`.
static std::vector<std::vector<uint32_t>>
runCases(mlir::ModuleOp module, Target &target,
         const std::vector<float> &input) {
  FailureOr<std::vector<uint8_t>> image =
      target.compileKernels(sourcesOf(module));
  EXPECT_TRUE(succeeded(image));
  if (failed(image))
    return {};
  LoadedCode code(*image);
  std::vector<std::vector<uint32_t>> bits;
  for (const KernelSource &source : sourcesOf(module)) {
    FailureOr<KernelTraits> info = target.kernelTraits(*source.body);
    EXPECT_TRUE(succeeded(info));
    std::vector<void *> pointers = {const_cast<float *>(input.data())};
    size_t outputs = source.body->getTerminator()->getNumOperands();
    size_t first = bits.size();
    for (size_t k = 0; k < outputs; ++k)
      bits.emplace_back(3 * 37 * 133);
    for (size_t k = 0; k < outputs; ++k)
      pointers.push_back(bits[first + k].data());
    code.find(source.symbol)(pointers.data(), 0, info->grains);
  }
  return bits;
}

/// Compares code for older processors with this one's.
static void expectEqualBits(mlir::ModuleOp module,
                            const std::vector<float> &input) {
  auto expected = runCases(module, *targetOf("cpu:native"), input);
  std::string host = "," + rt::hostTarget() + ",";
  for (const char *name :
       {"cpu:x86-64", "cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:x86-64-v4",
        "cpu:native,-avx512fp16", "cpu:native,-avx512bf16,-avx512vbmi"}) {
    SCOPED_TRACE(name);
    std::unique_ptr<Target> target = targetOf(name);
    ASSERT_TRUE(target);
    bool runsHere = true;
    std::string features = target->features();
    for (StringRef feature : llvm::split(features, ','))
      runsHere &=
          feature.empty() || host.find("," + feature.str() + ",") != host.npos;
    if (runsHere) {
      EXPECT_EQ(runCases(module, *target, input), expected);
    }
  }
}

/// The order of sums, the polynomials and every rounding are the same whatever
/// the processor has.
TEST(CompileKernels, every_target_gives_the_same_bits) {
  auto context = createContext();
  auto module =
      parseCases(*context, {sumCase("a"), rowCase("b"), halfCase("c")});
  expectEqualBits(*module, numbers(37 * 133));
}

TEST(CompileKernels, every_target_chooses_elements_of_all_types) {
  auto context = createContext();
  std::vector<float> input = numbers(37 * 133);
  for (float &x : input) // an integer has no NaN, and no number is too large
    x = std::abs(x) < 1e9f ? x : 1.0f;
  for (const char *type : {"bf16", "f16", "f32", "f64"}) {
    SCOPED_TRACE(type);
    auto module = parseCases(*context, chosenCases(type));
    expectEqualBits(*module, input);
  }
}

/// Rounding to bf16 is to the nearest, also below its normal numbers.
TEST(CompileKernels, small_numbers_of_bf16_are_not_flushed) {
  auto context = createContext();
  auto module = parseCases(*context, {halfCase("c")});
  std::vector<float> input = numbers(37 * 133);
  auto bits = runCases(*module, *targetOf("cpu:native"), input);
  ASSERT_EQ(bits.size(), 4u);
  for (size_t i = 0; i < input.size(); ++i) {
    if (std::isnan(input[i]))
      continue;
    uint32_t exact;
    std::memcpy(&exact, &input[i], sizeof exact);
    uint32_t nearest = (exact + 0x7fff + (exact >> 16 & 1)) & 0xffff0000;
    ASSERT_EQ(bits[1][i], nearest) << input[i];
  }
}

/// How far ahead, in bytes, a kernel of the processor asks for what it will
/// load, each distance once.
static std::set<int64_t> distancesOf(const Case &kernel) {
  auto context = createContext();
  auto module = parseCases(*context, {kernel});
  loadKernelDialects(*context);
  OwningOpRef<mlir::ModuleOp> code =
      mlir::ModuleOp::create(UnknownLoc::get(context.get()));
  KernelShape shape = targetOf("cpu:native")->kernelShape();
  EXPECT_TRUE(
      succeeded(emitKernel(*code, "k", *sourcesOf(*module)[0].body, shape)));
  std::set<int64_t> distances;
  code->walk([&](LLVM::Prefetch op) {
    auto there = op.getAddr().getDefiningOp<LLVM::GEPOp>();
    distances.insert(there.getRawConstantIndices().front());
  });
  return distances;
}

TEST(EmitKernel, asks_for_what_it_will_load_of_large_tensors) {
  auto relu = [](const std::string &type) {
    return Case{"k",
                {type},
                "%y = sg.relu %a0 : tensor<" + type + ">\n",
                {{"%y", type}}};
  };
  auto sum = [](const std::string &columns) {
    std::string type = "1024x" + columns + "xf32";
    return Case{"k",
                {type},
                "%y = sg.reduce_sum %a0 dims [0] : tensor<" + type +
                    "> -> tensor<" + columns + "xf32>\n",
                {{"%y", columns + "xf32"}}};
  };
  EXPECT_EQ(distancesOf(relu("64x512xf32")), std::set<int64_t>());
  EXPECT_EQ(distancesOf(relu("1024x512xf32")), std::set<int64_t>{2048});
  EXPECT_EQ(distancesOf(relu("1024x512xbf16")), std::set<int64_t>{2048});
  // A tile of 256 columns has them all; or they go on in the next row but one.
  EXPECT_EQ(distancesOf(sum("256")), std::set<int64_t>{2048});
  EXPECT_EQ(distancesOf(sum("1000")), std::set<int64_t>{2 * 4000});
}

TEST(CpuTarget, levels_processors_and_changes) {
  registerAllTargets();
  auto featuresOf = [](const char *text) {
    rt::Expected<std::unique_ptr<Target>> target =
        createTarget(TargetName::parse(text), 2);
    return target.ok() ? (*target)->features() : target.status().message();
  };
  EXPECT_EQ(featuresOf("cpu:native"), rt::hostTarget());
  EXPECT_EQ(featuresOf("cpu:x86-64"), "");
  EXPECT_EQ(featuresOf("cpu:x86-64-v2"),
            "cx16,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3");
  EXPECT_EQ(featuresOf("cpu:x86-64-v3"),
            "avx,avx2,bmi,bmi2,cx16,f16c,fma,lzcnt,movbe,popcnt,sahf,sse3,"
            "sse4.1,sse4.2,ssse3");
  EXPECT_EQ(featuresOf("cpu:x86-64-v4,-avx512vl"),
            featuresOf("cpu:x86-64-v3,+avx512bw,+avx512cd,+avx512dq"));
  EXPECT_EQ(featuresOf("cpu:x86-64-v3,-sse4.2"), "bmi,bmi2,cx16,lzcnt,movbe,"
                                                 "popcnt,sahf,sse3,sse4.1,"
                                                 "ssse3");
  EXPECT_EQ(featuresOf("cpu:+sse3"), "sse3");
  EXPECT_NE(featuresOf("cpu:sapphirerapids").find("avx512fp16"),
            std::string::npos);
}

/// A feature that is hidden takes those with it that a target's code loses.
TEST(CpuTarget, hidden_features_are_those_taken_away) {
  registerAllTargets();
  std::vector<std::string> known = rt::knownFeatures();
  std::string all = llvm::join(known, ","), added = llvm::join(known, ",+");
  for (const std::string &feature : known) {
    SCOPED_TRACE(feature);
    rt::Expected<std::unique_ptr<Target>> target =
        createTarget(TargetName::parse("cpu:+" + added + ",-" + feature), 2);
    ASSERT_TRUE(target.ok()) << target.status().message();
    rt::Expected<std::string> left = rt::hideFeatures(all, feature);
    ASSERT_TRUE(left.ok()) << left.status().message();
    EXPECT_EQ(*left, (*target)->features());
  }
  EXPECT_NE(rt::hideFeatures(all, "avx,avx1024")
                .status()
                .message()
                .find("names 'avx1024', which is not a feature"),
            std::string::npos);
}

/// The message of the first error that analyzeKernel gives for a case.
static std::string errorOf(const Case &kernel) {
  auto context = createContext();
  auto module = parseCases(*context, {kernel});
  std::string message;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(
      failed(analyzeKernel(*sourcesOf(*module)[0].body, KernelShape())));
  return message;
}

TEST(AnalyzeKernel, refuses_what_no_kernel_can_run) {
  EXPECT_EQ(errorOf({"k",
                     {"8x4xf32"},
                     "%y = sg.reshape %a0 : tensor<8x4xf32> -> tensor<32xf32>",
                     {{"%y", "32xf32"}}}),
            "'sg.reshape' op cannot run in a kernel");
  EXPECT_EQ(errorOf({"k",
                     {"2xf32"},
                     "%c = sg.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
                     "%y = sg.add %a0, %c : tensor<2xf32>",
                     {{"%y", "2xf32"}}}),
            "'sg.constant' op in a kernel must be a splat; pass other "
            "constants as operands");
}

TEST(AnalyzeKernel, refuses_mixed_iteration_spaces) {
  std::string sum = "%s = sg.reduce_sum %a0 dims [0] : tensor<8x8xf32> -> "
                    "tensor<8xf32>\n";
  EXPECT_EQ(errorOf({"k",
                     {"8x8xf32"},
                     sum + "%b = sg.broadcast %s dims [1] : tensor<8xf32> -> "
                           "tensor<8x8xf32>\n"
                           "%y = sg.sub %a0, %b : tensor<8x8xf32>",
                     {{"%y", "8x8xf32"}}}),
            "'sg.broadcast' op moves what a reduction of its own kernel made, "
            "which is not over trailing dimensions");
  EXPECT_EQ(errorOf({"k",
                     {"8x8xf32"},
                     sum + "%t = sg.reduce_sum %a0 dims [1] : "
                           "tensor<8x8xf32> -> tensor<8xf32>",
                     {{"%s", "8xf32"}, {"%t", "8xf32"}}}),
            "'sg.reduce_sum' op reduces other dimensions than its kernel");
  EXPECT_EQ(errorOf({"k",
                     {"8x8xf32"},
                     "%s = sg.reduce_sum %a0 dims [] : tensor<8x8xf32> -> "
                     "tensor<8x8xf32>\n%n = sg.neg %s : tensor<8x8xf32>",
                     {{"%n", "8x8xf32"}}}),
            "'sg.neg' op reads a reduction over no dimensions of its own "
            "kernel");
  EXPECT_EQ(errorOf({"k",
                     {"8x8xf32", "4xf32"},
                     sum + "%y = sg.neg %a1 : tensor<4xf32>",
                     {{"%s", "8xf32"}, {"%y", "4xf32"}}}),
            "'sg.neg' op has another iteration space than its kernel");
}

TEST(AnalyzeKernel, refuses_what_leaves_its_row) {
  std::string sum = "%s = sg.reduce_sum %a0 dims [1] : tensor<8x8xf32> -> "
                    "tensor<8xf32>\n";
  EXPECT_EQ(errorOf({"k",
                     {"8x8xf32"},
                     sum + "%b = sg.broadcast %s dims [1] : tensor<8xf32> -> "
                           "tensor<8x8xf32>\n"
                           "%y = sg.sub %a0, %b : tensor<8x8xf32>",
                     {{"%y", "8x8xf32"}}}),
            "'sg.broadcast' op moves what a reduction of its own kernel made "
            "to other rows");
  EXPECT_EQ(errorOf({"k",
                     {"8x8xf32"},
                     sum + "%b = sg.broadcast %s dims [0] : tensor<8xf32> -> "
                           "tensor<8x8xf32>\n"
                           "%y = sg.sub %a0, %b : tensor<8x8xf32>\n"
                           "%t = sg.transpose %y perm [1, 0] : "
                           "tensor<8x8xf32> -> tensor<8x8xf32>",
                     {{"%t", "8x8xf32"}}}),
            "'sg.transpose' op moves what a reduction of its own kernel made "
            "to other rows");
  EXPECT_EQ(errorOf({"k",
                     {"8x8xf32"},
                     sum + "%t = sg.reduce_sum %s dims [0] : tensor<8xf32> -> "
                           "tensor<f32>",
                     {{"%t", "f32"}}}),
            "'sg.reduce_sum' op has another iteration space than its kernel");
  EXPECT_EQ(errorOf({"k",
                     {"8x8xf32", "8xf32"},
                     sum + "%b = sg.broadcast %a1 dims [0] : tensor<8xf32> -> "
                           "tensor<8xf32>",
                     {{"%s", "8xf32"}, {"%b", "8xf32"}}}),
            "'sg.broadcast' op has another iteration space than its kernel");
}

TEST(AnalyzeKernel, outputs_may_lie_over_inputs_read_in_place_only) {
  auto context = createContext();
  auto module = parseCases(
      *context, {{"k",
                  {"8x8xf32", "8x8xf32", "8xf32"},
                  "%t = sg.transpose %a1 perm [1, 0] : tensor<8x8xf32> -> "
                  "tensor<8x8xf32>\n"
                  "%b = sg.broadcast %a2 dims [1] : tensor<8xf32> -> "
                  "tensor<8x8xf32>\n"
                  "%x = sg.add %a0, %t : tensor<8x8xf32>\n"
                  "%y = sg.add %x, %b : tensor<8x8xf32>\n"
                  "%z = sg.add %y, %a1 : tensor<8x8xf32>\n",
                  {{"%z", "8x8xf32"}}}});
  FailureOr<KernelTraits> info =
      analyzeKernel(*sourcesOf(*module)[0].body, KernelShape());
  ASSERT_TRUE(succeeded(info));
  ASSERT_EQ(info->inPlace.size(), 1u);
  EXPECT_EQ(info->inPlace[0], std::make_pair(0u, 0u));
}
