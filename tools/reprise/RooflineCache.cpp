//===- RooflineCache.cpp - This machine's speed, measured once ------------===//
#include "RooflineCache.h"
#include "Console.h"
#include "reprise/Runtime/Artifact.h"
#include "reprise/Runtime/Library.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace reprise;
using namespace reprise::tools;

MachineId MachineId::here(unsigned threads) {
  return {rt::processorName(), rt::libraryVersion(), threads};
}

std::string tools::rooflineCachePath(unsigned threads) {
  const char *cache = std::getenv("XDG_CACHE_HOME");
  const char *home = std::getenv("HOME");
  std::string folder;
  // The specification says to ignore a relative path.
  if (cache && cache[0] == '/')
    folder = cache;
  else if (home && home[0] == '/')
    folder = std::string(home) + "/.cache";
  if (folder.empty())
    return "";
  return folder + "/reprise/roofline-" + std::to_string(threads) + ".json";
}

/// Nothing, and a note unless there is no file, when it cannot be used.
static std::optional<rt::Roofline> readCache(const std::string &path,
                                             const MachineId &machine,
                                             std::string &note) {
  std::ifstream file(path);
  if (!file)
    return std::nullopt;
  std::stringstream text;
  text << file.rdbuf();
  auto json = nlohmann::json::parse(text.str(), nullptr, false);
  bool isWhole = json.is_object();
  for (const char *name : {"gflops", "gbytes_per_second", "threads"})
    isWhole = isWhole && json.contains(name) && json[name].is_number();
  for (const char *name : {"processor", "library"})
    isWhole = isWhole && json.contains(name) && json[name].is_string();
  rt::Roofline roofline;
  if (isWhole) {
    roofline = {json["gflops"], json["gbytes_per_second"]};
    for (double rate : {roofline.gflops, roofline.gigabytesPerSecond})
      isWhole = isWhole && rate > 0 && rate <= 1e9;
  }
  if (!isWhole) {
    note = "'" + path + "' is damaged; measured this machine's speed again";
    return std::nullopt;
  }
  // Another machine that shares the home is nothing to tell anyone.
  if (json["processor"] != machine.processor ||
      json["library"] != machine.library || json["threads"] != machine.threads)
    return std::nullopt;
  return roofline;
}

static void writeCache(const std::string &path, const MachineId &machine,
                       const rt::Roofline &roofline, std::string &note) {
  nlohmann::ordered_json json = {
      {"processor", machine.processor},
      {"library", machine.library},
      {"threads", machine.threads},
      {"gflops", roofline.gflops},
      {"gbytes_per_second", roofline.gigabytesPerSecond}};
  std::string text =
      json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(),
                                      error);
  rt::Status status =
      error ? rt::Status::error(RP_IO_ERROR, "cannot create the folder of '" +
                                                 path + "': " + error.message())
            : rt::writeFileAtomically(path, text.data(), text.size());
  if (!status.ok())
    note =
        "this machine's speed is measured again each time: " + status.message();
}

rt::Expected<rt::Roofline> tools::cachedRoofline(const std::string &path,
                                                 const MachineId &machine,
                                                 const MeasureRoofline &measure,
                                                 std::string &note) {
  if (!path.empty())
    if (auto found = readCache(path, machine, note))
      return *found;
  rt::Expected<rt::Roofline> measured = measure(machine.threads);
  if (measured.ok() && !path.empty())
    writeCache(path, machine, *measured, note);
  return measured;
}

rt::Expected<rt::Roofline> tools::machineRoofline(unsigned threads,
                                                  bool mayWarn) {
  std::string note;
  auto roofline =
      cachedRoofline(rooflineCachePath(threads), MachineId::here(threads),
                     rt::measureRoofline, note);
  if (mayWarn && !note.empty())
    warn(note);
  return roofline;
}
