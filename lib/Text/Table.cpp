//===- Table.cpp - Tables for people --------------------------------------===//

#include "reprise/Text/Table.h"
#include <algorithm>
#include <cassert>

using namespace reprise::text;

/// Returns the columns on a terminal: bytes that do not continue a UTF-8
/// sequence.
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

std::string reprise::text::wrap(const std::string &text, size_t width) {
  std::string lines;
  size_t column = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(' ', at), text.size());
    bool fits = column + 1 + (end - at) <= width;
    if (column)
      lines += fits ? ' ' : '\n';
    column = (column && fits ? column + 1 : 0) + (end - at);
    lines.append(text, at, end - at);
    at = end + 1;
  }
  return lines;
}

/// Returns the number of letters inserted, removed, changed or swapped with
/// their neighbour (optimal string alignment).
static size_t distance(const std::string &a, const std::string &b) {
  std::vector<std::vector<size_t>> d(a.size() + 1,
                                     std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (!i || !j) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                          d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
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
