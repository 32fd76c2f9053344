//===- OpenDevice.cpp - The shared library of the device "cuda" -----------===//
#include "CudaDevice.h"
#include "reprise/Runtime/Expect.h"

namespace reprise::rt::cuda {

Expected<std::unique_ptr<Device>> openCudaDevice(const std::string &which) {
  REPRISE_EXPECT(read, readWhich(which));
  unsigned number = read->number;
  auto open = [number] { return openCudaDriver(number); };
  // Missing parts are reported when the device is opened.
  REPRISE_EXPECT(driver, open());
  return makeCudaDevice(open, read->mayAdapt);
}

} // namespace reprise::rt::cuda

REPRISE_EXPORT_DEVICE(reprise::rt::cuda::openCudaDevice);
