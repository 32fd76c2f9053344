//===- TemporaryFolder.cpp - Files for tools that take no memory ----------===//
#include "reprise/Target/TemporaryFolder.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <mutex>
#include <set>

using namespace reprise;
using llvm::StringRef;

namespace {
struct Folders {
  std::mutex mutex;
  std::set<std::string> paths;
};
} // namespace

/// Never destroyed: threads may outlive main().
static Folders &folders() {
  static auto *all = new Folders;
  return *all;
}

TemporaryFolder::TemporaryFolder(StringRef prefix) {
  std::lock_guard<std::mutex> lock(folders().mutex);
  llvm::SmallString<128> made;
  failure = llvm::sys::fs::createUniqueDirectory(prefix, made);
  if (failure)
    return;
  path = made.str().str();
  folders().paths.insert(path);
}

TemporaryFolder::~TemporaryFolder() {
  if (path.empty())
    return;
  std::lock_guard<std::mutex> lock(folders().mutex);
  (void)llvm::sys::fs::remove_directories(path);
  folders().paths.erase(path);
}

std::string TemporaryFolder::pathOf(StringRef name) const {
  llvm::SmallString<128> file(path);
  llvm::sys::path::append(file, name);
  return file.str().str();
}

void TemporaryFolder::removeAllAtExit() {
  folders().mutex.lock(); // for good
  for (const std::string &path : folders().paths)
    (void)llvm::sys::fs::remove_directories(path);
}
