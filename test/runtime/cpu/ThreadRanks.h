//===- ThreadRanks.h - Ranks that are threads -------------------*- C++ -*-===//
#ifndef REPRISE_TEST_RUNTIME_CPU_THREADRANKS_H
#define REPRISE_TEST_RUNTIME_CPU_THREADRANKS_H

#include "reprise/Runtime/Communicator.h"
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace reprise {

/// The state that ranks of one process share.
class ThreadRanks {
public:
  explicit ThreadRanks(unsigned size, bool isFast = false)
      : isFast(isFast), data(size) {}

  /// Calls `body` for each rank, on a thread of its own.
  template <typename Body> void run(Body body) {
    std::vector<std::thread> threads;
    for (unsigned r = 0; r < data.size(); ++r)
      threads.emplace_back([this, r, body] {
        Rank rank(*this, r);
        body(rank);
      });
    for (std::thread &thread : threads)
      thread.join();
  }

  class Rank final : public rt::Communicator {
  public:
    Rank(ThreadRanks &all, unsigned number) : all(all), number(number) {}
    unsigned rank() const override { return number; }
    unsigned size() const override { return unsigned(all.data.size()); }
    unsigned localRanks() const override { return size(); }
    unsigned localRank() const override { return number; }
    rt::Status watch(double) override { return {}; }
    bool isBroken() const override { return false; }
    rt::Status exchange(const void *from, const rt::Shards &shards,
                        void *received) override {
      all.show(number, const_cast<void *>(from));
      uint64_t own = shards.size(number);
      for (unsigned r = 0; r < size(); ++r)
        std::memcpy(static_cast<char *>(received) + r * own,
                    static_cast<char *>(all.data[r]) + shards.begin(number),
                    own);
      all.meet();
      return {};
    }
    rt::Status gather(void *bytes, const rt::Shards &shards,
                      rt::Patience) override {
      all.show(number, bytes);
      for (unsigned r = 0; r < size(); ++r)
        if (r != number)
          std::memcpy(static_cast<char *>(bytes) + shards.begin(r),
                      static_cast<char *>(all.data[r]) + shards.begin(r),
                      shards.size(r));
      all.meet();
      return {};
    }
    rt::Status collect(const void *part, const rt::Shards &shards, void *bytes,
                       rt::Patience) override {
      all.show(number, const_cast<void *>(part));
      for (unsigned r = 0; number == 0 && r < size(); ++r)
        std::memcpy(static_cast<char *>(bytes) + shards.begin(r), all.data[r],
                    shards.size(r));
      all.meet();
      return {};
    }
    rt::Status sum(void *bytes, uint64_t count, rp_element_type type) override {
      all.show(number, bytes);
      std::vector<double> sums(count);
      for (void *data : all.data)
        for (uint64_t i = 0; i < count; ++i)
          sums[i] += type == RP_F64 ? static_cast<double *>(data)[i]
                                    : double(static_cast<float *>(data)[i]);
      all.meet();
      for (uint64_t i = 0; i < count; ++i)
        if (type == RP_F64)
          static_cast<double *>(bytes)[i] = sums[i];
        else
          static_cast<float *>(bytes)[i] = float(sums[i]);
      return {};
    }
    bool addsInAnyOrder() const override { return all.isFast; }
    bool takesOtherThreads() const override { return true; }
    double timeoutSeconds() const override { return 60; }
    rt::Status close() override { return {}; }

  private:
    ThreadRanks &all;
    unsigned number;
  };

private:
  /// Lets the others see bytes of a rank until they meet again.
  void show(unsigned rank, void *bytes) {
    data[rank] = bytes;
    meet();
  }
  void meet() {
    std::unique_lock<std::mutex> lock(mutex);
    unsigned turn = turns;
    if (++arrived == data.size()) {
      arrived = 0;
      ++turns;
      changed.notify_all();
    }
    changed.wait(lock, [&] { return turn != turns; });
  }

  const bool isFast;        // adds by `sum`
  std::vector<void *> data; // by rank
  std::mutex mutex;
  std::condition_variable changed;
  unsigned arrived = 0, turns = 0;
};

} // namespace reprise

#endif // REPRISE_TEST_RUNTIME_CPU_THREADRANKS_H
