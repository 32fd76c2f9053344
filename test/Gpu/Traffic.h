//===- Traffic.h - What a warp's accesses cost ------------------*- C++ -*-===//
//
// Lanes are simulated one after another, so accesses of an instruction are put
// together afterwards: the n-th time that the lanes of a warp came by a place
// in the code counts as one instruction. Where lanes go through a loop
// differently often, this is an approximation.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_GPU_TRAFFIC_H
#define REPRISE_TEST_GPU_TRAFFIC_H

#include "Kernel.h"
#include "Simulator.h"
#include <vector>

namespace reprise::gpu_test {

/// An address, and the kind of memory that it is in.
struct LoggedAccess {
  uintptr_t at : 63;
  uintptr_t isShared : 1;
};

/// Accesses of a block by place and thread.
class TrafficLog {
public:
  /// Forgets everything.
  void begin(const std::vector<AccessSite> &places, unsigned threads);

  void add(unsigned site, unsigned thread, const void *at, bool isShared) {
    log[size_t(site) * threads + thread].push_back(
        {reinterpret_cast<uintptr_t>(at), isShared});
  }

  /// Adds what was logged to a report, and forgets it.
  void flush(SimulationReport &report);

private:
  const std::vector<AccessSite> *sites = nullptr;
  unsigned threads = 0;
  std::vector<std::vector<LoggedAccess>> log;
};

} // namespace reprise::gpu_test

#endif // REPRISE_TEST_GPU_TRAFFIC_H
