//===- Parse.cpp - From YAML to settings ----------------------------------===//
//
// Input:   the text of a recipe, the existing keys.
// Output:  settings in the order of the keys, or problems with their places.
// Method:  the library reads the document; a walk visits only entries that keys
//          name, so that aliases that repeat one another cost nothing; finally,
//          other spellings are replaced by the keys they correspond to.
// Fails:   with every problem of the file at once.
//
//===----------------------------------------------------------------------===//
#include "ForeignKeys.h"
#include "Spellings.h"
#include "reprise/Recipe/Recipe.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

using namespace reprise::recipe;

namespace {

class Reader {
public:
  Reader(const Keys &keys, const Nearest &nearest)
      : keys(keys), nearest(nearest) {}

  void readDocument(const YAML::Node &root);
  void problem(const YAML::Mark &mark, const std::string &message) {
    // A mark without a position is before the first line.
    parsed.problems.push_back(
        {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1, message});
  }
  Parsed parsed;

private:
  void readSection(const YAML::Node &node, const std::string &section);
  void readEntry(const YAML::Node &name, const YAML::Node &value,
                 const std::string &section);
  void readHooks(const YAML::Node &list);
  void readHook(const YAML::Node &item);
  std::vector<std::string> pathsNamed(const std::string &text) const;
  void refuseName(const YAML::Node &name, const YAML::Node &value,
                  const std::string &section);
  void readInstead(const std::string &path, const YAML::Node &value,
                   const YAML::Mark &mark);
  void refuseEntry(const YAML::Node &name, const YAML::Node &value,
                   const std::string &section);
  bool answerForeign(const YAML::Node &name, const YAML::Node &value,
                     const std::string &section, unsigned depth = 0);
  bool mayGoOn(const YAML::Mark &at);
  void readKey(const Key &key, const YAML::Node &value, const YAML::Mark &mark);
  void readList(const Key &key, const YAML::Node &value, Setting &setting);
  void readPairs(const Key &key, const YAML::Node &value, Setting &setting);
  bool checkScalar(const Key &key, const YAML::Node &value);
  std::string standIn(const Key &key, const std::string &text) const;
  bool checkChoice(const Key &key, const YAML::Node &value);

  const Keys &keys;
  const Nearest &nearest;
};

/// The limit of reported problems: more in one file help nobody.
constexpr size_t kMostProblems = 50;
/// The section whose own sections are each on or off.
constexpr char kHooks[] = "hooks";

} // namespace

/// Returns a text such as "training.epochs is 'x'".
static std::string says(const Key &key, const YAML::Node &value) {
  return key.path + " is '" + value.Scalar() + "'";
}

static bool isWhole(const std::string &text) {
  int64_t value = 0;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && text[0] != '-';
}

static bool isFinite(const std::string &text) {
  double value = 0;
  const char *begin = text.data() + (text[0] == '+' ? 1 : 0);
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(begin, end, value);
  return error == std::errc() && stop == end && begin != end &&
         std::isfinite(value);
}

bool Reader::checkChoice(const Key &key, const YAML::Node &value) {
  const std::string &text = value.Scalar();
  if (std::find(key.choices.begin(), key.choices.end(), text) !=
      key.choices.end())
    return true;
  std::string list, meant = nearest(text, key.choices);
  for (size_t i = 0; i < key.choices.size(); ++i)
    list += (i == 0                        ? ""
             : i + 1 == key.choices.size() ? " or "
                                           : ", ") +
            key.choices[i];
  problem(value.Mark(),
          says(key, value) + "; choose " + list +
              (meant.empty() ? "" : " (did you mean '" + meant + "'?)"));
  return false;
}

/// Returns "true" or "false", each of which YAML writes in three ways; null for
/// others.
static const char *switchOf(const std::string &text) {
  if (text == "true" || text == "True" || text == "TRUE")
    return "true";
  bool isFalse = text == "false" || text == "False" || text == "FALSE";
  return isFalse ? "false" : nullptr;
}

