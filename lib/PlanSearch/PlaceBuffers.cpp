//===- PlaceBuffers.cpp - Offsets for buffers of files --------------------===//

#include "reprise/PlanSearch/PlaceBuffers.h"
#include "reprise/Console/Console.h"
#include "reprise/PlanSearch/Problem.h"
#include "reprise/Runtime/Expect.h"
#include <algorithm>
#include <numeric>

namespace reprise::plan::search {

using format::CsvBuffer;

/// Returns the largest sum of bytes live at once, and its time.
static std::pair<uint64_t, uint64_t>
findMaxLive(const std::vector<CsvBuffer> &buffers) {
  std::vector<std::pair<uint64_t, size_t>> begins, ends;
  for (size_t i = 0; i < buffers.size(); ++i) {
    begins.push_back({buffers[i].lower, i});
    ends.push_back({buffers[i].upper, i});
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  uint64_t live = 0;
  std::pair<uint64_t, uint64_t> most = {0, 0};
  size_t gone = 0;
  for (auto [time, id] : begins) {
    for (; ends[gone].first <= time; ++gone)
      live -= buffers[ends[gone].second].size;
    live += buffers[id].size;
    if (live > most.first)
      most = {live, time};
  }
  return most;
}

/// Checks every pair that lives together, independent of the solver.
static std::string checkPlacement(const std::vector<CsvBuffer> &buffers,
                                  const Placement &placement) {
  std::vector<size_t> order(buffers.size()), live;
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return buffers[a].lower < buffers[b].lower;
  });
  for (size_t id : order) {
    const CsvBuffer &buffer = buffers[id];
    uint64_t begin = placement.offsets[id], end = begin + buffer.size;
    if (end > placement.height)
      return "buffer '" + buffer.id + "' ends past the height";
    live.erase(std::remove_if(live.begin(), live.end(),
                              [&](size_t other) {
                                return buffers[other].upper <= buffer.lower;
                              }),
               live.end());
    for (size_t other : live)
      if (placement.offsets[other] < end &&
          begin < placement.offsets[other] + buffers[other].size)
        return "buffers '" + buffer.id + "' and '" + buffers[other].id +
               "' overlap";
    live.push_back(id);
  }
  return "";
}

static rt::Expected<Placement> place(const std::vector<CsvBuffer> &buffers,
                                     std::optional<uint64_t> capacity,
                                     uint64_t work, uint64_t maxLive,
                                     uint64_t peakTime) {
  std::vector<Buffer> items = format::toBuffers(buffers);
  if (!capacity)
    return plan::placeBuffers(items, maxLive, work);
  if (maxLive > *capacity)
    return driver::invalid("capacity of " + bothSizes(*capacity) +
                           " cannot be met: " + bothSizes(maxLive) +
                           " are live at time " + std::to_string(peakTime));
  // More than placeBuffers needs for all of its heights.
  constexpr uint64_t patience = 8;
  FitResult fit = placeWithin(items, *capacity, work * patience);
  if (fit.outcome == FitOutcome::Impossible)
    return driver::invalid("capacity of " + bothSizes(*capacity) +
                           " cannot be met by any placement, although only " +
                           bothSizes(maxLive) + " are live at once");
  if (fit.outcome == FitOutcome::LimitReached)
    return driver::invalid("no placement within " + bothSizes(*capacity) +
                           " was found; the lowest one takes " +
                           bothSizes(fit.placement.height) +
                           "; --work searches longer");
  return std::move(fit.placement);
}

rt::Expected<PlacedBuffers> placeBuffers(const std::vector<CsvBuffer> &buffers,
                                         std::optional<uint64_t> capacity,
                                         double work) {
  auto [maxLive, peakTime] = findMaxLive(buffers);
  REPRISE_EXPECT(placement, place(buffers, capacity,
                                  uint64_t(work * double(kPlacementWork)),
                                  maxLive, peakTime));
  if (std::string error = checkPlacement(buffers, *placement); !error.empty())
    return rt::Status::error(
        RP_INTERNAL, "the placement is wrong, please report it: " + error);
  return PlacedBuffers{maxLive, std::move(*placement)};
}

} // namespace reprise::plan::search
