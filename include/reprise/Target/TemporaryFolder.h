//===- TemporaryFolder.h - Temporary files for other tools ------*- C++ -*-===//
#ifndef REPRISE_TARGET_TEMPORARYFOLDER_H
#define REPRISE_TARGET_TEMPORARYFOLDER_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace reprise {

/// A new folder in the system's folder for temporary files; it is removed with
/// this object, including its contents.
class TemporaryFolder {
public:
  explicit TemporaryFolder(llvm::StringRef prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  /// The reason that the folder could not be created, with its place and the
  /// environment variable that names it; empty on success.
  const std::string &error() const { return failure; }
  /// The path of a file in it.
  std::string pathOf(llvm::StringRef name) const;

  /// Removes all temporary folders, before a process ends while a thread is
  /// using some. No other is created afterwards: threads that try wait for the
  /// end of the process.
  static void removeAllAtExit();

private:
  std::string path;
  std::string failure;
};

} // namespace reprise

#endif // REPRISE_TARGET_TEMPORARYFOLDER_H
