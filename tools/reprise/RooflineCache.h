//===- RooflineCache.h - This machine's speed, measured once ----*- C++ -*-===//
#ifndef REPRISE_TOOLS_ROOFLINECACHE_H
#define REPRISE_TOOLS_ROOFLINECACHE_H

#include "reprise/Runtime/Roofline.h"
#include "reprise/Runtime/Status.h"
#include <functional>

namespace reprise::tools {

/// What a machine's roofline depends on.
struct MachineId {
  std::string device, processor, library;
  unsigned threads = 1;
};

using MeasureRoofline = std::function<rt::Expected<rt::Roofline>(unsigned)>;

/// The roofline that `path` holds for `machine`; without one, as measured, and
/// written there. A file that is damaged, of another machine or cannot be
/// written is no error, but said in `note`.
rt::Expected<rt::Roofline> cachedRoofline(const std::string &path,
                                          const MachineId &machine,
                                          const MeasureRoofline &measure,
                                          std::string &note);

/// "$XDG_CACHE_HOME/reprise/roofline-cpu-2.json" or below "~/.cache", for a
/// device and a number of threads; "" where there is no home.
std::string rooflineCachePath(const MachineId &machine);

/// The above, in the cache's place. Notes are warnings if `mayWarn`.
rt::Expected<rt::Roofline> machineRoofline(const MachineId &machine,
                                           const MeasureRoofline &measure,
                                           bool mayWarn);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_ROOFLINECACHE_H
