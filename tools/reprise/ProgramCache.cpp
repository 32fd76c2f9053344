//===- ProgramCache.cpp - Compiled programs, kept on disk -----------------===//
#include "ProgramCache.h"
#include "CacheFolder.h"
#include "Console.h"
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Target/Target.h"
#include "text/Size.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <link.h>
#include <sys/stat.h>

using namespace reprise;
using namespace reprise::tools;

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

/// Size and time of this executable and of every library in it: another build,
/// or another version of a library, is another compiler.
static std::string thisCompiler() {
  std::string text;
  auto add = [](dl_phdr_info *info, size_t, void *to) {
    std::string path = info->dlpi_name ? info->dlpi_name : "";
    struct stat facts;
    // Code of a program that was opened has no file of its own.
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

/// What a file of measured times says; its name says nothing.
static rt::Status addFile(const std::string &path, llvm::SHA256 &digest) {
  if (path.empty())
    return {};
  rt::Expected<rt::InputFile> file = rt::InputFile::open(path);
  if (!file.ok())
    return file.status();
  std::string bytes(file->size(), '\0');
  REPRISE_RETURN_IF_ERROR(file->readAt(0, bytes.data(), bytes.size()));
  digest.update(llvm::StringRef(bytes));
  return {};
}

rt::Expected<std::string> ProgramCache::nameOf(const ModelRequest &request,
                                               const Compiler &loaded) {
  const CompileOptions &options = request.compile;
  rt::Expected<std::unique_ptr<Target>> target =
      createTarget(options.target, options.threads);
  if (!target.ok())
    return target.status();
  Machine machine = (*target)->machine();
  llvm::SHA256 digest;
  // A number before each text, so that none can go on in the next.
  for (const std::string &text :
       {thisCompiler(), request.source, loaded.print(),
        describeOptions(options), machine.processor, machine.library,
        (*target)->content()}) {
    digest.update(llvm::StringRef(std::to_string(text.size()) + "\n"));
    digest.update(llvm::StringRef(text));
  }
  REPRISE_RETURN_IF_ERROR(addFile(options.profile, digest));
  return llvm::toHex(digest.final(), /*LowerCase=*/true);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

std::optional<std::vector<uint8_t>>
ProgramCache::find(const std::string &name) const {
  if (folder.empty())
    return std::nullopt;
  rt::Expected<rt::InputFile> file = rt::InputFile::open(pathOf(name));
  if (!file.ok() || file->size() > limit)
    return std::nullopt;
  std::vector<uint8_t> bytes(file->size());
  if (!file->readAt(0, bytes.data(), bytes.size()).ok())
    return std::nullopt;
  // It was used just now.
  std::error_code ignored;
  fs::last_write_time(pathOf(name), fs::file_time_type::clock::now(), ignored);
  return bytes;
}

void ProgramCache::drop(const std::string &name) const {
  std::error_code ignored;
  fs::remove(pathOf(name), ignored);
}

/// Removes what was used longest ago until `bytes` more fit. Another process
/// may do the same at the same time; what is gone is gone.
void ProgramCache::makeRoom(uint64_t bytes) const {
  struct Kept {
    fs::file_time_type time;
    uint64_t bytes;
    fs::path path;
  };
  std::vector<Kept> all;
  uint64_t used = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    Kept kept = {it->last_write_time(gone), it->file_size(gone), it->path()};
    if (gone || kept.path.extension() != ".rpx")
      continue;
    used += kept.bytes;
    all.push_back(std::move(kept));
  }
  std::sort(all.begin(), all.end(),
            [](const Kept &a, const Kept &b) { return a.time < b.time; });
  for (const Kept &kept : all) {
    if (used + bytes <= limit)
      return;
    std::error_code ignored;
    fs::remove(kept.path, ignored);
    used -= kept.bytes;
  }
}

std::mutex &ProgramCache::writing() {
  // Never destroyed: a thread may be left behind that writes.
  static auto *mutex = new std::mutex;
  return *mutex;
}

std::string ProgramCache::keep(const std::string &name,
                               const std::vector<uint8_t> &bytes) const {
  if (folder.empty() || bytes.size() > limit)
    return "";
  std::lock_guard<std::mutex> lock(writing());
  makeRoom(bytes.size());
  rt::Status status = writeCacheFile(pathOf(name), bytes.data(), bytes.size());
  // What another process kept meanwhile made no room for this one.
  if (status.ok())
    makeRoom(0);
  return status.ok() ? ""
                     : "compiled programs are not kept: " + status.message();
}