/// Returns the switch that YAML 1.1 reads in a word that is a text in YAML 1.2;
/// "" for others.
static std::string olderSwitchOf(std::string text) {
  for (char &c : text)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  if (text == "yes" || text == "on" || text == "y")
    return "true";
  return text == "no" || text == "off" || text == "n" ? "false" : "";
}

/// Returns true if a scalar has the form that the key requires; reports errors.
bool Reader::checkScalar(const Key &key, const YAML::Node &value) {
  const std::string &text = value.Scalar();
  bool isQuoted = value.Tag() == "!";
  auto refuse = [&](const char *wanted) {
    problem(value.Mark(), says(key, value) + "; give " + wanted +
                              (isQuoted ? ", without quotes" : ""));
    return false;
  };
  if (text.empty()) {
    problem(value.Mark(), key.path + " is empty, which says nothing");
    return false;
  }
  switch (key.kind) {
  case Kind::Switch:
    if (std::string meant = olderSwitchOf(text); !meant.empty())
      return refuse((meant + "; '" + text + "' is a text in YAML 1.2").c_str());
    return (!isQuoted && switchOf(text)) || refuse("true or false");
  case Kind::Whole:
    return (!isQuoted && isWhole(text)) || refuse("a whole number from 0 on");
  case Kind::Number:
    return (!isQuoted && isFinite(text)) || refuse("a finite number");
  case Kind::Choice:
    return checkChoice(key, value);
  case Kind::Text:
  case Kind::List:
  case Kind::Pairs:
    break;
  }
  if (text.find('\0') == std::string::npos)
    return true;
  problem(value.Mark(), key.path + " has a character of value 0 in it");
  return false;
}

void Reader::readList(const Key &key, const YAML::Node &value,
                      Setting &setting) {
  for (const YAML::Node &item : value) {
    if (!item.IsScalar()) {
      problem(item.Mark(), key.path + " is a list of texts; this is none");
      return;
    }
    if (!checkScalar(key, item))
      return;
    setting.values.push_back(item.Scalar());
  }
  if (setting.values.empty())
    problem(value.Mark(), key.path + " is an empty list, which says nothing");
}

/// Reads a mapping, or a list of mappings; a text in a list stands for a pair.
void Reader::readPairs(const Key &key, const YAML::Node &value,
                       Setting &setting) {
  if (value.IsSequence()) {
    for (const YAML::Node &item : value)
      readPairs(key, item, setting);
  } else if (value.IsScalar()) {
    if (checkScalar(key, value))
      setting.values.push_back(value.Scalar());
  } else if (value.IsMap()) {
    for (const auto &entry : value)
      if (!entry.first.IsScalar() || !entry.second.IsScalar())
        problem(entry.first.Mark(), key.path + " has names and texts only");
      else if (checkScalar(key, entry.first) && checkScalar(key, entry.second))
        setting.values.push_back(entry.first.Scalar() + ":" +
                                 entry.second.Scalar());
  } else {
    problem(value.Mark(), key.path + " has an entry that says nothing");
  }
}

/// Returns a substitute for a value that was rejected.
std::string Reader::standIn(const Key &key, const std::string &text) const {
  if (key.choices.empty())
    return key.usual;
  std::string meant = nearest(text, key.choices);
  return meant.empty() ? key.choices.front() : meant;
}

void Reader::readKey(const Key &key, const YAML::Node &value,
                     const YAML::Mark &mark) {
  Setting setting;
  setting.path = key.path;
  setting.line = std::max(mark.line, 0) + 1;
  setting.column = std::max(mark.column, 0) + 1;
  if (value.IsNull())
    return problem(mark, key.path + " has no value; give one, or leave out "
                                    "the key");
  if (key.kind == Kind::Pairs) {
    readPairs(key, value, setting);
    if (setting.values.empty() && parsed.problems.empty())
      problem(mark, key.path + " is empty, which says nothing");
  } else if (value.IsSequence() && key.kind == Kind::List) {
    readList(key, value, setting);
  } else if (!value.IsScalar()) {
    return problem(mark, key.path + " is one value, not a " +
                             (value.IsMap() ? "section" : "list"));
  } else if (!checkScalar(key, value)) {
    setting.values.push_back(standIn(key, value.Scalar()));
  } else {
    setting.values.push_back(key.kind == Kind::Switch ? switchOf(value.Scalar())
                                                      : value.Scalar());
  }
  if (!setting.values.empty())
    parsed.settings.push_back(std::move(setting));
}

