//===- ParallelTasks.h - Independent tasks on several threads ---*- C++ -*-===//
#ifndef REPRISE_LIB_PLAN_PARALLELTASKS_H
#define REPRISE_LIB_PLAN_PARALLELTASKS_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace reprise::plan {

/// Runs task(0) to task(count - 1). Tasks must not depend on one another, so
/// that the number of threads makes no difference.
inline void runTasks(uint32_t count, unsigned threads,
                     const std::function<void(uint32_t)> &task) {
  std::atomic<uint32_t> next{0};
  auto work = [&] {
    for (uint32_t at = next++; at < count; at = next++)
      task(at);
  };
  std::vector<std::thread> others;
  for (unsigned at = 1; at < threads && at < count; ++at)
    others.emplace_back(work);
  work();
  for (std::thread &other : others)
    other.join();
}

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_PARALLELTASKS_H
