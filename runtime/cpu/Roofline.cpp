//===- Roofline.cpp - Measure this machine's roofline ---------------------===//
//
// Medians of repetitions: the first ones warm caches and clocks up, and short
// load from others on a shared machine must not affect the rates.
//
//===----------------------------------------------------------------------===//
#include "LibraryCalls.h"
#include "ThreadScope.h"
#include "reprise/Runtime/Cpu/Cpu.h"
#include "reprise/Runtime/Expect.h"

#include <chrono>
#include <dnnl.hpp>
#include <fstream>
#include <new>
#include <vector>

namespace reprise::rt {

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns the median seconds of a call, over as many calls as take 0.06 s, at
/// least five.
template <typename Call> static double medianSeconds(Call call) {
  call();
  std::vector<double> times;
  Clock::time_point start = Clock::now();
  while (times.size() < 5 || secondsSince(start) < 0.06) {
    Clock::time_point begin = Clock::now();
    call();
    times.push_back(secondsSince(begin));
  }
  std::sort(times.begin(), times.end());
  return std::max(times[times.size() / 2], 1e-9);
}

/// Measures the three products of training a layer: forward, and the gradients
/// of the input and of the weights, whose operands have other layouts.
static double measureGflops(dnnl::memory::data_type type) {
  constexpr int64_t kSize = 768;
  using dnnl::memory;
  dnnl::engine &engine = cpuEngine();
  dnnl::stream stream(engine);
  memory::desc desc({kSize, kSize}, type, memory::format_tag::ab);
  memory::desc turned({kSize, kSize}, type, memory::format_tag::ba);
  // Read as bf16: pairs of 0.5 and 0.
  std::vector<float> a(kSize * kSize, 0.5f), b(a), c(a);
  memory product(desc, engine, c.data());
  double seconds = 0;
  for (auto [first, second] :
       {std::pair(desc, desc), {desc, turned}, {turned, desc}}) {
    memory left(first, engine, a.data()), right(second, engine, b.data());
    dnnl::matmul matmul(dnnl::matmul::primitive_desc(
        dnnl::matmul::desc(first, second, desc), engine));
    seconds += medianSeconds([&] {
      matmul.execute(stream, {{DNNL_ARG_SRC, left},
                              {DNNL_ARG_WEIGHTS, right},
                              {DNNL_ARG_DST, product}});
      stream.wait();
    });
  }
  return 3 * 2.0 * kSize * kSize * kSize / seconds / 1e9;
}

/// Returns 0 if the library has no products of bf16.
static double measureNarrowGflops() {
  try {
    return measureGflops(dnnl::memory::data_type::bf16);
  } catch (const dnnl::error &error) {
    if (error.status == dnnl_unimplemented)
      return 0;
    throw;
  }
}

namespace {
/// Computes out = x + y / 4, an equal part on each member.
struct Triad {
  float *out;
  const float *x, *y;
  int64_t elements;
  unsigned members;

  static void runMember(void *self, unsigned member) {
    Triad t = *static_cast<Triad *>(self);
    int64_t end = t.elements * (member + 1) / t.members;
    for (int64_t k = t.elements * member / t.members; k < end; ++k)
      t.out[k] = t.x[k] + 0.25f * t.y[k];
  }
};
} // namespace

static double measureGigabytesPerSecond(Team &team) {
  constexpr int64_t kElements = 8 << 20;
  std::vector<float> a(kElements, 1.0f), b(a), c(a);
  Triad triad = {a.data(), b.data(), c.data(), kElements, team.size()};
  double seconds =
      medianSeconds([&] { team.run(team.size(), Triad::runMember, &triad); });
  return 3.0 * sizeof(float) * kElements / seconds / 1e9;
}

Expected<Roofline> measureRoofline(unsigned threads) {
  REPRISE_EXPECT(team, Team::create(threads));
  ThreadScope scope(**team);
  try {
    Roofline measured;
    measured.gflops = measureGflops(dnnl::memory::data_type::f32);
    measured.narrowGflops = measureNarrowGflops();
    measured.gigabytesPerSecond = measureGigabytesPerSecond(**team);
    return measured;
  } catch (const dnnl::error &error) {
    return Status::error(RP_UNAVAILABLE,
                         "the library cannot multiply matrices here: " +
                             std::string(error.what()));
  } catch (const std::bad_alloc &) {
    return Status::error(RP_OUT_OF_MEMORY,
                         "no memory to measure this machine's speed");
  }
}

std::string processorName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  }
  return hostTarget();
}

} // namespace reprise::rt
