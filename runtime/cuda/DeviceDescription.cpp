//===- DeviceDescription.cpp - Descriptions of GPUs in files --------------===//
//
// An object of JSON, as in lib/Target/Cuda/devices. "cudnn" has the properties
// that cuDNN requires and is passed on unchanged; "source", the origin of the
// numbers, is for readers; "calls" are library calls as measured with the
// versions in "call_libraries".
//
//===----------------------------------------------------------------------===//
#include "DescriptionTexts.h"
#include "reprise/Runtime/Cuda/Cuda.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace reprise::rt::cuda {

using Json = nlohmann::ordered_json;

static Status wrong(const std::string &what,
                    const char *file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  return Status::error(RP_INVALID_ARGUMENT, "device description: " + what, file,
                       line);
}

static std::string placeOf(const std::string &text, size_t byte) {
  std::string_view before =
      std::string_view(text).substr(0, byte > 0 ? byte - 1 : 0);
  size_t line = 1 + std::count(before.begin(), before.end(), '\n');
  size_t start = before.rfind('\n');
  size_t column = before.size() - (start == before.npos ? 0 : start + 1) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

static Expected<Json> parse(const std::string &text) {
  constexpr size_t kMaxBytes = 4 << 20;
  if (text.size() > kMaxBytes)
    return wrong(std::to_string(text.size()) + " bytes; " +
                 std::to_string(kMaxBytes) + " are possible");
  // The parser's values are copied and destroyed by recursion.
  constexpr int kMaxDepth = 8;
  bool isDeep = false;
  auto limit = [&](int depth, Json::parse_event_t, Json &) {
    isDeep = isDeep || depth > kMaxDepth;
    return !isDeep;
  };
  try {
    Json object = Json::parse(text, limit);
    if (isDeep)
      return wrong("values are nested more than " + std::to_string(kMaxDepth) +
                   " deep");
    return object;
  } catch (const nlohmann::json::parse_error &error) {
    return wrong("no JSON at " + placeOf(text, error.byte));
  } catch (const nlohmann::json::exception &error) {
    return wrong(std::string("no JSON: ") + error.what());
  }
}

static Expected<std::string> readText(const Json &object, const char *field) {
  auto it = object.find(field);
  if (it == object.end())
    return wrong(std::string("\"") + field + "\" is missing");
  if (!it->is_string() || it->get_ref<const std::string &>().empty())
    return wrong(std::string("\"") + field + "\" is " + it->type_name() +
                 "; a text that is not empty is needed");
  return it->get<std::string>();
}

/// Returns a number unchanged, and the type of anything else.
static std::string shown(const Json &value) {
  return value.is_number() ? value.dump() : value.type_name();
}

static Expected<double> readRate(const Json &object, const char *field) {
  auto it = object.find(field);
  if (it == object.end())
    return wrong(std::string("\"") + field + "\" is missing");
  double value = it->is_number() ? it->get<double>() : 0;
  if (!(value > 0) || !std::isfinite(value))
    return wrong(std::string("\"") + field + "\" is " + shown(*it) +
                 "; a number above 0 is needed");
  return value;
}

static Status readMemory(const Json &object, uint64_t &bytes) {
  auto it = object.find("memory_bytes");
  if (it == object.end())
    return wrong("\"memory_bytes\" is missing");
  if (!it->is_number_unsigned() || it->get<uint64_t>() == 0)
    return wrong("\"memory_bytes\" is " + shown(*it) +
                 "; a whole number above 0 is needed");
  bytes = it->get<uint64_t>();
  return {};
}

/// Returns true for a number, a text or a list of numbers.
static bool isProperty(const Json &value) {
  if (value.is_array())
    return std::all_of(value.begin(), value.end(),
                       [](const Json &v) { return v.is_number(); });
  return value.is_number() || value.is_string();
}

static Status readProperties(const Json &object, std::string &properties) {
  auto it = object.find("cudnn");
  if (it == object.end())
    return wrong("\"cudnn\" is missing");
  if (!it->is_object() || it->empty())
    return wrong(std::string("\"cudnn\" is ") + it->type_name() +
                 "; an object with the device's properties is needed");
  for (const auto &[name, value] : it->items())
    if (!isProperty(value))
      return wrong("\"" + name + "\" in \"cudnn\" is " + value.type_name() +
                   "; a number, a text or a list of numbers is needed");
  properties = it->dump();
  return {};
}

/// Returns true for "sm_90": an architecture that code can be generated for.
static bool isArchitecture(const std::string &text) {
  // Excludes "sm_90a", whose code no other architecture can load.
  return text.size() >= 5 && text.size() <= 6 &&
         text.compare(0, 3, "sm_") == 0 &&
         text.find_first_not_of("0123456789", 3) == text.npos;
}

static Status readTexts(const Json &object, DeviceDescription &d) {
  struct {
    const char *field;
    std::string &value;
  } texts[] = {
      {"key", d.key}, {"name", d.name}, {"architecture", d.architecture}};
  for (auto &[field, value] : texts) {
    REPRISE_EXPECT(text, readText(object, field));
    value = *text;
  }
  if (!isArchitecture(d.architecture))
    return wrong("\"architecture\" is \"" + d.architecture +
                 "\"; one like \"sm_90\" is needed");
  return {};
}

static Status readRates(const Json &object, Roofline &roofline) {
  struct {
    const char *field;
    double &value;
  } rates[] = {{"gflops", roofline.gflops},
               {"narrow_gflops", roofline.narrowGflops},
               {"gigabytes_per_second", roofline.gigabytesPerSecond}};
  for (auto &[field, value] : rates) {
    REPRISE_EXPECT(rate, readRate(object, field));
    value = *rate;
  }
  return {};
}

/// A field that nothing reads is a mistake.
static Status checkFields(const Json &object,
                          const std::vector<std::string> &known) {
  for (const auto &[name, value] : object.items())
    if (std::find(known.begin(), known.end(), name) == known.end())
      return wrong("\"" + name + "\" is unknown");
  return {};
}

static Status readCall(const Json &object, DeviceDescription &d) {
  if (!object.is_object())
    return wrong(std::string("a call is ") + object.type_name() +
                 "; an object is needed");
  REPRISE_RETURN_IF_ERROR(checkFields(
      object, {"call", "implementation", "workspace_bytes", "seconds"}));
  REPRISE_EXPECT(call, readText(object, "call"));
  REPRISE_EXPECT(implementation, readText(object, "implementation"));
  REPRISE_EXPECT(seconds, readRate(object, "seconds"));
  auto bytes = object.find("workspace_bytes");
  if (bytes == object.end() || !bytes->is_number_unsigned())
    return wrong("\"workspace_bytes\" of '" + *call +
                 "' is not a whole number");
  LibraryCallInfo measured{bytes->get<uint64_t>(), *implementation, *seconds};
  if (!d.calls.emplace(*call, std::move(measured)).second)
    return wrong("'" + *call + "' is there twice");
  return {};
}

static Status readCalls(const Json &object, DeviceDescription &d) {
  auto calls = object.find("calls");
  bool areMeasured = object.contains("call_libraries");
  if (calls == object.end() && !areMeasured)
    return {};
  REPRISE_EXPECT(libraries, readText(object, "call_libraries"));
  d.callLibraries = *libraries;
  if (calls == object.end() || !calls->is_array())
    return wrong("\"calls\" is not a list");
  for (const Json &call : *calls)
    REPRISE_RETURN_IF_ERROR(readCall(call, d));
  return {};
}

Expected<DeviceDescription> readDescription(const std::string &json) {
  REPRISE_EXPECT(object, parse(json));
  if (!object->is_object())
    return wrong(std::string("the text is ") + object->type_name() +
                 "; an object is needed");
  DeviceDescription d;
  REPRISE_RETURN_IF_ERROR(checkFields(
      *object, {"key", "name", "architecture", "source", "memory_bytes",
                "gflops", "narrow_gflops", "gigabytes_per_second", "cudnn",
                "call_libraries", "calls"}));
  REPRISE_RETURN_IF_ERROR(readTexts(*object, d));
  REPRISE_RETURN_IF_ERROR(readMemory(*object, d.memoryBytes));
  REPRISE_RETURN_IF_ERROR(readRates(*object, d.roofline));
  REPRISE_RETURN_IF_ERROR(readProperties(*object, d.properties));
  REPRISE_RETURN_IF_ERROR(readCalls(*object, d));
  if (object->contains("source")) {
    REPRISE_EXPECT(source, readText(*object, "source"));
    d.source = *source;
  }
  return d;
}

std::string writeDescription(const DeviceDescription &d) {
  Json properties =
      Json::parse(d.properties, nullptr, /*allow_exceptions=*/false);
  Json object = {
      {"key", d.key}, {"name", d.name}, {"architecture", d.architecture}};
  if (!d.source.empty())
    object["source"] = d.source;
  object["memory_bytes"] = d.memoryBytes;
  object["gflops"] = d.roofline.gflops;
  object["narrow_gflops"] = d.roofline.narrowGflops;
  object["gigabytes_per_second"] = d.roofline.gigabytesPerSecond;
  object["cudnn"] = properties.is_discarded() ? Json() : properties;
  if (!d.callLibraries.empty()) {
    object["call_libraries"] = d.callLibraries;
    object["calls"] = Json::array();
  }
  for (const auto &[call, measured] : d.calls)
    object["calls"].push_back({{"call", call},
                               {"implementation", measured.implementation},
                               {"workspace_bytes", measured.workspaceBytes},
                               {"seconds", measured.seconds}});
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<std::string> descriptionKeys() {
  std::vector<std::string> keys;
  for (size_t i = 0; i < kDescriptionTextCount; ++i)
    keys.push_back(kDescriptionTexts[i].key);
  return keys;
}

Expected<DeviceDescription> describe(const std::string &key) {
  std::string known;
  for (size_t i = 0; i < kDescriptionTextCount; ++i) {
    if (key == kDescriptionTexts[i].key)
      return readDescription(kDescriptionTexts[i].json);
    known += (i ? ", " : "") + std::string(kDescriptionTexts[i].key);
  }
  return Status::error(RP_INVALID_ARGUMENT, "no device '" + key +
                                                "' is described; there are " +
                                                known);
}

} // namespace reprise::rt::cuda
