//===- Keys.cpp - The keys of a recipe ------------------------------------===//
//
// A key for each line of Settings.def.
//
//===----------------------------------------------------------------------===//
#include "reprise/CheckpointingModes.h"
#include "reprise/Recipe/Recipe.h"
#include "reprise/TrainingTerms.h"
#include <algorithm>

using namespace reprise;
using namespace reprise::recipe;

Key &Key::usually(std::string value) {
  usual = std::move(value);
  isExample = false;
  return *this;
}

Key &Key::example(std::string value) {
  usual = std::move(value);
  isExample = true;
  return *this;
}

Key &Key::choose(std::vector<std::string> words) {
  choices = std::move(words);
  return *this;
}

Key &Key::orOff(std::string otherOption, std::string text) {
  off = std::move(otherOption);
  offHelp = std::move(text);
  return *this;
}

Key &Key::beside() {
  isOfRun = false;
  return *this;
}

Key &Key::typed(std::string name) {
  type = std::move(name);
  return *this;
}

Key &Key::more(const std::string &text) { return inHelp(meaning + text); }

Key &Key::inHelp(std::string text) {
  help = std::move(text);
  return *this;
}

Key &Key::between(double from, double to) {
  least = from;
  most = to;
  return *this;
}

Key &Key::notBelow(double from) { return between(from, HUGE_VAL); }

static Key setting(Kind kind, std::string path, std::string option,
                   std::string meaning) {
  Key key;
  key.kind = kind;
  key.path = std::move(path);
  key.option = std::move(option);
  key.meaning = key.help = std::move(meaning);
  return key;
}

static Key spelling(Kind kind, std::string path, std::string same,
                    std::string meaning) {
  Key key = setting(kind, std::move(path), "", std::move(meaning));
  key.same = std::move(same);
  return key;
}

Keys Keys::standard() {
  Keys keys;
#define SETTING(KIND, KEY, OPTION, MEANING, TRAITS)                            \
  keys.keys.push_back(setting(Kind::KIND, KEY, OPTION, MEANING) TRAITS);
#define SPELLING(KIND, KEY, SAME, MEANING, TRAITS)                             \
  keys.keys.push_back(spelling(Kind::KIND, KEY, SAME, MEANING) TRAITS);
#include "reprise/Settings.def"
  return keys;
}

static std::string sectionOf(const std::string &path) {
  return path.substr(0, path.find('.'));
}

void Keys::setDefault(const std::string &path, const std::string &value) {
  for (Key &key : keys)
    if (key.path == path)
      key.usually(value);
}

void Keys::setExample(const std::string &path, const std::string &value) {
  for (Key &key : keys)
    if (key.path == path)
      key.example(value);
}

void Keys::remove(const std::string &path) {
  keys.erase(std::remove_if(keys.begin(), keys.end(),
                            [&](const Key &key) { return key.path == path; }),
             keys.end());
}

bool Keys::add(Key key) {
  if (find(key.path))
    return false;
  auto last = std::find_if(keys.rbegin(), keys.rend(), [&](const Key &other) {
    return sectionOf(other.path) == sectionOf(key.path);
  });
  keys.insert(last == keys.rend() ? keys.end() : last.base(), std::move(key));
  return true;
}

const Key *Keys::find(const std::string &path) const {
  for (const Key &key : keys)
    if (key.path == path)
      return &key;
  return nullptr;
}

const Key *Keys::findOption(const std::string &option) const {
  for (const Key &key : keys)
    if (!option.empty() && (key.option == option || key.off == option))
      return &key;
  return nullptr;
}

const Key *Keys::shortFor(const std::string &section) const {
  for (const char *name : {".name", ".source", ".logdir", ".dir", ".path",
                           ".patience", ".freq", ".enable", ".mode"})
    if (const Key *key = find(section + name))
      return key;
  return nullptr;
}

bool Keys::isSection(const std::string &path) const {
  return !namesIn(path).empty();
}

std::vector<std::string> Keys::namesIn(const std::string &section) const {
  std::vector<std::string> names;
  std::string begin = section.empty() ? "" : section + ".";
  for (const Key &key : keys) {
    if (key.path.compare(0, begin.size(), begin) != 0)
      continue;
    std::string name = sectionOf(key.path.substr(begin.size()));
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  return names;
}
