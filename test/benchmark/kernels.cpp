//===- kernels.cpp - How fast compiled kernels move memory ----------------===//
//
//   kernels [--threads N]
//
// Times the kernels that a residual network's step spends its time in, on
// tensors that no cache holds, and prints what each must at least read and
// write a second, beside the same for std::memcpy (read and written) in the
// same run. A ratio near 1 means that the kernel costs its memory traffic.
//
// Then rows of softmax and of layer normalization, each as one kernel that
// reads its own reductions, beside the kernels that make the same without that:
// those that sg-form-kernels makes where rows are too long.
//
//===----------------------------------------------------------------------===//

#include "../Codegen/KernelHarness.h"
#include "mlir/IR/BuiltinOps.h"
#include "reprise/IR/Sg.h"
#include "reprise/Runtime/Cpu/Cpu.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <thread>

using namespace mlir;
using namespace reprise;
using namespace reprise::test;

static const std::string kImage = "8x112x112x64xf32";
static const std::string kWide = "8x56x56x256xf32";
static const std::string kPooled = "8x56x56x64xf32";

static std::string broadcastTo(const std::string &image, char from, char to) {
  return std::string("%") + to + " = sg.broadcast %a" + from +
         " dims [3] : tensor<" + (image == kWide ? "256" : "64") +
         "xf32> -> tensor<" + image + ">\n";
}

