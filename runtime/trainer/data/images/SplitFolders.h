//===- SplitFolders.h - Folders of splits, or of classes --------*- C++ -*-===//
//
// A directory's folders are its classes, or its splits, which hold the classes.
// A folder that purposeOf knows can be a split if it contains folders itself.
// They are splits if
//   - they have two purposes or more; or
//   - no other folder holds files that are read. A folder that is named as a
//     split, but has no folders, is no other folder if a split is for training.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_SPLITFOLDERS_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_SPLITFOLDERS_H

#include "../DataSource.h"

namespace reprise::rt {

/// Returns the folders in `directory`, sorted. Links are followed; names that
/// begin with a dot are ignored.
Expected<std::vector<std::string>> listFolders(const std::string &directory);

struct SplitFolders {
  /// Folders with class folders; empty if the directory has no splits.
  std::vector<NamedSplit> splits;
  std::string training;   // "" without one
  std::string evaluation; // for validation, or for tests; "" without one
  std::vector<std::string> asClasses; // named as splits, and classes
  std::vector<std::string> unused; // not splits, but with files that are read
};

/// `isWanted` returns true for the names of files that are read.
SplitFolders findSplitFolders(const std::string &directory,
                              bool (*isWanted)(const std::string &name));

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_SPLITFOLDERS_H
