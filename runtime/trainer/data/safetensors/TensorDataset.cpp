//===- TensorDataset.cpp - Rows of tensors in a safetensors file ----------===//
//
// Everything is read once at the start, in chunks, to reject values that are
// not finite before a run begins; then rows are read from the file batch by
// batch, so that they take no memory. Labels stay in memory.
//
//===----------------------------------------------------------------------===//
#include "../../HalfPrecision.h"
#include "../DataSource.h"
#include "../IndexCheck.h"
#include "../images/FileEndings.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace reprise::rt;

static Status wrong(const std::string &path, const std::string &what,
                    const char *file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  return Status::error(RP_INVALID_ARGUMENT,
                       "'" + path + "' cannot be used as data: " + what, file,
                       line);
}

static Expected<SafetensorsFile> openTensors(const std::string &path) {
  FileUse use = formatOfName(path).use;
  if (use == FileUse::Image || use == FileUse::UnreadImage)
    return wrong(path, "it is one image; give a folder that holds images in a "
                       "folder for each class");
  return SafetensorsFile::open(path);
}

static std::string describe(const TensorEntry &entry) {
  return "'" + entry.name + "' is " + dtypeName(entry.type) + " of shape " +
         formatShape(entry.shape);
}

namespace {

class TensorDataset final : public Dataset {
public:
  explicit TensorDataset(SafetensorsFile input) : file(std::move(input)) {}
  /// Takes the requested columns, or an image and a label.
  Status take(const DatasetOptions &options);

  uint64_t size() const override { return rows; }
  const std::vector<Column> &columns() const override { return form; }
  int32_t classes() const override { return largest + 1; }
  std::vector<std::string> warnings() const override { return notes; }
  bool shuffledBefore() const override { return false; }
  Status fill(const uint64_t *indices, size_t count,
              void *const *out) const override;

private:
  Status takeColumn(const Column &wanted, bool isNatural);
  Status countRows();
  Status readLabels(const TensorEntry &entry, const DatasetOptions &options);
  Status checkIntegers(const TensorEntry &entry, const Column &column);
  Status checkNumbers(const TensorEntry &entry, const Column &column) const;
  Status fillData(size_t column, const uint64_t *indices, size_t count,
                  uint8_t *out) const;

