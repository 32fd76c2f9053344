//===- ImageDataset.h - Rows decoded from files of images -------*- C++ -*-===//
//
// The common part of folders and shards: files are read, decoded and treated
// when a row is requested, on the requesting thread. A row is an image or, for
// a program that takes clips, frames of a folder (Clips.h).
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_IMAGEDATASET_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_IMAGEDATASET_H

#include "../DataSource.h"
#include <set>

namespace reprise::rt {

/// Folders of clips that are not as the others.
struct ClipFolders {
  std::vector<std::string> empty; // without files, sorted
  /// Folders with a file that is left out of the list.
  std::set<std::string> lacking;
  std::string loose; // the first frame in the folder of a class; or ""
};

/// Files of images and their labels. Callable from any thread.
class ImageFiles {
public:
  virtual ~ImageFiles() = default;
  virtual uint64_t size() const = 0;
  virtual int32_t label(uint64_t index) const = 0;
  /// Returns the name for messages.
  virtual std::string name(uint64_t index) const = 0;
  Status read(uint64_t index, std::vector<uint8_t> &bytes) const {
    return readBegin(index, UINT64_MAX, bytes);
  }
  /// Reads the first `most` bytes, or all if there are fewer.
  virtual Status readBegin(uint64_t index, uint64_t most,
                           std::vector<uint8_t> &bytes) const = 0;
  /// Returns the names by number; empty if classes have no names.
  virtual const std::vector<std::string> &classNames() const = 0;
  virtual int32_t classes() const = 0;
  /// Returns the rows missing from the list, because they are not such files.
  virtual SkippedRows skipped() const { return {}; }
  /// Looks for such folders, if each folder of files is a clip.
  virtual ClipFolders clipFolders() const { return {}; }
  /// Returns the bytes of the list.
  virtual uint64_t hostBytes() const = 0;
};

/// The largest size of an image file.
constexpr uint64_t kMostFileBytes = uint64_t(1) << 29;

/// Returns true if reading failed because of the file; false if this process
/// lacks resources.
bool isOfTheFile(const Status &status);

/// Fails if a file of `bytes` is too large.
Status checkFileSize(const std::string &name, uint64_t bytes);

/// A kind of data whose rows are image files, stored in any way.
class ImageFilesSource : public DataSource {
public:
  Expected<std::unique_ptr<Dataset>>
  open(const DataSpec &spec, Split split,
       const DatasetOptions &options) const final;
  /// Reads the headers of 64 of the files, at equal distances.
  Expected<DatasetExtent>
  measure(const DataSpec &spec, Split split,
          const std::vector<Column> &columns) const final;

protected:
  /// Returns true if the folders of files may be clips, for programs that take
  /// these.
  virtual bool hasClips() const { return false; }
  virtual Expected<std::unique_ptr<ImageFiles>> list(const DataSpec &spec,
                                                     Split split) const = 0;
};

/// Returns true for names of image files, ignoring case.
bool isImageName(const std::string &name);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_IMAGEDATASET_H
