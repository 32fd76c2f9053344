//===- FolderWalk.cpp - Walk over a folder's files ------------------------===//
//
// See FolderWalk.h.
//
//===----------------------------------------------------------------------===//
#include "FolderWalk.h"
#include <algorithm>
#include <sys/stat.h>

using namespace reprise::rt;
namespace fs = std::filesystem;

using Identity = std::pair<dev_t, ino_t>;

/// Returns an empty identity for a folder that cannot be examined, and so
/// cannot be listed either.
static Identity identityOf(const fs::path &folder) {
  struct stat info = {};
  ::stat(folder.c_str(), &info);
  return {info.st_dev, info.st_ino};
}

/// Returns the identities of `directory` and of the folders that contain it, in
/// its own path and, if that has links, in the resolved path.
static std::vector<Identity> wayTo(const fs::path &directory) {
  std::error_code ignored;
  std::vector<Identity> way;
  fs::path whole;
  for (const fs::path &part : fs::canonical(directory, ignored)) {
    whole /= part;
    way.push_back(identityOf(whole));
  }
  for (fs::path part = directory; part.has_relative_path();
       part = part.parent_path())
    way.push_back(identityOf(part));
  return way;
}

static bool holds(const std::vector<Identity> &way, const Identity &one) {
  return std::find(way.begin(), way.end(), one) != way.end();
}

static bool isHidden(const fs::path &path) {
  return path.filename().string().front() == '.';
}

bool reprise::rt::leadsBack(const std::string &folder) {
  fs::path path = fs::path(folder);
  fs::path parent = path.parent_path();
  return holds(wayTo(parent.empty() ? "." : parent), identityOf(path));
}

FolderWalk::FolderWalk(const std::string &directory)
    : at(directory, fs::directory_options::follow_directory_symlink, failure),
      way(wayTo(directory)), begin(way.size()) {}

/// Enters a folder with the next step, unless it is skipped.
void FolderWalk::enter(const fs::path &folder) {
  way.resize(begin + size_t(at.depth()));
  Identity here = identityOf(folder);
  if (!isHidden(folder) && !holds(way, here)) {
    way.push_back(here);
    return;
  }
  at.disable_recursion_pending();
  ++leftAlone;
}

const fs::directory_entry *FolderWalk::next() {
  const fs::recursive_directory_iterator end;
  while (!failure && at != end) {
    if (!std::exchange(isAtFirst, false))
      at.increment(failure);
    if (failure || at == end)
      break;
    std::error_code ignored;
    if (at->is_directory(ignored))
      enter(at->path());
    else if (!isHidden(at->path()))
      return &*at;
    else
      ++leftAlone;
  }
  return nullptr;
}
