//===- Schema.cpp - The JSON Schema of recipes ----------------------------===//
#include "reprise/Recipe/Recipe.h"
#include <nlohmann/json.hpp>

using namespace reprise::recipe;
using Json = nlohmann::ordered_json;

static Json typeOf(const Key &key) {
  // A YAML reader parses text that looks like a number as one.
  Json word = {{"type", {"string", "number"}}, {"minLength", 1}};
  switch (key.kind) {
  case Kind::Switch:
    return {{"type", "boolean"}};
  case Kind::Whole:
    return {{"type", "integer"}, {"minimum", 0}, {"maximum", INT64_MAX}};
  case Kind::Number:
    return {{"type", "number"}};
  case Kind::Text:
    return word;
  case Kind::Choice:
    return {{"enum", key.choices}};
  case Kind::List:
    return {{"oneOf",
             {word, {{"type", "array"}, {"minItems", 1}, {"items", word}}}}};
  case Kind::Pairs: {
    Json pairs = {{"type", "object"},
                  {"minProperties", 1},
                  {"additionalProperties", word}};
    Json either = {{"oneOf", {word, pairs}}};
    return {{"oneOf",
             {word,
              pairs,
              {{"type", "array"}, {"minItems", 1}, {"items", either}}}}};
  }
  }
  return {};
}

static Json describe(const Key &key) {
  Json schema = {{"description", key.meaning}};
  schema.update(typeOf(key));
  if (!key.usual.empty())
    schema[key.isExample ? "x-example" : "x-default"] = key.usual;
  if (!key.option.empty())
    schema["x-option"] = key.option;
  if (!key.off.empty())
    schema["x-option-off"] = key.off;
  if (!key.same.empty())
    schema["x-spelling-of"] = key.same;
  return schema;
}

static Json describe(const Keys &keys, const std::string &section);

/// Describes hooks as a list of {type: NAME, kwargs: {...}}.
static Json describeHookList(const Keys &keys, const std::string &section) {
  Json items = Json::array();
  for (const std::string &name : keys.namesIn(section)) {
    std::string path = section + "." + name;
    if (keys.find(path))
      continue;
    Json kwargs = describe(keys, path), properties;
    properties["type"] = {{"const", name}};
    properties["kwargs"] =
        kwargs.contains("oneOf") ? kwargs["oneOf"][0] : kwargs;
    items.push_back({{"type", "object"},
                     {"additionalProperties", false},
                     {"required", {"type", "kwargs"}},
                     {"properties", properties}});
  }
  return {{"type", "array"}, {"items", {{"oneOf", items}}}};
}

/// Describes a section with its subsections.
static Json describe(const Keys &keys, const std::string &section) {
  Json properties = Json::object();
  for (const std::string &name : keys.namesIn(section)) {
    std::string path = (section.empty() ? "" : section + ".") + name;
    const Key *key = keys.find(path);
    properties[name] = key ? describe(*key) : describe(keys, path);
  }
  Json map = {{"type", {"object", "null"}},
              {"additionalProperties", false},
              {"properties", properties}};
  // Each of these is on or off, so an empty one would have no meaning.
  if (section.rfind("hooks.", 0) == 0) {
    map["type"] = "object";
    map["minProperties"] = 1;
  }
  if (section == "hooks")
    return {{"oneOf", {map, describeHookList(keys, section)}}};
  const Key *own = keys.shortFor(section);
  return own ? Json{{"oneOf", {map, typeOf(*own)}}} : map;
}

std::string reprise::recipe::writeSchema(const Keys &keys) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "A recipe of 'reprise train'"}};
  schema.update(describe(keys, ""));
  return schema.dump(1) + "\n";
}
