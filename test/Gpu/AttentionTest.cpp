//===- AttentionTest.cpp - Attention by tiles on a simulated GPU ----------===//
//
// Kernels of an attention and of its gradient against the reference evaluator,
// which sums in double precision: tiles that do and do not divide the tokens,
// several of them, biases with masks, dropped weights, every type. No access
// may race, leave a tensor or read what nobody wrote, and no order of threads
// may change a bit.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Target/Cuda/Kernels/GpuKernels.h"
#include "../../lib/Target/Cuda/Ptx.h"
#include "KernelRun.h"
#include "reprise/IR/Sg.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::gpu_test;
using reference::Tensor;

namespace {

struct AttentionCase {
  const char *name;
  int64_t samples, tokens, heads, width, biasRows;
  const char *type = "f32";
  double probability = 0;
};

std::ostream &operator<<(std::ostream &stream, const AttentionCase &each) {
  return stream << each.name;
}

/// A function of the name, which is a kernel of the attention or its gradient.
struct Source {
  std::string text;
  Source(const AttentionCase &of, bool isGrad, const std::string &name);
};

class GpuAttention : public testing::TestWithParam<AttentionCase> {
protected:
  void check(bool isGrad);
};

} // namespace

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static std::string tensor(std::initializer_list<int64_t> shape,
                          const std::string &type) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + type + ">";
}

