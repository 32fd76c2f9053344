//===- ClassFolders.cpp - A folder of files for each class ----------------===//
//
// See ClassFolders.h.
//
//===----------------------------------------------------------------------===//
#include "ClassFolders.h"
#include "FolderWalk.h"
#include "Image.h"
#include "reprise/Runtime/NameText.h"
#include "reprise/Runtime/Trainer/File.h"
#include <algorithm>
#include <filesystem>

using namespace reprise::rt;
namespace fs = std::filesystem;

namespace {

class FolderFiles final : public ImageFiles {
public:
  explicit FolderFiles(std::string root) : root(std::move(root)) {}
  uint64_t size() const override { return labels.size(); }
  int32_t label(uint64_t index) const override { return labels[index]; }
  std::string name(uint64_t index) const override {
    return root + "/" +
           names.substr(ends[index], ends[index + 1] - ends[index]);
  }
  Status readBegin(uint64_t index, uint64_t most,
                   std::vector<uint8_t> &bytes) const override {
    Expected<InputFile> file = InputFile::open(name(index));
    if (!file.ok())
      return file.status();
    REPRISE_RETURN_IF_ERROR(checkFileSize(file->path(), file->size()));
    setSize(bytes, std::min(most, file->size()));
    return file->readAt(0, bytes.data(), bytes.size());
  }
  const std::vector<std::string> &classNames() const override {
    return classList;
  }
  int32_t classes() const override { return int32_t(classList.size()); }
  uint64_t hostBytes() const override {
    return names.capacity() + ends.capacity() * sizeof(uint64_t) +
           labels.capacity() * sizeof(int32_t);
  }
  void add(const std::string &path, int32_t label) {
    names += path;
    ends.push_back(names.size());
    labels.push_back(label);
  }
  SkippedRows skipped() const override { return left; }
  /// Not of the list, for what its name says that it is.
  void leave(const std::string &path) {
    if (left.count++ == 0)
      left.first = root + "/" + path;
  }
  void setClasses(std::vector<std::string> list) {
    classList = std::move(list);
  }

private:
  std::string root;
  std::string names;                // one behind the other, below the root
  std::vector<uint64_t> ends = {0}; // of the names
  std::vector<int32_t> labels;
  std::vector<std::string> classList;
  SkippedRows left;
};

} // namespace

static Status listError(const std::string &path, const std::error_code &error) {
  return Status::error(RP_IO_ERROR, "cannot list '" + nameText(path) +
                                        "': " + error.message());
}

static bool isHidden(const fs::path &path) {
  return path.filename().string().front() == '.';
}

/// The folders in `directory`, sorted. Links count as what they lead to.
static Expected<std::vector<std::string>>
listClasses(const std::string &directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_directory(ignored) && !isHidden(it->path()))
      names.push_back(it->path().filename().string());
  }
  if (error)
    return listError(directory, error);
  std::sort(names.begin(), names.end());
  return names;
}

namespace {
/// Files of a class, as pairs of folder and name; sorted.
struct ClassFiles {
  std::vector<std::pair<std::string, std::string>> wanted, unread;
};
} // namespace

static Expected<ClassFiles> listFiles(const std::string &directory,
                                      const FileKind &kind) {
  ClassFiles files;
  FolderWalk walk(directory);
  while (const fs::directory_entry *entry = walk.next()) {
    const std::string name = entry->path().filename().string();
    if (kind.isWanted(name))
      files.wanted.push_back({entry->path().parent_path().string(), name});
    else if (kind.isUnread(name))
      files.unread.push_back({entry->path().parent_path().string(), name});
  }
  if (walk.error())
    return listError(directory, walk.error());
  std::sort(files.wanted.begin(), files.wanted.end());
  std::sort(files.unread.begin(), files.unread.end());
  return files;
}

