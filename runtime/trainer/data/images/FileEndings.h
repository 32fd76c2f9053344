//===- FileEndings.h - What names of files say ------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_FILEENDINGS_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_FILEENDINGS_H

#include <string>

namespace reprise::rt {

/// As FileEndings.def explains; Other has none of its endings.
enum class FileUse { Image, Volume, UnreadImage, UnreadVolume, Other };

struct FileFormat {
  FileUse use = FileUse::Other;
  const char *what = ""; // "JPEG"
};

/// Returns the format of the longest ending of `name`, ignoring case.
FileFormat formatOfName(const std::string &name);

/// From the last dot on, in small letters; or that there is none.
std::string endingOfName(const std::string &name);

/// ".nii or .nii.gz".
std::string endingsOf(FileUse use);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_FILEENDINGS_H
