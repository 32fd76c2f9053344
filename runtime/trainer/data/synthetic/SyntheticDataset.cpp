//===- SyntheticDataset.cpp - Learnable random rows -----------------------===//
//
// Every number is a function of (seed, column, stream, row, element), so that
// rows can be computed in any order, and repeatedly.
//
//===----------------------------------------------------------------------===//
#include "../DataSource.h"
#include "reprise/Runtime/Trainer/Philox.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include <cmath>

using namespace reprise::rt;

namespace {

/// value = pattern[label] + noise, both uniform in [-sqrt(3), sqrt(3)) (unit
/// variance), the noise halved. Probabilities are 1 where that is above 0, and
/// else 0. Integers are uniform in their range, or in 0 and 1 where it is not
/// known: three of four those of the label's pattern, the others noise.
class SyntheticDataset final : public Dataset {
public:
  SyntheticDataset(const SyntheticOptions &options, Split split)
      : options(options), stream(split == Split::Train ? 1 : 2) {}
  uint64_t size() const override { return options.size; }
  const std::vector<Column> &columns() const override {
    return options.columns;
  }
  int32_t classes() const override { return options.classes; }
  Status fill(const uint64_t *indices, size_t count,
              void *const *out) const override {
    uint64_t number = 0; // among the data columns
    for (size_t c = 0; c < options.columns.size(); ++c) {
      const Column &column = options.columns[c];
      bool isLabel = column.role == RP_BINDING_LABEL;
      for (size_t i = 0; i < count; ++i)
        if (isLabel)
          static_cast<int32_t *>(out[c])[i] = labelOf(indices[i]);
        else if (column.type == RP_F32)
          fillRow(column, static_cast<float *>(out[c]) + i * column.elements(),
                  number, indices[i]);
        else if (column.type == RP_I1)
          fillIntegers(column,
                       static_cast<uint8_t *>(out[c]) + i * column.elements(),
                       number, indices[i]);
        else if (column.type == RP_I32)
          fillIntegers(column,
                       static_cast<int32_t *>(out[c]) + i * column.elements(),
                       number, indices[i]);
        else
          fillIntegers(column,
                       static_cast<int64_t *>(out[c]) + i * column.elements(),
                       number, indices[i]);
      number += !isLabel;
    }
    return Status();
  }

  /// Returns sizes as if the images had 64 to 512 pixels a side.
  Expected<std::array<int64_t, 2>> imageSize(uint64_t index) const override {
    auto words = philox4x32(options.seed, index, kSizes + stream);
    return std::array<int64_t, 2>{64 + words[0] % 449, 64 + words[1] % 449};
  }

private:
  enum class Write { Set, Add };
  static constexpr uint64_t kPatterns = 0, kLabels = 16, kSizes = 32;

  struct Numbers {
    uint64_t stream, row;
    float scale;
  };

  void fillRow(const Column &column, float *out, uint64_t number,
               uint64_t index) const {
    size_t elements = column.elements();
    uint64_t base = number << 48;
    addUniform(out, elements,
               {(kPatterns << 56) + base, uint64_t(labelOf(index)), 1.0f},
               Write::Set);
    addUniform(out, elements, {(stream << 56) + base, index, 0.5f}, Write::Add);
    for (size_t i = 0; i < elements && !column.ranges.empty(); ++i)
      if (!column.holds(i, NAN))
        out[i] = out[i] > 0 ? 1.0f : 0.0f;
  }

  template <typename Integer>
  void fillIntegers(const Column &column, Integer *out, uint64_t number,
                    uint64_t index) const {
    constexpr uint32_t kUnknown = INT32_MAX;
    size_t elements = column.elements();
    std::vector<uint32_t> limits(elements, kUnknown);
    for (const IndexRange &range : column.ranges)
      for (auto [begin, end] : range.runs)
        for (size_t i = begin; i < end && i < elements; ++i)
          limits[i] = uint32_t(std::min<int64_t>(range.limit, limits[i]));
    uint64_t base = number << 48, label = uint64_t(labelOf(index));
    for (size_t i = 0; i < elements; ++i) {
      uint64_t pattern = (kPatterns << 56) + base,
               noise = (stream << 56) + base;
      auto words = philox4x32(options.seed, i + noise, index);
      if (words[0] % 4 != 0)
        words = philox4x32(options.seed, i + pattern, label);
      uint64_t limit = limits[i] == kUnknown ? 2 : limits[i];
      out[i] = Integer((words[1] * limit) >> 32);
    }
  }

