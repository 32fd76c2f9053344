//===- SplitFolders.h - Folders of splits, or of classes --------*- C++ -*-===//
//
// A directory's folders are its classes, or its splits, which hold the classes.
// A folder that purposeOf knows can be a split where it holds folders itself.
// They are splits where
//   - they have two purposes or more; or
//   - no other folder holds files that are read. One named as a split, but
//     without folders, is no other folder where a split is for training.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_SPLITFOLDERS_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_SPLITFOLDERS_H

#include "../DataSource.h"

namespace reprise::rt {

/// The folders in `directory`, sorted. Links count as what they lead to; names
/// that begin with a dot are left alone.
Expected<std::vector<std::string>> listFolders(const std::string &directory);

struct SplitFolders {
  /// Folders with folders of classes; empty where the directory has no splits.
  std::vector<NamedSplit> splits;
  std::string training;   // "" without one
  std::string evaluation; // that for validation, or for tests; "" without one
  std::vector<std::string> asClasses; // named as splits, and classes
  std::vector<std::string> unused;    // beside splits, with files that are read
};

/// `isWanted` tells by its name whether a file is read.
SplitFolders findSplitFolders(const std::string &directory,
                              bool (*isWanted)(const std::string &name));

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_SPLITFOLDERS_H
