//===- ClassFolders.cpp - A folder of files for each class ----------------===//
//
// See ClassFolders.h.
//
//===----------------------------------------------------------------------===//
#include "ClassFolders.h"
#include "FolderWalk.h"
#include "Image.h"
#include "SplitFolders.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/NameText.h"
#include "reprise/Runtime/Trainer/File.h"
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>

using namespace reprise::rt;
namespace fs = std::filesystem;

static std::string parentOf(const std::string &path) {
  return path.substr(0, path.rfind('/'));
}

namespace {

class FolderFiles final : public ImageFiles {
public:
  FolderFiles(std::string root, bool hasLabels)
      : root(std::move(root)), hasLabels(hasLabels) {}
  uint64_t size() const override { return labels.size(); }
  int32_t label(uint64_t index) const override { return labels[index]; }
  std::string name(uint64_t index) const override {
    return root + "/" +
           names.substr(ends[index], ends[index + 1] - ends[index]);
  }
  Status readBegin(uint64_t index, uint64_t most,
                   std::vector<uint8_t> &bytes) const override {
    REPRISE_EXPECT(file, InputFile::open(name(index)));
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
  ClipFolders clipFolders() const override;
  /// Leaves out a file of the list whose name promises an unsupported format.
  void leave(const std::string &path) {
    if (left.count++ == 0)
      left.first = root + "/" + path;
    lacking.insert(parentOf(root + "/" + path));
  }
  /// Adds a folder whose files are added, and whose subfolders may be clips.
  void addTop(const std::string &folder) { tops.push_back(folder); }
  /// Counts files that are not part of the data.
  void addBeside(const std::map<std::string, uint64_t> &counts) {
    for (const auto &[why, count] : counts)
      left.beside[why] += count;
  }
  void setClasses(std::vector<std::string> list) {
    classList = std::move(list);
  }

private:
  std::string root;
  bool hasLabels;
  std::string names;                // concatenated, below the root
  std::vector<uint64_t> ends = {0}; // of the names
  std::vector<int32_t> labels;
  std::vector<std::string> classList;
  SkippedRows left;
  std::set<std::string> lacking; // folders of files that are left out
  std::vector<std::string> tops; // the classes' folders, or the only one
};

} // namespace

/// Adds the folders below `folder` that hold no folders and are none of
/// `known`.
static void findEmpty(const std::string &folder,
                      const std::set<std::string> &known,
                      std::vector<std::string> &empty) {
  Expected<std::vector<std::string>> below = listFolders(folder);
  if (!below.ok())
    return;
  for (const std::string &name : *below) {
    const std::string path = folder + "/" + name;
    if (leadsBack(path))
      continue;
    Expected<std::vector<std::string>> deeper = listFolders(path);
    if (deeper.ok() && deeper->empty() && !known.count(path))
      empty.push_back(path);
    findEmpty(path, known, empty);
  }
}

ClipFolders FolderFiles::clipFolders() const {
  ClipFolders folders;
  folders.lacking = lacking;
  std::set<std::string> known = lacking;
  const std::set<std::string> classes(tops.begin(), tops.end());
  for (uint64_t file = 0; file < size(); ++file) {
    const std::string folder = parentOf(name(file));
    if (hasLabels && classes.count(folder) && folders.loose.empty())
      folders.loose = name(file);
    known.insert(folder);
  }
  for (const std::string &top : tops)
    findEmpty(top, known, folders.empty);
  std::sort(folders.empty.begin(), folders.empty.end());
  return folders;
}

static Status listError(const std::string &path, const std::error_code &error) {
  return Status::error(RP_IO_ERROR, "cannot list '" + nameText(path) +
                                        "': " + error.message());
}

namespace {
using FileNames = std::vector<std::pair<std::string, std::string>>;

/// Files of a class, as sorted pairs of folder and name. `foreign` are volumes
/// among images, or images among volumes.
struct ClassFiles {
  FileNames wanted, unread, foreign;
  std::map<std::string, uint64_t> beside; // as in SkippedRows
};
} // namespace

static void addFile(const fs::path &path, FileUse wanted, ClassFiles &files) {
  const std::string name = path.filename().string();
  FileUse use = formatOfName(name).use;
  if (use == FileUse::Other) {
    ++files.beside[endingOfName(name)];
    return;
  }
  bool isRead = use == FileUse::Image || use == FileUse::Volume;
  FileNames &list = use == wanted ? files.wanted
                    : isRead      ? files.foreign
                                  : files.unread;
  list.push_back({path.parent_path().string(), name});
}

static Expected<ClassFiles> listFiles(const std::string &directory,
                                      FileUse wanted) {
  ClassFiles files;
  FolderWalk walk(directory);
  while (const fs::directory_entry *entry = walk.next())
    addFile(entry->path(), wanted, files);
  if (walk.error())
    return listError(directory, walk.error());
  if (walk.hidden() > 0)
    files.beside["hidden"] += walk.hidden();
  for (FileNames *list : {&files.wanted, &files.unread, &files.foreign})
    std::sort(list->begin(), list->end());
  return files;
}

static bool isDirectory(const std::string &path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

namespace {
/// The folder of a split, and the one whose subfolders define the class
/// numbers.
struct Roots {
  std::string root, numbering;
};
} // namespace

static Expected<Roots> findRoots(const DataSpec &spec, Split split,
                                 const FileKind &kind) {
  SplitFolders found = findSplitFolders(spec.source, kind.isWanted);
  if (found.splits.empty())
    return Roots{spec.source, spec.source};
  bool isTest = split == Split::Test;
  std::string name = !isTest                  ? found.training
                     : spec.testSplit.empty() ? found.evaluation
                                              : spec.testSplit;
  if (!name.empty())
    return Roots{spec.source + "/" + name,
                 spec.source + "/" +
                     (found.training.empty() ? name : found.training)};
  return Status::error(
      RP_IO_ERROR, "'" + nameText(spec.source) + "' has a folder '" +
                       nameText(found.splits.front().name) + "', but none " +
                       (isTest ? "named 'val' or 'test' with folders of classes"
                               : "named 'train' with folders of classes"));
}

static bool isSameButForCase(const std::string &a, const std::string &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

/// Returns "'a', 'b' and 3 more".
static std::string listNames(const std::vector<std::string> &names) {
  constexpr size_t kMost = 8;
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMost; ++i)
    text += (i ? ", '" : "'") + nameText(names[i]) + "'";
  if (names.size() > kMost)
    text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

/// Checks that every folder of `directory` is one of the classes.
static Status checkClasses(const std::string &directory,
                           const std::vector<std::string> &classes,
                           bool areGiven) {
  REPRISE_EXPECT(here, listFolders(directory));
  const std::set<std::string> known(classes.begin(), classes.end());
  if (known.size() < classes.size())
    return Status::error(RP_INVALID_ARGUMENT,
                         "a class has one number, but " +
                             std::to_string(classes.size()) +
                             " names of classes are " +
                             std::to_string(known.size()) + " different ones");
  for (const std::string &name : *here) {
    if (known.count(name))
      continue;
    std::string what = areGiven ? " is none of the classes of the model: "
                                : " is a class that the training images do "
                                  "not have; they have ";
    for (const std::string &one : classes)
      if (isSameButForCase(one, name))
        return Status::error(RP_INVALID_ARGUMENT,
                             "'" + nameText(directory + "/" + name) + "'" +
                                 what + "'" + nameText(one) +
                                 "', in other letters");
    return Status::error(RP_INVALID_ARGUMENT,
                         "'" + nameText(directory + "/" + name) + "'" + what +
                             listNames(classes));
  }
  return Status();
}

/// Returns the error for a file of an unsupported kind.
static Status unreadFile(const std::string &path, const FileKind &kind) {
  FileFormat format = formatOfName(path);
  bool isImage = format.use == FileUse::UnreadImage;
  return Status::error(
      RP_DATA_LOSS, "'" + nameText(path) + "' is none of the files that are " +
                        "read (" + endingsOf(kind.use) + ") but " +
                        format.what + (isImage ? "" : ", of volumes") +
                        "; convert it, or --skip-bad-files leaves it out");
}

/// Returns the error for images and volumes in one folder.
static Status mixedFiles(const std::string &foreign, const FolderFiles &files,
                         const FileKind &kind) {
  bool areImages = kind.use == FileUse::Image;
  std::string text = "'" + nameText(foreign) + "' is " +
                     (areImages ? "a volume" : "an image") + ", but ";
  text += files.size() > 0 ? "'" + nameText(files.name(0)) + "' is " +
                                 (areImages ? "an image" : "a volume")
                           : std::string("the data are ") +
                                 (areImages ? "images" : "volumes");
  return Status::error(RP_INVALID_ARGUMENT,
                       text + "; keep images and volumes in folders apart");
}

namespace {
/// The first file of the other kind, and the first class folder without files;
/// each is reported after all classes are listed.
struct Refused {
  std::string foreign, empty;
};
} // namespace

/// Adds the files below a folder.
static Status addFiles(const std::string &root, const std::string &folder,
                       int32_t label, const DataSpec &spec,
                       const FileKind &kind, FolderFiles &files,
                       Refused &refused) {
  REPRISE_EXPECT(listed, listFiles(folder, kind.use));
  files.addTop(folder);
  for (const auto &[folder, file] : listed->unread) {
    const std::string path = folder + "/" + file;
    if (!spec.images.skipBadFiles)
      return unreadFile(path, kind);
    files.leave(path.substr(root.size() + 1));
  }
  for (const auto &[folder, file] : listed->wanted)
    files.add((folder + "/" + file).substr(root.size() + 1), label);
  files.addBeside(listed->beside);
  if (!listed->foreign.empty() && refused.foreign.empty())
    refused.foreign =
        listed->foreign.front().first + "/" + listed->foreign.front().second;
  return Status();
}

static Status addClass(const std::string &root, const std::string &name,
                       int32_t label, const DataSpec &spec,
                       const FileKind &kind, FolderFiles &files,
                       Refused &refused) {
  if (leadsBack(root + "/" + name))
    return Status::error(RP_INVALID_ARGUMENT,
                         "'" + nameText(root + "/" + name) +
                             "' is the folder of a class and leads back to "
                             "one that holds it");
  return addFiles(root, root + "/" + name, label, spec, kind, files, refused);
}

static Status addClasses(const DataSpec &spec, const std::string &root,
                         bool areAllThere, const FileKind &kind,
                         FolderFiles &files) {
  const std::vector<std::string> &classes = files.classNames();
  Refused refused;
  for (size_t i = 0; i < classes.size(); ++i) {
    uint64_t before = files.size();
    const std::string folder = root + "/" + classes[i];
    if (isDirectory(folder))
      REPRISE_RETURN_IF_ERROR(
          addClass(root, classes[i], int32_t(i), spec, kind, files, refused));
    if (files.size() == before && areAllThere && refused.empty.empty())
      refused.empty = folder;
  }
  if (!refused.foreign.empty())
    return mixedFiles(refused.foreign, files, kind);
  if (refused.empty.empty())
    return Status();
  return Status::error(RP_DATA_LOSS,
                       "'" + nameText(refused.empty) +
                           "' is the folder of a class and holds " + "no " +
                           kind.what + " (" + endingsOf(kind.use) + ")");
}

/// Lists all files below the directory, of label 0.
static Expected<std::unique_ptr<ImageFiles>>
listUnlabelled(const DataSpec &spec, const FileKind &kind) {
  auto files = std::make_unique<FolderFiles>(spec.source, /*hasLabels=*/false);
  files->setClasses(spec.classNames);
  Refused refused;
  REPRISE_RETURN_IF_ERROR(
      addFiles(spec.source, spec.source, 0, spec, kind, *files, refused));
  if (!refused.foreign.empty())
    return mixedFiles(refused.foreign, *files, kind);
  if (files->size() == 0)
    return Status::error(RP_DATA_LOSS, "'" + nameText(spec.source) +
                                           "' holds no " + kind.what + " (" +
                                           endingsOf(kind.use) + ")");
  return std::unique_ptr<ImageFiles>(std::move(files));
}

bool reprise::rt::holdsImages(const std::string &directory) {
  FolderWalk walk(directory);
  while (const fs::directory_entry *entry = walk.next())
    if (isImageName(entry->path().filename().string()))
      return true;
  return false;
}

Expected<std::unique_ptr<ImageFiles>>
reprise::rt::listClassFolders(const DataSpec &spec, Split split,
                              const FileKind &kind) {
  if (spec.isUnlabelled)
    return listUnlabelled(spec, kind);
  REPRISE_EXPECT(roots, findRoots(spec, split, kind));
  const std::string &root = roots->root;
  std::vector<std::string> classes = spec.classNames;
  bool areGiven = !classes.empty();
  if (!areGiven) {
    REPRISE_EXPECT(listed, listFolders(roots->numbering));
    classes = std::move(*listed);
  }
  REPRISE_RETURN_IF_ERROR(checkClasses(root, classes, areGiven));
  auto files = std::make_unique<FolderFiles>(root, /*hasLabels=*/true);
  files->setClasses(std::move(classes));
  constexpr const char *kWhere = "in no folder of a class";
  files->addBeside(countFiles(root, kWhere));
  if (split == Split::Train && root != spec.source)
    files->addBeside(countFiles(spec.source, kWhere));
  bool areAllThere = !areGiven && root == roots->numbering;
  REPRISE_RETURN_IF_ERROR(addClasses(spec, root, areAllThere, kind, *files));
  if (files->size() > 0)
    return std::unique_ptr<ImageFiles>(std::move(files));
  return Status::error(RP_DATA_LOSS,
                       "'" + nameText(root) + "' holds no " + kind.what);
}

bool reprise::rt::hasClassFolders(const std::string &directory) {
  std::error_code ignored;
  for (const char *name : {"train-images-idx3-ubyte", "t10k-images-idx3-ubyte"})
    for (const char *ending : {"", ".gz"})
      if (fs::exists(directory + "/" + name + ending, ignored))
        return false;
  Expected<std::vector<std::string>> classes = listFolders(directory);
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

DataTraits reprise::rt::traitsOfFolders(const DataSpec &spec,
                                        const FileKind &kind) {
  DataTraits traits;
  traits.namesClasses = true;
  if (spec.isUnlabelled)
    return traits;
  SplitFolders found = findSplitFolders(spec.source, kind.isWanted);
  traits.splits = std::move(found.splits);
  traits.asClasses = std::move(found.asClasses);
  traits.unused = std::move(found.unused);
  traits.evaluation = std::move(found.evaluation);
  traits.allClasses = true;
  return traits;
}
