//===- Dataset.h - Rows of named tensors ------------------------*- C++ -*-===//
//
// A data set consists of rows; a row has a tensor for each column that the
// program takes: data by name, and the label, the row's class (i32).
//
// A kind of data is a folder of runtime/trainer/data and a line of its
// registry, Sources.def. Kinds that hold images and labels and no names give
// the images to the program's only data input, whatever it is called.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATASET_H
#define REPRISE_RUNTIME_TRAINER_DATASET_H

#include "reprise/Runtime/Status.h"
#include "reprise/Runtime/Trainer/Images.h"
#include "reprise/Runtime/Trainer/IndexRange.h"
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace reprise::rt {

struct ImageShape {
  int64_t height = 0, width = 0, channels = 0;
  size_t elements() const { return size_t(height) * width * channels; }
  bool operator==(const ImageShape &o) const {
    return height == o.height && width == o.width && channels == o.channels;
  }
};

/// "28x28x1", height, width, channels.
std::string formatImageShape(const ImageShape &shape);

/// A tensor of every row.
struct Column {
  std::string name;
  rp_binding_role role = RP_BINDING_DATA; // or RP_BINDING_LABEL
  rp_element_type type = RP_F32;
  std::vector<int64_t> shape; // of one row
  /// The elements that the program accepts.
  std::vector<IndexRange> ranges = {};
  /// Returns false if the element of a row is a probability and `number` is
  /// none.
  bool holds(size_t element, double number) const;
  size_t elements() const;
  size_t bytes() const; // of one row
};

/// "28x28x1"; "1x1xF" for a row of F numbers, which counts as an image.
std::string formatRow(const Column &column);

/// The image in a column, or each image of a volume (D,H,W,C); and the column
/// "image" of an image.
ImageShape imageShapeOf(const Column &column);
Column imageColumn(const ImageShape &shape, std::string name = "image");
Column labelColumn(std::string name = "label");

/// A pixel's value is (byte / 255 - mean) / stddev.
struct Normalization {
  float mean = 0, stddev = 1;
};

/// The variant of a row to produce if data are augmented.
struct Draw {
  uint64_t seed = 0, epoch = 0;
};

/// Rows that were excluded from the data.
struct SkippedRows {
  /// Files that cannot be read or decoded.
  uint64_t count = 0;
  std::string first; // its name
  /// Files that are not rows, by their ending or "hidden".
  std::map<std::string, uint64_t> beside;
};

class Dataset {
public:
  virtual ~Dataset();
  virtual uint64_t size() const = 0;
  /// The columns that `fill` writes, in its order, in the shapes of the data.
  virtual const std::vector<Column> &columns() const = 0;
  /// One more than the largest label that is not ignored; 0 without labels.
  virtual int32_t classes() const = 0;
  /// Returns true if runs shuffled these data before a setting for it existed.
  virtual bool shuffledBefore() const { return true; }
  /// The normalization that was applied to images stored as bytes.
  virtual std::optional<Normalization> normalization() const { return {}; }
  /// Writes `count` rows of each column to out[column]. Callable from any
  /// thread.
  virtual Status fill(const uint64_t *indices, size_t count,
                      void *const *out) const = 0;
  /// The same for training: rows vary with `draw` if data are augmented.
  virtual Status fillDrawn(const Draw &draw, const uint64_t *indices,
                           size_t count, void *const *out) const {
    return fill(indices, count, out);
  }
  /// Writes bytes that identify the row, before anything is chosen or drawn for
  /// it: its columns, or the bytes of a file.
  virtual Status identify(uint64_t index, std::vector<uint8_t> &bytes) const;
  /// The row's label, if there are labels: by default of the whole row.
  virtual Expected<int32_t> label(uint64_t index) const;
  /// Height and width of the row's image before any processing, if images
  /// differ in size.
  virtual Expected<std::array<int64_t, 2>> imageSize(uint64_t index) const;
  /// Reads the beginning of every file that is a row, on so many threads (0:
  /// one for each processor), and fails for the first that cannot become a row.
  /// Returns the number of rows checked: those from some row on are not if
  /// `until` comes first.
  using Moment = std::chrono::steady_clock::time_point;
  virtual Expected<uint64_t> checkHeaders(unsigned threads,
                                          Moment until = Moment::max()) const {
    return size();
  }
  /// Returns the name of a row for people: its file, or its number.
  virtual std::string rowName(uint64_t index) const {
    return std::to_string(index);
  }
  /// Returns true if filling takes long enough for several threads.
  virtual bool isCostly() const { return false; }
  /// The settings of the data's processing that decide the bits of a run, by
  /// the names of RunSettings.h.
  virtual std::map<std::string, std::string> settings() const { return {}; }
  virtual SkippedRows skipped() const { return {}; }
  /// Warnings about the data, as sentences for people.
  virtual std::vector<std::string> warnings() const { return {}; }
  /// The names of classes by label; empty if classes have no names.
  virtual std::vector<std::string> classNames() const { return {}; }
};

/// The names of classes that no row has; empty if classes have no names.
std::vector<std::string> absentClasses(const Dataset &data);

enum class Split { Train, Test };

/// The requirements on data.
struct DatasetOptions {
  /// Refuse labels at or above this; 0 accepts any.
  int32_t classes = 0;
  /// Computed from the training images if absent (IDX only).
  std::optional<Normalization> normalization;
  /// The columns in this order; empty: an image and a label, as the data have
  /// them.
  std::vector<Column> columns;
  /// A label that is no class, and is accepted whatever `classes` is.
  std::optional<int32_t> ignored = {};
  /// True if nothing reads labels, which may then be missing.
  bool isUnlabelled = false;
};

/// A directory with (train|t10k)-images-idx3-ubyte and -labels-idx1-ubyte,
/// each plain or with .gz. Holds the bytes of the images in memory.
Expected<std::unique_ptr<Dataset>>
openIdxDirectory(const std::string &directory, Split split,
                 const DatasetOptions &options);

/// A safetensors file with a tensor for each column (N,...; the column's type,
/// or integers of another width; labels N; I32 or I64), read unchanged and in
/// order. Data stay on disk.
Expected<std::unique_ptr<Dataset>>
openTensorDataset(const std::string &path, const DatasetOptions &options);

struct SyntheticOptions {
  ImageShape shape;
  int32_t classes = 10;
  uint64_t size = 0;
  uint64_t seed = 0;
  /// The columns of rows; empty: an image of `shape` and a label.
  std::vector<Column> columns = {};
};

/// Noise around one random pattern per class, so that it can be learned. The
/// patterns depend on the seed, the images of the splits differ.
Expected<std::unique_ptr<Dataset>>
openSyntheticDataset(const SyntheticOptions &options, Split split);

/// The value of `--data`: "synthetic", a .safetensors file, a directory of IDX
/// files or of folders of images, or shards.
struct DataSpec {
  std::string source;
  uint64_t syntheticSize = 2048;
  uint64_t syntheticSeed = 0;
  std::optional<Normalization> normalization;
  /// Settings of image files; other data refuse them.
  ImageSpec images;
  /// The number of threads that fill batches; 0: depends on the data.
  unsigned loaderThreads = 0;
  /// True if each epoch has the rows in the order of the data.
  bool keepsOrder = false;
  /// True if files of images below `source` are rows without labels, whatever
  /// their folders; labels of other data are not used.
  bool isUnlabelled = false;
  /// Names of classes by number, from a state: folders of classes are matched
  /// by name, and other folders refused. Empty: the training folders' names, in
  /// the order of their bytes.
  std::vector<std::string> classNames;
  /// The split that Split::Test opens, a name of findSplit; empty: the
  /// validation split, or else the test split.
  std::string testSplit;
};

/// The host memory that a source of images takes.
struct DatasetExtent {
  uint64_t images = 0;
  /// The most bytes held while it is opened and used, without batches.
  uint64_t hostBytes = 0;
  /// Additional bytes of each thread that fills batches, estimated.
  uint64_t bytesPerThread = 0;
  /// See Dataset::isCostly.
  bool isCostly = false;
};

/// Computed from the headers of the files of `spec`; reads no rows. `columns`
/// as in DatasetOptions.
Expected<DatasetExtent> measureDataset(const DataSpec &spec, Split split,
                                       const std::vector<Column> &columns = {});

/// A part of data that has a name, and how it is opened.
struct NamedSplit {
  std::string name;
  Split split = Split::Test;
};

/// The facts about data that are known before they are opened.
struct DataTraits {
  std::vector<NamedSplit> splits; // empty: all rows are one set
  std::string evaluation;         // the split that Split::Test opens; or ""
  bool allClasses = false;        // its training labels are all the existing
                                  // ones
  bool anySize = false;           // images are resized to the program's input
  bool isScaled = false;          // --normalize applies
  bool areVolumes = false;        // --orientation applies
  bool hasFiles = false;          // a row is a file, which may be unreadable
  bool namesClasses = false;      // its classes are folders
  bool namesColumns = false;      // each column is found by its name
  std::vector<std::string> asClasses; // folders with a split's name that are
                                      // classes
  std::vector<std::string> unused;    // folders and archives that belong to no
                                      // split
  /// Returns true if Split::Train has rows.
  bool hasTraining() const;
  /// Returns true if there are rows that are only for tests.
  bool hasTest() const { return !evaluation.empty(); }
};
DataTraits traitsOf(const DataSpec &spec);

/// The split of that name or, if none has it, of that purpose: "train", "val"
/// or "test". Fails with the names of the existing ones. Data that are one set
/// are both "train" and "test".
Expected<NamedSplit> findSplit(const DataSpec &spec, const std::string &name);

/// Opens the data of `spec`. Synthetic data are generated for the columns and
/// classes.
Expected<std::unique_ptr<Dataset>>
openDataset(const DataSpec &spec, Split split, const DatasetOptions &options);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATASET_H
