//===- CacheFolder.h - Where a user's caches lie ----------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_CACHEFOLDER_H
#define REPRISE_TOOLS_CACHEFOLDER_H

#include "reprise/Runtime/Status.h"
#include <string>

namespace reprise::tools {

/// $XDG_CACHE_HOME/reprise or $HOME/.cache/reprise; "" where neither variable
/// says an absolute path.
std::string cacheFolder();

/// Replaces a file in it, and whatever else is there is left alone; makes the
/// folder.
rt::Status writeCacheFile(const std::string &path, const void *data,
                          size_t bytes);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_CACHEFOLDER_H
