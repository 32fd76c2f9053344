//===- KeptFiles.h - Files used as rows, without bad ones -------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_KEPTFILES_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_KEPTFILES_H

#include "ImageDataset.h"
#include <functional>

namespace reprise::rt {

/// Maps rows to files, or to clips of several.
class KeptFiles {
public:
  /// Fails for errors that end the run; otherwise sets whether the file is left
  /// out. Called on several threads.
  using Look = std::function<Status(uint64_t file, bool &isBad)>;

  using Name = std::function<std::string(uint64_t file)>;

  /// Keeps all of them; `files` must outlive this.
  explicit KeptFiles(const ImageFiles &files)
      : KeptFiles(
            files.size(), [&files](uint64_t file) { return files.name(file); },
            files.skipped()) {}
  KeptFiles(uint64_t count, Name name, SkippedRows skipped)
      : count(count), name(std::move(name)), left(std::move(skipped)) {}
  uint64_t size() const { return isPruned ? kept.size() : count; }
  uint64_t fileOf(uint64_t row) const { return isPruned ? kept[row] : row; }
  /// Returns the rows left out of the list, and by prune.
  const SkippedRows &skipped() const { return left; }
  /// Leaves out the files that `look` reports as bad.
  Status prune(unsigned threads, const Look &look);
  /// Calls `check` for every kept file that it reaches before `until`, on
  /// several threads; returns their number, or the failure of the first.
  Expected<uint64_t>
  checkAll(unsigned threads, Dataset::Moment until,
           const std::function<Status(uint64_t file)> &check) const;
  /// Returns the error that nothing of `source` is left; `what` names one item.
  Status noneLeft(const std::string &source, const char *what) const;

private:
  uint64_t count;
  Name name;
  bool isPruned = false;
  std::vector<uint64_t> kept; // if some were left out
  SkippedRows left;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_KEPTFILES_H
