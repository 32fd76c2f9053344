//===- ImageFolder.cpp - A folder of images for each class ----------------===//
//
// DIR/CLASS/.../NAME, or DIR/train/CLASS/... and DIR/val/CLASS/... (or test).
// Classes are the folders of the training images in the order of their bytes;
// images come class by class, in the order of their paths.
//
//===----------------------------------------------------------------------===//
#include "ImageDataset.h"
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
  Status read(uint64_t index, std::vector<uint8_t> &bytes) const override {
    Expected<InputFile> file = InputFile::open(name(index));
    if (!file.ok())
      return file.status();
    REPRISE_RETURN_IF_ERROR(checkFileSize(file->path(), file->size()));
    bytes.resize(file->size());
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
  void setClasses(std::vector<std::string> list) {
    classList = std::move(list);
  }

private:
  std::string root;
  std::string names;                // one behind the other, below the root
  std::vector<uint64_t> ends = {0}; // of the names
  std::vector<int32_t> labels;
  std::vector<std::string> classList;
};

} // namespace

static Status listError(const std::string &path, const std::error_code &error) {
  return Status::error(RP_IO_ERROR,
                       "cannot list '" + path + "': " + error.message());
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

/// Images below `directory`, by folder and name.
static Expected<std::vector<std::pair<std::string, std::string>>>
listImages(const std::string &directory, bool mayIgnore) {
  std::vector<std::pair<std::string, std::string>> images;
  std::error_code error;
  auto options = fs::directory_options::follow_directory_symlink;
  fs::recursive_directory_iterator it(directory, options, error), end;
  for (; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_directory(ignored))
      continue;
    const std::string name = it->path().filename().string();
    if (isImageName(name))
      images.push_back({it->path().parent_path().string(), name});
    else if (isOtherImageName(name) && !mayIgnore)
      return Status::error(RP_DATA_LOSS,
                           "'" + it->path().string() +
                               "' is no JPEG or PNG, which are what is read; "
                               "--skip-bad-files leaves it out");
  }
  if (error)
    return listError(directory, error);
  std::sort(images.begin(), images.end());
  return images;
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
                           "'" + directory + "/" + name +
                               "' is a class that the training images do not "
                               "have");
  return Status();
}

static Status addClass(const std::string &root, const std::string &name,
                       int32_t label, bool mayIgnore, FolderFiles &files) {
  auto images = listImages(root + "/" + name, mayIgnore);
  if (!images.ok())
    return images.status();
  for (const auto &[folder, file] : *images)
    files.add((folder + "/" + file).substr(root.size() + 1), label);
  return Status();
}

static Expected<std::unique_ptr<FolderFiles>> listFolder(const DataSpec &spec,
                                                         Split split) {
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
  for (size_t i = 0; i < classes->size(); ++i) {
    const std::string &name = (*classes)[i];
    uint64_t before = files->size();
    if (isDirectory(root + "/" + name))
      REPRISE_RETURN_IF_ERROR(
          addClass(root, name, int32_t(i), spec.images.skipBadFiles, *files));
    if (files->size() == before && root == training)
      return Status::error(RP_DATA_LOSS, "'" + root + "/" + name +
                                             "' is the folder of a class and "
                                             "holds no image (.jpg, .jpeg or "
                                             ".png)");
  }
  files->setClasses(std::move(*classes));
  if (files->size() > 0)
    return files;
  return Status::error(RP_DATA_LOSS, "'" + root + "' holds no image");
}

namespace {

class FolderSource final : public DataSource {
public:
  /// Folders in it, and nothing that is of IDX.
  bool takes(const std::string &source, PathKind kind) const override {
    if (kind != PathKind::Directory)
      return false;
    for (const char *name :
         {"train-images-idx3-ubyte", "t10k-images-idx3-ubyte"})
      for (const char *ending : {"", ".gz"}) {
        std::error_code ignored;
        if (fs::exists(source + "/" + name + ending, ignored))
          return false;
      }
    Expected<std::vector<std::string>> classes = listClasses(source);
    return classes.ok() && !classes->empty();
  }
  DataTraits traits(const DataSpec &spec) const override {
    DataTraits traits;
    traits.hasSplits = isDirectory(spec.source + "/train");
    traits.hasTest =
        traits.hasSplits && !splitFolder(spec.source, Split::Test).empty();
    traits.allClasses = traits.anySize = true;
    return traits;
  }
  Expected<std::unique_ptr<Dataset>>
  open(const DataSpec &spec, Split split,
       const DatasetOptions &options) const override {
    auto files = listFolder(spec, split);
    if (!files.ok())
      return files.status();
    return openImages(std::move(*files), spec, options);
  }
  Expected<DatasetExtent>
  measure(const DataSpec &spec, Split split,
          const std::vector<Column> &columns) const override {
    auto files = listFolder(spec, split);
    if (!files.ok())
      return files.status();
    return measureImages(**files, columns);
  }
};

} // namespace

const DataSource &reprise::rt::imagesSource() {
  static const FolderSource source;
  return source;
}
