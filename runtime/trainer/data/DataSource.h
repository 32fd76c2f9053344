//===- DataSource.h - A kind of data ----------------------------*- C++ -*-===//
//
// A new kind is a folder next to this header with a function that returns its
// only object, and a line of Sources.def.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_DATASOURCE_H
#define REPRISE_RUNTIME_TRAINER_DATA_DATASOURCE_H

#include "reprise/Runtime/Trainer/Dataset.h"

namespace reprise::rt {

/// The type of a path in the file system.
enum class PathKind { Nothing, File, Directory };

class DataSource {
public:
  virtual ~DataSource() = default;
  /// Returns true if `--data` names this kind.
  virtual bool takes(const std::string &source, PathKind kind) const = 0;
  virtual DataTraits traits(const DataSpec &spec) const = 0;
  virtual Expected<std::unique_ptr<Dataset>>
  open(const DataSpec &spec, Split split,
       const DatasetOptions &options) const = 0;
  virtual Expected<DatasetExtent>
  measure(const DataSpec &spec, Split split,
          const std::vector<Column> &columns) const = 0;
};

#define DATA_SOURCE(NAME) const DataSource &NAME##Source();
#include "Sources.def"
#undef DATA_SOURCE

/// Returns the purpose of a split by its name, ignoring case: "train" (or
/// training), "val" (valid, validation), "test" (testing); "" for other names.
std::string purposeOf(const std::string &name);

/// The indices of image and label among the requested columns, for data of
/// images and labels without names.
struct LabelledImages {
  std::vector<Column> columns;
  size_t image = 0;
  std::optional<size_t> label;
};

/// Uses the only data column, F32, for the image. Fails if there are several,
/// or others.
Expected<LabelledImages> labelledImages(const std::string &source,
                                        const std::vector<Column> &wanted,
                                        const ImageShape &shape);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_DATASOURCE_H
