//===- CacheFolder.cpp - The folder of a user's caches --------------------===//
#include "reprise/Driver/CacheFolder.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/OutputFile.h"

#include <cstdlib>
#include <filesystem>

using namespace reprise;

std::string driver::cacheFolder() {
  const char *cache = std::getenv("XDG_CACHE_HOME");
  const char *home = std::getenv("HOME");
  // The specification requires ignoring a relative path.
  if (cache && cache[0] == '/')
    return std::string(cache) + "/reprise";
  if (home && home[0] == '/')
    return std::string(home) + "/.cache/reprise";
  return "";
}

rt::Status driver::writeCacheFile(const std::string &path, const void *data,
                                  size_t bytes) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(),
                                      error);
  if (error)
    return rt::Status::error(RP_IO_ERROR, "cannot create the folder of '" +
                                              path + "': " + error.message());
  REPRISE_EXPECT(target, rt::OutputTarget::find(path));
  if (!target->isFile())
    return rt::Status::error(RP_IO_ERROR,
                             "'" + path + "' is not a regular file");
  // Removes temporary files of killed processes.
  REPRISE_RETURN_IF_ERROR(rt::checkWritable(path));
  return rt::writeFile(path, data, bytes);
}
