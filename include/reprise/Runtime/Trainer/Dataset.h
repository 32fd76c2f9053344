//===- Dataset.h - Labelled images ------------------------------*- C++ -*-===//
//
// One interface over IDX directories, safetensors files and a synthetic
// source. Images are f32 NHWC, labels i32.
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

/// A pixel's value is (byte / 255 - mean) / stddev.
struct Normalization {
  float mean = 0, stddev = 1;
};

class Dataset {
public:
  virtual ~Dataset();
  virtual uint64_t size() const = 0;
  virtual ImageShape shape() const = 0;
  /// One more than the largest label.
  virtual int32_t classes() const = 0;
  /// False where the order of the file is the order of training.
  virtual bool shuffled() const { return true; }
  /// What was applied to images stored as bytes.
  virtual std::optional<Normalization> normalization() const { return {}; }
  /// Writes `count` images and labels. Callable from any thread.
  virtual Status fill(const uint64_t *indices, size_t count, float *images,
                      int32_t *labels) const = 0;
};

enum class Split { Train, Test };

struct DatasetOptions {
  /// Refuse labels at or above this; 0 accepts any.
  int32_t classes = 0;
  /// Computed from the training images when absent (IDX only).
  std::optional<Normalization> normalization;
};

/// A directory with (train|t10k)-images-idx3-ubyte and -labels-idx1-ubyte,
/// each plain or with .gz. Holds the bytes of the images in memory.
Expected<std::unique_ptr<Dataset>>
openIdxDirectory(const std::string &directory, Split split,
                 const DatasetOptions &options);

/// A safetensors file with "image" (N,H,W,C or N,F; F32) and "label" (N; I32
/// or I64), taken as they are and in order. Images stay on disk.
Expected<std::unique_ptr<Dataset>>
openTensorDataset(const std::string &path, const DatasetOptions &options);

/// As measureDataset, of the two kinds of files.
struct DatasetExtent;
Expected<DatasetExtent> measureIdxDirectory(const std::string &directory,
                                            Split split);
Expected<DatasetExtent> measureTensorDataset(const std::string &path);

struct SyntheticOptions {
  ImageShape shape;
  int32_t classes = 10;
  uint64_t size = 0;
  uint64_t seed = 0;
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

/// From the headers of what `spec` names; reads no images.
Expected<DatasetExtent> measureDataset(const DataSpec &spec, Split split);

/// Opens what `spec` says for a model that takes images of `shape` (used by
/// the synthetic source) and tells `classes` classes apart.
Expected<std::unique_ptr<Dataset>> openDataset(const DataSpec &spec,
                                               Split split,
                                               const ImageShape &shape,
                                               int32_t classes);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATASET_H
