//===- ClassFolders.h - A folder of files for each class --------*- C++ -*-===//
//
// DIR/CLASS/.../NAME, or with splits (SplitFolders.h) DIR/train/CLASS/... and
// DIR/val/CLASS/... Classes are numbered as DataSpec::classNames says, or else
// are the folders of the training files in the order of their bytes; files come
// class by class, in the order of their paths. What has a name that begins with
// a dot is left alone.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_CLASSFOLDERS_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_CLASSFOLDERS_H

#include "FileEndings.h"
#include "ImageDataset.h"

namespace reprise::rt {

/// Which files count.
struct FileKind {
  bool (*isWanted)(const std::string &name);
  FileUse use;
  const char *what; // "image"
};

/// Fails where a class that is numbered by its folder has no file there, and
/// for a folder that is none of the classes.
Expected<std::unique_ptr<ImageFiles>>
listClassFolders(const DataSpec &spec, Split split, const FileKind &kind);

/// Whether `directory` has folders, and is none of IDX files.
bool hasClassFolders(const std::string &directory);
/// Whether the first file in the folders below that is an image or one that
/// `isOne` takes is the latter.
bool beginsWith(const std::string &directory,
                bool (*isOne)(const std::string &name));

/// splits, evaluation and allClasses of a directory.
DataTraits traitsOfFolders(const DataSpec &spec, const FileKind &kind);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_CLASSFOLDERS_H
