//===- CacheCommand.cpp - reprise cache -----------------------------------===//

#include "Command.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Driver/KeptPlan.h"
#include "reprise/Program/ArtifactFile.h"
#include "reprise/Program/BudgetFacts.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <ctime>
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

static constexpr const char *kDamaged = "damaged; rebuilt when needed";

static const char *nameOf(ProgramCache::Kind kind) {
  return kind == ProgramCache::Kind::Program ? "program" : "plan";
}

/// Returns the model and budget of a cached plan.
static std::string describePlan(const std::string &path) {
  rt::Expected<rt::InputFile> file = rt::InputFile::open(path);
  if (!file.ok())
    return kDamaged;
  std::vector<uint8_t> bytes(file->size());
  if (!file->readAt(0, bytes.data(), bytes.size()).ok())
    return kDamaged;
  return titleOfPlan(bytes).value_or(kDamaged);
}

static std::string describe(const ProgramCache::Entry &entry) {
  if (entry.kind == ProgramCache::Kind::Plan)
    return describePlan(entry.path);
  rt::Expected<ArtifactFile> file = ArtifactFile::open(entry.path);
  if (!file.ok())
    return kDamaged;
  ProgramFacts facts = factsOf(*file);
  std::string mode = describeMode(facts);
  return facts.model + (mode.empty() ? "" : ", checkpointing " + mode);
}

static uint64_t sumOf(const std::vector<ProgramCache::Entry> &entries) {
  uint64_t bytes = 0;
  for (const ProgramCache::Entry &entry : entries)
    bytes += entry.bytes;
  return bytes;
}

static std::string timeOf(const ProgramCache::Entry &entry) {
  std::time_t seconds = entry.used / 1000000000;
  std::tm local = {};
  char text[32] = "";
  if (::localtime_r(&seconds, &local))
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
  return text;
}

//===----------------------------------------------------------------------===//
// list and clear
//===----------------------------------------------------------------------===//

static nlohmann::ordered_json jsonOf(const ProgramCache &cache,
                                     uint64_t bytes) {
  return {{"version", 1},
          {"folder", cache.path()},
          {"bytes", bytes},
          {"most_bytes", cache.path().empty() ? 0 : cache.mostBytes()}};
}

static rt::Status list(bool asJson) {
  REPRISE_EXPECT(cache, ProgramCache::ofUser());
  std::vector<ProgramCache::Entry> entries = cache->entries();
  uint64_t bytes = sumOf(entries);
  nlohmann::ordered_json json = jsonOf(*cache, bytes);
  json["entries"] = nlohmann::ordered_json::array();
  text::Table table({{"last used", text::Align::Left},
                     {"kind", text::Align::Left},
                     {"size"},
                     {"of", text::Align::Left}});
  for (const ProgramCache::Entry &entry : entries) {
    std::string of = describe(entry);
    json["entries"].push_back({{"file", entry.path},
                               {"kind", nameOf(entry.kind)},
                               {"of", of},
                               {"bytes", entry.bytes},
                               {"used", entry.used / 1000000000}});
    table.add(
        {timeOf(entry), nameOf(entry.kind), text::formatSize(entry.bytes), of});
  }
  if (asJson)
    return printJson(json);
  if (cache->path().empty())
    return print("nothing is kept: REPRISE_CACHE_BYTES is 0, or neither "
                 "XDG_CACHE_HOME nor HOME is an absolute path\n");
  std::string sum = text::formatSize(bytes) + " of " +
                    text::formatSize(cache->mostBytes()) + " in " +
                    cache->path() + "\n";
  return print(entries.empty() ? sum : table.str() + "\n" + sum);
}

static rt::Status clear(bool asJson) {
  REPRISE_EXPECT(cache, ProgramCache::ofUser());
  std::vector<ProgramCache::Entry> entries = cache->entries();
  REPRISE_RETURN_IF_ERROR(cache->clear());
  uint64_t bytes = sumOf(entries);
  nlohmann::ordered_json json = jsonOf(*cache, 0);
  json["removed"] = entries.size();
  json["removed_bytes"] = bytes;
  if (asJson)
    return printJson(json);
  return print("removed  " + std::to_string(entries.size()) +
               (entries.size() == 1 ? " file, " : " files, ") +
               text::formatSize(bytes) + "\n");
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static void add(CLI::App &cache, Invocation &invocation, const char *name,
                const char *description, rt::Status (*run)(bool asJson)) {
  CLI::App *command = cache.add_subcommand(name, description);
  auto asJson = std::make_shared<bool>(false);
  command->add_flag("--json", *asJson, "Print JSON");
  addExamples(*command, std::string("  reprise cache ") + name);
  onChosen(*command, invocation, [asJson, run] { return run(*asJson); });
}

void driver::addCacheCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "cache", "Lists or clears the cache of plans and compiled programs");
  command->require_subcommand(1);
  addExamples(*command, "  reprise cache list\n"
                        "  reprise cache clear");
  add(*command, invocation, "list",
      "Lists the cached plans and programs, most recently used first", list);
  add(*command, invocation, "clear", "Removes all cached plans and programs",
      clear);
}