static std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

static std::string unknownName(const YAML::Node &name,
                               const std::string &section) {
  return "no key is named '" + name.Scalar() + "'" +
         (section.empty() ? "" : " in " + section);
}

/// Returns the paths of keys with this last name in any section; otherwise that
/// of the option with this name, or the key for which other frameworks use it.
std::vector<std::string> Reader::pathsNamed(const std::string &text) const {
  std::vector<std::string> paths;
  for (const Key &key : keys.all())
    if (key.path.size() > text.size() &&
        key.path.substr(key.path.size() - text.size() - 1) == "." + text)
      paths.push_back(key.path);
  if (!paths.empty())
    return paths;
  std::string option = "--" + text;
  std::replace(option.begin(), option.end(), '_', '-');
  if (const Key *key = keys.findOption(option))
    return {key->path};
  std::string ours = foreignNamed(text);
  return ours.empty() ? paths : std::vector<std::string>{ours};
}

/// Reports an unknown name with the path of the only such key, the probable
/// intention, or the known keys.
void Reader::refuseName(const YAML::Node &name, const YAML::Node &value,
                        const std::string &section) {
  const std::string &text = name.Scalar();
  std::string message = unknownName(name, section);
  std::vector<std::string> siblings = keys.namesIn(section),
                           elsewhere = pathsNamed(text);
  std::string meant = nearest(text, siblings);
  if (elsewhere.size() == 1)
    message += "; it is '" + elsewhere.front() + "'";
  else if (!meant.empty())
    message += "; did you mean '" + meant + "'?";
  else
    message += "; known are " + joined(siblings);
  problem(name.Mark(), message);
  if (elsewhere.size() == 1)
    readInstead(elsewhere.front(), value, name.Mark());
  else if (!meant.empty())
    readInstead((section.empty() ? "" : section + ".") + meant, value,
                name.Mark());
}

/// Uses a value for the key that was probably meant, so that settings that
/// depend on it are not rejected as well.
void Reader::readInstead(const std::string &path, const YAML::Node &value,
                         const YAML::Mark &mark) {
  size_t before = parsed.problems.size();
  if (const Key *key = keys.find(path))
    readKey(*key, value, mark);
  parsed.problems.resize(before);
}

/// Returns "trainer.optimizer.lr" for the name "lr" in "trainer.optimizer";
/// sections "kwargs" count as their parents.
static std::string foreignPath(const std::string &section,
                               const std::string &name) {
  return name == "kwargs" ? section
                          : (section.empty() ? "" : section + ".") + name;
}

/// Returns NAME in {type: NAME, ...}, for any purpose.
static std::string typeOf(const YAML::Node &value) {
  YAML::Node type = value.IsMap() ? value["type"] : YAML::Node();
  return type.IsDefined() && type.IsScalar() ? type.Scalar() : "";
}

/// Reports the counterpart of another framework's key. Below a section, keys
/// with answers of their own are reported one by one, and all others through
/// the section's answer. Returns false for a key that no framework has.
bool Reader::answerForeign(const YAML::Node &name, const YAML::Node &value,
                           const std::string &section, unsigned depth) {
  std::string path = foreignPath(section, name.Scalar());
  constexpr unsigned kDeepest = 10; // an alias may contain itself
  const ForeignKey *own = path == section ? nullptr : findForeign(path);
  if (!own && section.empty())
    own = findForeignImageStep(typeOf(value));
  bool isSection = isForeignSection(path) && value.IsMap() && depth < kDeepest;
  bool needsOwn = !isSection;
  std::set<std::string> seen;
  if (isSection)
    for (const auto &entry : value) {
      if (!mayGoOn(entry.first.Mark()))
        return true;
      if (entry.first.IsScalar() && seen.insert(entry.first.Scalar()).second &&
          !answerForeign(entry.first, entry.second, path, depth + 1))
        needsOwn = true;
    }
  if (!needsOwn)
    return true;
  if (own)
    problem(name.Mark(), unknownName(name, section) + "; " + answer(*own));
  return own;
}

