//===- MemoryMonitor.cpp - Options of memory_monitor ----------------------===//

#include "reprise/Console/Console.h"
#include "reprise/Driver/SettingValues.h"
#include "reprise/Run/HookKind.h"
#include "reprise/Text/Size.h"

using namespace reprise;
using namespace reprise::driver;

/// Returns one line.
static std::string textOf(const rt::MemoryReading &memory) {
  std::vector<std::string> arena = text::formatSizesApart(
      {memory.fixedBytes, memory.peakBytes, memory.arenaBytes});
  return "memory after step " + std::to_string(memory.step) +
         ": arena: fixed " + arena[0] + ", peak " + arena[1] + " of " +
         arena[2] + "; process " + text::formatSize(memory.residentBytes) +
         ", at most " + text::formatSize(memory.residentPeakBytes) + "; " +
         (memory.limit.bytes == UINT64_MAX
              ? "no limit is known"
              : "limit " + text::formatSize(memory.limit.bytes) + " of " +
                    memory.limit.name + ", " +
                    text::formatSize(memory.limit.left) + " left");
}

namespace {

class MemoryMonitorKind final : public HookKind {
public:
  void addOptions(HookOptions &options) override {
    options.add("--memory-monitor", every);
  }
  rt::Status check() const override {
    return checkCount("--memory-monitor", every, "a step");
  }
  bool isRequested() const override { return every > 0; }
  std::unique_ptr<rt::Hook>
  make(const rt::MemoryMonitorOptions &memory) const override {
    rt::MemoryMonitorOptions options = memory;
    options.every = every;
    options.show = [](const rt::MemoryReading &reading) {
      note(textOf(reading));
    };
    return rt::makeMemoryMonitor(options);
  }

private:
  uint64_t every = 0; // steps; 0: never
};

} // namespace

std::unique_ptr<HookKind> driver::makeMemoryMonitorKind() {
  return std::make_unique<MemoryMonitorKind>();
}
