//===- Dataset.h - Rows of named tensors ------------------------*- C++ -*-===//
//
// A data set is rows; a row has a tensor for each column that the program
// takes: data by name, and the label, the row's class (i32).
//
// A kind of data is a folder of runtime/trainer/data and a line of its
// registry, Sources.def. Kinds that hold images and labels and no names give
// the images to the program's only data input, whatever it is called.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATASET_H
#define REPRISE_RUNTIME_TRAINER_DATASET_H

#include "reprise/Runtime/Status.h"
#include <cstddef>
#include <cstdint>
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
  size_t elements() const;
  size_t bytes() const; // of one row
};

/// "28x28x1"; "1x1xF" for a row of F numbers, as an image without extents.
std::string formatRow(const Column &column);

/// The image that a column is, or each of a volume (D,H,W,C); and the column
/// "image" of an image.
ImageShape imageShapeOf(const Column &column);
Column imageColumn(const ImageShape &shape, std::string name = "image");
Column labelColumn(std::string name = "label");

/// A pixel's value is (byte / 255 - mean) / stddev.
struct Normalization {
  float mean = 0, stddev = 1;
};

class Dataset {
public:
  virtual ~Dataset();
  virtual uint64_t size() const = 0;
  /// What `fill` writes, in its order, in the shapes that the data have.
  virtual const std::vector<Column> &columns() const = 0;
  /// One more than the largest label; 0 without labels.
  virtual int32_t classes() const = 0;
  /// False where the order of the file is the order of training.
  virtual bool shuffled() const { return true; }
  /// What was applied to images stored as bytes.
  virtual std::optional<Normalization> normalization() const { return {}; }
  /// Writes `count` rows of each column to out[column]. Callable from any
  /// thread.
  virtual Status fill(const uint64_t *indices, size_t count,
                      void *const *out) const = 0;
};

enum class Split { Train, Test };

/// What is wanted of data.
struct DatasetOptions {
  /// Refuse labels at or above this; 0 accepts any.
  int32_t classes = 0;
  /// Computed from the training images when absent (IDX only).
  std::optional<Normalization> normalization;
  /// In this order; empty: an image and a label, as the data have them.
  std::vector<Column> columns;
};

/// A directory with (train|t10k)-images-idx3-ubyte and -labels-idx1-ubyte,
/// each plain or with .gz. Holds the bytes of the images in memory.
Expected<std::unique_ptr<Dataset>>
openIdxDirectory(const std::string &directory, Split split,
                 const DatasetOptions &options);

/// A safetensors file with a tensor for each column (N,...; the column's type;
/// labels N; I32 or I64), taken as they are and in order. Data stay on disk.
Expected<std::unique_ptr<Dataset>>
openTensorDataset(const std::string &path, const DatasetOptions &options);

struct SyntheticOptions {
  ImageShape shape;
  int32_t classes = 10;
  uint64_t size = 0;
  uint64_t seed = 0;
  /// What rows are of; empty: an image of `shape` and a label.
  std::vector<Column> columns = {};
};

/// Noise around one random pattern per class, so that it can be learnt. The
/// patterns depend on the seed, the images of the splits differ.
Expected<std::unique_ptr<Dataset>>
openSyntheticDataset(const SyntheticOptions &options, Split split);

/// What `--data` says: "synthetic", a .safetensors file, or an IDX directory.
struct DataSpec {
  std::string source;
  uint64_t syntheticSize = 2048;
  uint64_t syntheticSeed = 0;
  std::optional<Normalization> normalization;
};

/// What a source of images takes of the host's memory.
struct DatasetExtent {
  uint64_t images = 0;
  /// The most that opening and using it holds, batches excluded.
  uint64_t hostBytes = 0;
};

/// From the headers of what `spec` names; reads no rows. `columns` as in
/// DatasetOptions.
Expected<DatasetExtent> measureDataset(const DataSpec &spec, Split split,
                                       const std::vector<Column> &columns = {});

/// What is known of data before they are opened.
struct DataTraits {
  bool hasSplits = false;  // it tells training and test data apart
  bool hasTest = false;    // there are rows that are only for tests
  bool allClasses = false; // its training labels are all that there are
};
DataTraits traitsOf(const DataSpec &spec);

/// Opens what `spec` says. Synthetic data are made to the columns and classes.
Expected<std::unique_ptr<Dataset>>
openDataset(const DataSpec &spec, Split split, const DatasetOptions &options);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATASET_H
