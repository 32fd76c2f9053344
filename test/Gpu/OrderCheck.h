//===- OrderCheck.h - Work of streams that nothing orders -------*- C++ -*-===//
//
// Each stream has a clock, which counts for every stream how much of its work
// is known to be over: by waiting for an event, or because the host waited
// before it gave more work. Two touches of a byte, one of them writing, race if
// the second one's clock has not reached the first. So a missing wait is found
// whatever the work would have computed.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_GPU_ORDERCHECK_H
#define REPRISE_TEST_GPU_ORDERCHECK_H

#include "../../runtime/cuda/Driver.h"
#include <deque>

namespace reprise::gpu_test {

class OrderCheck {
public:
  void addStream();
  void addEvent() { events.emplace_back(); }

  /// Gives a stream work; returns a problem for each other piece of work that
  /// it races with.
  std::vector<std::string> give(size_t stream, const std::string &what,
                                const std::vector<rt::cuda::Touch> &touches);
  void record(size_t stream, size_t event) { events[event] = clocks[stream]; }
  void wait(size_t stream, size_t event) {
    join(clocks[stream], events[event]);
  }
  void hostWaitsForStream(size_t stream) { join(host, clocks[stream]); }
  void hostWaitsForEvent(size_t event) { join(host, events[event]); }

private:
  using Clock = std::vector<uint64_t>;
  struct Given {
    uint64_t number;
    std::string what;
    std::vector<rt::cuda::Touch> touches;
  };
  static void join(Clock &into, const Clock &from);
  /// Drops what all streams know to be over.
  void forget();

  std::vector<Clock> clocks; // by stream
  std::vector<Clock> events;
  Clock host;
  std::vector<std::deque<Given>> given; // by stream, in its order
};

} // namespace reprise::gpu_test

#endif // REPRISE_TEST_GPU_ORDERCHECK_H