static std::vector<Case> cases() {
  std::vector<Case> list;
  for (const std::string &x : {kImage, kWide}) {
    std::string name = x == kWide ? "_256" : "_64";
    std::string channels = x == kWide ? "256xf32" : "64xf32";
    std::string type = " : tensor<" + x + ">\n";
    std::string to =
        type.substr(0, type.size() - 1) + " -> tensor<8x" + channels + ">\n";
    list.push_back({"normalize_add_relu" + name,
                    {x, x, channels, channels, channels, channels},
                    broadcastTo(x, '2', 'm') + broadcastTo(x, '3', 'r') +
                        broadcastTo(x, '4', 'g') + broadcastTo(x, '5', 'b') +
                        "%c = sg.sub %a0, %m" + type + "%h = sg.mul %c, %r" +
                        type + "%k = sg.mul %h, %g" + type +
                        "%n = sg.add %k, %b" + type + "%z = sg.add %n, %a1" +
                        type + "%y = sg.relu %z" + type,
                    {{"%y", x}}});
    list.push_back({"column_sum" + name,
                    {x},
                    "%s = sg.reduce_sum %a0 dims [1, 2]" + to,
                    {{"%s", "8x" + channels}}});
    list.push_back(
        {"batch_norm_sums" + name,
         {x, x, x, channels, channels},
         broadcastTo(x, '3', 'm') + broadcastTo(x, '4', 'r') +
             "%g = sg.relu_grad %a2, %a1" + type + "%c = sg.sub %a0, %m" +
             type + "%h = sg.mul %c, %r" + type + "%p = sg.mul %g, %h" + type +
             "%s = sg.reduce_sum %g dims [1, 2]" + to +
             "%t = sg.reduce_sum %p dims [1, 2]" + to,
         {{"%g", x}, {"%s", "8x" + channels}, {"%t", "8x" + channels}}});
  }
  std::string pool = "{window = array<i64: 3, 3>, strides = array<i64: 2, 2>, "
                     "padding = array<i64: 1, 1, 1, 1>} : (tensor<" +
                     kImage + ">";
  list.push_back(
      {"max_pool",
       {kImage},
       "%y = sg.max_pool2d %a0 " + pool + ") -> tensor<" + kPooled + ">\n",
       {{"%y", kPooled}}});
  std::string at = "tensor<8x56x56x64xi8>";
  list.push_back({"max_pool_argmax",
                  {kImage},
                  "%y = sg.max_pool2d_argmax %a0 " + pool + ") -> " + at + "\n",
                  {{"%y", "8x56x56x64xi8"}}});
  list.push_back({"max_pool_scatter",
                  {"8x56x56x64xi8", kPooled},
                  "%y = sg.max_pool2d_scatter %a0, %a1 " +
                      pool.substr(0, pool.find("tensor<")) + at + ", tensor<" +
                      kPooled + ">) -> tensor<" + kImage + ">\n",
                  {{"%y", kImage}}});
  std::string flat = " : tensor<8x197x1536xf32>\n";
  list.push_back({"erf_gelu",
                  {"8x197x1536xf32"},
                  "%k = sg.constant dense<0.707106781> : "
                  "tensor<8x197x1536xf32>\n"
                  "%one = sg.constant dense<1.0> : tensor<8x197x1536xf32>\n"
                  "%s = sg.mul %a0, %k" +
                      flat + "%e = sg.erf %s" + flat + "%f = sg.add %e, %one" +
                      flat + "%y = sg.mul %a0, %f" + flat,
                  {{"%y", "8x197x1536xf32"}}});
  return list;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static const std::string kRows = "8192x1024xf32", kRow = "8192xf32";

static std::string reduceRows(const std::string &to, const std::string &op,
                              const std::string &from) {
  return "%" + to + " = sg." + op + " %" + from + " dims [1] : tensor<" +
         kRows + "> -> tensor<" + kRow + ">\n";
}
static std::string alongRow(const std::string &to, const std::string &from) {
  return "%" + to + " = sg.broadcast %" + from + " dims [0] : tensor<" + kRow +
         "> -> tensor<" + kRows + ">\n";
}
static std::string ofRows(const std::string &op) {
  return op + " : tensor<" + kRows + ">\n";
}
static std::string ofRow(const std::string &op) {
  return op + " : tensor<" + kRow + ">\n";
}

static std::vector<Case> softmaxCases() {
  std::string powers = alongRow("b", "m") + ofRows("%c = sg.sub %a0, %b") +
                       ofRows("%e = sg.exp %c") +
                       reduceRows("s", "reduce_sum", "e");
  std::string quotient = alongRow("d", "s") + ofRows("%y = sg.div %e, %d");
  std::string maximum = reduceRows("m", "reduce_max", "a0");
  auto from = [](std::string text, const char *value, const char *argument) {
    for (size_t at; (at = text.find(value)) != std::string::npos;)
      text.replace(at, std::strlen(value), argument);
    return text;
  };
  return {{"softmax", {kRows}, maximum + powers + quotient, {{"%y", kRows}}},
          {"softmax_max", {kRows}, maximum, {{"%m", kRow}}},
          {"softmax_exp_sum",
           {kRows, kRow},
           from(powers, "%m", "%a1"),
           {{"%e", kRows}, {"%s", kRow}}},
          {"softmax_div",
           {kRows, kRow},
           from(from(quotient, "%s ", "%a1 "), "%e", "%a0"),
           {{"%y", kRows}}}};
}

static std::vector<Case> layerNormCases() {
  std::string count = ofRow("%n = sg.constant dense<1024.0>");
  std::string epsilon = ofRow("%p = sg.constant dense<1.0e-5>");
  std::string sum = reduceRows("s", "reduce_sum", "a0");
  std::string mean = ofRow("%m = sg.div %s, %n");
  std::string center = alongRow("b", "m") + ofRows("%c = sg.sub %a0, %b");
  std::string squares =
      ofRows("%q = sg.mul %c, %c") + reduceRows("v", "reduce_sum", "q");
  std::string deviation = ofRow("%w = sg.div %v, %n") +
                          ofRow("%u = sg.add %w, %p") +
                          ofRow("%r = sg.rsqrt %u");
  std::string scale =
      alongRow("d", "r") + ofRows("%h = sg.mul %c, %d") +
      "%g = sg.broadcast %a1 dims [1] : tensor<1024xf32> -> tensor<" + kRows +
      ">\n" + ofRows("%y = sg.mul %h, %g");
  std::string given = "%m = sg.abs %a1 : tensor<" + kRow + ">\n";
  std::string both = "%m = sg.abs %a2 : tensor<" + kRow +
                     ">\n%r = sg.abs %a3 : tensor<" + kRow + ">\n";
  return {{"layer_norm",
           {kRows, "1024xf32"},
           count + epsilon + sum + mean + center + squares + deviation + scale,
           {{"%y", kRows}, {"%m", kRow}, {"%r", kRow}}},
          {"layer_norm_mean", {kRows}, sum, {{"%s", kRow}}},
          {"layer_norm_squares",
           {kRows, kRow},
           given + center + squares,
           {{"%v", kRow}}},
          {"layer_norm_scale",
           {kRows, "1024xf32", kRow, kRow},
           both + center + scale,
           {{"%y", kRows}}}};
}

/// The best of several runs, in seconds.
static double best(const std::function<void()> &run) {
  double result = 1e9;
  for (int i = 0; i < 12; ++i) {
    auto start = std::chrono::steady_clock::now();
    run();
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    result = std::min(result, elapsed.count());
  }
  return result;
}

/// Runs `part(begin, end)` on contiguous parts of [0, count).
static void parallel(unsigned threads, uint64_t count,
                     const std::function<void(uint64_t, uint64_t)> &part) {
  std::vector<std::thread> others;
  for (unsigned t = 1; t < threads; ++t)
    others.emplace_back(part, count * t / threads, count * (t + 1) / threads);
  part(0, count / threads);
  for (std::thread &thread : others)
    thread.join();
}

static double copySpeed(unsigned threads) {
  size_t size = size_t(64) << 20;
  std::vector<char> from(size, 1), to(size, 2);
  double seconds = best([&] {
    parallel(threads, size, [&](uint64_t begin, uint64_t end) {
      std::memcpy(to.data() + begin, from.data() + begin, end - begin);
    });
  });
  return 2.0 * size / seconds * 1e-9;
}

static double kernelSpeed(sg::KernelOp op, KernelFunction code,
                          unsigned threads, double &seconds) {
  FailureOr<KernelTraits> info =
      analyzeKernel(op.getBody().front(), KernelShape());
  std::vector<std::vector<float>> memory;
  std::vector<void *> pointers;
  double bytes = 0;
  auto add = [&](Type type) {
    bytes += sg::byteSize(type);
    memory.emplace_back(sg::byteSize(type) / 4, 0.5f);
    pointers.push_back(memory.back().data());
  };
  for (Type type : op.getOperandTypes())
    add(type);
  for (Type type : op.getResultTypes())
    add(type);
  seconds = best([&] {
    parallel(threads, info->grains, [&](uint64_t begin, uint64_t end) {
      code(pointers.data(), begin, end);
    });
  });
  return bytes / seconds * 1e-9;
}

int main(int argc, char **argv) {
  unsigned threads = 1;
  if (argc == 3 && !std::strcmp(argv[1], "--threads"))
    threads = std::max(1, std::atoi(argv[2]));
  std::unique_ptr<MLIRContext> context = createContext();
  std::vector<Case> all = cases();
  std::vector<std::vector<Case>> rows = {softmaxCases(), layerNormCases()};
  for (const std::vector<Case> &list : rows)
    all.insert(all.end(), list.begin(), list.end());
  OwningOpRef<mlir::ModuleOp> module = parseCases(*context, all);
  if (!module)
    return 1;
  FailureOr<std::vector<uint8_t>> image = compileForHost(sourcesOf(*module));
  if (failed(image))
    return 1;
  LoadedCode code(*image);
  double copy = copySpeed(threads);
  std::printf("%-26s %10s %10s %8s\n", "kernel", "time (ms)", "GB/s",
              "of copy");
  std::printf("%-26s %10s %10.1f %8.2f\n", "memcpy", "", copy, 1.0);
  std::map<std::string, double> times;
  module->walk([&](sg::KernelOp op) {
    double &seconds = times[op.getPath().str()];
    double speed =
        kernelSpeed(op, code.find(op.getPath().str()), threads, seconds);
    std::printf("%-26s %10.3f %10.1f %8.2f\n", op.getPath().str().c_str(),
                seconds * 1e3, speed, speed / copy);
  });
  std::printf("%-26s %10s %10s %8s\n", "rows", "one (ms)", "apart (ms)",
              "ratio");
  for (const std::vector<Case> &list : rows) {
    double one = times[list.front().name], apart = 0;
    for (size_t i = 1; i < list.size(); ++i)
      apart += times[list[i].name];
    std::printf("%-26s %10.3f %10.3f %8.2f\n", list.front().name.c_str(),
                one * 1e3, apart * 1e3, apart / one);
  }
  return 0;
}
