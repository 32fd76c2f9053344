//===- ClassFolders.h - A folder of files for each class --------*- C++ -*-===//
//
// DIR/CLASS/.../NAME, or with splits (SplitFolders.h) DIR/train/CLASS/... and
// DIR/val/CLASS/... Classes are numbered by DataSpec::classNames, or else are
// the folders of the training files in the order of their bytes; files are
// sorted by class, then by path. Names that begin with a dot are ignored.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_CLASSFOLDERS_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_CLASSFOLDERS_H

#include "FileEndings.h"
#include "ImageDataset.h"

namespace reprise::rt {

/// The kind of files to use.
struct FileKind {
  bool (*isWanted)(const std::string &name);
  FileUse use;
  const char *what; // "image"
};

/// Fails if a class that is numbered by its folder has no file there, and for a
/// folder that is not one of the classes.
Expected<std::unique_ptr<ImageFiles>>
listClassFolders(const DataSpec &spec, Split split, const FileKind &kind);

/// Returns true if a file below `directory` is an image by its name.
bool holdsImages(const std::string &directory);

/// Returns true if `directory` has folders and does not contain IDX files.
bool hasClassFolders(const std::string &directory);
/// Returns true if, of the files in the subfolders that are images or accepted
/// by `isOne`, the first is one of the latter.
bool beginsWith(const std::string &directory,
                bool (*isOne)(const std::string &name));

/// Returns splits, evaluation and allClasses of a directory.
DataTraits traitsOfFolders(const DataSpec &spec, const FileKind &kind);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_CLASSFOLDERS_H
