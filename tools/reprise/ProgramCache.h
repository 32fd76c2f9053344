//===- ProgramCache.h - Plans and programs, kept on disk --------*- C++ -*-===//
//
// Artifacts and plans by a digest of all that they follow from: the model, the
// options, the target with its processor and library, and the compiler itself.
// Files are written as a whole or not at all, read as a whole and checked when
// they are opened, so that processes may share the folder; a damaged one is a
// miss.
//
// REPRISE_CACHE_BYTES limits the folder (2GiB without it; 0: no cache). What
// was used longest ago goes first; while two processes write at once it may
// hold a file of each more.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_PROGRAMCACHE_H
#define REPRISE_TOOLS_PROGRAMCACHE_H

#include "ModelRequest.h"
#include <mutex>
#include <optional>
#include <vector>

namespace reprise::tools {

class ProgramCache {
public:
  enum class Kind { Program, Plan };

  /// In a folder of at most `limit` bytes; an empty name: no cache.
  ProgramCache(std::string folder, uint64_t limit)
      : folder(std::move(folder)), limit(limit) {}
  /// The user's. Fails where REPRISE_CACHE_BYTES is no size.
  static rt::Expected<ProgramCache> ofUser();

  /// What is made of the request, whose model is loaded, is called. `command`
  /// is what an artifact notes of it.
  static rt::Expected<std::string> nameOf(const ModelRequest &request,
                                          const Compiler &loaded,
                                          const std::string &command = "");
  std::optional<std::vector<uint8_t>> find(const std::string &name,
                                           Kind kind) const;
  /// Makes room and keeps the bytes; warns once a process where it cannot.
  void keep(const std::string &name, Kind kind,
            const std::vector<uint8_t> &bytes) const;
  /// Held while a file of it is written.
  static std::mutex &writing();
  /// Forgets what turned out to be damaged.
  void drop(const std::string &name, Kind kind) const;

  /// A file of the folder.
  struct Entry {
    std::string path;
    Kind kind = Kind::Program;
    uint64_t bytes = 0;
    int64_t used = 0; // last, in nanoseconds since 1970
  };
  /// All of them, what was used last first.
  std::vector<Entry> entries() const;
  /// Removes all of them, and what writers that were killed left; fails where
  /// one stays.
  rt::Status clear() const;

  /// "" without a cache.
  const std::string &path() const { return folder; }
  uint64_t mostBytes() const { return limit; }

private:
  std::string pathOf(const std::string &name, Kind kind) const;
  void makeRoom(uint64_t bytes) const;

  std::string folder;
  uint64_t limit;
};

} // namespace reprise::tools

#endif // REPRISE_TOOLS_PROGRAMCACHE_H
