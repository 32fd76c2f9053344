//===- Recipe.h - Training recipes in YAML ----------------------*- C++ -*-===//
//
// A recipe says in sections what a run of `reprise train` is: model, training,
// optimizer, schedule, data, hooks, output. Every key stands for an option of
// the command line; some are other spellings of one. This reads and checks a
// recipe, and knows neither the compiler nor the command line: what a value
// means is said by the option.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RECIPE_RECIPE_H
#define REPRISE_RECIPE_RECIPE_H

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace reprise::recipe {

/// What a value may be.
enum class Kind {
  Switch, // true or false
  Whole,  // 0, 1, 2, ... up to 2^63 - 1
  Number, // a finite number
  Text,   // any text that is not empty; numbers are texts too
  Choice, // one of a few words
  List,   // of texts; one text is a list of one
  Pairs   // a list of texts "NAME:TEXT", or a mapping of such names to texts
};

struct Key {
  std::string path;   // "optimizer.weight_decay"
  std::string option; // "--weight-decay"; "model" for the argument; "" for
                      // another spelling of `same`
  Kind kind = Kind::Text;
  std::string meaning; // one sentence without a full stop
  std::string usual;   // its default, or an example, as it is written in YAML
  bool isExample = false;
  std::vector<std::string> choices; // of a Choice
  std::string off;  // option that `false` stands for, of a Switch
  std::string same; // path of the key that this is another spelling of
  /// Whether it decides what a run computes; the others say where it goes.
  bool isOfRun = true;
};

/// The keys there are, in the order in which recipes are written.
class Keys {
public:
  /// All but those of optimizers.
  static Keys standard();

  /// Behind the other keys of its section; refuses a path that is there
  /// (returns false).
  bool add(Key key);
  /// Says what a key's value is where nobody says one, or might be.
  void setDefault(const std::string &path, const std::string &value);
  void setExample(const std::string &path, const std::string &value);
  void remove(const std::string &path);
  const Key *find(const std::string &path) const;
  const Key *findOption(const std::string &option) const;
  const std::vector<Key> &all() const { return keys; }
  /// Whether keys begin with `path` and a dot.
  bool isSection(const std::string &path) const;
  /// The key that one value alone in place of a section says; null where a
  /// section has none.
  const Key *shortFor(const std::string &section) const;
  /// Names that may follow `section` ("" for the outermost), each once.
  std::vector<std::string> namesIn(const std::string &section) const;

private:
  std::vector<Key> keys;
};

/// A key and what a recipe says of it.
struct Setting {
  std::string path;
  std::vector<std::string> values; // one, but of a List; a Switch's is "true"
                                   // or "false"
  int line = 0, column = 0;        // from 1; 0: not from a file
};

struct Problem {
  int line = 0, column = 0; // from 1
  std::string message;      // as errors are written
};

struct Parsed {
  /// In the order of the keys; other spellings are replaced by the key that
  /// they stand for. Beside problems there may be other spellings, and usual
  /// values in place of those that were refused: for looking for more only.
  std::vector<Setting> settings;
  /// In the order of the file; empty where the recipe may be used.
  std::vector<Problem> problems;
};

/// The candidate that was probably meant, or "".
using Nearest = std::function<std::string(
    const std::string &word, const std::vector<std::string> &candidates)>;

/// Bytes of the longest recipe that is read.
constexpr size_t kMostRecipeBytes = 1 << 20;

/// Never throws. A recipe that says nothing is no problem.
Parsed parse(const std::string &text, const Keys &keys, const Nearest &nearest);

/// As YAML that parse() reads back, in sections; a setting whose key is not
/// there is left out.
std::string write(const std::vector<Setting> &settings, const Keys &keys);

/// A recipe to fill in: what `settings` say is said, every other key stands in
/// a comment, each with its meaning and its default, or what is marked as an
/// example.
std::string writeCommented(const std::vector<Setting> &settings,
                           const Keys &keys);

/// The JSON Schema (draft 2020-12) of recipes, with the option of each key
/// under "x-option".
std::string writeSchema(const Keys &keys);

} // namespace reprise::recipe

#endif // REPRISE_RECIPE_RECIPE_H
