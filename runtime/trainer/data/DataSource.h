//===- DataSource.h - A kind of data ----------------------------*- C++ -*-===//
//
// A new kind is a folder beside this header with a function that returns its
// only object, and a line of Sources.def.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_DATASOURCE_H
#define REPRISE_RUNTIME_TRAINER_DATA_DATASOURCE_H

#include "reprise/Runtime/Trainer/Dataset.h"

namespace reprise::rt {

/// What a name leads to in the file system.
enum class PathKind { Nothing, File, Directory };

class DataSource {
public:
  virtual ~DataSource() = default;
  /// Whether `--data` names this kind.
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

/// The purpose of a split by its name, in any case of letters: "train" (or
/// training), "val" (valid, validation), "test" (testing); "" for other names.
std::string purposeOf(const std::string &name);

/// For data that are images and labels without names: the places of both among
/// the columns that are wanted.
struct LabelledImages {
  std::vector<Column> columns;
  size_t image = 0;
  std::optional<size_t> label;
};

/// Gives the image to the only data column, F32. Fails where there are more,
/// or others.
Expected<LabelledImages> labelledImages(const std::string &source,
                                        const std::vector<Column> &wanted,
                                        const ImageShape &shape);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_DATASOURCE_H
