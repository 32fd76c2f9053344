//===- ProgramCache.cpp - The disk cache of plans and programs ------------===//
#include "reprise/Driver/ProgramCache.h"
#include "reprise/Console/Console.h"
#include "reprise/Driver/CacheFolder.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Target/Target.h"
#include "reprise/Text/Size.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <link.h>
#include <sys/stat.h>
#include <tuple>

using namespace reprise;
using namespace reprise::driver;

namespace fs = std::filesystem;

static constexpr uint64_t kUsualLimit = uint64_t(2) << 30;

rt::Expected<ProgramCache> ProgramCache::ofUser() {
  std::string folder = cacheFolder();
  uint64_t limit = kUsualLimit;
  if (const char *text = std::getenv("REPRISE_CACHE_BYTES"); text && *text) {
    rt::Expected<uint64_t> bytes = text::parseSize(text);
    if (!bytes.ok())
      return misuse("REPRISE_CACHE_BYTES: " + bytes.status().message());
    limit = *bytes;
  }
  return ProgramCache(folder.empty() || !limit ? "" : folder + "/programs",
                      limit);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Returns size and time of this executable and of all its libraries: another
/// build, or another version of a library, is another compiler.
static std::string thisCompiler() {
  std::string text;
  auto add = [](dl_phdr_info *info, size_t, void *to) {
    std::string path = info->dlpi_name ? info->dlpi_name : "";
    struct stat facts;
    // Code of an opened program has no file of its own.
    bool isCode = path.rfind("/proc/", 0) == 0 || path.rfind("/memfd", 0) == 0;
    if (!isCode &&
        ::stat(path.empty() ? "/proc/self/exe" : path.c_str(), &facts) == 0)
      *static_cast<std::string *>(to) +=
          path + " " + std::to_string(facts.st_size) + " " +
          std::to_string(facts.st_mtim.tv_sec) + "." +
          std::to_string(facts.st_mtim.tv_nsec) + "\n";
    return 0;
  };
  ::dl_iterate_phdr(add, &text);
  return text;
}

/// Adds the contents of a file; its name does not matter.
static rt::Status addFile(const std::string &path, llvm::SHA256 &digest) {
  if (path.empty())
    return {};
  REPRISE_EXPECT(file, rt::InputFile::open(path));
  std::string bytes(file->size(), '\0');
  REPRISE_RETURN_IF_ERROR(file->readAt(0, bytes.data(), bytes.size()));
  digest.update(llvm::StringRef(bytes));
  return {};
}

rt::Expected<std::string> ProgramCache::nameOf(const ModelRequest &request,
                                               const Compiler &loaded,
                                               const std::string &command) {
  const CompileOptions &options = request.compile;
  REPRISE_EXPECT(target, createTarget(options.target, options.threads));
  Machine machine = (*target)->machine();
  llvm::SHA256 digest;
  // A length before each text, so that different texts cannot concatenate to
  // the same bytes.
  for (const std::string &text :
       {thisCompiler(), request.source, loaded.print(),
        describeOptions(options), machine.processor, machine.library,
        (*target)->content(), command}) {
    digest.update(llvm::StringRef(std::to_string(text.size()) + "\n"));
    digest.update(llvm::StringRef(text));
  }
  REPRISE_RETURN_IF_ERROR(addFile(options.profile, digest));
  // Programs record source lines, which the printed ops do not contain.
  if (!zooModel(request.source))
    REPRISE_RETURN_IF_ERROR(addFile(request.source, digest));
  return llvm::toHex(digest.final(), /*LowerCase=*/true);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static const char *endingOf(ProgramCache::Kind kind) {
  return kind == ProgramCache::Kind::Program ? ".rpx" : ".plan";
}

std::string ProgramCache::pathOf(const std::string &name, Kind kind) const {
  return folder + "/" + name + endingOf(kind);
}

std::optional<std::vector<uint8_t>> ProgramCache::find(const std::string &name,
                                                       Kind kind) const {
  if (folder.empty())
    return std::nullopt;
  rt::Expected<rt::InputFile> file = rt::InputFile::open(pathOf(name, kind));
  if (!file.ok() || file->size() > limit)
    return std::nullopt;
  std::vector<uint8_t> bytes(file->size());
  if (!file->readAt(0, bytes.data(), bytes.size()).ok())
    return std::nullopt;
  // Marks it as just used.
  std::error_code ignored;
  fs::last_write_time(pathOf(name, kind), fs::file_time_type::clock::now(),
                      ignored);
  return bytes;
}

void ProgramCache::drop(const std::string &name, Kind kind) const {
  std::error_code ignored;
  fs::remove(pathOf(name, kind), ignored);
}

/// Returns true if the file is being written, or was by a killed process.
static bool isAside(const fs::path &path) {
  return path.filename().string().rfind(".reprise-", 0) == 0;
}

/// Calls `visit` with each file of a folder; the file may be gone by then.
template <typename Visit>
static void eachFile(const std::string &folder, Visit visit) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    visit(it->path());
}

std::vector<ProgramCache::Entry> ProgramCache::entries() const {
  std::vector<Entry> all;
  eachFile(folder, [&](const fs::path &path) {
    struct stat facts;
    for (Kind kind : {Kind::Program, Kind::Plan})
      if (path.extension() == endingOf(kind) && !isAside(path) &&
          ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode))
        all.push_back({path.string(), kind, uint64_t(facts.st_size),
                       facts.st_mtim.tv_sec * int64_t(1000000000) +
                           facts.st_mtim.tv_nsec});
  });
  std::sort(all.begin(), all.end(), [](const Entry &a, const Entry &b) {
    return std::tie(b.used, a.path) < std::tie(a.used, b.path);
  });
  return all;
}

