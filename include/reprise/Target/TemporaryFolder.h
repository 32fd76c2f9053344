//===- TemporaryFolder.h - Files for tools that take no memory --*- C++ -*-===//
#ifndef REPRISE_TARGET_TEMPORARYFOLDER_H
#define REPRISE_TARGET_TEMPORARYFOLDER_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace reprise {

/// A new folder under the system's one for temporary files, which goes with
/// this object, whatever is in it.
class TemporaryFolder {
public:
  explicit TemporaryFolder(llvm::StringRef prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  /// Why there is none, with the place and the environment variable that names
  /// it; empty when there is one.
  const std::string &error() const { return failure; }
  /// The path of a file in it.
  std::string pathOf(llvm::StringRef name) const;

  /// Removes all there are, before a process ends while a thread is using
  /// some. No other is made from now on: who asks for one waits for the end.
  static void removeAllAtExit();

private:
  std::string path;
  std::string failure;
};

} // namespace reprise

#endif // REPRISE_TARGET_TEMPORARYFOLDER_H
