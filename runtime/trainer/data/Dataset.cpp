//===- Dataset.cpp - Rows, and the kinds of data --------------------------===//

#include "DataSource.h"
#include "images/ClassFolders.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/NameText.h"
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <sys/stat.h>

using namespace reprise::rt;

static std::vector<const DataSource *> sources() {
  return {
#define DATA_SOURCE(NAME) &NAME##Source(),
#include "Sources.def"
#undef DATA_SOURCE
  };
}

Dataset::~Dataset() = default;

Expected<int32_t> Dataset::label(uint64_t index) const {
  std::vector<std::vector<uint8_t>> row;
  std::vector<void *> places;
  const int32_t *found = nullptr;
  for (const Column &column : columns()) {
    row.emplace_back(column.bytes());
    places.push_back(row.back().data());
    if (column.role == RP_BINDING_LABEL)
      found = reinterpret_cast<const int32_t *>(row.back().data());
  }
  if (!found)
    return Status::error(RP_INVALID_ARGUMENT, "these data have no labels");
  REPRISE_RETURN_IF_ERROR(fill(&index, 1, places.data()));
  return *found;
}

std::vector<std::string> reprise::rt::absentClasses(const Dataset &data) {
  const std::vector<std::string> names = data.classNames();
  std::vector<bool> isThere(names.size());
  for (uint64_t row = 0; !names.empty() && row < data.size(); ++row)
    if (Expected<int32_t> label = data.label(row);
        label.ok() && size_t(*label) < names.size())
      isThere[size_t(*label)] = true;
  std::vector<std::string> absent;
  for (size_t i = 0; i < names.size(); ++i)
    if (!isThere[i])
      absent.push_back(names[i]);
  return absent;
}

Expected<std::array<int64_t, 2>> Dataset::imageSize(uint64_t) const {
  return Status::error(RP_INVALID_ARGUMENT,
                       "all images of these data are of one size");
}

