//===- Write.cpp - Settings as YAML ---------------------------------------===//
#include "reprise/Recipe/Recipe.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <yaml-cpp/yaml.h>

using namespace reprise::recipe;

/// Returns true if a text needs no quotes: YAML readers of every version then
/// parse it as a text.
static bool isPlain(const std::string &text) {
  static const char *const reserved[] = {"true", "false", "null", "yes", "no",
                                         "on",   "off",   "y",    "n"};
  std::string lower;
  for (unsigned char c : text) {
    if (!std::isalnum(c) && (c == 0 || !std::strchr("_-./=", c)))
      return false;
    lower += char(std::tolower(c));
  }
  return !text.empty() && std::isalpha((unsigned char)text[0]) &&
         std::find(std::begin(reserved), std::end(reserved), lower) ==
             std::end(reserved);
}

static std::string quoted(const std::string &text) {
  if (isPlain(text))
    return text;
  YAML::Emitter out;
  out << YAML::DoubleQuoted << text;
  return out.c_str();
}

static std::string valueText(const Key &key, const Setting &setting) {
  if (key.kind == Kind::Switch || key.kind == Kind::Whole ||
      key.kind == Kind::Number)
    return setting.values.front();
  if (key.kind != Kind::List && key.kind != Kind::Pairs)
    return quoted(setting.values.front());
  std::string text;
  for (const std::string &value : setting.values)
    text += (text.empty() ? "[" : ", ") + quoted(value);
  return text + "]";
}

static const Setting *find(const std::vector<Setting> &settings,
                           const std::string &path) {
  for (const Setting &setting : settings)
    if (setting.path == path && !setting.values.empty())
      return &setting;
  return nullptr;
}

namespace {

/// Writes keys that are ordered by section.
class Writer {
public:
  /// Writes the headings of the sections that contain `path` but not the
  /// previous path. `isComment`: each after a "#" that the user can remove.
  void open(const std::string &path, bool isComment);
  void line(const std::string &path, const std::string &value, bool isComment);
  void comment(const std::string &text, size_t depth);
  std::string out;

private:
  std::vector<std::string> sections;
};

} // namespace

static std::vector<std::string> split(const std::string &path) {
  std::vector<std::string> names;
  size_t begin = 0;
  for (size_t dot; (dot = path.find('.', begin)) != std::string::npos;
       begin = dot + 1)
    names.push_back(path.substr(begin, dot - begin));
  names.push_back(path.substr(begin));
  return names;
}

void Writer::open(const std::string &path, bool isComment) {
  std::vector<std::string> names = split(path);
  names.pop_back();
  size_t same = 0;
  while (same < std::min(names.size(), sections.size()) &&
         names[same] == sections[same])
    ++same;
  for (size_t depth = same; depth < names.size(); ++depth) {
    if (depth == 0 && !out.empty())
      out += "\n";
    out += std::string(2 * depth, ' ') + (isComment ? "#" : "") + names[depth] +
           ":\n";
  }
  sections = std::move(names);
}

void Writer::comment(const std::string &text, size_t depth) {
  constexpr size_t kColumns = 80;
  std::string begin = std::string(2 * depth, ' ') + "# ", current = begin;
  size_t at = 0;
  while (at < text.size()) {
    size_t space = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, space - at);
    if (current.size() + word.size() + 1 > kColumns && current != begin) {
      out += current + "\n";
      current = begin;
    }
    current += (current == begin ? "" : " ") + word;
    at = space + 1;
  }
  out += current + "\n";
}

void Writer::line(const std::string &path, const std::string &value,
                  bool isComment) {
  std::vector<std::string> names = split(path);
  out += std::string(2 * (names.size() - 1), ' ') + (isComment ? "#" : "") +
         names.back() + ": " + value + "\n";
}

std::string reprise::recipe::write(const std::vector<Setting> &settings,
                                   const Keys &keys) {
  Writer writer;
  for (const Key &key : keys.all())
    if (const Setting *setting = find(settings, key.path)) {
      writer.open(key.path, false);
      writer.line(key.path, valueText(key, *setting), false);
    }
  return writer.out;
}

static std::string sectionOf(const std::string &path) {
  return path.substr(0, path.rfind('.'));
}

std::string
reprise::recipe::writeCommented(const std::vector<Setting> &settings,
                                const Keys &keys) {
  // A section exists if one of its keys is set; otherwise all of it is a
  // comment.
  auto isSaid = [&](const std::string &section) {
    return std::any_of(settings.begin(), settings.end(),
                       [&](const Setting &setting) {
                         return setting.path.rfind(section + ".", 0) == 0;
                       });
  };
  Writer writer;
  for (const Key &key : keys.all()) {
    if (!key.same.empty())
      continue; // one spelling is enough
    std::string section = sectionOf(key.path);
    const Setting *setting = find(settings, key.path);
    writer.open(key.path, !isSaid(section));
    writer.comment(key.meaning, split(key.path).size() - 1);
    std::string usual = key.usual + (key.isExample ? "  # for example" : "");
    writer.line(key.path, setting ? valueText(key, *setting) : usual, !setting);
  }
  return writer.out;
}
