//===- Device.cpp - The devices of this build -----------------------------===//
//
// One table; nothing else in the runtime names a device.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Device.h"
#include "../cpu/CpuDevice.h"

namespace reprise::rt {

DeviceProgram::~DeviceProgram() = default;
Device::~Device() = default;

namespace {
struct DeviceEntry {
  const char *name;
  std::unique_ptr<Device> (*open)();
};
} // namespace

static constexpr DeviceEntry kDevices[] = {{"cpu", openCpuDevice}};

std::vector<std::string> deviceNames() {
  std::vector<std::string> names;
  for (const DeviceEntry &entry : kDevices)
    names.push_back(entry.name);
  return names;
}

Expected<std::unique_ptr<Device>> openDevice(const std::string &name) {
  std::string known;
  for (const DeviceEntry &entry : kDevices) {
    if (name == entry.name)
      return entry.open();
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  return Status::error(RP_UNAVAILABLE, "there is no device '" + name +
                                           "' here; available: " + known);
}

} // namespace reprise::rt
