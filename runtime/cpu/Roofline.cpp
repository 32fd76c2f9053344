//===- Roofline.cpp - How fast this machine is ----------------------------===//
//
// Medians of repetitions: the first ones warm caches and clocks up, and a
// neighbour's burst on a shared machine must not become its rate.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Roofline.h"
#include "LibraryCalls.h"

#include <chrono>
#include <dnnl.hpp>
#include <fstream>
#include <new>
#include <omp.h>
#include <vector>

namespace reprise::rt {

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Median seconds of a call, of as many as 0.12 s hold, at least five.
template <typename Call> static double medianSeconds(Call call) {
  call();
  std::vector<double> times;
  Clock::time_point start = Clock::now();
  while (times.size() < 5 || secondsSince(start) < 0.12) {
    Clock::time_point begin = Clock::now();
    call();
    times.push_back(secondsSince(begin));
  }
  std::sort(times.begin(), times.end());
  return std::max(times[times.size() / 2], 1e-9);
}

static double measureGflops() {
  constexpr int64_t kSize = 768;
  using dnnl::memory;
  dnnl::engine &engine = cpuEngine();
  dnnl::stream stream(engine);
  memory::desc desc({kSize, kSize}, memory::data_type::f32,
                    memory::format_tag::ab);
  std::vector<float> a(kSize * kSize, 0.5f), b(a), c(a);
  memory left(desc, engine, a.data()), right(desc, engine, b.data()),
      product(desc, engine, c.data());
  dnnl::matmul matmul(dnnl::matmul::primitive_desc(
      dnnl::matmul::desc(desc, desc, desc), engine));
  double seconds = medianSeconds([&] {
    matmul.execute(stream, {{DNNL_ARG_SRC, left},
                            {DNNL_ARG_WEIGHTS, right},
                            {DNNL_ARG_DST, product}});
    stream.wait();
  });
  return 2.0 * kSize * kSize * kSize / seconds / 1e9;
}

static double measureGigabytesPerSecond(int threads) {
  constexpr int64_t kElements = 8 << 20;
  std::vector<float> a(kElements, 1.0f), b(a), c(a);
  float *out = a.data(), *x = b.data(), *y = c.data();
  double seconds = medianSeconds([=] {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < kElements; ++k)
      out[k] = x[k] + 0.25f * y[k];
  });
  return 3.0 * sizeof(float) * kElements / seconds / 1e9;
}

Expected<Roofline> measureRoofline(unsigned threads) {
  int before = omp_get_max_threads();
  omp_set_num_threads(int(threads));
  Expected<Roofline> result = Status();
  try {
    Roofline measured;
    measured.gflops = measureGflops();
    measured.gigabytesPerSecond = measureGigabytesPerSecond(int(threads));
    result = measured;
  } catch (const dnnl::error &error) {
    result = Status::error(RP_UNAVAILABLE,
                           "the library cannot multiply matrices here: " +
                               std::string(error.what()));
  } catch (const std::bad_alloc &) {
    result = Status::error(RP_OUT_OF_MEMORY,
                           "no memory to measure this machine's speed");
  }
  omp_set_num_threads(before);
  return result;
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
