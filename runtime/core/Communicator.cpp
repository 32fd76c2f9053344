//===- Communicator.cpp - Plugins of communication libraries --------------===//
#include "reprise/Runtime/Communicator.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <vector>

namespace reprise::rt {

/// Returns the places of a plugin, in the order of the search.
static std::vector<std::string> placesOf(const std::string &file) {
  std::vector<std::string> places;
  const char *path = std::getenv("REPRISE_COMM_PATH");
  std::string folders = path ? path : "";
  for (size_t at = 0; at < folders.size();) {
    size_t end = std::min(folders.find(':', at), folders.size());
    if (end > at)
      places.push_back(folders.substr(at, end - at) + "/" + file);
    at = end + 1;
  }
  std::error_code error;
  auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error)
    places.push_back(self.parent_path().parent_path() / "lib" / file);
  places.push_back(file);
  return places;
}

Expected<std::unique_ptr<Communicator>>
openCommunicator(const std::string &name, const CommunicatorOptions &options) {
  std::string file = "libreprise-comm-" + name + ".so", why;
  void *library = nullptr;
  // Open MPI opens its own plugins, which need its symbols.
  for (const std::string &place : placesOf(file)) {
    library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library)
      break;
    why += (why.empty() ? "" : "; ") + std::string(::dlerror());
  }
  if (!library)
    return Status::error(RP_UNAVAILABLE,
                         "ranks need the plugin " + file +
                             ", which is not installed or cannot be opened (" +
                             why + "); it is in the package reprise-" + name +
                             ", and in builds that found MPI");
  auto *found = static_cast<const CommunicatorLibrary *>(
      ::dlsym(library, kCommunicatorSymbol));
  if (!found || std::string(found->revision) != kCommunicatorRevision)
    return Status::error(RP_UNAVAILABLE,
                         file + " is of another version of Reprise");
  return found->open(options);
}

} // namespace reprise::rt
