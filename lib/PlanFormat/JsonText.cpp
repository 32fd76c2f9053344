//===- JsonText.cpp - JSON with places of values --------------------------===//
//
// Method:  nlohmann's parser reports values one after another without
//          recursion. It doesn't report their places, so a cursor follows in
//          the text: from the end of one token, over blanks, commas and colons,
//          to the beginning of the next.
// Cost:    linear.
//
//===----------------------------------------------------------------------===//
#include "reprise/PlanFormat/JsonText.h"
#include "reprise/Text/Table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

namespace reprise::plan::format {

using rt::Status;

static Status invalid(const std::string &message) {
  return Status::error(RP_INVALID_ARGUMENT, message);
}

static std::string place(const std::string &name, const std::string &text,
                         size_t offset) {
  offset = std::min(offset, text.size());
  size_t line = 1 + std::count(text.begin(), text.begin() + offset, '\n');
  size_t begin = offset ? text.rfind('\n', offset - 1) : std::string::npos;
  size_t column = offset - (begin == std::string::npos ? 0 : begin + 1) + 1;
  return name + ":" + std::to_string(line) + ":" + std::to_string(column) +
         ": ";
}

namespace {

using Json = nlohmann::json;

class TreeBuilder final : public nlohmann::json_sax<Json> {
public:
  TreeBuilder(const std::string &text, JsonNode &root)
      : text(text), root(root) {
    if (text.compare(0, 3, "\xEF\xBB\xBF") == 0)
      cursor = 3;
  }

  std::string error;
  size_t errorOffset = 0;

  bool null() override { return add(JsonNode::Kind::Null, scanWord()); }
  bool boolean(bool value) override {
    if (!add(JsonNode::Kind::Boolean, scanWord()))
      return false;
    last->boolean = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    return addNumber(JsonNode::Kind::Number, double(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (!addNumber(JsonNode::Kind::Integer, double(value)))
      return false;
    last->integer = value;
    return true;
  }
  bool number_float(number_float_t value, const string_t &) override {
    return addNumber(JsonNode::Kind::Number, value);
  }
  bool string(string_t &value) override {
    if (!add(JsonNode::Kind::String, scanString()))
      return false;
    last->text = std::move(value);
    return true;
  }
  bool binary(binary_t &) override { return false; } // not in text

  bool start_object(size_t) override { return open(JsonNode::Kind::Object); }
  bool start_array(size_t) override { return open(JsonNode::Kind::Array); }
  bool end_array() override { return close(); }
  bool end_object() override {
    // Sorted, since objects may have many members.
    std::vector<const JsonNode *> members;
    for (const JsonNode &member : stack.back()->items)
      members.push_back(&member);
    std::sort(members.begin(), members.end(),
              [](const JsonNode *a, const JsonNode *b) {
                return a->key != b->key ? a->key < b->key
                                        : a->keyOffset < b->keyOffset;
              });
    for (size_t i = 1; i < members.size(); ++i)
      if (members[i]->key == members[i - 1]->key)
        return fail(members[i]->keyOffset,
                    "the object has '" + members[i]->key + "' twice");
    return close();
  }
  bool key(string_t &value) override {
    nextKeyOffset = scanString();
    nextKey = std::move(value);
    return true;
  }
  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &e) override {
    std::string what = e.what();
    // "[json.exception...] parse error at line 1, column 5: syntax error ..."
    for (const char *prefix : {"syntax error ", "] "})
      if (size_t at = what.find(prefix); at != std::string::npos) {
        what = what.substr(at + std::strlen(prefix));
        break;
      }
    return fail(position ? position - 1 : 0, "not JSON: " + what);
  }

private:
  bool fail(size_t offset, const std::string &message) {
    error = message;
    errorOffset = offset;
    return false;
  }

  size_t tokenBegin() {
    while (cursor < text.size() &&
           std::strchr(" \t\r\n,:", text[cursor]) != nullptr &&
           text[cursor] != '\0')
      ++cursor;
    return cursor;
  }
  /// Skips a number or a literal.
  size_t scanWord() {
    size_t begin = tokenBegin();
    while (cursor < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[cursor])) ||
            text[cursor] == '-' || text[cursor] == '+' || text[cursor] == '.'))
      ++cursor;
    return begin;
  }
  size_t scanString() {
    size_t begin = tokenBegin();
    for (++cursor; cursor < text.size() && text[cursor] != '"'; ++cursor)
      if (text[cursor] == '\\')
        ++cursor;
    ++cursor;
    return begin;
  }

  bool add(JsonNode::Kind kind, size_t offset) {
    if (++count > JsonText::kMostValues)
      return fail(offset, "the file has more than " +
                              std::to_string(JsonText::kMostValues) +
                              " values");
    JsonNode *node = &root;
    if (!stack.empty()) {
      stack.back()->items.emplace_back();
      node = &stack.back()->items.back();
      node->key = std::move(nextKey);
      node->keyOffset = nextKeyOffset;
      nextKey.clear();
    }
    node->kind = kind;
    node->offset = offset;
    last = node;
    return true;
  }
  bool addNumber(JsonNode::Kind kind, double value) {
    size_t begin = scanWord();
    if (!add(kind, begin))
      return false;
    last->number = value;
    last->text = text.substr(begin, std::min<size_t>(cursor - begin, 40));
    return true;
  }
  bool open(JsonNode::Kind kind) {
    size_t begin = tokenBegin();
    ++cursor;
    if (stack.size() == JsonText::kMostDepth)
      return fail(begin, "values nest more than " +
                             std::to_string(JsonText::kMostDepth) + " deep");
    if (!add(kind, begin))
      return false;
    // Nothing is added to the lists of open elements, so pointers stay valid.
    stack.push_back(last);
    return true;
  }
  bool close() {
    tokenBegin();
    ++cursor;
    stack.pop_back();
    return true;
  }

