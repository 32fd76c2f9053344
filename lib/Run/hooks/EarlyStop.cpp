//===- EarlyStop.cpp - Options of early_stop ------------------------------===//

#include "reprise/Console/Console.h"
#include "reprise/Driver/SettingValues.h"
#include "reprise/Run/HookKind.h"

using namespace reprise;
using namespace reprise::driver;

namespace {

class EarlyStopKind final : public HookKind {
public:
  EarlyStopKind() { stop.patience = 0; }
  void addOptions(HookOptions &options) override {
    options.add("--early-stop", stop.patience);
    options.add("--early-stop-freq", stop.every);
    options.add("--early-stop-delta", stop.least);
    options.add("--early-stop-metric", metric);
  }
  rt::Status check() const override {
    REPRISE_RETURN_IF_ERROR(
        checkCount("--early-stop", stop.patience, "an evaluation"));
    REPRISE_RETURN_IF_ERROR(
        checkCount("--early-stop-freq", stop.every, "an epoch"));
    REPRISE_RETURN_IF_ERROR(checkRange("--early-stop-delta", stop.least));
    if (metric != "accuracy" && metric != "loss")
      return misuse("--early-stop-metric is '" + metric +
                    "'; choose accuracy or loss");
    return {};
  }
  bool isRequested() const override { return stop.patience > 0; }
  bool evaluates() const override { return isRequested(); }
  std::unique_ptr<rt::Hook>
  make(const rt::MemoryMonitorOptions &) const override {
    rt::EarlyStopOptions options = stop;
    options.byLoss = metric == "loss";
    return rt::makeEarlyStop(options);
  }

private:
  rt::EarlyStopOptions stop;
  std::string metric = "accuracy";
};

} // namespace

std::unique_ptr<HookKind> driver::makeEarlyStopKind() {
  return std::make_unique<EarlyStopKind>();
}