/// Returns true if more problems may be reported; the first one beyond the
/// limit reports that.
bool Reader::mayGoOn(const YAML::Mark &at) {
  if (parsed.problems.size() == kMostProblems)
    problem(at, "from here on nothing was read: " +
                    std::to_string(kMostProblems) + " problems are shown");
  return parsed.problems.size() < kMostProblems;
}

void Reader::refuseEntry(const YAML::Node &name, const YAML::Node &value,
                         const std::string &section) {
  if (!answerForeign(name, value, section))
    refuseName(name, value, section);
}

/// Reads a list of {type: NAME, kwargs: {...}}, United Perception's form.
void Reader::readHooks(const YAML::Node &list) {
  std::set<std::string> seen;
  for (const YAML::Node &item : list) {
    if (!mayGoOn(item.Mark()))
      return;
    YAML::Node type = item.IsMap() ? item["type"] : YAML::Node();
    if (!type.IsDefined() || !type.IsScalar())
      problem(item.Mark(), "a hook of a list is {type: NAME, kwargs: {...}}");
    else if (!seen.insert(type.Scalar()).second)
      problem(type.Mark(), "'" + type.Scalar() + "' is said twice in hooks");
    else
      readHook(item);
  }
}

void Reader::readHook(const YAML::Node &item) {
  YAML::Node type = item["type"], kwargs;
  std::set<std::string> seen;
  for (const auto &entry : item) {
    const YAML::Node &name = entry.first;
    std::string word = name.IsScalar() ? name.Scalar() : "";
    if (word != "type" && word != "kwargs")
      problem(name.Mark(), "a hook of a list has 'type' and 'kwargs' only");
    else if (!seen.insert(word).second)
      problem(name.Mark(), "'" + word + "' is said twice");
    else if (word == "kwargs")
      kwargs.reset(entry.second);
  }
  if (keys.find(std::string(kHooks) + "." + type.Scalar()))
    return refuseName(type, YAML::Node(), kHooks);
  readEntry(type, kwargs, kHooks);
}

void Reader::readEntry(const YAML::Node &name, const YAML::Node &value,
                       const std::string &section) {
  std::string path = (section.empty() ? "" : section + ".") + name.Scalar();
  bool isName =
      !name.Scalar().empty() && name.Scalar().find('.') == std::string::npos;
  const Key *known = isName ? keys.find(path) : nullptr;
  if (known)
    return readKey(*known, value, name.Mark());
  if (!isName || !keys.isSection(path))
    return refuseEntry(name, value, section);
  bool isHook = section == kHooks;
  if (isHook && (value.IsNull() || (value.IsMap() && value.size() == 0)))
    return problem(name.Mark(), path + " is off until '" +
                                    keys.shortFor(path)->path + "' is said");
  // A section whose entries are all commented out.
  if (value.IsNull())
    return;
  if (value.IsMap())
    return readSection(value, path);
  if (path == kHooks && value.IsSequence())
    return readHooks(value);
  if (const Key *key = keys.shortFor(path); key && value.IsScalar())
    return readKey(*key, value, name.Mark());
  problem(name.Mark(), path + " is a section; write its keys below it");
}

void Reader::readSection(const YAML::Node &node, const std::string &section) {
  std::set<std::string> seen;
  for (const auto &entry : node) {
    const YAML::Node &name = entry.first;
    if (!mayGoOn(name.Mark()))
      return;
    if (!name.IsScalar())
      problem(name.Mark(), "a key is one word");
    else if (!seen.insert(name.Scalar()).second)
      problem(name.Mark(), "'" + name.Scalar() + "' is said twice" +
                               (section.empty() ? "" : " in " + section));
    else
      readEntry(name, entry.second, section);
  }
}

void Reader::readDocument(const YAML::Node &root) {
  if (root.IsMap())
    readSection(root, "");
  else if (!root.IsNull())
    problem(root.Mark(), "a recipe has sections such as 'model:' and "
                         "'training:', each with keys below it");
}

