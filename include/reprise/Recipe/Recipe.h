//===- Recipe.h - Training recipes in YAML ----------------------*- C++ -*-===//
//
// A recipe holds the settings of a run of `reprise train` in sections: model,
// training, optimizer, schedule, data, hooks, output. Every key corresponds to
// an option of the command line; some are aliases of another key. This code
// reads and checks a recipe, and knows neither the compiler nor the command
// line: the option defines the meaning of a value.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RECIPE_RECIPE_H
#define REPRISE_RECIPE_RECIPE_H

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace reprise::recipe {

/// The type of a value.
enum class Kind {
  Switch, // true or false
  Whole,  // 0, 1, 2, ... up to 2^63 - 1
  Number, // a finite number
  Text,   // any text that is not empty; numbers are texts too
  Choice, // one of a few words
  List,   // of texts; one text is a list of one
  Pairs   // a list of texts "NAME:TEXT", or a mapping of such names to texts
};

/// A key and its option: a line of Settings.def, whose traits return the key.
struct Key {
  Kind kind = Kind::Text;
  std::string path;    // "optimizer.weight_decay"
  std::string option;  // "--weight-decay"; "model" for the argument; "" for an
                       // alias of `same`
  std::string meaning; // one sentence without a full stop
  std::string usual;   // its default, or an example, as it is written in YAML
  bool isExample = false;
  std::vector<std::string> choices; // of a Choice
  std::string otherName;            // of the option, which the help leaves out
  std::string off;  // for a Switch: the option that `false` selects
  std::string same; // path of the key that this is an alias of
  /// True if the key affects what a run computes; false if it only names its
  /// outputs.
  bool isOfRun = true;
  std::string help, offHelp; // the texts of the options
  std::string type;          // of the value in the help, or ""
  /// The range of a number.
  double least = -HUGE_VAL, most = HUGE_VAL;

  Key &usually(std::string value);
  Key &example(std::string value);
  Key &choose(std::vector<std::string> words);
  Key &alsoNamed(std::string option) {
    otherName = std::move(option);
    return *this;
  }
  Key &orOff(std::string otherOption, std::string text);
  /// The key names a destination, or the way in which a run is observed.
  Key &beside();
  Key &typed(std::string name);
  /// Continues the meaning in the help.
  Key &more(const std::string &text);
  /// Replaces the meaning in the help.
  Key &inHelp(std::string text);
  Key &between(double from, double to);
  Key &notBelow(double from);
};

/// The known keys, in the order in which recipes are written.
class Keys {
public:
  /// All keys of Settings.def.
  static Keys standard();

  /// Adds a key after the others of its section; returns false if the path
  /// already exists.
  bool add(Key key);
  /// Sets the default or example value of a key.
  void setDefault(const std::string &path, const std::string &value);
  void setExample(const std::string &path, const std::string &value);
  void remove(const std::string &path);
  const Key *find(const std::string &path) const;
  const Key *findOption(const std::string &option) const;
  const std::vector<Key> &all() const { return keys; }
  /// Returns true if keys begin with `path` and a dot.
  bool isSection(const std::string &path) const;
  /// The key that a single value in place of a section sets; null if the
  /// section has none.
  const Key *shortFor(const std::string &section) const;
  /// Names that may follow `section` ("" for the outermost), each once.
  std::vector<std::string> namesIn(const std::string &section) const;

private:
  std::vector<Key> keys;
};

/// A key and its value in a recipe.
struct Setting {
  std::string path;
  std::vector<std::string> values; // one, except for a List; "true" or "false"
                                   // for a Switch
  int line = 0, column = 0;        // from 1; 0: not from a file
};

struct Problem {
  int line = 0, column = 0; // from 1
  std::string message;      // in the form of error messages
};

struct Parsed {
  /// The settings in the order of the keys; aliases are replaced by their keys.
  /// If there are problems, aliases may remain, and example values replace
  /// refused ones: use these settings only to find more problems.
  std::vector<Setting> settings;
  /// The problems in the order of the file; empty if the recipe is valid.
  std::vector<Problem> problems;
};

/// Returns the candidate that was probably meant, or "".
using Nearest = std::function<std::string(
    const std::string &word, const std::vector<std::string> &candidates)>;

/// The maximum length of a recipe, in bytes.
constexpr size_t kMostRecipeBytes = 1 << 20;

/// Never throws. An empty recipe is valid.
Parsed parse(const std::string &text, const Keys &keys, const Nearest &nearest);

/// Writes YAML that parse() reads back, in sections; a setting without a known
/// key is omitted.
std::string write(const std::vector<Setting> &settings, const Keys &keys);

/// Writes a recipe to fill in: `settings` are set, every other key is in a
/// comment, each with its meaning and its default or a marked example.
std::string writeCommented(const std::vector<Setting> &settings,
                           const Keys &keys);

/// The JSON Schema (draft 2020-12) of recipes, with the option of each key
/// under "x-option".
std::string writeSchema(const Keys &keys);

} // namespace reprise::recipe

#endif // REPRISE_RECIPE_RECIPE_H
