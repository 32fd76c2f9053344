//===- MeasureLink.cpp - The speed of the link between ranks --------------===//
#include "reprise/Runtime/Communicator.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Link.h"

#include <algorithm>
#include <chrono>
#include <vector>

using namespace reprise::rt;

/// Returns the median seconds of an exchange of `shards` over some rounds.
static Expected<double> timeExchange(Communicator &ranks, const Shards &shards,
                                     unsigned rounds) {
  using Clock = std::chrono::steady_clock;
  std::vector<char> sent(shards.bytes), received(shards.bytes);
  std::vector<uint8_t> marks(ranks.size());
  std::vector<double> seconds;
  // The first round touches the pages and opens the connections.
  for (unsigned k = 0; k <= rounds; ++k) {
    REPRISE_RETURN_IF_ERROR(
        ranks.gather(marks.data(), {marks.size(), 1}, Patience::Step));
    Clock::time_point begin = Clock::now();
    REPRISE_RETURN_IF_ERROR(
        ranks.exchange(sent.data(), shards, received.data()));
    if (k > 0)
      seconds.push_back(
          std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + rounds / 2,
                   seconds.end());
  return seconds[rounds / 2];
}

Expected<Link> reprise::rt::measureLink(Communicator &ranks) {
  constexpr uint64_t kFew = 8, kMany = uint64_t(32) << 20;
  uint64_t others = ranks.size() - 1, part = kMany / others;
  REPRISE_EXPECT(latency,
                 timeExchange(ranks, {kFew * ranks.size(), kFew}, 101));
  REPRISE_EXPECT(seconds, timeExchange(ranks, {part * ranks.size(), part}, 9));
  Link link;
  link.microseconds = *latency * 1e6;
  link.gigabytesPerSecond =
      double(part * others) / std::max(*seconds - *latency, 1e-9) / 1e9;
  return link;
}