static bool isDirectory(const std::string &path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Where the images of a split are; "" where there are none for tests.
static std::string splitFolder(const std::string &source, Split split) {
  if (!isDirectory(source + "/train"))
    return source;
  if (split == Split::Train)
    return source + "/train";
  for (const char *name : {"/val", "/test"})
    if (isDirectory(source + name))
      return source + name;
  return "";
}

/// Every class of the split is one of the training images'.
static Status checkClasses(const std::string &directory,
                           const std::vector<std::string> &classes) {
  Expected<std::vector<std::string>> here = listClasses(directory);
  if (!here.ok())
    return here.status();
  for (const std::string &name : *here)
    if (!std::binary_search(classes.begin(), classes.end(), name))
      return Status::error(RP_INVALID_ARGUMENT,
                           "'" + nameText(directory + "/" + name) +
                               "' is a class that the training images do not "
                               "have");
  return Status();
}

static Status addClass(const std::string &root, const std::string &name,
                       int32_t label, const DataSpec &spec,
                       const FileKind &kind, FolderFiles &files) {
  if (leadsBack(root + "/" + name))
    return Status::error(RP_INVALID_ARGUMENT,
                         "'" + nameText(root + "/" + name) +
                             "' is the folder of a class and leads back to "
                             "one that holds it");
  Expected<ClassFiles> listed = listFiles(root + "/" + name, kind);
  if (!listed.ok())
    return listed.status();
  for (const auto &[folder, file] : listed->unread) {
    const std::string path = folder + "/" + file;
    if (!spec.images.skipBadFiles)
      return Status::error(
          RP_DATA_LOSS, "'" + nameText(path) +
                            "' is none of the files that are read (" +
                            kind.endings + "); --skip-bad-files leaves it out");
    files.leave(path.substr(root.size() + 1));
  }
  for (const auto &[folder, file] : listed->wanted)
    files.add((folder + "/" + file).substr(root.size() + 1), label);
  return Status();
}

static Status addClasses(const DataSpec &spec, const std::string &root,
                         bool areTraining, const FileKind &kind,
                         FolderFiles &files) {
  const std::vector<std::string> &classes = files.classNames();
  for (size_t i = 0; i < classes.size(); ++i) {
    uint64_t before = files.size();
    const std::string folder = root + "/" + classes[i];
    if (isDirectory(folder))
      REPRISE_RETURN_IF_ERROR(
          addClass(root, classes[i], int32_t(i), spec, kind, files));
    if (files.size() == before && areTraining)
      return Status::error(RP_DATA_LOSS, "'" + nameText(folder) +
                                             "' is the folder of a class and "
                                             "holds no " +
                                             kind.what + " (" + kind.endings +
                                             ")");
  }
  return Status();
}

Expected<std::unique_ptr<ImageFiles>>
reprise::rt::listClassFolders(const DataSpec &spec, Split split,
                              const FileKind &kind) {
  const std::string root = splitFolder(spec.source, split);
  if (root.empty())
    return Status::error(RP_IO_ERROR, "'" + spec.source +
                                          "' has a folder 'train', but none "
                                          "named 'val' or 'test'");
  const std::string training = splitFolder(spec.source, Split::Train);
  Expected<std::vector<std::string>> classes = listClasses(training);
  if (!classes.ok())
    return classes.status();
  REPRISE_RETURN_IF_ERROR(checkClasses(root, *classes));
  auto files = std::make_unique<FolderFiles>(root);
  files->setClasses(std::move(*classes));
  REPRISE_RETURN_IF_ERROR(
      addClasses(spec, root, root == training, kind, *files));
  if (files->size() > 0)
    return std::unique_ptr<ImageFiles>(std::move(files));
  return Status::error(RP_DATA_LOSS, "'" + root + "' holds no " + kind.what);
}

bool reprise::rt::hasClassFolders(const std::string &directory) {
  std::error_code ignored;
  for (const char *name : {"train-images-idx3-ubyte", "t10k-images-idx3-ubyte"})
    for (const char *ending : {"", ".gz"})
      if (fs::exists(directory + "/" + name + ending, ignored))
        return false;
  Expected<std::vector<std::string>> classes = listClasses(directory);
  return classes.ok() && !classes->empty();
}

bool reprise::rt::beginsWith(const std::string &directory,
                             bool (*isOne)(const std::string &name)) {
  FolderWalk walk(directory);
  while (const fs::directory_entry *entry = walk.next()) {
    const std::string name = entry->path().filename().string();
    if (walk.depth() > 0 && (isOne(name) || isImageName(name)))
      return isOne(name);
  }
  return false;
}

DataTraits reprise::rt::traitsOfFolders(const DataSpec &spec) {
  DataTraits traits;
  traits.hasSplits = isDirectory(spec.source + "/train");
  traits.hasTest =
      traits.hasSplits && !splitFolder(spec.source, Split::Test).empty();
  traits.allClasses = true;
  return traits;
}
