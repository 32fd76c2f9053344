//===- ProgramCache.h - Compiled programs, kept on disk ---------*- C++ -*-===//
//
// Artifacts by a digest of all that they follow from: the model, the options,
// the target with its processor and library, and the compiler itself. Files are
// written as a whole or not at all, read as a whole and checked when they are
// opened, so that processes may share the folder; a damaged one is a miss.
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
  /// In a folder of at most `limit` bytes; an empty name: no cache.
  ProgramCache(std::string folder, uint64_t limit)
      : folder(std::move(folder)), limit(limit) {}
  /// The user's. Fails where REPRISE_CACHE_BYTES is no size.
  static rt::Expected<ProgramCache> ofUser();

  /// What an artifact of the request is called, whose model is loaded.
  static rt::Expected<std::string> nameOf(const ModelRequest &request,
                                          const Compiler &loaded);
  std::optional<std::vector<uint8_t>> find(const std::string &name) const;
  /// Makes room and keeps the bytes; a note why it could not, or "".
  std::string keep(const std::string &name,
                   const std::vector<uint8_t> &bytes) const;
  /// Held while a file of it is written.
  static std::mutex &writing();
  /// Forgets what turned out to be damaged.
  void drop(const std::string &name) const;

private:
  std::string pathOf(const std::string &name) const {
    return folder + "/" + name + ".rpx";
  }
  void makeRoom(uint64_t bytes) const;

  std::string folder;
  uint64_t limit;
};

} // namespace reprise::tools

#endif // REPRISE_TOOLS_PROGRAMCACHE_H
