//===- JsonText.h - JSON with places of values ------------------*- C++ -*-===//
//
// A file of JSON as a tree, with the place of every value for messages. Input
// that is too deep or too large is rejected before it takes memory.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PLANFORMAT_JSONTEXT_H
#define REPRISE_PLANFORMAT_JSONTEXT_H

#include "reprise/Runtime/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::plan::format {

struct JsonNode {
  enum class Kind : uint8_t {
    Null,
    Boolean,
    Integer, // at least 0 and below 2^64
    Number,  // any other
    String,
    Array,
    Object
  };
  Kind kind = Kind::Null;
  bool boolean = false;
  size_t offset = 0; // of its first byte in the text
  uint64_t integer = 0;
  double number = 0;           // of Integer too
  std::string text;            // of a string; a number as it is written
  std::string key;             // in an object
  size_t keyOffset = 0;        // in an object
  std::vector<JsonNode> items; // elements or members, in the file's order

  /// Returns "an object", "a string" and so on.
  const char *kindName() const;
  const JsonNode *find(const std::string &key) const;
};

class JsonText {
public:
  /// The limits of nesting and of the number of values.
  static constexpr size_t kMostDepth = 32, kMostValues = 8000000;

  /// `name` is the file's name in messages. Rejects duplicate keys of an
  /// object.
  static rt::Expected<JsonText> parse(const std::string &name,
                                      std::string text);

  const JsonNode &root() const { return tree; }
  const std::string &name() const { return file; }
  /// Returns an error at a value: "NAME:LINE:COLUMN: MESSAGE".
  rt::Status error(const JsonNode &at, const std::string &message) const;
  rt::Status errorAt(size_t offset, const std::string &message) const;

private:
  std::string file, text;
  JsonNode tree;
};

/// Members of an object with known names.
class JsonFields {
public:
  /// `what` names the object in messages: "op 'conv1'".
  JsonFields(const JsonText &text, const JsonNode &object, std::string what)
      : json(text), object(object), what(std::move(what)) {}

  /// Fails unless it is an object with only these members.
  rt::Status check(const std::vector<std::string> &known) const;
  const JsonNode *find(const char *key) const { return object.find(key); }

  // These do not change `result` if the member is absent or null.
  rt::Status read(const char *key, bool &result) const;
  rt::Status read(const char *key, uint64_t &result) const; // bytes
  rt::Status read(const char *key, double &result) const;   // not negative
  rt::Status read(const char *key, std::string &result) const;
  /// Reads the elements of a list of strings.
  rt::Status read(const char *key, std::vector<const JsonNode *> &result) const;
  /// The same for any list.
  rt::Status readList(const char *key, const JsonNode *&result) const;
  rt::Status require(const char *key) const;

private:
  rt::Status wrong(const JsonNode &at, const char *key,
                   const std::string &wanted) const;

  const JsonText &json;
  const JsonNode &object;
  std::string what;
};

} // namespace reprise::plan::format

#endif // REPRISE_PLANFORMAT_JSONTEXT_H