  SafetensorsFile file;
  std::vector<Column> form;
  std::vector<TensorEntry> entries; // by column
  std::vector<int32_t> labels;
  int32_t largest = -1; // of the labels that are not ignored
  std::vector<std::string> notes;
  uint64_t rows = 0;
  /// Labels that nobody reads may be missing; they are 0.
  bool isUnlabelled = false, lacksLabels = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// Returns true for types that can have values that are not finite.
static bool isReal(DType type) {
  return type == DType::F32 || type == DType::F64 || type == DType::F16 ||
         type == DType::BF16;
}

static bool isInteger(DType type) { return !isReal(type); }

static int64_t integerAt(DType type, const uint8_t *bytes) {
  int32_t narrow = 0;
  int64_t wide = 0;
  switch (type) {
  case DType::I8:
    return static_cast<int8_t>(*bytes);
  case DType::I32:
    std::memcpy(&narrow, bytes, sizeof narrow);
    return narrow;
  case DType::I64:
    std::memcpy(&wide, bytes, sizeof wide);
    return wide;
  default:
    return *bytes;
  }
}

/// Writes an integer that the type can hold.
static void putInteger(DType type, int64_t value, uint8_t *bytes) {
  auto narrow = static_cast<int32_t>(value);
  if (type == DType::I64)
    std::memcpy(bytes, &value, sizeof value);
  else if (type == DType::I32)
    std::memcpy(bytes, &narrow, sizeof narrow);
  else
    *bytes = static_cast<uint8_t>(value);
}

/// "it has no tensor 'x', only 'a' and 'b'".
static std::string lackOf(const std::string &name,
                          const SafetensorsHeader &header) {
  std::string text = "it has no tensor '" + name + "'";
  for (size_t k = 0; k < header.tensors.size() && k < 5; ++k)
    text += (k == 0 ? ", only '" : ", '") + header.tensors[k].name + "'";
  return header.tensors.size() > 5 ? text + ", ..." : text;
}

static Status checkLabel(const std::string &path, const TensorEntry &entry) {
  if ((entry.type != DType::I32 && entry.type != DType::I64) ||
      entry.shape.size() != 1)
    return wrong(path, describe(entry) + ", not I32 or I64 of shape N");
  return Status();
}

/// Checks that an image is a row, a picture or a volume if no program gives its
/// shape.
static Status checkData(const std::string &path, const TensorEntry &entry,
                        const Column &wanted, bool isNatural) {
  DType type = dtypeOf(wanted.type);
  size_t rank = entry.shape.size();
  bool isImage = isNatural || (isReal(type) && wanted.shape.size() == 3);
  bool isVolume = isNatural && rank == 5;
  if (isImage && (entry.type != type || (rank != 2 && rank != 4 && !isVolume)))
    return wrong(path, describe(entry) + ", not " + dtypeName(type) +
                           " of shape NxHxWxC" +
                           (isNatural ? " or NxDxHxWxC" : ""));
  bool isTaken =
      entry.type == type || (isInteger(entry.type) && isInteger(type));
  if (!isTaken || rank == 0)
    return wrong(
        path,
        describe(entry) + ", but the model takes " +
            (isInteger(type) ? "integers" : dtypeName(type)) + " of shape N" +
            (wanted.shape.empty() ? "" : "x" + formatShape(wanted.shape)));
  if (entry.bytes() == 0)
    return wrong(path, describe(entry) + ", so it is empty");
  return Status();
}

/// Returns true if the rows have the requested shape.
static bool hasRows(const TensorEntry &entry, const Column &wanted) {
  return std::equal(entry.shape.begin() + 1, entry.shape.end(),
                    wanted.shape.begin(), wanted.shape.end());
}

/// Rejects images or volumes whose channels seem to come first. Rows of
/// 1x1xC are images of one pixel.
static Status checkLastChannels(const std::string &path,
                                const TensorEntry &entry) {
  const std::vector<int64_t> &shape = entry.shape;
  auto areChannels = [](int64_t extent) { return extent == 1 || extent == 3; };
  if (!isReal(entry.type) || shape.size() < 4 || shape.size() > 5 ||
      areChannels(shape.back()))
    return Status();
  bool isVolume = shape.size() == 5;
  bool areFirst = areChannels(shape[1]) && shape[2] != 1;
  // Frames, each with its channels first, as video readers give them.
  bool areSecond = isVolume && areChannels(shape[2]) && shape[3] != 1;
  if (!areFirst && !areSecond)
    return Status();
  return wrong(
      path, describe(entry) + ", which looks like " +
                (areFirst ? isVolume ? "NxCxDxHxW" : "NxCxHxW" : "NxDxCxHxW") +
                "; rows are " + (isVolume ? "DxHxWxC" : "HxWxC") +
                ": move the channels to the end (where " +
                std::to_string(shape.back()) +
                " channels are meant, say the model's shape: " +
                "--image, --channels" + (isVolume ? ", --frames)" : ")"));
}

Status TensorDataset::takeColumn(const Column &wanted, bool isNatural) {
  const TensorEntry *entry = file.header().find(wanted.name);
  Column column = wanted;
  if (!entry && wanted.role == RP_BINDING_LABEL && isUnlabelled) {
    lacksLabels = true;
    form.push_back(std::move(column));
    entries.push_back({});
    return Status();
  }
  if (!entry)
    return wrong(file.path(), lackOf(wanted.name, file.header()));
  if (wanted.role == RP_BINDING_LABEL) {
    REPRISE_RETURN_IF_ERROR(checkLabel(file.path(), *entry));
  } else {
    REPRISE_RETURN_IF_ERROR(checkData(file.path(), *entry, wanted, isNatural));
    if (isNatural || !hasRows(*entry, wanted))
      REPRISE_RETURN_IF_ERROR(checkLastChannels(file.path(), *entry));
    column.shape.assign(entry->shape.begin() + 1, entry->shape.end());
  }
  form.push_back(std::move(column));
  entries.push_back(*entry);
  return Status();
}

/// Takes the number of rows, which all tensors must have.
Status TensorDataset::countRows() {
  const TensorEntry *first = nullptr;
  for (const TensorEntry &entry : entries) {
    if (entry.shape.empty()) // missing labels
      continue;
    first = first ? first : &entry;
    if (entry.shape[0] != first->shape[0])
      return wrong(file.path(), describe(*first) + ", but " + describe(entry));
  }
  rows = first ? uint64_t(first->shape[0]) : 0;
  if (rows > 0)
    return Status();
  return wrong(file.path(), first ? describe(*first) + ", so it is empty"
                                  : "it has no tensor of the model");
}

Status TensorDataset::readLabels(const TensorEntry &entry,
                                 const DatasetOptions &options) {
  size_t count = size_t(entry.shape[0]);
  int32_t classes = options.classes;
  labels.reserve(count);
  std::vector<int64_t> wide(count);
  if (entry.type == DType::I64) {
    REPRISE_RETURN_IF_ERROR(file.read(entry, wide.data()));
  } else {
    std::vector<int32_t> narrow(count);
    REPRISE_RETURN_IF_ERROR(file.read(entry, narrow.data()));
    std::copy(narrow.begin(), narrow.end(), wide.begin());
  }
  int64_t limit = classes > 0 ? classes : INT32_MAX;
  for (size_t i = 0; i < count; ++i) {
    bool isIgnored = options.ignored && wide[i] == *options.ignored;
    if (!isIgnored && (wide[i] < 0 || wide[i] >= limit))
      return wrong(file.path(),
                   "label " + std::to_string(wide[i]) + " of image " +
                       std::to_string(i) + " is out of range: " +
                       (wide[i] < 0   ? "classes are numbered from "
                                        "0"
                        : classes > 0 ? "the model has " +
                                            std::to_string(classes) + " classes"
                                      : "the largest is 2147483646"));
    labels.push_back(int32_t(wide[i]));
    if (!isIgnored)
      largest = std::max(largest, labels.back());
  }
  return Status();
}

static double numberAt(DType type, const uint8_t *bytes) {
  uint8_t widened[4] = {};
  float single = 0;
  double wide = 0;
  switch (type) {
  case DType::F16:
  case DType::BF16:
    std::memcpy(widened, bytes, 2);
    widenHalves(type == DType::BF16, 1, widened);
    std::memcpy(&single, widened, sizeof single);
    return single;
  case DType::F32:
    std::memcpy(&single, bytes, sizeof single);
    return single;
  default:
    std::memcpy(&wide, bytes, sizeof wide);
    return wide;
  }
}

Status TensorDataset::checkNumbers(const TensorEntry &entry,
                                   const Column &column) const {
  if (!isReal(entry.type))
    return Status();
  size_t width = dtypeBytes(entry.type);
  std::vector<uint8_t> chunk(size_t(1) << 20);
  for (uint64_t at = 0; at < entry.bytes(); at += chunk.size()) {
    size_t n = size_t(std::min<uint64_t>(chunk.size(), entry.bytes() - at));
    REPRISE_RETURN_IF_ERROR(file.readPart(entry, at, chunk.data(), n));
    for (size_t i = 0; i < n; i += width)
      if (double number = numberAt(entry.type, &chunk[i]);
          !std::isfinite(number))
        return wrong(file.path(),
                     "image " + std::to_string((at + i) / column.bytes()) +
                         " has a value that is not finite (" +
                         std::to_string(number) + ") in '" + entry.name + "'");
      else if (!column.holds((at + i) / width % column.elements(), number))
        return wrong(file.path(),
                     "row " + std::to_string((at + i) / column.bytes()) +
                         " of '" + entry.name + "' has " +
                         std::to_string(number) +
                         ", but the loss takes numbers from 0 to 1 there");
  }
  return Status();
}

/// Rejects integers that the program's type cannot hold, and classes that are
/// out of range; counts row indices that are.
Status TensorDataset::checkIntegers(const TensorEntry &entry,
                                    const Column &column) {
  size_t width = dtypeBytes(entry.type), elements = column.elements();
  // The caller rejects rows that do not fit the program.
  for (const IndexRange &range : column.ranges)
    if (range.runs.back().second > elements)
      return Status();
  size_t together = std::max<size_t>((size_t(1) << 20) / (elements * width), 1);
  std::vector<uint8_t> chunk;
  std::vector<int64_t> wide(elements);
  IndexCheck check(column);
  for (uint64_t row = 0; row < rows; ++row) {
    size_t at = row % together;
    if (at == 0) {
      chunk.resize(std::min<uint64_t>(together, rows - row) * elements * width);
      REPRISE_RETURN_IF_ERROR(file.readPart(entry, row * elements * width,
                                            chunk.data(), chunk.size()));
    }
    for (size_t k = 0; k < elements; ++k) {
      wide[k] = integerAt(entry.type, &chunk[(at * elements + k) * width]);
      bool fits = column.type == RP_I1    ? wide[k] == 0 || wide[k] == 1
                  : column.type == RP_I32 ? wide[k] == int32_t(wide[k])
                                          : true;
      if (!fits)
        return wrong(file.path(),
                     "row " + std::to_string(row) + " of '" + entry.name +
                         "' has " + std::to_string(wide[k]) +
                         ", which the program's " +
                         dtypeName(dtypeOf(column.type)) + " cannot hold");
    }
    if (Status good = check.add(row, wide.data()); !good.ok())
      return wrong(file.path(), good.message());
  }
  for (const std::string &note : check.notes())
    notes.push_back("'" + file.path() + "': " + note);
  return Status();
}

Status TensorDataset::take(const DatasetOptions &options) {
  isUnlabelled = options.isUnlabelled;
  bool isNatural = options.columns.empty();
  if (isNatural) {
    // If only one of the two is missing, the error names it.
    REPRISE_RETURN_IF_ERROR(takeColumn(imageColumn({}), isNatural));
    REPRISE_RETURN_IF_ERROR(takeColumn(labelColumn(), isNatural));
  }
  for (const Column &column : options.columns)
    REPRISE_RETURN_IF_ERROR(takeColumn(column, isNatural));
  REPRISE_RETURN_IF_ERROR(countRows());
  if (lacksLabels)
    labels.assign(rows, 0);
  for (size_t i = 0; i < form.size(); ++i) {
    bool isLabel = form[i].role == RP_BINDING_LABEL;
    if (isLabel && lacksLabels)
      continue;
    REPRISE_RETURN_IF_ERROR(isLabel ? readLabels(entries[i], options)
                                    : checkNumbers(entries[i], form[i]));
    if (isInteger(entries[i].type))
      REPRISE_RETURN_IF_ERROR(checkIntegers(entries[i], form[i]));
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Status TensorDataset::fillData(size_t column, const uint64_t *indices,
                               size_t count, uint8_t *out) const {
  const TensorEntry &entry = entries[column];
  DType wanted = dtypeOf(form[column].type);
  size_t elements = form[column].elements();
  size_t bytes = elements * dtypeBytes(entry.type);
  bool converts = entry.type != wanted;
  std::vector<uint8_t> stored(converts ? count * bytes : 0);
  uint8_t *read = converts ? stored.data() : out;
  for (size_t i = 0; i < count;) {
    size_t run = 1; // neighbours are read in one call
    while (i + run < count && indices[i + run] == indices[i] + run)
      ++run;
    REPRISE_RETURN_IF_ERROR(file.readPart(entry, indices[i] * bytes,
                                          read + i * bytes, run * bytes));
    i += run;
  }
  for (size_t k = 0; converts && k < count * elements; ++k)
    putInteger(wanted, integerAt(entry.type, read + k * dtypeBytes(entry.type)),
               out + k * dtypeBytes(wanted));
  return Status();
}

Status TensorDataset::fill(const uint64_t *indices, size_t count,
                           void *const *out) const {
  for (size_t c = 0; c < form.size(); ++c) {
    if (form[c].role != RP_BINDING_LABEL) {
      REPRISE_RETURN_IF_ERROR(
          fillData(c, indices, count, static_cast<uint8_t *>(out[c])));
      continue;
    }
    for (size_t i = 0; i < count; ++i)
      static_cast<int32_t *>(out[c])[i] = labels[indices[i]];
  }
  return Status();
}

Expected<std::unique_ptr<Dataset>>
reprise::rt::openTensorDataset(const std::string &path,
                               const DatasetOptions &options) {
  REPRISE_EXPECT(file, openTensors(path));
  auto data = std::make_unique<TensorDataset>(std::move(*file));
  REPRISE_RETURN_IF_ERROR(data->take(options));
  return std::unique_ptr<Dataset>(std::move(data));
}

namespace {

class SafetensorsSource final : public DataSource {
public:
  bool takes(const std::string &, PathKind kind) const override {
    return kind == PathKind::File;
  }
  DataTraits traits(const DataSpec &) const override {
    DataTraits traits;
    traits.namesColumns = true;
    return traits;
  }
  Expected<std::unique_ptr<Dataset>>
  open(const DataSpec &spec, Split,
       const DatasetOptions &options) const override {
    DatasetOptions wanted = options;
    wanted.isUnlabelled = spec.isUnlabelled;
    return openTensorDataset(spec.source, wanted);
  }
  Expected<DatasetExtent>
  measure(const DataSpec &spec, Split,
          const std::vector<Column> &columns) const override;
};

} // namespace

Expected<DatasetExtent>
SafetensorsSource::measure(const DataSpec &spec, Split,
                           const std::vector<Column> &columns) const {
  REPRISE_EXPECT(file, openTensors(spec.source));
  std::vector<Column> wanted = columns;
  if (wanted.empty())
    wanted = {imageColumn({}), labelColumn()};
  DatasetExtent extent;
  bool hasLabel = false;
  for (const Column &column : wanted) {
    const TensorEntry *entry = file->header().find(column.name);
    if (!entry && column.role == RP_BINDING_LABEL && spec.isUnlabelled)
      continue;
    if (!entry)
      return wrong(spec.source, lackOf(column.name, file->header()));
    if (entry->shape.empty())
      return wrong(spec.source, describe(*entry) + ", which has no rows");
    extent.images = uint64_t(entry->shape[0]);
    hasLabel |= column.role == RP_BINDING_LABEL;
  }
  // Labels as they are, as read, and widened for checking.
  if (hasLabel)
    extent.hostBytes = extent.images * (2 * sizeof(int32_t) + sizeof(int64_t));
  return extent;
}

const DataSource &reprise::rt::safetensorsSource() {
  static const SafetensorsSource source;
  return source;
}
