//===- ImageDataset.h - Rows decoded from files of images -------*- C++ -*-===//
//
// What folders and shards have in common: files are read, decoded and treated
// when a row is asked for, on whatever thread asks.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_IMAGEDATASET_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_IMAGEDATASET_H

#include "../DataSource.h"

namespace reprise::rt {

/// Files of images and their labels. Callable from any thread.
class ImageFiles {
public:
  virtual ~ImageFiles() = default;
  virtual uint64_t size() const = 0;
  virtual int32_t label(uint64_t index) const = 0;
  /// For messages.
  virtual std::string name(uint64_t index) const = 0;
  Status read(uint64_t index, std::vector<uint8_t> &bytes) const {
    return readBegin(index, UINT64_MAX, bytes);
  }
  /// The first `most` bytes, or all where there are fewer.
  virtual Status readBegin(uint64_t index, uint64_t most,
                           std::vector<uint8_t> &bytes) const = 0;
  /// By number; empty where they have no names.
  virtual const std::vector<std::string> &classNames() const = 0;
  virtual int32_t classes() const = 0;
  /// What the list was to have and has not, because it is no such file.
  virtual SkippedRows skipped() const { return {}; }
  /// What holding the list takes.
  virtual uint64_t hostBytes() const = 0;
};

/// A file of an image has at most so many bytes.
constexpr uint64_t kMostFileBytes = uint64_t(1) << 29;

/// Whether reading failed for what the file is; not where this process has no
/// room for it.
bool isOfTheFile(const Status &status);

/// That a file of `bytes` is not read for its size.
Status checkFileSize(const std::string &name, uint64_t bytes);

/// A kind of data that are files of images, wherever they lie.
class ImageFilesSource : public DataSource {
public:
  Expected<std::unique_ptr<Dataset>>
  open(const DataSpec &spec, Split split,
       const DatasetOptions &options) const final;
  /// Looks at the headers of 64 of the files, in equal distances.
  Expected<DatasetExtent>
  measure(const DataSpec &spec, Split split,
          const std::vector<Column> &columns) const final;

protected:
  virtual Expected<std::unique_ptr<ImageFiles>> list(const DataSpec &spec,
                                                     Split split) const = 0;
};

/// Of the name of a file, whatever its case.
bool isImageName(const std::string &name);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_IMAGEDATASET_H