//===----------------------------------------------------------------------===//
// Documents
//===----------------------------------------------------------------------===//

static void sortSettings(Parsed &parsed, const Keys &keys) {
  auto place = [&](const Setting &setting) {
    return keys.find(setting.path) - keys.all().data();
  };
  std::sort(
      parsed.settings.begin(), parsed.settings.end(),
      [&](const Setting &a, const Setting &b) { return place(a) < place(b); });
  // The file may also contain the key that was meant.
  auto isSame = [](const Setting &a, const Setting &b) {
    return a.path == b.path;
  };
  parsed.settings.erase(
      std::unique(parsed.settings.begin(), parsed.settings.end(), isSame),
      parsed.settings.end());
  std::stable_sort(
      parsed.problems.begin(), parsed.problems.end(),
      [](const Problem &a, const Problem &b) { return a.line < b.line; });
}

namespace {

/// Handles only the beginning of a document.
class BeginOfDocument final : public YAML::EventHandler {
public:
  YAML::Mark mark;
  void OnDocumentStart(const YAML::Mark &at) override { mark = at; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark &, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark &, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark &, const std::string &, YAML::anchor_t,
                const std::string &) override {}
  void OnSequenceStart(const YAML::Mark &, const std::string &, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark &, const std::string &, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

} // namespace

/// Reads one document. The library's function for all documents does not
/// terminate if text after a document belongs to none.
static void readOne(const std::string &text, Reader &reader) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  BeginOfDocument begin;
  if (!parser.HandleNextDocument(begin))
    return;
  if (parser.HandleNextDocument(begin))
    return reader.problem(begin.mark,
                          "a recipe is one document; here another begins");
  reader.readDocument(YAML::Load(text));
}

/// Returns the place of the first character that YAML does not allow in text;
/// nothing if there is none.
static std::optional<YAML::Mark> findControl(const std::string &text) {
  int line = 0, column = 0;
  for (unsigned char c : text) {
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) {
      YAML::Mark mark;
      mark.line = line;
      mark.column = column;
      return mark;
    }
    line += c == '\n';
    column = c == '\n' ? 0 : column + 1;
  }
  return {};
}

static bool isUtf8(const std::string &text) {
  try {
    (void)nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::exception &) {
    return false;
  }
}

/// Finds the first tab in the indentation of a line.
static bool findTab(const std::string &text, YAML::Mark &mark) {
  mark.line = 0;
  for (size_t begin = 0; begin < text.size(); ++mark.line) {
    size_t end = std::min(text.find('\n', begin), text.size());
    size_t first = std::min(text.find_first_not_of(' ', begin), end);
    mark.column = int(first - begin);
    if (first < end && text[first] == '\t')
      return true;
    begin = end + 1;
  }
  return false;
}

Parsed reprise::recipe::parse(const std::string &text, const Keys &keys,
                              const Nearest &nearest) {
  Reader reader(keys, nearest);
  if (text.size() > kMostRecipeBytes) {
    reader.problem(YAML::Mark(), "has " + std::to_string(text.size()) +
                                     " bytes; a recipe has " +
                                     std::to_string(kMostRecipeBytes) +
                                     " at most");
    return std::move(reader.parsed);
  }
  // The library would replace such bytes, and thereby change names of files.
  if (!isUtf8(text)) {
    reader.problem(YAML::Mark(), "is not UTF-8");
    return std::move(reader.parsed);
  }
  if (std::optional<YAML::Mark> mark = findControl(text)) {
    reader.problem(*mark, "a character that is not text");
    return std::move(reader.parsed);
  }
  try {
    readOne(text, reader);
  } catch (const YAML::Exception &error) {
    YAML::Mark tab = error.mark;
    if (findTab(text, tab) && tab.line <= error.mark.line)
      reader.problem(tab, "is not YAML: the line begins with a tab; indent it "
                          "with spaces");
    else
      reader.problem(error.mark, "is not YAML: " + error.msg);
  }
  if (reader.parsed.problems.empty())
    replaceSpellings(reader.parsed);
  sortSettings(reader.parsed, keys);
  return std::move(reader.parsed);
}
