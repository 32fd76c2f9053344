//===- OldDevice.cpp - A shared library of another revision ---------------===//
#include "reprise/Runtime/Device.h"

using namespace reprise::rt;

static Expected<std::unique_ptr<Device>> open(const std::string &) {
  return Status::error(RP_INTERNAL, "was opened in spite of its revision");
}

extern "C" __attribute__((visibility("default")))
const DeviceLibrary repriseDeviceLibrary = {"reprise device 0", open};
