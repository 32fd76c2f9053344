//===- KeptFiles.h - Files that are rows, without the bad ones --*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_KEPTFILES_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_KEPTFILES_H

#include "ImageDataset.h"
#include <functional>

namespace reprise::rt {

/// Rows, and the file that each of them is.
class KeptFiles {
public:
  /// Fails for what ends the run; else says whether the file is left out.
  /// Called on several threads.
  using Look = std::function<Status(uint64_t file, bool &isBad)>;

  /// All of them; `files` outlives this.
  explicit KeptFiles(const ImageFiles &files)
      : files(files), left(files.skipped()) {}
  uint64_t size() const { return isPruned ? kept.size() : files.size(); }
  uint64_t fileOf(uint64_t row) const { return isPruned ? kept[row] : row; }
  /// What was left out of the list, and by prune.
  const SkippedRows &skipped() const { return left; }
  /// Leaves out what `look` finds bad.
  Status prune(unsigned threads, const Look &look);
  /// Calls `check` of every file that is kept, on several threads; returns the
  /// failure of the first.
  Status checkAll(unsigned threads,
                  const std::function<Status(uint64_t file)> &check) const;
  /// That nothing is left of `source`; `what` is one of them.
  Status noneLeft(const std::string &source, const char *what) const;

private:
  const ImageFiles &files;
  bool isPruned = false;
  std::vector<uint64_t> kept; // where some were left out
  SkippedRows left;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_KEPTFILES_H
