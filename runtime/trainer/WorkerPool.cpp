//===- WorkerPool.cpp - A pool of a few threads ---------------------------===//
//
// See WorkerPool.h. After a failure smaller numbers are still taken, larger
// ones are not: numbers are assigned in order, so the smaller ones are running.
//
//===----------------------------------------------------------------------===//
#include "WorkerPool.h"

using namespace reprise::rt;

WorkerPool::WorkerPool(unsigned wanted) {
  for (unsigned i = 1; i < wanted; ++i)
    threads.emplace_back([this] { serve(); });
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void WorkerPool::takeAll(std::unique_lock<std::mutex> &lock) {
  while (next < count) {
    size_t number = next++;
    const Work &current = *work;
    ++running;
    lock.unlock();
    Status status = current(number);
    lock.lock();
    --running;
    if (status.ok() || (!failure.ok() && failedAt < number))
      continue;
    failure = status;
    failedAt = number;
    next = count; // no further number starts
  }
}

void WorkerPool::serve() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!stopping) {
    takeAll(lock);
    if (running == 0)
      changed.notify_all();
    changed.wait(lock, [this] { return stopping || next < count; });
  }
}

Status WorkerPool::run(size_t wanted, const Work &body) {
  std::unique_lock<std::mutex> lock(mutex);
  work = &body;
  count = wanted;
  next = 0;
  failure = Status();
  changed.notify_all();
  takeAll(lock);
  changed.wait(lock, [this] { return running == 0 && next >= count; });
  count = next = 0;
  work = nullptr;
  return failure;
}
