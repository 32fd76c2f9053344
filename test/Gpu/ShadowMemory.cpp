//===- ShadowMemory.cpp - Who touched which byte, and when ----------------===//

#include "ShadowMemory.h"
#include "Kernel.h"
#include <algorithm>
#include <cstring>

using namespace reprise::gpu_test;

/// Writers of memory that nobody wrote since and before the launch.
static constexpr Stamp kBeforeLaunch = {0, 0, 0, Thread};
static constexpr Stamp kNeverWritten = {0, 0, 0, Blocks};

static bool isNeverWritten(Stamp writer) {
  return writer.epoch == 0 && writer.spread == Blocks;
}

static bool inOneWarp(Stamp a, Stamp b) {
  return a.thread / kWarpSize == b.thread / kWarpSize;
}

bool Acquired::orders(Stamp before, Stamp now) const {
  if (now.epoch <= epoch && now.thread != thread)
    return false;
  return std::any_of(epochs.begin(), epochs.end(), [&](auto range) {
    return range.first <= before.epoch && before.epoch < range.second;
  });
}

static bool isOrdered(Stamp before, const Moment &now) {
  if (before.epoch == 0)
    return true;
  if (before.spread == Blocks)
    return false;
  if (before.epoch < now.blockBegan)
    return now.acquired->orders(before, now.stamp);
  if (before.epoch < now.stamp.epoch)
    return true;
  if (before.spread == Warps || !inOneWarp(before, now.stamp))
    return false;
  if (before.warpEpoch < now.stamp.warpEpoch)
    return true;
  return before.spread == Thread && before.thread == now.stamp.thread;
}

/// How far readers are apart once one at `now` has joined those of `before`.
static Spread spreadOfReaders(Stamp before, const Moment &now) {
  if (before.epoch == 0)
    return Thread;
  if (before.epoch < now.blockBegan || before.spread == Blocks)
    return Blocks;
  if (before.epoch < now.stamp.epoch)
    return Thread;
  if (before.spread == Warps || !inOneWarp(before, now.stamp))
    return Warps;
  if (before.warpEpoch < now.stamp.warpEpoch)
    return Thread;
  return before.spread == Lanes || before.thread != now.stamp.thread ? Lanes
                                                                     : Thread;
}

ShadowMemory::ShadowMemory(std::vector<MemoryBlock> blocks,
                           unsigned cellBytes) {
  while (2u << cellShift <= cellBytes)
    ++cellShift;
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const MemoryBlock &a, const MemoryBlock &b) {
                     return a.data < b.data;
                   });
  for (const MemoryBlock &block : blocks) {
    char *end = block.data + block.bytes;
    if (block.bytes == 0)
      continue;
    if (ranges.empty() || block.data >= ranges.back().end) {
      ranges.push_back(
          {block.data, end, block.name, block.isShared, block.alignment, {}});
      continue;
    }
    ranges.back().end = std::max(ranges.back().end, end);
    ranges.back().name += "/" + block.name;
  }
  for (Range &range : ranges)
    range.cells.resize((size_t(range.end - range.begin) >> cellShift) + 2);
  for (const MemoryBlock &block : blocks)
    if (!block.isInitialized)
      fill(block, kNeverWritten);
  for (const MemoryBlock &block : blocks)
    if (block.isInitialized)
      fill(block, kBeforeLaunch);
}

/// Cells are cut at multiples of their size, wherever a range begins.
static size_t cellOf(const Range &range, const char *at, unsigned shift) {
  return (reinterpret_cast<uintptr_t>(at) >> shift) -
         (reinterpret_cast<uintptr_t>(range.begin) >> shift);
}

void ShadowMemory::fill(const MemoryBlock &block, Stamp writer) {
  if (block.bytes == 0)
    return;
  Range &range = *find(block.data);
  auto cells = range.cells.begin();
  std::fill(cells + cellOf(range, block.data, cellShift),
            cells + cellOf(range, block.data + block.bytes - 1, cellShift) + 1,
            Cell{writer, kBeforeLaunch});
}

Range *ShadowMemory::find(const char *at) {
  for (Range &range : ranges)
    if (at >= range.begin && at < range.end)
      return &range;
  return nullptr;
}

void ShadowMemory::forgetShared() {
  for (Range &range : ranges) {
    if (!range.isShared)
      continue;
    std::memset(range.begin, 0xFF, range.end - range.begin);
    std::fill(range.cells.begin(), range.cells.end(),
              Cell{kNeverWritten, kBeforeLaunch});
  }
}

ShadowMemory::Finding ShadowMemory::record(Range &range, const char *at,
                                           unsigned bytes, bool isStore,
                                           const Moment &now) {
  Finding finding;
  auto look = [&](Stamp before) {
    if (isOrdered(before, now))
      return;
    finding.isRace = true;
    finding.other = before;
  };
  size_t last = cellOf(range, at + bytes - 1, cellShift);
  for (size_t i = cellOf(range, at, cellShift); i <= last; ++i) {
    Cell &cell = range.cells[i];
    if (isStore) {
      look(cell.reader);
      look(cell.writer);
      cell.writer = now.stamp;
      continue;
    }
    if (isNeverWritten(cell.writer))
      finding.isUnwritten = true;
    else
      look(cell.writer);
    Spread spread = spreadOfReaders(cell.reader, now);
    cell.reader = now.stamp;
    cell.reader.spread = spread;
  }
  return finding;
}