  int32_t labelOf(uint64_t index) const {
    auto words = philox4x32(options.seed, index, kLabels + stream);
    return int32_t((uint64_t(words[0]) * uint64_t(options.classes)) >> 32);
  }

  /// Adds uniform numbers with the counter (element / 4 and column and stream,
  /// row).
  void addUniform(float *out, size_t elements, const Numbers &of,
                  Write write) const {
    const float unit = of.scale * 1.7320508f / 2147483648.0f;
    for (size_t i = 0; i < elements; i += 4) {
      auto words = philox4x32(options.seed, i / 4 + of.stream, of.row);
      for (size_t j = i; j < elements && j < i + 4; ++j) {
        float value = float(int32_t(words[j - i])) * unit;
        out[j] = write == Write::Set ? value : out[j] + value;
      }
    }
  }

  const SyntheticOptions options;
  const uint64_t stream;
};

class SyntheticSource final : public DataSource {
public:
  bool takes(const std::string &source, PathKind) const override {
    return source == "synthetic";
  }
  DataTraits traits(const DataSpec &) const override {
    DataTraits traits;
    traits.splits = {{"train", Split::Train}, {"test", Split::Test}};
    return traits;
  }
  Expected<std::unique_ptr<Dataset>>
  open(const DataSpec &spec, Split split,
       const DatasetOptions &options) const override {
    // Without logits the number of classes is unknown.
    int32_t classes = options.classes > 0 ? options.classes : 10;
    return openSyntheticDataset(
        {{}, classes, spec.syntheticSize, spec.syntheticSeed, options.columns},
        split);
  }
  Expected<DatasetExtent> measure(const DataSpec &spec, Split,
                                  const std::vector<Column> &) const override {
    return DatasetExtent{spec.syntheticSize, 0};
  }
};

} // namespace

const DataSource &reprise::rt::syntheticSource() {
  static const SyntheticSource source;
  return source;
}

static Status checkColumns(const SyntheticOptions &options) {
  constexpr size_t kColumns = 256; // distinguished by Philox's counter
  size_t rows = 0;
  for (const Column &column : options.columns) {
    bool isData = column.role == RP_BINDING_DATA;
    if (isData && column.type != RP_F32 && column.type != RP_I1 &&
        column.type != RP_I32 && column.type != RP_I64)
      return Status::error(RP_INVALID_ARGUMENT,
                           "synthetic data are F32, BOOL, I32 or I64, but the "
                           "program's input '" +
                               column.name + "' is " +
                               dtypeName(dtypeOf(column.type)));
    if (isData && column.elements() == 0)
      rows = kColumns;
    rows += isData;
  }
  if (options.size > 0 && options.classes > 0 && rows > 0 && rows <= kColumns)
    return Status();
  return Status::error(RP_INVALID_ARGUMENT,
                       "cannot make " + std::to_string(options.size) +
                           " synthetic images of " +
                           formatRow(options.columns.front()) + " in " +
                           std::to_string(options.classes) + " classes");
}

Expected<std::unique_ptr<Dataset>>
reprise::rt::openSyntheticDataset(const SyntheticOptions &options,
                                  Split split) {
  SyntheticOptions complete = options;
  if (complete.columns.empty())
    complete.columns = {imageColumn(options.shape), labelColumn()};
  REPRISE_RETURN_IF_ERROR(checkColumns(complete));
  return std::unique_ptr<Dataset>(
      std::make_unique<SyntheticDataset>(complete, split));
}
