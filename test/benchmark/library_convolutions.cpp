//===- library_convolutions.cpp - Time ResNet-50's convolutions -----------===//
//
// The 53 convolutions of ResNet-50 at batch 8, 224x224, f32: forward and both
// gradients through the library interface of the runtime, NHWC. Prints the
// time of a layer and the sums; the medians of several rounds over all layers,
// so that no layer finds its operands in the cache.
//
//   library_convolutions [threads] [rounds]
//
//===----------------------------------------------------------------------===//
#include "../../runtime/cpu/LibraryCalls.h"
#include "reprise/Runtime/Cpu/Cpu.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace reprise::rt;

namespace {
struct Convolution {
  int64_t channels, size, filters, kernel, stride;
};

/// One call with memory of its own.
struct Call {
  const char *what;
  Convolution layer;
  std::string implementation;
  std::vector<std::vector<float>> operands;
  std::unique_ptr<BoundLibraryCall> bound;
  std::vector<double> seconds;
};
} // namespace

static std::vector<Convolution> resnet50() {
  std::vector<Convolution> list = {{3, 224, 64, 7, 2}};
  const int64_t blocks[] = {3, 4, 6, 3};
  int64_t in = 64, size = 56;
  for (int stage = 0; stage < 4; ++stage) {
    int64_t width = 64 << stage;
    for (int64_t b = 0; b < blocks[stage]; ++b) {
      int64_t stride = b == 0 && stage > 0 ? 2 : 1;
      list.push_back({in, size, width, 1, 1});
      list.push_back({width, size, width, 3, stride});
      list.push_back({width, size / stride, 4 * width, 1, 1});
      if (b == 0)
        list.push_back({in, size, 4 * width, 1, stride});
      in = 4 * width;
      size /= stride;
    }
  }
  return list;
}

static int64_t elements(const TensorDesc &t) {
  int64_t n = 1;
  for (int64_t d : t.shape)
    n *= d;
  return n;
}

static LibraryCallDesc describe(LibraryOp op, const Convolution &c,
                                int64_t batch) {
  int64_t pad = c.kernel / 2,
          out = (c.size + 2 * pad - c.kernel) / c.stride + 1;
  TensorDesc x{RP_F32, {batch, c.size, c.size, c.channels}, {}};
  TensorDesc w{RP_F32, {c.filters, c.kernel, c.kernel, c.channels}, {}};
  TensorDesc y{RP_F32, {batch, out, out, c.filters}, {}};
  LibraryCallDesc desc{
      op, {}, {}, {c.stride, c.stride, pad, pad, pad, pad, 1, 1, 1}};
  switch (op) {
  case LibraryOp::Conv2D:
    desc.inputs = {x, w};
    desc.outputs = {y};
    break;
  case LibraryOp::Conv2DInputGrad:
    desc.inputs = {y, w};
    desc.outputs = {x};
    break;
  default:
    desc.inputs = {x, y};
    desc.outputs = {w};
  }
  return desc;
}

static Call prepare(LibraryCache &cache, LibraryOp op, const Convolution &c) {
  static const char *const names[] = {"forward", "input grad", "filter grad"};
  Call call{names[int(op)], c, {}, {}, nullptr, {}};
  LibraryCallDesc desc = describe(op, c, 8);
  Expected<const LibraryCache::Entry *> entry = cache.get(desc);
  if (!entry.ok()) {
    std::fprintf(stderr, "%s\n", entry.status().message().c_str());
    std::exit(1);
  }
  const LibraryPlan &plan = (*entry)->plan;
  call.implementation = plan.info.implementation;
  auto allocate = [&call](int64_t count) -> void * {
    call.operands.emplace_back(size_t(count) + 16, 1e-3f);
    auto address = reinterpret_cast<uintptr_t>(call.operands.back().data());
    return reinterpret_cast<void *>((address + 63) / 64 * 64);
  };
  LibraryOperands operands;
  for (const TensorDesc &input : desc.inputs)
    operands.inputs.push_back(allocate(elements(input)));
  operands.outputs = {allocate(elements(desc.outputs[0]))};
  operands.workspace = allocate(int64_t(plan.info.workspaceBytes / 4));
  call.bound =
      std::make_unique<BoundLibraryCall>(plan, (*entry)->code, operands);
  return call;
}

static double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + long(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

int main(int argc, char **argv) {
  unsigned threads = argc > 1 ? unsigned(std::atoi(argv[1])) : 2;
  int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  Expected<std::unique_ptr<Team>> team = Team::create(threads);
  if (!team.ok())
    return 1;
  LibraryCache cache(**team);
  std::vector<Call> calls;
  std::vector<Convolution> layers = resnet50();
  for (LibraryOp op : {LibraryOp::Conv2D, LibraryOp::Conv2DInputGrad,
                       LibraryOp::Conv2DFilterGrad})
    for (const Convolution &c : layers)
      if (op != LibraryOp::Conv2DInputGrad || c.channels != 3)
        calls.push_back(prepare(cache, op, c));
  ThreadScope scope(**team);
  dnnl::stream stream(cpuEngine());
  for (int round = -1; round < rounds; ++round)
    for (Call &call : calls) {
      auto start = std::chrono::steady_clock::now();
      if (!call.bound->run(stream, **team).ok())
        return 1;
      std::chrono::duration<double> taken =
          std::chrono::steady_clock::now() - start;
      if (round >= 0)
        call.seconds.push_back(taken.count());
    }
  double sum = 0;
  for (const Call &call : calls) {
    double seconds = median(call.seconds);
    const Convolution &c = call.layer;
    sum += seconds;
    std::printf(
        "%-12s %4lld x %3lld^2 -> %4lld  %lldx%lld/%lld  %7.3f ms  %s\n",
        call.what, (long long)c.channels, (long long)c.size,
        (long long)c.filters, (long long)c.kernel, (long long)c.kernel,
        (long long)c.stride, seconds * 1e3, call.implementation.c_str());
  }
  std::printf("all %zu calls: %.1f ms on %u threads (%s)\n", calls.size(),
              sum * 1e3, threads, libraryVersion().c_str());
  return 0;
}
