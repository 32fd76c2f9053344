//===- RooflineCache.h - This machine's speed, measured once ----*- C++ -*-===//
#ifndef REPRISE_TOOLS_ROOFLINECACHE_H
#define REPRISE_TOOLS_ROOFLINECACHE_H

#include "reprise/Runtime/Roofline.h"
#include <functional>

namespace reprise::tools {

/// What a machine's roofline depends on.
struct MachineId {
  std::string processor, library;
  unsigned threads = 1;
  static MachineId here(unsigned threads);
};

using MeasureRoofline = std::function<rt::Expected<rt::Roofline>(unsigned)>;

/// The roofline that `path` holds for `machine`; without one, as measured, and
/// written there. A file that is damaged, of another machine or cannot be
/// written is no error, but said in `note`.
rt::Expected<rt::Roofline> cachedRoofline(const std::string &path,
                                          const MachineId &machine,
                                          const MeasureRoofline &measure,
                                          std::string &note);

/// "$XDG_CACHE_HOME/reprise/roofline-2.json" or below "~/.cache", for a number
/// of threads; "" where there is no home.
std::string rooflineCachePath(unsigned threads);

/// The above, of this machine. Notes are warnings if `mayWarn`.
rt::Expected<rt::Roofline> machineRoofline(unsigned threads, bool mayWarn);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_ROOFLINECACHE_H
