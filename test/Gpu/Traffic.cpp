//===- Traffic.cpp - What a warp's accesses cost --------------------------===//

#include "Traffic.h"
#include <algorithm>
#include <array>

using namespace reprise::gpu_test;

static constexpr uintptr_t kSectorBytes = 32;
static constexpr unsigned kBanks = 32, kBankBytes = 4;
/// That a lane's instruction can move.
static constexpr unsigned kMostBytes = 16;

Traffic &Traffic::operator+=(const Traffic &other) {
  accesses += other.accesses;
  sectors += other.sectors;
  leastSectors += other.leastSectors;
  sharedPasses += other.sharedPasses;
  leastSharedPasses += other.leastSharedPasses;
  return *this;
}

Traffic SimulationReport::total() const {
  Traffic sum = loads;
  return sum += stores;
}

namespace {
/// What the lanes of a warp do at once, by lane.
struct Instruction {
  std::array<uintptr_t, kWarpSize> at;
  uint32_t active = 0;
  unsigned bytes = 0;

  bool isActive(unsigned lane) const { return active >> lane & 1; }
};
} // namespace

static void countGlobal(const Instruction &instruction, Traffic &traffic) {
  std::array<uintptr_t, kWarpSize> sorted;
  unsigned count = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    if (instruction.isActive(lane))
      sorted[count++] = instruction.at[lane];
  std::sort(sorted.begin(), sorted.begin() + count);
  uintptr_t touched = 0, end = 0, nextSector = 0;
  for (unsigned i = 0; i < count; ++i) {
    uintptr_t first = sorted[i], last = first + instruction.bytes;
    touched += last - std::max(first, std::min(end, last));
    end = last;
    uintptr_t sector = std::max(first / kSectorBytes, nextSector);
    nextSector = std::max(nextSector, (last - 1) / kSectorBytes + 1);
    traffic.sectors += nextSector - std::min(sector, nextSector);
  }
  traffic.leastSectors += (touched + kSectorBytes - 1) / kSectorBytes;
}

/// How many lanes pass at once.
static unsigned lanesOfPass(unsigned bytes) {
  unsigned lanes = kWarpSize;
  while (lanes > 1 && lanes * bytes > kBanks * kBankBytes)
    lanes /= 2;
  return lanes;
}

/// Passes that lanes first ... first + count - 1 need: the most words that any
/// bank must give.
static unsigned passesOf(const Instruction &instruction, unsigned first,
                         unsigned count) {
  std::array<uintptr_t, kWarpSize * kMostBytes> words;
  unsigned used = 0;
  for (unsigned lane = first; lane < first + count; ++lane)
    if (instruction.isActive(lane))
      for (uintptr_t word = instruction.at[lane] / kBankBytes;
           word <= (instruction.at[lane] + instruction.bytes - 1) / kBankBytes;
           ++word)
        words[used++] = word;
  std::sort(words.begin(), words.begin() + used);
  auto end = std::unique(words.begin(), words.begin() + used);
  std::array<unsigned, kBanks> perBank = {};
  for (auto word = words.begin(); word != end; ++word)
    ++perBank[*word % kBanks];
  return *std::max_element(perBank.begin(), perBank.end());
}

static void countShared(const Instruction &instruction, Traffic &traffic) {
  unsigned lanes = lanesOfPass(instruction.bytes);
  for (unsigned first = 0; first < kWarpSize; first += lanes) {
    unsigned passes = passesOf(instruction, first, lanes);
    traffic.sharedPasses += passes;
    traffic.leastSharedPasses += passes != 0;
  }
}

/// The access of each lane of a warp, cut into what an instruction can do.
static void count(const AccessSite &site, Instruction whole, bool isShared,
                  Traffic &traffic) {
  unsigned most = std::min({site.bytes, site.alignment, kMostBytes});
  Instruction part = whole;
  for (unsigned done = 0; done < site.bytes; done += part.bytes) {
    part.bytes = std::min(most, site.bytes - done);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      if (whole.isActive(lane))
        part.at[lane] = whole.at[lane] + done;
    if (isShared)
      countShared(part, traffic);
    else
      countGlobal(part, traffic);
  }
}

void TrafficLog::begin(const std::vector<AccessSite> &places, unsigned count) {
  sites = &places;
  threads = count;
  // Grows only: the vectors keep their memory from launch to launch.
  if (log.size() < places.size() * count)
    log.resize(places.size() * count);
  for (std::vector<LoggedAccess> &accesses : log)
    accesses.clear();
}

/// The accesses of a warp's lanes at a site.
static void countWarp(const AccessSite &site,
                      const std::vector<LoggedAccess> *lanes, unsigned size,
                      Traffic &traffic) {
  for (size_t time = 0;; ++time) {
    Instruction global, shared;
    for (unsigned lane = 0; lane < size; ++lane) {
      if (time >= lanes[lane].size())
        continue;
      LoggedAccess access = lanes[lane][time];
      Instruction &instruction = access.isShared ? shared : global;
      instruction.at[lane] = access.at;
      instruction.active |= 1u << lane;
      ++traffic.accesses;
    }
    if (!global.active && !shared.active)
      return;
    if (global.active)
      count(site, global, /*isShared=*/false, traffic);
    if (shared.active)
      count(site, shared, /*isShared=*/true, traffic);
  }
}

void TrafficLog::flush(SimulationReport &report) {
  for (size_t i = 0; i < sites->size(); ++i) {
    const AccessSite &site = (*sites)[i];
    std::vector<LoggedAccess> *accesses = &log[i * threads];
    for (unsigned first = 0; first < threads; first += kWarpSize)
      countWarp(site, accesses + first, std::min(kWarpSize, threads - first),
                site.isStore ? report.stores : report.loads);
    for (unsigned thread = 0; thread < threads; ++thread)
      accesses[thread].clear();
  }
}
