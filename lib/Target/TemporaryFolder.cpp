//===- TemporaryFolder.cpp - Folders for tools that work on files ---------===//
#include "reprise/Target/TemporaryFolder.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
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

/// Returns the variable that names the system's folder; LLVM checks these in
/// this order.
static std::string folderVariable() {
  for (const char *name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})
    if (std::getenv(name))
      return name;
  return "";
}

static std::string describeFailure(std::error_code error) {
  llvm::SmallString<128> place;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, place);
  std::string variable = folderVariable(), reason = error.message();
  reason[0] = llvm::toLower(reason[0]);
  return "cannot make a temporary folder in '" + place.str().str() + "'" +
         (variable.empty() ? "" : ", which " + variable + " names") + ": " +
         reason + "; set " + (variable.empty() ? "TMPDIR" : variable) +
         " to a folder that can be written";
}

TemporaryFolder::TemporaryFolder(StringRef prefix) {
  std::lock_guard<std::mutex> lock(folders().mutex);
  llvm::SmallString<128> made;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory(prefix, made)) {
    failure = describeFailure(error);
    return;
  }
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
  folders().mutex.lock(); // never unlocked
  for (const std::string &path : folders().paths)
    (void)llvm::sys::fs::remove_directories(path);
}
