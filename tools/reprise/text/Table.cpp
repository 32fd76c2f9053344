//===- Table.cpp - Tables for people --------------------------------------===//

#include "Table.h"
#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

using namespace reprise::text;

/// Columns on a terminal: bytes that do not continue a UTF-8 sequence.
static size_t widthOf(const std::string &cell) {
  return size_t(std::count_if(cell.begin(), cell.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

void Table::add(std::vector<std::string> cells) {
  assert(cells.size() == columns.size() && "one cell a column");
  rows.push_back(std::move(cells));
}

static void addLine(std::string &text, const std::vector<std::string> &cells,
                    const std::vector<Column> &columns,
                    const std::vector<size_t> &widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    std::string padding(widths[i] - widthOf(cells[i]), ' ');
    bool right = columns[i].align == Align::Right;
    line += (i ? "  " : "") + (right ? padding + cells[i] : cells[i] + padding);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

std::string Table::str() const {
  std::vector<std::string> titles;
  std::vector<size_t> widths;
  for (const Column &column : columns) {
    titles.push_back(column.title);
    widths.push_back(widthOf(column.title));
  }
  for (const std::vector<std::string> &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], widthOf(row[i]));
  std::string text;
  addLine(text, titles, columns, widths);
  for (const std::vector<std::string> &row : rows)
    addLine(text, row, columns, widths);
  return text;
}

void Facts::add(std::string name, std::string value) {
  lines.emplace_back(std::move(name), std::move(value));
}

std::string Facts::str() const {
  size_t width = 0;
  for (const auto &line : lines)
    width = std::max(width, widthOf(line.first));
  std::string text;
  for (const auto &[name, value] : lines)
    text += name + std::string(width - widthOf(name) + 2, ' ') + value + "\n";
  return text;
}

/// Levenshtein's distance.
static size_t distance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string reprise::text::nearest(const std::string &word,
                                   const std::vector<std::string> &candidates) {
  size_t best = std::max<size_t>(1, word.size() / 3) + 1;
  std::string found;
  for (const std::string &candidate : candidates)
    if (size_t d = distance(word, candidate); d < best) {
      best = d;
      found = candidate;
    }
  return found;
}