  const std::string &text;
  JsonNode &root;
  JsonNode *last = nullptr;
  std::vector<JsonNode *> stack;
  size_t cursor = 0, count = 0, nextKeyOffset = 0;
  std::string nextKey;
};

} // namespace

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

const char *JsonNode::kindName() const {
  static constexpr const char *names[] = {
      "null",     "true or false", "a number", "a number",
      "a string", "a list",        "an object"};
  return names[size_t(kind)];
}

const JsonNode *JsonNode::find(const std::string &wanted) const {
  for (const JsonNode &item : items)
    if (kind == Kind::Object && item.key == wanted)
      return &item;
  return nullptr;
}

rt::Expected<JsonText> JsonText::parse(const std::string &name,
                                       std::string text) {
  JsonText result;
  result.file = name;
  result.text = std::move(text);
  TreeBuilder builder(result.text, result.tree);
  if (!Json::sax_parse(result.text, &builder))
    return result.errorAt(builder.errorOffset, builder.error);
  return result;
}

Status JsonText::error(const JsonNode &at, const std::string &message) const {
  return errorAt(at.offset, message);
}

Status JsonText::errorAt(size_t offset, const std::string &message) const {
  return invalid(place(file, text, offset) + message);
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

Status JsonFields::check(const std::vector<std::string> &known) const {
  if (object.kind != JsonNode::Kind::Object)
    return json.error(object, what + " is " + object.kindName() +
                                  "; it must be an object");
  for (const JsonNode &member : object.items) {
    if (std::find(known.begin(), known.end(), member.key) != known.end())
      continue;
    std::string meant = text::nearest(member.key, known), names;
    for (const std::string &name : known)
      names += (names.empty() ? "" : ", ") + name;
    return json.errorAt(member.keyOffset,
                        what + " has an unknown field '" + member.key + "'" +
                            (meant.empty()
                                 ? "; known: " + names
                                 : "; did you mean '" + meant + "'?"));
  }
  return {};
}

Status JsonFields::wrong(const JsonNode &at, const char *key,
                         const std::string &wanted) const {
  bool isNumber =
      at.kind == JsonNode::Kind::Integer || at.kind == JsonNode::Kind::Number;
  return json.error(at, "'" + std::string(key) + "' of " + what + " is " +
                            (isNumber ? at.text : at.kindName()) +
                            "; it must be " + wanted);
}

static bool isAbsent(const JsonNode *node) {
  return !node || node->kind == JsonNode::Kind::Null;
}

Status JsonFields::read(const char *key, bool &result) const {
  const JsonNode *node = find(key);
  if (isAbsent(node))
    return {};
  if (node->kind != JsonNode::Kind::Boolean)
    return wrong(*node, key, "true or false");
  result = node->boolean;
  return {};
}

Status JsonFields::read(const char *key, uint64_t &result) const {
  const JsonNode *node = find(key);
  if (isAbsent(node))
    return {};
  if (node->kind != JsonNode::Kind::Integer)
    return wrong(*node, key, "a whole number from 0 to 2^62 - 1");
  if (node->integer >= uint64_t(1) << 62)
    return wrong(*node, key, "below 2^62");
  result = node->integer;
  return {};
}

Status JsonFields::read(const char *key, double &result) const {
  const JsonNode *node = find(key);
  if (isAbsent(node))
    return {};
  bool isNumber = node->kind == JsonNode::Kind::Integer ||
                  node->kind == JsonNode::Kind::Number;
  if (!isNumber || !(node->number >= 0) || !std::isfinite(node->number))
    return wrong(*node, key, "a number, not negative");
  result = node->number;
  return {};
}

Status JsonFields::read(const char *key, std::string &result) const {
  const JsonNode *node = find(key);
  if (isAbsent(node))
    return {};
  if (node->kind != JsonNode::Kind::String)
    return wrong(*node, key, "a string");
  result = node->text;
  return {};
}

Status JsonFields::readList(const char *key, const JsonNode *&result) const {
  const JsonNode *node = find(key);
  if (isAbsent(node))
    return {};
  if (node->kind != JsonNode::Kind::Array)
    return wrong(*node, key, "a list");
  result = node;
  return {};
}

Status JsonFields::read(const char *key,
                        std::vector<const JsonNode *> &result) const {
  const JsonNode *list = nullptr;
  REPRISE_RETURN_IF_ERROR(readList(key, list));
  if (!list)
    return {};
  for (const JsonNode &item : list->items) {
    if (item.kind != JsonNode::Kind::String)
      return json.error(item, "'" + std::string(key) + "' of " + what +
                                  " lists " + item.kindName() +
                                  "; it must list names");
    result.push_back(&item);
  }
  return {};
}

Status JsonFields::require(const char *key) const {
  if (isAbsent(find(key)))
    return json.error(object, what + " has no '" + key + "'");
  return {};
}

} // namespace reprise::plan::format
