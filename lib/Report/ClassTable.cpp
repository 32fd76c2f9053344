//===- ClassTable.cpp - Evaluation results by class -----------------------===//

#include "reprise/Report/ClassTable.h"
#include "reprise/Runtime/NameText.h"
#include "reprise/Text/Printable.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

namespace {
struct ClassCounts {
  uint64_t images = 0, taken = 0, both = 0;
  std::optional<double> precision() const { return part(taken); }
  std::optional<double> recall() const { return part(images); }

private:
  std::optional<double> part(uint64_t of) const {
    return of ? std::optional<double>(double(both) / double(of)) : std::nullopt;
  }
};
} // namespace

static ClassCounts countsOf(const rt::EvaluateResult &result, size_t number) {
  auto classes = size_t(result.classes);
  ClassCounts counts;
  for (size_t other = 0; other < classes; ++other) {
    counts.images += result.confusion[number * classes + other];
    counts.taken += result.confusion[other * classes + number];
  }
  counts.both = result.confusion[number * classes + number];
  return counts;
}

/// Returns the name of a class, or its number if it has none.
static std::string nameOf(const rt::EvaluateResult &result, size_t number) {
  return number < result.classNames.size() ? result.classNames[number]
                                           : std::to_string(number);
}

std::string driver::classTable(const rt::EvaluateResult &result) {
  auto shown = [](std::optional<double> value) {
    return value ? text::formatFixed(*value, 4) : std::string("-");
  };
  text::Table table(
      {{"class", text::Align::Left}, {"images"}, {"precision"}, {"recall"}});
  for (size_t i = 0; i < size_t(result.classes); ++i) {
    ClassCounts counts = countsOf(result, i);
    table.add({text::printable(rt::nameText(nameOf(result, i))),
               text::formatInteger(counts.images), shown(counts.precision()),
               shown(counts.recall())});
  }
  return table.str();
}

void driver::addClassJson(const rt::EvaluateResult &result,
                          nlohmann::ordered_json &json) {
  auto value = [](std::optional<double> part) {
    return part ? nlohmann::ordered_json(*part) : nlohmann::ordered_json();
  };
  nlohmann::ordered_json &list = json["per_class"];
  list = nlohmann::ordered_json::array();
  for (size_t i = 0; i < size_t(result.classes); ++i) {
    ClassCounts counts = countsOf(result, i);
    list.push_back({{"class", text::printable(nameOf(result, i))},
                    {"images", counts.images},
                    {"precision", value(counts.precision())},
                    {"recall", value(counts.recall())}});
  }
}

static std::string quoted(const std::string &cell) {
  if (cell.find_first_of(",\"\r\n") == cell.npos)
    return cell;
  std::string text = "\"";
  for (char c : cell)
    text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::string driver::confusionCsv(const rt::EvaluateResult &result) {
  auto classes = size_t(result.classes);
  std::string text = "label";
  for (size_t i = 0; i < classes; ++i)
    text += "," + quoted(nameOf(result, i));
  text += "\n";
  for (size_t i = 0; i < classes; ++i) {
    text += quoted(nameOf(result, i));
    for (size_t j = 0; j < classes; ++j)
      text += "," + std::to_string(result.confusion[i * classes + j]);
    text += "\n";
  }
  return text;
}
