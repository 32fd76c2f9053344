//===- MemoryMonitor.cpp - Periodic memory readings of a run --------------===//
#include "reprise/Runtime/Trainer/Hooks.h"
#include "reprise/Runtime/Trainer/Trainer.h"

using namespace reprise::rt;

namespace {

class MemoryMonitor final : public Hook {
public:
  explicit MemoryMonitor(const MemoryMonitorOptions &options)
      : options(options) {}
  std::string name() const override { return "memory_monitor"; }
  Status afterStep(HookContext &run, const Progress &step) override;

private:
  MemoryLimit limit(uint64_t resident) const;

  MemoryMonitorOptions options;
  uint64_t peak = 0; // of all programs so far
};

} // namespace

/// Returns the run's own limit if it leaves less than the system's.
MemoryLimit MemoryMonitor::limit(uint64_t resident) const {
  MemoryLimit tightest = tightestMemoryLimit();
  uint64_t own = options.limitBytes;
  uint64_t left = own > resident ? own - resident : 0;
  if (own > 0 && left <= tightest.left)
    return {"the run", own, left};
  return tightest;
}

Status MemoryMonitor::afterStep(HookContext &run, const Progress &step) {
  peak = std::max<uint64_t>(peak, step.highWaterBytes);
  if (step.step % options.every != 0)
    return {};
  MemoryReading reading;
  reading.step = step.step;
  reading.arenaBytes = step.arenaBytes;
  reading.fixedBytes = options.fixedBytes;
  reading.peakBytes = peak;
  reading.residentBytes = step.residentBytes;
  reading.residentPeakBytes = residentHighWaterBytes();
  reading.limit = limit(step.residentBytes);
  options.show(reading);
  return {};
}

std::unique_ptr<Hook>
reprise::rt::makeMemoryMonitor(const MemoryMonitorOptions &options) {
  return std::make_unique<MemoryMonitor>(options);
}
