//===- SplitFolders.cpp - Folders of splits, or of classes ----------------===//
//
// See SplitFolders.h.
//
//===----------------------------------------------------------------------===//
#include "SplitFolders.h"
#include "FolderWalk.h"
#include "reprise/Runtime/NameText.h"
#include <algorithm>

using namespace reprise::rt;
namespace fs = std::filesystem;

Expected<std::vector<std::string>>
reprise::rt::listFolders(const std::string &directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; it != end;
       it.increment(error)) {
    std::error_code ignored;
    const std::string name = it->path().filename().string();
    if (it->is_directory(ignored) && name.front() != '.')
      names.push_back(name);
  }
  if (error)
    return Status::error(RP_IO_ERROR, "cannot list '" + nameText(directory) +
                                          "': " + error.message());
  std::sort(names.begin(), names.end());
  return names;
}

static bool holdsFolders(const std::string &directory) {
  Expected<std::vector<std::string>> folders = listFolders(directory);
  return folders.ok() && !folders->empty();
}

static bool holdsFiles(const std::string &directory,
                       bool (*isWanted)(const std::string &name)) {
  FolderWalk walk(directory);
  while (const fs::directory_entry *entry = walk.next())
    if (isWanted(entry->path().filename().string()))
      return true;
  return false;
}

/// The folder for that purpose: the one of just that name, or the first; "" for
/// none.
static std::string choose(const std::vector<std::string> &folders,
                          const std::string &purpose) {
  std::string first;
  for (const std::string &name : folders) {
    if (name == purpose)
      return name;
    if (first.empty() && purposeOf(name) == purpose)
      first = name;
  }
  return first;
}

SplitFolders
reprise::rt::findSplitFolders(const std::string &directory,
                              bool (*isWanted)(const std::string &name)) {
  Expected<std::vector<std::string>> all = listFolders(directory);
  std::vector<std::string> able, flat, others;
  for (const std::string &name : all.ok() ? *all : std::vector<std::string>())
    (purposeOf(name).empty()                ? others
     : holdsFolders(directory + "/" + name) ? able
                                            : flat)
        .push_back(name);
  SplitFolders found;
  found.training = choose(able, "train");
  found.evaluation = choose(able, "val");
  if (found.evaluation.empty())
    found.evaluation = choose(able, "test");
  bool hasBoth = !found.training.empty() && !found.evaluation.empty();
  auto isOfFiles = [&](const std::string &name) {
    return holdsFiles(directory + "/" + name, isWanted);
  };
  bool isAlone = !able.empty() && (!found.training.empty() || flat.empty()) &&
                 std::none_of(others.begin(), others.end(), isOfFiles);
  if (!hasBoth && !isAlone)
    return {};
  for (const std::string &name : *all)
    if (holdsFolders(directory + "/" + name))
      found.splits.push_back(
          {name, name == found.training ? Split::Train : Split::Test});
  return found;
}
