//===- MachineCosts.cpp - Costs of ops on a machine -----------------------===//

#include "reprise/Driver/MachineCosts.h"
#include "reprise/Console/Console.h"
#include "reprise/Driver/RooflineCache.h"
#include "reprise/Runtime/Expect.h"
#include <unistd.h>

using namespace reprise;
using namespace reprise::driver;

rt::Expected<CostModel> driver::costModelOf(const CostSource &source,
                                            Target &device, unsigned threads) {
  auto measured = [&]() -> rt::Expected<rt::Roofline> {
    if (std::optional<rt::Roofline> described = device.describedRoofline())
      return *described;
    Machine machine = device.machine();
    return machineRoofline(
        {device.device(), machine.processor, machine.library, threads},
        [&](unsigned) {
          Activity activity("measuring this machine's speed");
          return device.measureRoofline();
        },
        source.mayWarn && ::isatty(STDERR_FILENO));
  };
  REPRISE_EXPECT(rates, source.roofline ? *source.roofline : measured());
  return CostModel::load(*rates, source.profile);
}

void driver::warnElsewhere(const CostSource &source, const CostModel &costs,
                           const Target &device, unsigned threads) {
  std::string other =
      costs.profile ? costs.profile->difference(device.machine(), threads) : "";
  if (!other.empty())
    warn("'" + source.profile + "' was measured elsewhere: " + other);
}
