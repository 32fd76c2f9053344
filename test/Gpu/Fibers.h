//===- Fibers.h - Threads that wait, on one thread of the CPU ---*- C++ -*-===//
//
// A pool of stacks. A thread that never waits needs no stack of its own: the
// fiber that ran one goes on with the next.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_GPU_FIBERS_H
#define REPRISE_TEST_GPU_FIBERS_H

#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace reprise::gpu_test {

/// Who runs next, see SimulationOptions::seed.
class ThreadOrder {
public:
  explicit ThreadOrder(uint64_t seed) : seed(seed), random(seed) {}
  /// Arranges 0 ... count - 1.
  std::vector<unsigned> arrange(unsigned count);
  /// Arranges again what arrange gave; changes shuffled orders only.
  void again(std::vector<unsigned> &order);

private:
  uint64_t seed;
  std::mt19937_64 random;
};

class Fibers {
public:
  Fibers();
  ~Fibers();

  /// Calls body(0) ... body(count - 1), each until it ends or waits, in `order`
  /// again and again. False if some wait that nobody wakes: they are
  /// abandoned, with what is on their stacks.
  bool run(unsigned count, ThreadOrder &order,
           const std::function<void(unsigned)> &body);

  /// The thread that runs.
  unsigned current() const { return running; }
  /// Threads that have not ended.
  unsigned live() const;
  /// Suspends the thread that runs until it is woken.
  void wait();
  void wake(unsigned thread);
  /// Whether an address is on the stack of the thread that runs.
  bool isOnStack(const void *at) const;

private:
  struct Fiber;
  struct State;
  unsigned running = 0;
  std::unique_ptr<State> state;
};

} // namespace reprise::gpu_test

#endif // REPRISE_TEST_GPU_FIBERS_H
