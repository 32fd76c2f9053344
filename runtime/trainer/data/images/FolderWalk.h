//===- FolderWalk.h - What lies below a folder ------------------*- C++ -*-===//
//
// Links count as what they lead to, except where that is a folder on the way to
// the link itself: everything below it would come again, and again. What
// has a name that begins with a dot is left alone.
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
  /// The next that is no folder; null behind the last, and after an error.
  const std::filesystem::directory_entry *next();
  /// Folders between the last one and where the walk began.
  int depth() const { return at.depth(); }
  /// Files and folders so far that were left alone.
  uint64_t hidden() const { return leftAlone; }
  const std::error_code &error() const { return failure; }

private:
  /// Device and inode.
  using Identity = std::pair<dev_t, ino_t>;
  void enter(const std::filesystem::path &folder);

  std::error_code failure;
  std::filesystem::recursive_directory_iterator at;
  std::vector<Identity> way; // the directory, what holds it; then down
  size_t begin = 0;          // how much of it is not below the directory
  bool isAtFirst = true;
  uint64_t leftAlone = 0;
};

/// Whether a folder's path is one of those that hold it: a link upwards.
bool leadsBack(const std::string &folder);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_FOLDERWALK_H
