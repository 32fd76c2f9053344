//===- FileEndings.h - File formats by name ---------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_FILEENDINGS_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_FILEENDINGS_H

#include <cstdint>
#include <map>
#include <string>

namespace reprise::rt {

/// See FileEndings.def; Other has none of its endings.
enum class FileUse { Image, Volume, UnreadImage, UnreadVolume, Other };

struct FileFormat {
  FileUse use = FileUse::Other;
  const char *what = ""; // "JPEG"
};

/// Returns the format of the longest ending of `name`, ignoring case.
FileFormat formatOfName(const std::string &name);

/// Returns the name from the last dot on, in lower case; or the statement that
/// there is none.
std::string endingOfName(const std::string &name);

/// Counts the files directly in a directory: by format, with their place
/// `where`, if FileEndings.def has their ending, others by their endings, and
/// those whose names begin with a dot as "hidden".
std::map<std::string, uint64_t> countFiles(const std::string &directory,
                                           const std::string &where);

/// Returns ".nii or .nii.gz".
std::string endingsOf(FileUse use);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_FILEENDINGS_H