Status Dataset::identify(uint64_t index, std::vector<uint8_t> &bytes) const {
  size_t total = 0;
  for (const Column &column : columns())
    total += column.bytes();
  // One byte more, so that an empty column has a valid address.
  bytes.resize(total + 1);
  std::vector<void *> places;
  size_t place = 0;
  for (const Column &column : columns()) {
    places.push_back(bytes.data() + place);
    place += column.bytes();
  }
  REPRISE_RETURN_IF_ERROR(fill(&index, 1, places.data()));
  bytes.resize(total);
  return Status();
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

size_t Column::elements() const {
  size_t product = 1;
  for (int64_t extent : shape)
    product *= size_t(extent);
  return product;
}

bool Column::holds(size_t element, double number) const {
  for (const IndexRange &range : ranges) {
    bool isOutside = range.use == RP_INDEX_PROBABILITY &&
                     !(number >= 0 && number <= double(range.limit));
    for (auto [begin, end] : range.runs)
      if (isOutside && begin <= element && element < end)
        return false;
  }
  return true;
}

size_t Column::bytes() const { return elements() * dtypeBytes(dtypeOf(type)); }

std::string reprise::rt::formatImageShape(const ImageShape &shape) {
  return std::to_string(shape.height) + "x" + std::to_string(shape.width) +
         "x" + std::to_string(shape.channels);
}

std::string reprise::rt::formatRow(const Column &column) {
  if (column.shape.size() == 1)
    return formatImageShape({1, 1, column.shape[0]});
  return formatShape(column.shape);
}

ImageShape reprise::rt::imageShapeOf(const Column &column) {
  if (size_t rank = column.shape.size(); rank == 3 || rank == 4)
    return {column.shape[rank - 3], column.shape[rank - 2],
            column.shape[rank - 1]};
  return {1, 1, int64_t(column.elements())};
}

Column reprise::rt::imageColumn(const ImageShape &shape, std::string name) {
  return {std::move(name),
          RP_BINDING_DATA,
          RP_F32,
          {shape.height, shape.width, shape.channels}};
}

Column reprise::rt::labelColumn(std::string name) {
  return {std::move(name), RP_BINDING_LABEL, RP_I32, {}};
}

Expected<LabelledImages>
reprise::rt::labelledImages(const std::string &source,
                            const std::vector<Column> &wanted,
                            const ImageShape &shape) {
  if (wanted.empty())
    return LabelledImages{{imageColumn(shape), labelColumn()}, 0, 1};
  LabelledImages result;
  size_t images = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    bool isLabel = wanted[i].role == RP_BINDING_LABEL;
    result.columns.push_back(isLabel ? labelColumn(wanted[i].name)
                                     : imageColumn(shape, wanted[i].name));
    if (isLabel)
      result.label = i;
    else
      result.image = i;
    images += !isLabel;
    if (!isLabel && wanted[i].type != RP_F32)
      return Status::error(RP_INVALID_ARGUMENT,
                           "'" + source +
                               "' holds images, which are F32, but "
                               "the program's input '" +
                               wanted[i].name + "' is " +
                               dtypeName(dtypeOf(wanted[i].type)));
  }
  if (images == 1)
    return result;
  return Status::error(RP_INVALID_ARGUMENT,
                       "'" + source +
                           "' holds images and labels without "
                           "names, but the program takes " +
                           std::to_string(images) +
                           " inputs of data; give them by name in a "
                           ".safetensors file");
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

static PathKind kindOf(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return PathKind::Nothing;
  return S_ISDIR(info.st_mode) ? PathKind::Directory : PathKind::File;
}

/// Settings of images do not apply to other data.
static Status checkImages(const DataSource &source, const DataSpec &spec) {
  DataTraits traits = source.traits(spec);
  bool maySkip = traits.anySize || traits.hasFiles;
  bool mayScale = traits.anySize || traits.isScaled;
  if ((!spec.images.hasSteps() || traits.anySize) &&
      (!spec.images.skipBadFiles || maySkip) &&
      (spec.images.normalize.empty() || mayScale))
    return spec.images.orientation.empty() || traits.areVolumes
               ? Status()
               : Status::error(RP_INVALID_ARGUMENT,
                               "'" + spec.source +
                                   "' holds no files of volumes, which "
                                   "--orientation is for");
  return Status::error(RP_INVALID_ARGUMENT,
                       "'" + spec.source +
                           "' holds no files of images, which --train-images, "
                           "--eval-images" +
                           (maySkip ? "" : ", --skip-bad-files") +
                           (mayScale ? "" : ", --normalize") + " are for");
}

static Expected<const DataSource *> findSource(const DataSpec &spec) {
  PathKind kind = kindOf(spec.source);
  int reason = kind == PathKind::Nothing ? errno : 0;
  if (spec.isUnlabelled && kind == PathKind::Directory &&
      holdsImages(spec.source))
    return &imagesSource();
  for (const DataSource *source : sources())
    if (source->takes(spec.source, kind))
      return source;
  return systemError("open data", spec.source, reason);
}

DataTraits reprise::rt::traitsOf(const DataSpec &spec) {
  Expected<const DataSource *> source = findSource(spec);
  return source.ok() ? (*source)->traits(spec) : DataTraits();
}

bool DataTraits::hasTraining() const {
  return splits.empty() ||
         std::any_of(splits.begin(), splits.end(), [](const NamedSplit &one) {
           return one.split == Split::Train;
         });
}

std::string reprise::rt::purposeOf(const std::string &name) {
  std::string lower = name;
  for (char &c : lower)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  static const std::map<std::string, std::string> purposes = {
      {"train", "train"}, {"training", "train"}, {"val", "val"},
      {"valid", "val"},   {"validation", "val"}, {"test", "test"},
      {"testing", "test"}};
  auto it = purposes.find(lower);
  return it == purposes.end() ? std::string() : it->second;
}

Expected<NamedSplit> reprise::rt::findSplit(const DataSpec &spec,
                                            const std::string &name) {
  REPRISE_EXPECT(source, findSource(spec));
  const std::vector<NamedSplit> splits = (*source)->traits(spec).splits;
  for (const NamedSplit &one : splits)
    if (one.name == name)
      return one;
  for (const NamedSplit &one : splits)
    if (purposeOf(one.name) == name)
      return one;
  if (splits.empty() && (name == "train" || name == "test"))
    return NamedSplit{"", name == "train" ? Split::Train : Split::Test};
  std::string there;
  for (const NamedSplit &one : splits)
    there += (there.empty() ? "'" : ", '") + nameText(one.name) + "'";
  return Status::error(
      RP_INVALID_ARGUMENT,
      "'" + nameText(spec.source) + "' has no split '" + nameText(name) +
          "'; " +
          (splits.empty() ? "its rows are one set" : "there are " + there));
}

Expected<std::unique_ptr<Dataset>>
reprise::rt::openDataset(const DataSpec &spec, Split split,
                         const DatasetOptions &options) {
  REPRISE_EXPECT(source, findSource(spec));
  REPRISE_RETURN_IF_ERROR(checkImages(**source, spec));
  DatasetOptions wanted = options;
  if (spec.normalization)
    wanted.normalization = spec.normalization;
  return (*source)->open(spec, split, wanted);
}

Expected<DatasetExtent>
reprise::rt::measureDataset(const DataSpec &spec, Split split,
                            const std::vector<Column> &columns) {
  REPRISE_EXPECT(source, findSource(spec));
  return (*source)->measure(spec, split, columns);
}
