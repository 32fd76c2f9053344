//===- IndexCheck.h - Check that integers are in range ----------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_INDEXCHECK_H
#define REPRISE_RUNTIME_TRAINER_DATA_INDEXCHECK_H

#include "reprise/Runtime/Trainer/Dataset.h"

namespace reprise::rt {

/// Checks the rows of a column, which must outlive it, one after another.
class IndexCheck {
public:
  explicit IndexCheck(const Column &column);
  /// Fails for the first of a row's elements that is not a class.
  Status add(uint64_t row, const int64_t *elements);
  /// Returns one sentence for each range that has elements outside its table.
  std::vector<std::string> notes() const;

private:
  struct Outside {
    uint64_t count = 0, all = 0;
    std::string first;
  };

  const Column &column;
  std::vector<Outside> outside; // by range
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_INDEXCHECK_H
