//===- GuessTable.cpp - The likeliest classes of rows ---------------------===//

#include "reprise/Report/GuessTable.h"
#include "reprise/Runtime/NameText.h"
#include "reprise/Runtime/Trainer/RunSettings.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

using namespace reprise;
using namespace reprise::driver;

std::vector<Guess> driver::likeliest(const float *logits, int32_t classes,
                                     int64_t top) {
  std::vector<int32_t> order(size_t(classes), 0);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return logits[a] > logits[b]; });
  double sum = 0, largest = double(logits[order.front()]);
  for (int32_t k = 0; k < classes; ++k)
    sum += std::exp(double(logits[k]) - largest);
  order.resize(size_t(std::min<int64_t>(classes, top)));
  std::vector<Guess> guesses;
  for (int32_t k : order)
    guesses.push_back(
        {k, std::exp(double(logits[k]) - largest) / sum, logits[k]});
  return guesses;
}

static std::string nameOf(const Guess &guess,
                          const std::vector<std::string> &names) {
  auto number = size_t(guess.number);
  return number < names.size() ? names[number] : std::to_string(number);
}

std::string driver::guessTable(const std::vector<GuessedRow> &rows,
                               const std::vector<std::string> &names) {
  text::Facts lines;
  for (const GuessedRow &row : rows) {
    std::string guesses;
    for (const Guess &guess : row.guesses)
      guesses += (guesses.empty() ? "" : ", ") +
                 rt::nameText(nameOf(guess, names)) + " " +
                 text::formatFixed(guess.probability * 100, 2) + "%";
    lines.add(rt::nameText(row.name), guesses);
  }
  return lines.str();
}

/// Quotes a value if it must be.
static std::string csvText(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string driver::guessCsv(const std::vector<GuessedRow> &rows,
                             const std::vector<std::string> &names) {
  std::string text = "row,rank,class,number,probability,logit\n";
  for (const GuessedRow &row : rows)
    for (size_t i = 0; i < row.guesses.size(); ++i) {
      const Guess &guess = row.guesses[i];
      text += csvText(row.name) + "," + std::to_string(i + 1) + "," +
              csvText(nameOf(guess, names)) + "," +
              std::to_string(guess.number) + "," +
              rt::settingNumber(guess.probability) + "," +
              rt::settingNumber(double(guess.logit)) + "\n";
    }
  return text;
}

void driver::addGuessJson(const std::vector<GuessedRow> &rows,
                          const std::vector<std::string> &names,
                          nlohmann::ordered_json &json) {
  auto all = nlohmann::ordered_json::array();
  for (const GuessedRow &row : rows) {
    auto guesses = nlohmann::ordered_json::array();
    for (const Guess &guess : row.guesses)
      guesses.push_back({{"class", rt::nameText(nameOf(guess, names))},
                         {"number", guess.number},
                         {"probability", guess.probability},
                         {"logit", guess.logit}});
    all.push_back({{"row", rt::nameText(row.name)}, {"top", guesses}});
  }
  json["rows"] = all;
}
