//===- Device.cpp - Devices by name ---------------------------------------===//
//
// Devices register themselves; nothing in the runtime's core names one.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Device.h"

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <mutex>

namespace reprise::rt {

DeviceProgram::~DeviceProgram() = default;

Status DeviceProgram::writeInput(size_t, uint32_t, uint64_t offset,
                                 const void *data, uint64_t bytes) {
  return write(offset, data, bytes);
}

Status DeviceProgram::runTimed(size_t entry, size_t first, size_t end,
                               std::vector<rp_step_times> &times) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  auto now = [&] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  for (size_t i = first; i < end; ++i) {
    times[i] = {now(), 0, 0, 0};
    REPRISE_RETURN_IF_ERROR(run(entry, i, i + 1));
    times[i].end = now();
  }
  return {};
}

Status DeviceProgram::setCommunicator(Communicator *) {
  return Status::error(RP_UNAVAILABLE,
                       "this device runs no steps of several ranks");
}

Expected<std::unique_ptr<DeviceProgram>>
DeviceProgram::prepareBeside(const fb::Program &) {
  return std::unique_ptr<DeviceProgram>();
}

Device::~Device() = default;

Expected<DeviceSummary> Device::summary() {
  DeviceSummary summary;
  summary.name = name();
  return summary;
}

Expected<std::string>
Device::description(const std::vector<const fb::Program *> &) {
  return Status::error(RP_UNAVAILABLE,
                       "device '" + name() +
                           "' needs no description: 'reprise device list' says "
                           "by which target programs are compiled for it");
}

namespace {
struct Registry {
  std::mutex mutex;
  std::map<std::string, DeviceOpener> devices;
  static Registry &get() {
    // Never destroyed: a device may be open when the process ends.
    static Registry &registry = *new Registry;
    return registry;
  }
};
} // namespace

void registerDevice(const std::string &name, DeviceOpener open) {
  Registry &registry = Registry::get();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.devices[name] = std::move(open);
}

std::vector<std::string> deviceNames() {
  Registry &registry = Registry::get();
  std::lock_guard<std::mutex> lock(registry.mutex);
  std::vector<std::string> names;
  for (const auto &[name, open] : registry.devices)
    names.push_back(name);
  return names;
}

static DeviceOpener findRegistered(const std::string &name) {
  Registry &registry = Registry::get();
  std::lock_guard<std::mutex> lock(registry.mutex);
  auto found = registry.devices.find(name);
  return found == registry.devices.end() ? nullptr : found->second;
}

/// Returns true if a name may become part of a file name: it cannot leave the
/// folder.
static bool isPlain(const std::string &name) {
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") ==
             std::string::npos;
}

/// Opens a device's shared library; on failure `why` lists the attempts.
static void *openLibrary(const std::string &name, std::string &why) {
  std::string file = "libreprise-device-" + name + ".so";
  const char *path = std::getenv("REPRISE_DEVICE_PATH");
  std::string folders = path ? path : "";
  for (size_t at = 0; at < folders.size();) {
    size_t end = std::min(folders.find(':', at), folders.size());
    std::string whole = folders.substr(at, end - at) + "/" + file;
    if (end > at)
      if (void *library = ::dlopen(whole.c_str(), RTLD_NOW | RTLD_LOCAL))
        return library;
    if (end > at)
      why += std::string(why.empty() ? "" : "; ") + ::dlerror();
    at = end + 1;
  }
  if (void *library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
    return library;
  why += std::string(why.empty() ? "" : "; ") + ::dlerror();
  return nullptr;
}

static Status unavailable(const std::string &name, const std::string &why,
                          const char *file = __builtin_FILE(),
                          int line = __builtin_LINE()) {
  std::string known;
  for (const std::string &device : deviceNames())
    known += (known.empty() ? "" : ", ") + device;
  return Status::error(RP_UNAVAILABLE,
                       "there is no device '" + name + "' here" +
                           (why.empty() ? "" : " (" + why + ")") +
                           "; available: " + (known.empty() ? "none" : known),
                       file, line);
}

/// Returns the device of a shared library, which stays open: its code may be in
/// use anywhere.
static Expected<std::unique_ptr<Device>> openShared(const std::string &name,
                                                    const std::string &which) {
  if (!isPlain(name))
    return unavailable(name, "");
  std::string why;
  void *library = openLibrary(name, why);
  if (!library)
    return unavailable(name, why);
  auto *found = static_cast<const DeviceLibrary *>(
      ::dlsym(library, kDeviceLibrarySymbol));
  if (!found)
    return unavailable(name, "its library exports no device");
  std::string revision = found->revision;
  if (revision != kDeviceRevision)
    return unavailable(name, "its library is of '" + revision +
                                 "', this runtime opens '" + kDeviceRevision +
                                 "'");
  return found->open(which);
}

Expected<std::unique_ptr<Device>> openDevice(const std::string &name) {
  size_t colon = std::min(name.find(':'), name.size());
  std::string base = name.substr(0, colon),
              which = colon < name.size() ? name.substr(colon + 1) : "";
  if (DeviceOpener open = findRegistered(base))
    return open(which);
  return openShared(base, which);
}

} // namespace reprise::rt
