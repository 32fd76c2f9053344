//===- WorkerPool.h - A pool of a few threads -------------------*- C++ -*-===//
//
// The calling thread works too, so a pool of one has no thread of its own.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_WORKERPOOL_H
#define REPRISE_RUNTIME_TRAINER_WORKERPOOL_H

#include "reprise/Runtime/Status.h"
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace reprise::rt {

class WorkerPool {
public:
  using Work = std::function<Status(size_t)>;

  /// At most `threads`, including the caller's.
  explicit WorkerPool(unsigned threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool &) = delete;
  WorkerPool &operator=(const WorkerPool &) = delete;

  /// Calls `work` for 0..count-1, in any order and at the same time, and waits
  /// for all. Returns the failure of the smallest number, independent of the
  /// threads. One call at a time.
  Status run(size_t count, const Work &work);

private:
  void serve();
  /// Takes numbers until none is left. The caller holds `lock` before and
  /// after.
  void takeAll(std::unique_lock<std::mutex> &lock);

  std::mutex mutex;
  std::condition_variable changed;
  // All guarded by `mutex`.
  const Work *work = nullptr;
  size_t count = 0, next = 0, running = 0;
  size_t failedAt = 0;
  Status failure;
  bool stopping = false;
  std::vector<std::thread> threads;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_WORKERPOOL_H
