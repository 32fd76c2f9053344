//===- OpenDevice.cpp - The shared library of the device "cuda" -----------===//
#include "CudaDevice.h"

namespace reprise::rt::cuda {

Expected<std::unique_ptr<Device>> openCudaDevice(const std::string &which) {
  Expected<Which> read = readWhich(which);
  if (!read.ok())
    return read.status();
  unsigned number = read->number;
  auto open = [number] { return openCudaDriver(number); };
  // Missing parts are reported when the device is opened.
  Expected<std::unique_ptr<Driver>> driver = open();
  if (!driver.ok())
    return driver.status();
  return makeCudaDevice(open, read->mayAdapt);
}

} // namespace reprise::rt::cuda

REPRISE_EXPORT_DEVICE(reprise::rt::cuda::openCudaDevice);
