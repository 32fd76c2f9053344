//===- ShardSource.cpp - Names of shards ----------------------------------===//
//
// Shards are given by name: DIR/train-{000..011}.tar. A directory of archives
// has splits if their names begin with train, and val or test, ignoring case.
//
//===----------------------------------------------------------------------===//
#include "../images/ClassFolders.h"
#include "ShardFiles.h"
#include "reprise/Runtime/Expect.h"
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <glob.h>
#include <set>

using namespace reprise::rt;
namespace fs = std::filesystem;

static bool endsWithTar(const std::string &name) {
  return name.size() > 4 && !name.compare(name.size() - 4, 4, ".tar");
}

bool reprise::rt::isShardName(const std::string &source) {
  return endsWithTar(source) || source.find_first_of("*?[{") != source.npos;
}

/// Returns true for names of compressed archives, which are rejected with the
/// reason.
static bool isCompressedTar(const std::string &name) {
  std::string file = fs::path(name).filename().string();
  return file.find(".tar.") != file.npos ||
         (file.size() > 4 && !file.compare(file.size() - 4, 4, ".tgz"));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Expands "{000..011}": numbers as wide as the first; returns false for other
/// text.
static bool readRange(const std::string &text, std::vector<std::string> &all) {
  constexpr uint64_t kMost = 1'000'000;
  size_t dots = text.find("..");
  if (dots == text.npos)
    return false;
  uint64_t first = 0, last = 0;
  const char *begin = text.data(), *middle = begin + dots + 2,
             *end = begin + text.size();
  auto low = std::from_chars(begin, begin + dots, first);
  auto high = std::from_chars(middle, end, last);
  if (low.ec != std::errc() || high.ec != std::errc() ||
      low.ptr != begin + dots || high.ptr != end || last < first ||
      last - first >= kMost)
    return false;
  for (uint64_t number = first; number <= last; ++number) {
    std::string digits = std::to_string(number);
    all.push_back(std::string(dots - std::min(dots, digits.size()), '0') +
                  digits);
  }
  return true;
}

/// Expands the braces in a name, the first ones first.
static Expected<std::vector<std::string>>
expandBraces(const std::string &name) {
  size_t open = name.find('{'), close = name.find('}', open);
  if (open == name.npos)
    return std::vector<std::string>{name};
  std::vector<std::string> parts, all;
  const std::string inner =
      close == name.npos ? "" : name.substr(open + 1, close - open - 1);
  if (inner.find('{') != inner.npos || inner.empty())
    return Status::error(RP_INVALID_ARGUMENT,
                         "the braces in '" + name +
                             "' are no {a,b} and no {000..011}");
  if (!readRange(inner, parts))
    for (size_t begin = 0, end; begin <= inner.size(); begin = end + 1) {
      end = std::min(inner.find(',', begin), inner.size());
      parts.push_back(inner.substr(begin, end - begin));
    }
  for (const std::string &part : parts) {
    auto rest =
        expandBraces(name.substr(0, open) + part + name.substr(close + 1));
    if (!rest.ok())
      return rest;
    all.insert(all.end(), rest->begin(), rest->end());
  }
  return all;
}

/// Returns the files that a pattern matches, sorted; a name without a pattern
/// itself.
static Expected<std::vector<std::string>> expandGlob(const std::string &name) {
  if (name.find_first_of("*?[") == name.npos)
    return std::vector<std::string>{name};
  glob_t found = {};
  int code = ::glob(name.c_str(), GLOB_ERR, nullptr, &found);
  std::vector<std::string> names(found.gl_pathv,
                                 found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (code == 0)
    return names;
  return Status::error(RP_IO_ERROR, code == GLOB_NOMATCH
                                        ? "no file matches '" + name + "'"
                                        : "cannot list '" + name + "'");
}

/// Returns the archives in a directory, sorted.
static std::vector<std::string> listDirectory(const std::string &directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error))
    if (const std::string name = it->path().filename().string();
        endsWithTar(name) && name.front() != '.')
      names.push_back(it->path().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Counts the files of a directory that are no archives, by their endings.
static std::map<std::string, uint64_t> listBeside(const std::string &source) {
  std::map<std::string, uint64_t> counts = countFiles(source, "in no archive");
  counts.erase(".tar");
  return counts;
}

Expected<std::vector<std::string>>
reprise::rt::expandShards(const std::string &source) {
  std::error_code ignored;
  if (fs::is_directory(source, ignored))
    return listDirectory(source);
  if (fs::exists(source, ignored))
    return std::vector<std::string>{source};
  auto names = expandBraces(source);
  if (!names.ok())
    return names;
  std::vector<std::string> all;
  for (const std::string &name : *names) {
    auto found = expandGlob(name);
    if (!found.ok())
      return found;
    all.insert(all.end(), found->begin(), found->end());
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Source
//===----------------------------------------------------------------------===//

/// Returns the purpose of an archive by the beginning of its name: "train",
/// "val" or "test"; "" for others.
static std::string purposeOfShard(const std::string &path) {
  const std::string name = fs::path(path).filename().string();
  for (size_t length : {5, 3, 4}) // "train", "val", "test"
    if (const std::string purpose = purposeOf(name.substr(0, length));
        purpose.size() == length)
      return purpose;
  return "";
}

/// Returns the splits of a directory's archives; empty if none are for
/// training.
static std::vector<NamedSplit> splitsOf(const std::string &source) {
  std::error_code ignored;
  if (!fs::is_directory(source, ignored))
    return {};
  std::set<std::string> purposes;
  for (const std::string &name : listDirectory(source))
    purposes.insert(purposeOfShard(name));
  if (!purposes.count("train"))
    return {};
  std::vector<NamedSplit> splits = {{"train", Split::Train}};
  for (const char *name : {"val", "test"})
    if (purposes.count(name))
      splits.push_back({name, Split::Test});
  return splits;
}

static Expected<std::vector<std::string>> shardsOf(const DataSpec &spec,
                                                   Split split) {
  auto all = expandShards(spec.source);
  const std::vector<NamedSplit> splits = splitsOf(spec.source);
  if (!all.ok() || splits.empty())
    return all;
  std::string wanted = split == Split::Train ? "train" : spec.testSplit;
  if (wanted.empty() && splits.size() > 1)
    wanted = splits[1].name;
  if (wanted.empty())
    return Status::error(RP_IO_ERROR,
                         "'" + spec.source +
                             "' has archives 'train*.tar', but none 'val*.tar' "
                             "or 'test*.tar'");
  std::vector<std::string> chosen;
  for (const std::string &name : *all)
    if (purposeOfShard(name) == wanted)
      chosen.push_back(name);
  return chosen;
}

namespace {

class ShardSource final : public ImageFilesSource {
public:
  bool takes(const std::string &source, PathKind kind) const override {
    if (kind == PathKind::Directory)
      // An archive next to folders of images is not part of the data.
      return !listDirectory(source).empty() && !beginsWith(source, isImageName);
    if (kind == PathKind::File && isCompressedTar(source))
      return true;
    return isShardName(source) &&
           (kind == PathKind::Nothing || endsWithTar(source));
  }
  DataTraits traits(const DataSpec &spec) const override {
    DataTraits traits;
    traits.splits = splitsOf(spec.source);
    if (traits.splits.size() > 1)
      traits.evaluation = traits.splits[1].name;
    for (const std::string &name : listDirectory(spec.source))
      if (!traits.splits.empty() && purposeOfShard(name).empty())
        traits.unused.push_back(fs::path(name).filename().string());
    traits.allClasses = traits.anySize = true;
    return traits;
  }

protected:
  Expected<std::unique_ptr<ImageFiles>> list(const DataSpec &spec,
                                             Split split) const override {
    REPRISE_EXPECT(paths, shardsOf(spec, split));
    return indexShards(*paths, spec.images.skipBadFiles,
                       listBeside(spec.source));
  }
};

} // namespace

const DataSource &reprise::rt::shardsSource() {
  static const ShardSource source;
  return source;
}
