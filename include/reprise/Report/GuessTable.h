//===- GuessTable.h - The likeliest classes of rows -------------*- C++ -*-===//
#ifndef REPRISE_REPORT_GUESSTABLE_H
#define REPRISE_REPORT_GUESSTABLE_H

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace reprise::driver {

/// A class of a row.
struct Guess {
  int32_t number = 0;
  double probability = 0; // by a softmax over all classes
  float logit = 0;
};

/// The classes of a row, the likeliest first.
struct GuessedRow {
  std::string name;
  std::vector<Guess> guesses;
};

/// Returns the `top` classes of the largest of `classes` logits; equal ones are
/// in the order of their numbers.
std::vector<Guess> likeliest(const float *logits, int32_t classes, int64_t top);

/// The functions below print the classes' `names`, by number; a class without
/// one prints its number.

/// Returns a line for each row: its name, classes and percentages.
std::string guessTable(const std::vector<GuessedRow> &rows,
                       const std::vector<std::string> &names);

/// Returns CSV (RFC 4180): a title line, then a line for each class of a row.
std::string guessCsv(const std::vector<GuessedRow> &rows,
                     const std::vector<std::string> &names);

/// Adds an object for each row as "rows".
void addGuessJson(const std::vector<GuessedRow> &rows,
                  const std::vector<std::string> &names,
                  nlohmann::ordered_json &json);

} // namespace reprise::driver

#endif // REPRISE_REPORT_GUESSTABLE_H