/// Removes the least recently used files until `bytes` more fit. Other
/// processes may do the same; files that are gone already are ignored.
void ProgramCache::makeRoom(uint64_t bytes) const {
  std::vector<Entry> all = entries();
  uint64_t used = bytes;
  for (const Entry &entry : all)
    used += entry.bytes;
  for (; used > limit && !all.empty(); all.pop_back()) {
    std::error_code ignored;
    fs::remove(all.back().path, ignored);
    used -= all.back().bytes;
  }
  // No write takes a day.
  std::time_t old = std::time(nullptr) - 24 * 60 * 60;
  eachFile(folder, [&](const fs::path &path) {
    struct stat facts;
    std::error_code ignored;
    if (isAside(path) && ::stat(path.c_str(), &facts) == 0 &&
        facts.st_mtime < old)
      fs::remove(path, ignored);
  });
}

rt::Status ProgramCache::clear() const {
  rt::Status status;
  eachFile(folder, [&](const fs::path &path) {
    bool isOurs = isAside(path) || path.extension() == endingOf(Kind::Plan) ||
                  path.extension() == endingOf(Kind::Program);
    std::error_code error;
    if (isOurs && !fs::remove(path, error) && error)
      status =
          rt::Status::error(RP_IO_ERROR, "cannot remove '" + path.string() +
                                             "': " + error.message());
  });
  return status;
}

std::mutex &ProgramCache::writing() {
  // Never destroyed: a writing thread may outlive main().
  static auto *mutex = new std::mutex;
  return *mutex;
}

void ProgramCache::keep(const std::string &name, Kind kind,
                        const std::vector<uint8_t> &bytes) const {
  if (folder.empty() || bytes.size() > limit)
    return;
  rt::Status status;
  {
    std::lock_guard<std::mutex> lock(writing());
    makeRoom(bytes.size());
    status = writeCacheFile(pathOf(name, kind), bytes.data(), bytes.size());
    // Another process may have added entries since room was made.
    if (status.ok())
      makeRoom(0);
  }
  static std::atomic<bool> hasWarned{false};
  if (!status.ok() && !hasWarned.exchange(true))
    warn("plans and compiled programs are not kept: " + status.message());
}
