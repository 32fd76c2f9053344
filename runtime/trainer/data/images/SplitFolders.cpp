//===- SplitFolders.cpp - Folders of splits, or of classes ----------------===//
//
// See SplitFolders.h.
//
//===----------------------------------------------------------------------===//
#include "SplitFolders.h"
#include "FolderWalk.h"
#include "reprise/Runtime/NameText.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <functional>

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

/// Returns the folder for that purpose: the one with exactly that name, or the
/// first; "" if there is none.
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

/// Returns true if a word of the name names a split, as in "seg_train" or
/// "TestData2".
static bool soundsLikeSplit(const std::string &name) {
  std::string word;
  for (char c : name + " ") {
    if (std::isalpha(static_cast<unsigned char>(c))) {
      word += c;
      continue;
    }
    for (size_t suffix : {size_t(0), std::strlen("set"), std::strlen("data")})
      if (suffix <= word.size() &&
          !purposeOf(word.substr(0, word.size() - suffix)).empty())
        return true;
    word.clear();
  }
  return false;
}

namespace {
/// The folders of a directory by their names, and by whether they contain
/// folders.
struct Sorted {
  std::vector<std::string> able, flat; // named as splits
  std::vector<std::string> others;
};
} // namespace

static Sorted sortFolders(const std::string &directory) {
  Sorted sorted;
  Expected<std::vector<std::string>> all = listFolders(directory);
  if (!all.ok())
    return sorted;
  for (const std::string &name : *all)
    if (purposeOf(name).empty())
      sorted.others.push_back(name);
    else if (holdsFolders(directory + "/" + name))
      sorted.able.push_back(name);
    else
      sorted.flat.push_back(name);
  return sorted;
}

/// Adds the splits of a directory that has some.
static void addSplits(const std::string &directory, const Sorted &sorted,
                      SplitFolders &found) {
  for (const std::vector<std::string> *names : {&sorted.able, &sorted.others})
    for (const std::string &name : *names)
      if (holdsFolders(directory + "/" + name))
        found.splits.push_back(
            {name, name == found.training ? Split::Train : Split::Test});
  std::sort(
      found.splits.begin(), found.splits.end(),
      [](const NamedSplit &a, const NamedSplit &b) { return a.name < b.name; });
}

/// Returns the folders that a run which trains and evaluates does not use,
/// except the test folder.
static std::vector<std::string>
findUnused(const std::string &directory, const Sorted &sorted,
           const SplitFolders &found,
           const std::function<bool(const std::string &)> &isOfFiles) {
  std::vector<std::string> unused;
  const std::string tests = choose(sorted.able, "test");
  for (const std::string &name : sorted.able)
    if (name != found.training && name != found.evaluation && name != tests)
      unused.push_back(name);
  for (const std::vector<std::string> *names : {&sorted.flat, &sorted.others})
    std::copy_if(names->begin(), names->end(), std::back_inserter(unused),
                 isOfFiles);
  std::sort(unused.begin(), unused.end());
  return unused;
}

SplitFolders
reprise::rt::findSplitFolders(const std::string &directory,
                              bool (*isWanted)(const std::string &name)) {
  const Sorted sorted = sortFolders(directory);
  SplitFolders found;
  found.training = choose(sorted.able, "train");
  found.evaluation = choose(sorted.able, "val");
  if (found.evaluation.empty())
    found.evaluation = choose(sorted.able, "test");
  auto isOfFiles = [&](const std::string &name) {
    return holdsFiles(directory + "/" + name, isWanted);
  };
  size_t purposes = 0;
  for (const char *purpose : {"train", "val", "test"})
    purposes += !choose(sorted.able, purpose).empty();
  bool isAlone =
      !sorted.able.empty() &&
      (!found.training.empty() || sorted.flat.empty()) &&
      std::none_of(sorted.others.begin(), sorted.others.end(), isOfFiles);
  if (purposes > 1 || isAlone) {
    addSplits(directory, sorted, found);
    found.unused = findUnused(directory, sorted, found, isOfFiles);
    return found;
  }
  SplitFolders classes;
  classes.asClasses = sorted.able;
  classes.asClasses.insert(classes.asClasses.end(), sorted.flat.begin(),
                           sorted.flat.end());
  for (const std::string &name : sorted.others)
    if (soundsLikeSplit(name) && holdsFolders(directory + "/" + name))
      classes.asClasses.push_back(name);
  // The only folder may be one too many, around the splits.
  if (sorted.others.size() == 1 && classes.asClasses.empty())
    for (const std::string &name :
         sortFolders(directory + "/" + sorted.others[0]).able)
      classes.asClasses.push_back(sorted.others[0] + "/" + name);
  std::sort(classes.asClasses.begin(), classes.asClasses.end());
  return classes;
}
