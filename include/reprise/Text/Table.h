//===- Table.h - Tables for people ------------------------------*- C++ -*-===//
#ifndef REPRISE_TEXT_TABLE_H
#define REPRISE_TEXT_TABLE_H

#include <string>
#include <vector>

namespace reprise::text {

enum class Align { Left, Right };

struct Column {
  std::string title;
  Align align = Align::Right;
};

/// Columns as wide as their widest cell, two spaces apart, no spaces at the
/// ends of lines.
class Table {
public:
  explicit Table(std::vector<Column> columns) : columns(std::move(columns)) {}
  /// Adds one cell per column.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows.empty(); }
  /// Returns the title line and rows, each with a line end.
  std::string str() const;

private:
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// "name:   value" lines with the values in one column.
class Facts {
public:
  void add(std::string name, std::string value);
  std::string str() const;

private:
  std::vector<std::pair<std::string, std::string>> lines;
};

/// Returns `text` in lines of at most `width` bytes, broken at spaces.
std::string wrap(const std::string &text, size_t width);

/// Returns the most similar candidate, or "": the one with the least number of
/// letters inserted, removed, changed or swapped, and at most a third of the
/// word's.
std::string nearest(const std::string &word,
                    const std::vector<std::string> &candidates);

} // namespace reprise::text

#endif // REPRISE_TEXT_TABLE_H
