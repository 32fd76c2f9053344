//===- MemoryCheck.cpp - Check the writes of each step --------------------===//
//
// The arena and its guards are filled and compared piece by piece, so that the
// host holds only the arena's contents and some pieces.
//
//===----------------------------------------------------------------------===//
#include "MemoryCheck.h"
#include "StepViews.h"

#include <algorithm>
#include <cstring>

namespace reprise::rt {

static constexpr uint64_t kPiece = 4 << 10;

MemoryCheck::MemoryCheck(const fb::Program &program,
                         std::unique_ptr<DeviceProgram> checked)
    : program(program), checked(std::move(checked)), pattern(kPiece),
      complement(kPiece), contents(program.arena_bytes()) {
  // Multiplicative hashing of the place: a copy from another place is detected.
  for (uint64_t i = 0; i < kPiece; ++i) {
    pattern[i] = uint8_t((i + 1) * 0x9E3779B97F4A7C15 >> 56);
    complement[i] = uint8_t(~pattern[i]);
  }
}

//===----------------------------------------------------------------------===//
// Reads and writes of a step
//===----------------------------------------------------------------------===//

using Run = std::pair<uint64_t, uint64_t>;

/// Appends the bytes of the elements of `view`, which begins at `offset`: one
/// run if it is dense, otherwise one for each stretch without gaps.
static void appendRuns(const fb::View &view, uint64_t offset,
                       std::vector<Run> &runs) {
  uint32_t rank = view.shape() ? view.shape()->size() : 0;
  if (isDense(view)) {
    runs.push_back({offset, offset + *viewBytes(view)});
    return;
  }
  uint64_t element = elementBytes(view.type());
  std::vector<uint64_t> starts = {offset};
  for (uint32_t d = 0; d < rank; ++d) {
    std::vector<uint64_t> inner;
    uint64_t stride = uint64_t(view.strides()->Get(d)) * element;
    for (uint64_t start : starts)
      for (uint64_t i = 0; i < uint64_t(view.shape()->Get(d)); ++i)
        inner.push_back(start + i * stride);
    starts = std::move(inner);
  }
  for (uint64_t start : starts)
    runs.push_back({start, start + element});
}

MemoryCheck::Touched MemoryCheck::touchedBy(const StepRef &step) const {
  StepViews views =
      viewsOf(*step.entry.steps()->Get(step.index), program, step.entry);
  auto collect = [&](const std::vector<const fb::View *> &list,
                     std::vector<Run> runs) {
    for (const fb::View *view : list)
      appendRuns(*view, arenaOffset(program, &step.entry, *view), runs);
    return runs;
  };
  auto merged = [](std::vector<Run> runs) {
    std::sort(runs.begin(), runs.end());
    Ranges ranges;
    for (const Run &run : runs)
      if (!ranges.empty() && run.first <= ranges.back().end)
        ranges.back().end = std::max(ranges.back().end, run.second);
      else
        ranges.push_back({run.first, run.second});
    return ranges;
  };
  std::vector<const fb::View *> held;
  for (const fb::View *view : views.reads)
    if (holdsValues(program, step.entry, step.index, *view))
      held.push_back(view);
  std::vector<Run> results = collect(views.results, {});
  return {merged(collect(held, {})), merged(results),
          merged(collect(views.scratch, results))};
}

//===----------------------------------------------------------------------===//
// Arranging and comparing
//===----------------------------------------------------------------------===//

/// Fills `before` with the expected content of the piece at `begin` when a step
/// that receives `kept` begins.
void MemoryCheck::expect(uint64_t begin, uint64_t bytes, Pattern which,
                         const Ranges &kept) {
  before.resize(bytes);
  std::memcpy(before.data(),
              (which == Pattern::Plain ? pattern : complement).data(), bytes);
  auto range =
      std::partition_point(kept.begin(), kept.end(), [&](const Range &r) {
        return r.end + kGuardBytes <= begin;
      });
  for (; range != kept.end() && range->begin + kGuardBytes < begin + bytes;
       ++range) {
    uint64_t from = std::max(range->begin + kGuardBytes, begin);
    uint64_t to = std::min(range->end + kGuardBytes, begin + bytes);
    std::memcpy(before.data() + (from - begin),
                contents.data() + (from - kGuardBytes), to - from);
  }
}

Status MemoryCheck::arrange(Pattern which, const Ranges &kept) {
  uint64_t all = contents.size() + 2 * kGuardBytes;
  for (uint64_t at = 0; at < all; at += kPiece) {
    uint64_t bytes = std::min(kPiece, all - at);
    expect(at, bytes, which, kept);
    REPRISE_RETURN_IF_ERROR(checked->writeGuarded(at, before.data(), bytes));
  }
  return {};
}

/// Notes the changed bytes of the piece at `begin`.
void MemoryCheck::compare(uint64_t begin, const Ranges &writable,
                          Damage &damage) {
  auto range = std::partition_point(
      writable.begin(), writable.end(),
      [&](const Range &r) { return r.end + kGuardBytes <= begin; });
  for (uint64_t i = 0; i < before.size(); ++i) {
    if (before[i] == after[i])
      continue;
    uint64_t at = begin + i;
    if (at >= kGuardBytes)
      changed = std::max(changed, at + 1 - kGuardBytes);
    while (range != writable.end() && range->end + kGuardBytes <= at)
      ++range;
    if (range != writable.end() && range->begin + kGuardBytes <= at)
      continue;
    damage.first = std::min(damage.first, at);
    damage.last = std::max(damage.last, at);
  }
}

Status MemoryCheck::inspect(Pattern which, const Touched &touched,
                            Damage &damage) {
  uint64_t all = contents.size() + 2 * kGuardBytes;
  for (uint64_t at = 0; at < all; at += kPiece) {
    uint64_t bytes = std::min(kPiece, all - at);
    expect(at, bytes, which, touched.values);
    after.resize(bytes);
    REPRISE_RETURN_IF_ERROR(checked->readGuarded(at, after.data(), bytes));
    if (std::memcmp(before.data(), after.data(), bytes) != 0)
      compare(at, touched.writable, damage);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static std::string text(const flatbuffers::String *s) {
  return s ? s->str() : "";
}

/// The name of what lives at a byte of the arena, or null.
static const fb::Buffer *residentAt(const fb::Program &program,
                                    const fb::Entry &entry, uint32_t step,
                                    uint64_t offset) {
  auto covers = [offset](const fb::Buffer &b) {
    return offset >= b.offset() && offset - b.offset() < b.size();
  };
  if (program.buffers())
    for (const fb::Buffer *b : *program.buffers())
      if (covers(*b))
        return b;
  if (entry.buffers())
    for (const fb::Buffer *b : *entry.buffers())
      if (covers(*b) && b->first_step() <= step && step <= b->last_step())
        return b;
  return nullptr;
}

/// Describes a byte, counted from the start of the first guard.
std::string MemoryCheck::place(const StepRef &step, uint64_t at) const {
  if (at < kGuardBytes)
    return "byte " + std::to_string(kGuardBytes - at) + " before the arena";
  uint64_t offset = at - kGuardBytes;
  if (offset >= contents.size())
    return "byte " + std::to_string(offset - contents.size() + 1) +
           " after the arena";
  const fb::Buffer *b = residentAt(program, step.entry, step.index, offset);
  return "byte " + std::to_string(offset) + " of the arena, " +
         (b ? "in '" + text(b->name()) + "'" : "which is nobody's then");
}

Status MemoryCheck::damaged(const StepRef &step, const Damage &damage) const {
  return Status::error(
      RP_INTERNAL,
      describeStep(step.entry, step.index) +
          " changed memory that is neither its results' nor its workspace's: "
          "from " +
          place(step, damage.first) + ", to " + place(step, damage.last));
}

Status MemoryCheck::dependent(const StepRef &step, uint64_t at) const {
  return Status::error(
      RP_INTERNAL,
      describeStep(step.entry, step.index) +
          " gives other results when memory that is not its operands' holds "
          "something else: first " +
          place(step, at + kGuardBytes));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Status MemoryCheck::runOnce(size_t entry, size_t index, Pattern which,
                            const Touched &touched, Damage &damage,
                            std::vector<uint8_t> &results) {
  REPRISE_RETURN_IF_ERROR(arrange(which, touched.values));
  REPRISE_RETURN_IF_ERROR(checked->run(entry, index, index + 1));
  REPRISE_RETURN_IF_ERROR(inspect(which, touched, damage));
  for (const Range &range : touched.results) {
    size_t size = results.size();
    results.resize(size + (range.end - range.begin));
    REPRISE_RETURN_IF_ERROR(checked->read(range.begin, results.data() + size,
                                          range.end - range.begin));
  }
  return {};
}

Status MemoryCheck::runStep(size_t entry, size_t index) {
  StepRef step{*program.entries()->Get(uint32_t(entry)), uint32_t(index)};
  Touched touched = touchedBy(step);
  Damage damage;
  std::vector<uint8_t> once, again;
  REPRISE_RETURN_IF_ERROR(
      runOnce(entry, index, Pattern::Plain, touched, damage, once));
  Pattern second = Pattern::Complement;
  REPRISE_RETURN_IF_ERROR(
      runOnce(entry, index, second, touched, damage, again));
  if (damage.first <= damage.last)
    return damaged(step, damage);
  const uint8_t *from = once.data(), *other = again.data();
  for (const Range &range : touched.results) {
    uint64_t bytes = range.end - range.begin;
    if (std::memcmp(from, other, bytes) != 0)
      return dependent(
          step,
          range.begin +
              uint64_t(std::mismatch(from, from + bytes, other).first - from));
    std::memcpy(contents.data() + range.begin, from, bytes);
    from += bytes;
    other += bytes;
  }
  return {};
}

Status MemoryCheck::run(size_t entry, size_t first, size_t end) {
  isRestored = false;
  for (size_t i = first; i < end; ++i)
    REPRISE_RETURN_IF_ERROR(runStep(entry, i));
  return {};
}

/// Restores the arena's content between steps when it is needed.
Status MemoryCheck::restore() {
  if (!isRestored)
    REPRISE_RETURN_IF_ERROR(arrange(Pattern::Plain, {{0, contents.size()}}));
  isRestored = true;
  return {};
}

Status MemoryCheck::adopt() {
  isRestored = true;
  return checked->read(0, contents.data(), contents.size());
}

Expected<std::unique_ptr<DeviceProgram>>
MemoryCheck::prepareBeside(const fb::Program &other) {
  Expected<std::unique_ptr<DeviceProgram>> beside =
      checked->prepareBeside(other);
  if (!beside.ok() || !*beside)
    return beside;
  return std::unique_ptr<DeviceProgram>(
      std::make_unique<MemoryCheck>(other, std::move(*beside)));
}

Status MemoryCheck::write(uint64_t offset, const void *data, uint64_t bytes) {
  REPRISE_RETURN_IF_ERROR(restore());
  REPRISE_RETURN_IF_ERROR(checked->write(offset, data, bytes));
  std::memcpy(contents.data() + offset, data, bytes);
  changed = std::max(changed, offset + bytes);
  return {};
}

Status MemoryCheck::read(uint64_t offset, void *data, uint64_t bytes) {
  REPRISE_RETURN_IF_ERROR(restore());
  return checked->read(offset, data, bytes);
}

Status MemoryCheck::fill(uint64_t offset, uint8_t byte, uint64_t bytes) {
  REPRISE_RETURN_IF_ERROR(checked->fill(offset, byte, bytes));
  std::memset(contents.data() + offset, byte, bytes);
  return {};
}

Status MemoryCheck::writeGuarded(uint64_t offset, const void *data,
                                 uint64_t bytes) {
  REPRISE_RETURN_IF_ERROR(restore());
  return checked->writeGuarded(offset, data, bytes);
}

Status MemoryCheck::readGuarded(uint64_t offset, void *data, uint64_t bytes) {
  REPRISE_RETURN_IF_ERROR(restore());
  return checked->readGuarded(offset, data, bytes);
}

} // namespace reprise::rt
