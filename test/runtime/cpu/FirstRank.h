//===- FirstRank.h - A communicator without other processes -----*- C++ -*-===//
//
// The first of some ranks, whose calls end at once and change nothing. Tests
// derive from it and override the calls that they are about.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_RUNTIME_CPU_FIRSTRANK_H
#define REPRISE_TEST_RUNTIME_CPU_FIRSTRANK_H

#include "reprise/Runtime/Communicator.h"

namespace reprise {

class FirstRank : public rt::Communicator {
public:
  explicit FirstRank(unsigned ranks) : ranks(ranks) {}
  unsigned rank() const override { return 0; }
  unsigned size() const override { return ranks; }
  unsigned localRanks() const override { return ranks; }
  unsigned localRank() const override { return 0; }
  rt::Status watch(double) override { return {}; }
  bool isBroken() const override { return false; }
  rt::Status exchange(const void *, const rt::Shards &, void *) override {
    return {};
  }
  rt::Status gather(void *, const rt::Shards &, rt::Patience) override {
    return {};
  }
  rt::Status collect(const void *, const rt::Shards &, void *,
                     rt::Patience) override {
    return {};
  }
  rt::Status sum(void *, uint64_t, rp_element_type) override { return {}; }
  bool addsInAnyOrder() const override { return false; }
  bool takesOtherThreads() const override { return true; }
  double timeoutSeconds() const override { return 1; }
  rt::Status close() override { return {}; }

private:
  unsigned ranks;
};

} // namespace reprise

#endif // REPRISE_TEST_RUNTIME_CPU_FIRSTRANK_H
