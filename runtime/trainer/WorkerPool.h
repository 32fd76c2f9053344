//===- WorkerPool.h - A few threads for equal work --------------*- C++ -*-===//
//
// The thread that calls works too, so a pool of one has no thread of its own.
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

  /// `threads` at most, the caller's included.
  explicit WorkerPool(unsigned threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool &) = delete;
  WorkerPool &operator=(const WorkerPool &) = delete;

  /// Calls `work` for 0..count-1, in any order and at the same time, and waits
  /// for all. The failure of the smallest number is returned, whatever the
  /// threads. One call at a time.
  Status run(size_t count, const Work &work);

private:
  void serve();
  /// Takes numbers until none is left. Called and left under `lock`.
  void takeAll(std::unique_lock<std::mutex> &lock);

  std::mutex mutex;
  std::condition_variable changed;
  // All under `mutex`.
  const Work *work = nullptr;
  size_t count = 0, next = 0, running = 0;
  size_t failedAt = 0;
  Status failure;
  bool stopping = false;
  std::vector<std::thread> threads;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_WORKERPOOL_H
