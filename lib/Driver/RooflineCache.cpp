//===- RooflineCache.cpp - The cached roofline of this machine ------------===//
#include "reprise/Driver/RooflineCache.h"
#include "reprise/Console/Console.h"
#include "reprise/Driver/CacheFolder.h"
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Runtime/Trainer/PathLock.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

using namespace reprise;
using namespace reprise::driver;

// Far more than the size of a cache file.
static constexpr uint64_t kMostBytes = 1 << 16;

std::string driver::rooflineCachePath(const MachineId &machine) {
  std::string folder = cacheFolder();
  if (folder.empty())
    return "";
  return folder + "/roofline-" + machine.device + "-" +
         std::to_string(machine.threads) + ".json";
}

static constexpr const char *kNarrow = "gflops_16bit";

/// Returns nothing if it cannot be used, with a note unless there is no file.
static std::optional<rt::Roofline> readCache(const std::string &path,
                                             const MachineId &machine,
                                             std::string &note) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return std::nullopt;
  // A file rather than a stream: this must not wait on anything else, such as a
  // pipe.
  rt::Expected<rt::InputFile> file = rt::InputFile::open(path);
  std::string text;
  if (file.ok() && file->size() <= kMostBytes)
    text.resize(file->size());
  if (!file.ok() || !file->readAt(0, text.data(), text.size()).ok()) {
    note = (file.ok() ? "'" + path + "' cannot be read"
                      : file.status().message()) +
           "; measured this machine's speed again";
    return std::nullopt;
  }
  auto json = nlohmann::json::parse(text, nullptr, false);
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
    // Files of versions without this rate are not damaged.
    bool isOld = !json.contains(kNarrow);
    if (isWhole && isOld)
      return std::nullopt;
    isWhole = isWhole && json[kNarrow].is_number();
    if (isWhole)
      roofline.narrowGflops = json[kNarrow];
    isWhole =
        isWhole && roofline.narrowGflops >= 0 && roofline.narrowGflops <= 1e9;
  }
  if (!isWhole) {
    note = "'" + path + "' is damaged; measured this machine's speed again";
    return std::nullopt;
  }
  // A different machine that shares the home directory deserves no message.
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
      {kNarrow, roofline.narrowGflops},
      {"gbytes_per_second", roofline.gigabytesPerSecond}};
  std::string text =
      json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  rt::Status status = writeCacheFile(path, text.data(), text.size());
  if (!status.ok())
    note =
        "this machine's speed is measured again each time: " + status.message();
}

/// Returns the rates that another process is measuring, or nothing with the
/// lock under which this process measures. A folder without locks, for example
/// one that cannot be written, and a process that measures for too long are not
/// waited for.
static std::optional<rt::Roofline> awaitOther(const std::string &path,
                                              const MachineId &machine,
                                              rt::PathLock &lock,
                                              std::string &note) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPause(50);
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(),
                                      ignored);
  std::optional<Activity> waiting;
  for (auto end = Clock::now() + std::chrono::minutes(1);;) {
    auto acquired = rt::PathLock::acquire(path);
    bool isBusy = !acquired.ok() && acquired.status().code() == RP_UNAVAILABLE;
    if (acquired.ok())
      lock = std::move(*acquired);
    // Written since the file was read, or just now.
    if (auto found = readCache(path, machine, note)) {
      note.clear();
      return found;
    }
    if (!isBusy || Clock::now() >= end)
      return std::nullopt;
    if (!waiting)
      waiting.emplace("waiting for another process that measures this "
                      "machine's speed");
    std::this_thread::sleep_for(kPause);
  }
}

rt::Expected<rt::Roofline>
driver::cachedRoofline(const std::string &path, const MachineId &machine,
                       const MeasureRoofline &measure, std::string &note) {
  rt::PathLock lock;
  if (!path.empty()) {
    auto found = readCache(path, machine, note);
    if (!found)
      found = awaitOther(path, machine, lock, note);
    if (found)
      return *found;
  }
  rt::Expected<rt::Roofline> measured = measure(machine.threads);
  if (measured.ok() && !path.empty())
    writeCache(path, machine, *measured, note);
  return measured;
}

rt::Expected<rt::Roofline>
driver::machineRoofline(const MachineId &machine,
                        const MeasureRoofline &measure, bool mayWarn) {
  // Once per process, so that its plans use the same rates, cached or not.
  static std::mutex mutex;
  static std::map<std::pair<std::string, unsigned>, rt::Roofline> known;
  std::lock_guard<std::mutex> lock(mutex);
  std::pair<std::string, unsigned> key(machine.device, machine.threads);
  if (auto found = known.find(key); found != known.end())
    return found->second;
  std::string note;
  auto roofline =
      cachedRoofline(rooflineCachePath(machine), machine, measure, note);
  if (mayWarn && !note.empty())
    warn(note);
  if (roofline.ok())
    known[key] = *roofline;
  return roofline;
}
