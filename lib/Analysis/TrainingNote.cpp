//===- TrainingNote.cpp - Texts of compilation settings -------------------===//

#include "reprise/Analysis/TrainingNote.h"
#include <charconv>

using namespace reprise;

std::string reprise::exactText(double value) {
  char digits[64];
  auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return std::string(digits, end);
}

std::vector<std::string> OptimizerSettings::numbers() const {
  std::vector<std::string> words;
  for (const auto &[name, value] : values)
    words.push_back(name + "=" + exactText(value));
  return words;
}

std::string OptimizerSettings::text() const {
  std::string text = termName(kind);
  for (const std::string &word : numbers())
    text += " " + word;
  return text;
}

bool reprise::readHyperparameter(std::string_view text,
                                 HyperparameterValues &values) {
  size_t sign = text.find('=');
  if (sign == text.npos)
    return false;
  const char *end = text.data() + text.size();
  double value = 0;
  auto [stop, error] = std::from_chars(text.data() + sign + 1, end, value);
  if (error != std::errc() || stop != end)
    return false;
  values[std::string(text.substr(0, sign))] = value;
  return true;
}
