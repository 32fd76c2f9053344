//===- ProgramCache.h - The disk cache of plans and programs ----*- C++ -*-===//
//
// Artifacts and plans by a digest of everything they depend on: the model, the
// options, the target with its processor and library, and the compiler itself.
// Files are written as a whole or not at all, read as a whole and checked when
// they are opened, so that processes may share the folder; a damaged one is a
// miss.
//
// REPRISE_CACHE_BYTES limits the folder (2GiB without it; 0: no cache). The
// least recently used files are removed first; while two processes write at
// once it may exceed the limit by a file of each.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_DRIVER_PROGRAMCACHE_H
#define REPRISE_DRIVER_PROGRAMCACHE_H

#include "reprise/Driver/ModelRequest.h"
#include <mutex>
#include <optional>
#include <vector>

namespace reprise::driver {

class ProgramCache {
public:
  enum class Kind { Program, Plan };

  /// Uses a folder of at most `limit` bytes; an empty name: no cache.
  ProgramCache(std::string folder, uint64_t limit)
      : folder(std::move(folder)), limit(limit) {}
  /// Returns the user's cache. Fails if REPRISE_CACHE_BYTES is not a size.
  static rt::Expected<ProgramCache> ofUser();

  /// Returns the name under which the result of the request, whose model is
  /// loaded, is cached. `command` is the one recorded in an artifact.
  static rt::Expected<std::string> nameOf(const ModelRequest &request,
                                          const Compiler &loaded,
                                          const std::string &command = "");
  std::optional<std::vector<uint8_t>> find(const std::string &name,
                                           Kind kind) const;
  /// Makes room and stores the bytes; warns once per process if it cannot.
  void keep(const std::string &name, Kind kind,
            const std::vector<uint8_t> &bytes) const;
  /// Locked while a file of the cache is written.
  static std::mutex &writing();
  /// Removes a damaged entry.
  void drop(const std::string &name, Kind kind) const;

  /// A file of the folder.
  struct Entry {
    std::string path;
    Kind kind = Kind::Program;
    uint64_t bytes = 0;
    int64_t used = 0; // last, in nanoseconds since 1970
  };
  /// Returns all entries, the last used first.
  std::vector<Entry> entries() const;
  /// Removes all of them, and files left by killed writers; fails if one
  /// remains.
  rt::Status clear() const;

  /// Returns "" without a cache.
  const std::string &path() const { return folder; }
  uint64_t mostBytes() const { return limit; }

private:
  std::string pathOf(const std::string &name, Kind kind) const;
  void makeRoom(uint64_t bytes) const;

  std::string folder;
  uint64_t limit;
};

} // namespace reprise::driver

#endif // REPRISE_DRIVER_PROGRAMCACHE_H
