//===- Grains.h - Distribute a kernel's grains among threads ----*- C++ -*-===//
//
// Every member of a team has an equal share of a kernel's grains, which it
// takes in chunks; when its share is done it takes chunks of the others'
// shares. A member delayed by another process thus does less, and the others do
// the rest. Any partition gives the same bits.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_GRAINS_H
#define REPRISE_RUNTIME_CPU_GRAINS_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace reprise::rt {

class Grains {
public:
  explicit Grains(unsigned members) : shares(members) {}

  /// Shares grains [0, count) among `members` members; no member may be taking
  /// any.
  void share(int64_t count, unsigned members) {
    used = members;
    chunk = std::max<int64_t>(1, count / members / kChunksOfShare);
    for (unsigned m = 0; m < members; ++m) {
      shares[m].next.store(beginOf(count, m), std::memory_order_relaxed);
      shares[m].end = beginOf(count, m + 1);
    }
  }

  /// Takes the next chunk for a member; returns false when all are taken.
  bool take(unsigned member, int64_t &begin, int64_t &end) {
    for (unsigned k = 0; k < used; ++k) {
      Share &share = shares[(member + k) % used];
      if (share.next.load(std::memory_order_relaxed) >= share.end)
        continue;
      begin = share.next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= share.end)
        continue;
      end = std::min(begin + chunk, share.end);
      return true;
    }
    return false;
  }

private:
  static constexpr int64_t kChunksOfShare = 8;
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };
  int64_t beginOf(int64_t count, unsigned member) const {
    return count / used * member + std::min<int64_t>(count % used, member);
  }

  std::vector<Share> shares;
  unsigned used = 1;
  int64_t chunk = 1;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_GRAINS_H
