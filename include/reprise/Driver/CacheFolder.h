//===- CacheFolder.h - The folder of a user's caches ------------*- C++ -*-===//
#ifndef REPRISE_DRIVER_CACHEFOLDER_H
#define REPRISE_DRIVER_CACHEFOLDER_H

#include "reprise/Runtime/Status.h"
#include <string>

namespace reprise::driver {

/// Returns $XDG_CACHE_HOME/reprise or $HOME/.cache/reprise; "" if neither
/// variable is an absolute path.
std::string cacheFolder();

/// Replaces a file in the folder, which is created if necessary; fails if
/// anything else than a file is in its place.
rt::Status writeCacheFile(const std::string &path, const void *data,
                          size_t bytes);

} // namespace reprise::driver

#endif // REPRISE_DRIVER_CACHEFOLDER_H
