//===- FolderWalk.h - Walk over a folder's files ----------------*- C++ -*-===//
//
// Links are followed, except to a folder on the way to the link itself:
// everything below it would repeat endlessly. Names that begin with a dot are
// ignored.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_FOLDERWALK_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_FOLDERWALK_H

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <system_error>
#include <utility>
#include <vector>

namespace reprise::rt {

class FolderWalk {
public:
  explicit FolderWalk(const std::string &directory);
  /// Returns the next entry that is not a folder; null after the last, and
  /// after an error.
  const std::filesystem::directory_entry *next();
  /// Returns the number of folders between the last entry and the start.
  int depth() const { return at.depth(); }
  /// Returns the number of files and folders ignored so far.
  uint64_t hidden() const { return leftAlone; }
  const std::error_code &error() const { return failure; }

private:
  /// Device and inode.
  using Identity = std::pair<dev_t, ino_t>;
  void enter(const std::filesystem::path &folder);

  std::error_code failure;
  std::filesystem::recursive_directory_iterator at;
  std::vector<Identity> way; // the directory, its ancestors; then down
  size_t begin = 0; // the number of entries that are not below the directory
  bool isAtFirst = true;
  uint64_t leftAlone = 0;
};

/// Returns true if a folder's path is one of its ancestors: a link upwards.
bool leadsBack(const std::string &folder);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_FOLDERWALK_H
