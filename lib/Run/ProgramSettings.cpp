//===- ProgramSettings.cpp - Options of runs with several programs --------===//

#include "reprise/Run/ProgramSettings.h"
#include "reprise/Console/Console.h"
#include "reprise/Runtime/Expect.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

using namespace reprise;
using namespace reprise::driver;
using llvm::StringRef;

static rt::Status wrong(StringRef entry, const std::string &why) {
  return misuse("--checkpointing-schedule '" + entry.str() + "': " + why);
}

/// Reads "0-9" or "10-"; the end is after the last epoch, absent if open.
static bool readEpochs(StringRef text, uint64_t &first,
                       std::optional<uint64_t> &end) {
  text.consume_front("epochs ");
  text.consume_front("epoch ");
  auto [from, to] = text.split('-');
  bool isOne = !text.contains('-');
  if (from.trim().getAsInteger(10, first))
    return false;
  if (isOne)
    end = first + 1;
  uint64_t last = 0;
  if (isOne || to.trim().empty())
    return true;
  if (to.trim().getAsInteger(10, last) || last < first || last == UINT64_MAX)
    return false;
  end = last + 1;
  return true;
}

/// Reads the entries of a schedule, whose epochs must have no gap.
static rt::Status readSchedule(const std::vector<std::string> &entries,
                               ProgramPlan &plan) {
  std::vector<EpochPhase> phases;
  std::optional<uint64_t> next = 0;
  for (StringRef entry : entries) {
    auto [when, mode] = entry.split(':');
    when = when.trim();
    mode = mode.trim();
    if (mode.empty())
      return wrong(entry, "write EPOCHS:MODE, as 0-9:segments=8");
    if (when == "on_out_of_memory") {
      if (!plan.onOutOfMemory.isOwn())
        return wrong(entry, "on_out_of_memory is given twice");
      plan.onOutOfMemory.text = mode.str();
      continue;
    }
    uint64_t first = 0;
    std::optional<uint64_t> end;
    if (!readEpochs(when, first, end))
      return wrong(entry, "epochs are counted from 0, as 0-9, or 10- for all "
                          "from there on");
    if (!next || first != *next)
      return wrong(entry, !next           ? "all epochs have a mode already"
                          : first < *next ? "epoch " + std::to_string(first) +
                                                " has a mode already"
                                          : "epochs leave no gap; the next one "
                                            "is " +
                                                std::to_string(*next));
    phases.push_back({first, {}});
    phases.back().mode.text = mode.str();
    next = end;
  }
  if (next && !phases.empty())
    return misuse("--checkpointing-schedule ends with epoch " +
                  std::to_string(*next - 1) + "; add what follows, as " +
                  std::to_string(*next) + "-:none");
  if (!phases.empty())
    plan.phases = std::move(phases);
  return {};
}

static rt::Expected<rt::Bucket> readBucket(StringRef text) {
  auto [size, batch] = text.split('@');
  auto [height, width] = size.split('x');
  rt::Bucket bucket;
  bool isSaid = text.contains('@');
  bool isRead = !height.getAsInteger(10, bucket.height) &&
                !width.getAsInteger(10, bucket.width) && bucket.height > 0 &&
                bucket.width > 0;
  uint64_t images = 0;
  if (isSaid && (batch.getAsInteger(10, images) || images == 0))
    isRead = false;
  bucket.batch = size_t(images);
  if (isRead)
    return bucket;
  return misuse("--buckets '" + text.str() +
                "': write height and width, and maybe a batch, as 224x192 or "
                "224x192@16");
}

rt::Expected<ProgramPlan>
ProgramSettings::read(const GivenOptions &command) const {
  ProgramPlan plan;
  REPRISE_RETURN_IF_ERROR(readSchedule(schedule, plan));
  bool hasModes = !plan.phases.front().mode.isOwn();
  for (const char *name : {"--checkpointing", "--budget"})
    if (hasModes && command.has(name))
      return misuse(std::string(name) +
                    " and --checkpointing-schedule say the same thing; keep "
                    "one of them");
  for (const std::string &text : buckets) {
    REPRISE_EXPECT(bucket, readBucket(text));
    for (const rt::Bucket &other : plan.buckets)
      if (other.height == bucket->height && other.width == bucket->width)
        return misuse("--buckets says " + std::to_string(other.height) + "x" +
                      std::to_string(other.width) + " twice");
    plan.buckets.push_back(*bucket);
  }
  plan.skipsLarge = skipsLarge;
  if (skipsLarge && plan.buckets.empty())
    return misuse("--skip-large-buckets needs --buckets");
  return plan;
}
