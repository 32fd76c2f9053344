//===- RooflineCache.h - The cached roofline of this machine ----*- C++ -*-===//
#ifndef REPRISE_DRIVER_ROOFLINECACHE_H
#define REPRISE_DRIVER_ROOFLINECACHE_H

#include "reprise/Runtime/Roofline.h"
#include "reprise/Runtime/Status.h"
#include <functional>

namespace reprise::driver {

/// The properties that a machine's roofline depends on.
struct MachineId {
  std::string device, processor, library;
  unsigned threads = 1;
};

using MeasureRoofline = std::function<rt::Expected<rt::Roofline>(unsigned)>;

/// Returns the roofline that `path` holds for `machine`; if there is none,
/// measures it and writes it there; of several processes one measures, and the
/// others wait for it. A file that is damaged, belongs to another
/// machine or cannot be written is not an error; `note` reports it.
rt::Expected<rt::Roofline> cachedRoofline(const std::string &path,
                                          const MachineId &machine,
                                          const MeasureRoofline &measure,
                                          std::string &note);

/// Returns "$XDG_CACHE_HOME/reprise/roofline-cpu-2.json" or below "~/.cache",
/// for a device and a number of threads; "" if there is no home.
std::string rooflineCachePath(const MachineId &machine);

/// The same, at the cache's path. Notes are warnings if `mayWarn`.
rt::Expected<rt::Roofline> machineRoofline(const MachineId &machine,
                                           const MeasureRoofline &measure,
                                           bool mayWarn);

} // namespace reprise::driver

#endif // REPRISE_DRIVER_ROOFLINECACHE_H
