//===- IndexCheck.cpp - Check that integers are in range ------------------===//

#include "IndexCheck.h"

using namespace reprise::rt;

IndexCheck::IndexCheck(const Column &column)
    : column(column), outside(column.ranges.size()) {}

Status IndexCheck::add(uint64_t row, const int64_t *elements) {
  for (size_t r = 0; r < outside.size(); ++r) {
    const IndexRange &range = column.ranges[r];
    for (auto [begin, end] : range.runs)
      for (size_t k = begin; k < end; ++k) {
        ++outside[r].all;
        int64_t value = elements[k];
        if (range.holds(value))
          continue;
        std::string place =
            std::to_string(value) + " of row " + std::to_string(row) +
            (column.elements() == 1 ? std::string()
                                    : ", element " + std::to_string(k));
        if (range.use == RP_INDEX_CLASS)
          return Status::error(
              RP_INVALID_ARGUMENT,
              "'" + column.name + "' has the class " + place +
                  ", which is out of range: the model has " +
                  std::to_string(range.limit) +
                  " classes, numbered from 0; --ignore-index " +
                  std::to_string(value) + " leaves it out");
        if (outside[r].count++ == 0)
          outside[r].first = place;
      }
  }
  return Status();
}

std::vector<std::string> IndexCheck::notes() const {
  std::vector<std::string> texts;
  for (size_t r = 0; r < outside.size(); ++r)
    if (outside[r].count > 0)
      texts.push_back(
          std::to_string(outside[r].count) + " of " +
          std::to_string(outside[r].all) + " indices in '" + column.name +
          "' are out of range, the first of them " + outside[r].first +
          "; the model gathers zeros where its table has no such row (it has " +
          std::to_string(column.ranges[r].limit) + ", numbered from 0)");
  return texts;
}
