//===- kernels.cpp - How fast compiled kernels move memory ----------------===//
//
//   kernels [--threads N]
//
// Times the kernels that a residual network's step spends its time in, on
// tensors that no cache holds, and prints what each must at least read and
// write a second, beside the same for std::memcpy (read and written) in the
// same run. A ratio near 1 means that the kernel costs its memory traffic.
//
//===----------------------------------------------------------------------===//

#include "../Kernels/KernelHarness.h"
#include "mlir/IR/BuiltinOps.h"
#include "reprise/IR/Sg.h"
#include "reprise/Runtime/Cpu/Cpu.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
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
  list.push_back({"max_pool_grad",
                  {kImage, kPooled},
                  "%y = sg.max_pool2d_grad %a0, %a1 " + pool + ", tensor<" +
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
  OwningOpRef<mlir::ModuleOp> module = parseCases(*context, cases());
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
  module->walk([&](sg::KernelOp op) {
    double seconds = 0;
    double speed =
        kernelSpeed(op, code.find(op.getPath().str()), threads, seconds);
    std::printf("%-26s %10.3f %10.1f %8.2f\n", op.getPath().str().c_str(),
                seconds * 1e3, speed, speed / copy);
  });
  return 0;
}
