//===- Dataset.cpp - Labelled images --------------------------------------===//
//
// The synthetic source, and the choice of a source by name.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Dataset.h"
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Runtime/Trainer/Philox.h"
#include <cerrno>
#include <cmath>
#include <sys/stat.h>

using namespace reprise::rt;

namespace {

/// image = pattern[label] + noise, both uniform in [-sqrt(3), sqrt(3)) (unit
/// variance), the noise halved.
class SyntheticDataset final : public Dataset {
public:
  SyntheticDataset(const SyntheticOptions &options, Split split)
      : options(options), stream(split == Split::Train ? 1 : 2) {}
  uint64_t size() const override { return options.size; }
  ImageShape shape() const override { return options.shape; }
  int32_t classes() const override { return options.classes; }
  Status fill(const uint64_t *indices, size_t count, float *images,
              int32_t *labels) const override {
    size_t elements = options.shape.elements();
    for (size_t i = 0; i < count; ++i) {
      labels[i] = labelOf(indices[i]);
      addUniform(images + i * elements, kPatterns, uint64_t(labels[i]), 1.0f,
                 Write::Set);
      addUniform(images + i * elements, stream, indices[i], 0.5f, Write::Add);
    }
    return Status();
  }

private:
  enum class Write { Set, Add };
  static constexpr uint64_t kPatterns = 0, kLabels = 16;

  int32_t labelOf(uint64_t index) const {
    auto words = philox4x32(options.seed, index, kLabels + stream);
    return int32_t((uint64_t(words[0]) * uint64_t(options.classes)) >> 32);
  }

  /// Numbers are a function of (seed, stream, row, element): counter = (element
  /// / 4 and stream, row).
  void addUniform(float *out, uint64_t stream, uint64_t row, float scale,
                  Write write) const {
    const float unit = scale * 1.7320508f / 2147483648.0f;
    size_t elements = options.shape.elements();
    for (size_t i = 0; i < elements; i += 4) {
      auto words = philox4x32(options.seed, i / 4 + (stream << 56), row);
      for (size_t j = i; j < elements && j < i + 4; ++j) {
        float value = float(int32_t(words[j - i])) * unit;
        out[j] = write == Write::Set ? value : out[j] + value;
      }
    }
  }

  const SyntheticOptions options;
  const uint64_t stream;
};

} // namespace

Dataset::~Dataset() = default;

std::string reprise::rt::formatImageShape(const ImageShape &shape) {
  return std::to_string(shape.height) + "x" + std::to_string(shape.width) +
         "x" + std::to_string(shape.channels);
}

Expected<std::unique_ptr<Dataset>>
reprise::rt::openSyntheticDataset(const SyntheticOptions &options,
                                  Split split) {
  if (options.size == 0 || options.classes <= 0 ||
      options.shape.elements() == 0)
    return Status::error(RP_INVALID_ARGUMENT,
                         "cannot make " + std::to_string(options.size) +
                             " synthetic images of " +
                             formatImageShape(options.shape) + " in " +
                             std::to_string(options.classes) + " classes");
  return std::unique_ptr<Dataset>(
      std::make_unique<SyntheticDataset>(options, split));
}

Expected<std::unique_ptr<Dataset>>
reprise::rt::openDataset(const DataSpec &spec, Split split,
                         const ImageShape &shape, int32_t classes) {
  if (spec.source == "synthetic")
    return openSyntheticDataset(
        {shape, classes, spec.syntheticSize, spec.syntheticSeed}, split);
  DatasetOptions options;
  options.classes = classes;
  options.normalization = spec.normalization;
  struct stat info;
  if (::stat(spec.source.c_str(), &info) != 0)
    return systemError("open data", spec.source, errno);
  if (S_ISDIR(info.st_mode))
    return openIdxDirectory(spec.source, split, options);
  return openTensorDataset(spec.source, options);
}

Expected<DatasetExtent> reprise::rt::measureDataset(const DataSpec &spec,
                                                    Split split) {
  if (spec.source == "synthetic")
    return DatasetExtent{spec.syntheticSize, 0};
  struct stat info;
  if (::stat(spec.source.c_str(), &info) != 0)
    return systemError("open data", spec.source, errno);
  return S_ISDIR(info.st_mode) ? measureIdxDirectory(spec.source, split)
                               : measureTensorDataset(spec.source);
}