static std::string join(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

Source::Source(const AttentionCase &of, bool isGrad,
               const std::string &function) {
  auto [name, samples, tokens, heads, width, biasRows, type, probability] = of;
  std::string qkv = tensor({samples, tokens, 3, heads, width}, type),
              y = tensor({samples, tokens, heads, width}, type),
              lse = tensor({samples, heads, tokens}, "f32"),
              bias = tensor({biasRows, heads, tokens, tokens}, "f32");
  std::vector<std::string> inputs = {qkv}, results = {y, lse};
  if (isGrad) {
    inputs = {qkv, y, lse, y};
    results = {qkv};
  }
  if (biasRows)
    inputs.push_back(bias);
  if (biasRows && isGrad)
    results.push_back(bias);
  size_t numbers = inputs.size();
  if (probability > 0)
    inputs.insert(inputs.end(), 2, "tensor<i64>");
  std::vector<std::string> outer, bound, inner, made;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string number = std::to_string(i);
    outer.push_back("%x" + number + ": " + inputs[i]);
    bound.push_back("%a" + number + " = %x" + number + " : " + inputs[i]);
    inner.push_back("%a" + number);
  }
  for (size_t i = 0; i < results.size(); ++i)
    made.push_back("%r" + std::to_string(i));
  std::string drop, attributes = "scale = 0.375 : f64";
  if (probability > 0) {
    drop = " dropout(" + inner[numbers] + ", " + inner[numbers + 1] + ")";
    attributes += ", probability = " + std::to_string(probability) +
                  " : f64, stream = 5 : i64";
  }
  std::vector<std::string> read(inner.begin(), inner.begin() + numbers);
  std::string all = "(" + join(results) + ")";
  text = "func.func @" + function + "(" + join(outer) + ") -> " + all +
         " {\n  %k:" + std::to_string(results.size()) + " = sg.kernel \"k\" (" +
         join(bound) + ") -> " + all + " {\n    " + join(made) + " = sg." +
         (isGrad ? "attention_grad " : "attention ") + join(read) + drop +
         " {" + attributes + "} : (" + join(inputs) + ") -> " + all +
         "\n    sg.yield " + join(made) + " : " + join(results) + "\n  }\n" +
         "  return ";
  for (size_t i = 0; i < results.size(); ++i)
    text += (i ? ", %k#" : "%k#") + std::to_string(i);
  text += " : " + join(results) + "\n}\n";
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Arguments as types hold them; some scores are masked, by less than nothing
/// and, of the first query of each matrix, all but the last.
static SmallVector<Tensor> argumentsOf(func::FuncOp function,
                                       const AttentionCase &of) {
  SmallVector<Tensor> arguments = reference::testing::fillArguments(function);
  for (Tensor &each : arguments)
    each.roundToStorage();
  for (Tensor &each : arguments) {
    if (!of.biasRows || each.getRank() != 4 ||
        each.getDim(2) != each.getDim(3) || each.getDim(0) != of.biasRows)
      continue;
    int64_t tokens = of.tokens;
    for (int64_t i = 0; i < each.size(); ++i) {
      int64_t query = i / tokens % tokens, key = i % tokens;
      if ((i * 7 + i / 11) % 5 == 0)
        each.real(i) = -100;
      if (query == 0 && key + 1 < tokens)
        each.real(i) = -INFINITY;
    }
  }
  return arguments;
}

/// The gradient is of an attention that was computed.
static void setResults(SmallVector<Tensor> &arguments, func::FuncOp forward) {
  SmallVector<Tensor> given = {arguments[0]};
  given.append(arguments.begin() + 4, arguments.end());
  reference::VariableStore none;
  auto made = reference::evaluate(forward, given, none);
  ASSERT_TRUE(succeeded(made));
  for (int k : {0, 1}) {
    arguments[k + 1] = (*made)[k];
    arguments[k + 1].roundToStorage();
  }
}

/// Sums of numbers as large as the largest, in f32; of 16 bits the weights and
/// the results are rounded, to 8 or 11 bits, and the terms of a sum with them.
static double shareOf(Type element) {
  return element.isF32() ? 2e-5 : element.isF16() ? 1.0 / 256 : 1.0 / 32;
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

void GpuAttention::check(bool isGrad) {
  reference::testing::Program program(
      Source(GetParam(), isGrad, "made").text +
      Source(GetParam(), /*isGrad=*/false, "forward").text);
  ASSERT_TRUE(program.function);
  SmallVector<Tensor> arguments = argumentsOf(program.function, GetParam());
  if (isGrad)
    setResults(arguments,
               program.module->lookupSymbol<func::FuncOp>("forward"));
  ASSERT_FALSE(HasFatalFailure());
  SmallVector<Tensor> expected = program.run(arguments);
  Type element = cast<RankedTensorType>(program.function.getArgumentTypes()[0])
                     .getElementType();
  expectKernel(program, arguments, expected, shareOf(element));
}

TEST_P(GpuAttention, EqualsSumsInDouble) { check(/*isGrad=*/false); }
TEST_P(GpuAttention, HasTheGradientOfSumsInDouble) { check(/*isGrad=*/true); }

// samples, tokens, heads, width, rows of biases, type, probability
static const AttentionCase kCases[] = {
    {"OneNumber", 1, 1, 1, 1, 0},
    {"Five", 3, 5, 2, 4, 3},
    {"Windows", 4, 49, 1, 32, 2},
    {"OneBias", 6, 17, 2, 8, 1},
    {"Tiles", 1, 70, 1, 16, 1},
    {"WideHeads", 1, 33, 1, 100, 0},
    {"OddHeads", 2, 20, 1, 33, 0},
    {"DropsOfWindows", 2, 49, 1, 8, 2, "f32", 0.25},
    {"DropsOfTiles", 1, 40, 2, 64, 0, "f32", 0.5},
    {"Bf16", 2, 49, 1, 32, 1, "bf16"},
    {"F16", 2, 35, 2, 24, 1, "f16", 0.25},
};

INSTANTIATE_TEST_SUITE_P(Cases, GpuAttention, testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

// Code for real devices, where there is an assembler.
TEST(GpuAttentionCode, AssemblesWithoutSpills) {
  for (const AttentionCase &of :
       {AttentionCase{"Swin", 128, 49, 3, 32, 64, "bf16", 0.1},
        AttentionCase{"ViT", 8, 197, 12, 64, 0},
        AttentionCase{"Widest", 2, 300, 1, 128, 1, "f16"}})
    for (bool isGrad : {false, true})
      for (const char *architecture : {"sm_80", "sm_90"}) {
        reference::testing::Program program(Source(of, isGrad, "made").text);
        ASSERT_TRUE(program.function);
        OwningOpRef<ModuleOp> top = emitKernel(program.function);
        loadPtxDialects(*program.context);
        FailureOr<std::string> ptx =
            emitPtx(*top->getOps<gpu::GPUModuleOp>().begin(), architecture);
        ASSERT_TRUE(succeeded(ptx));
        // Tiles are read and written as vectors.
        EXPECT_NE(ptx->find(".shared .align 16 .b8 "), std::string::npos);
        FailureOr<std::optional<Cubin>> made =
            assemble(top->getLoc(), *ptx, architecture);
        ASSERT_TRUE(succeeded(made));
        if (!*made)
          GTEST_SKIP() << "there is no ptxas, see the warning";
        const Cubin &cubin = **made;
        ASSERT_EQ(cubin.uses.size(), 1u);
        EXPECT_EQ(cubin.uses[0].spilledBytes, 0u)
            << of.name << (isGrad ? "'s gradient" : "") << " for "
            << architecture;
        EXPECT_LE(cubin.uses[0].sharedBytes, 48u << 10);
      }
}
