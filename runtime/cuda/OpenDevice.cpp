//===- OpenDevice.cpp - The shared library of the device "cuda" -----------===//
#include "CudaDevice.h"

namespace reprise::rt::cuda {

Expected<std::unique_ptr<Device>> openCudaDevice(const std::string &which) {
  constexpr size_t kDigits = 3;
  bool isNumber = which.size() <= kDigits &&
                  which.find_first_not_of("0123456789") == std::string::npos;
  if (!isNumber)
    return Status::error(RP_UNAVAILABLE, "there is no GPU '" + which +
                                             "'; write cuda:0, cuda:1, ...");
  unsigned number = which.empty() ? 0 : unsigned(std::stoul(which));
  auto open = [number] { return openCudaDriver(number); };
  // What is missing is said when the device is asked for.
  Expected<std::unique_ptr<Driver>> driver = open();
  if (!driver.ok())
    return driver.status();
  return makeCudaDevice(open);
}

} // namespace reprise::rt::cuda

REPRISE_EXPORT_DEVICE(reprise::rt::cuda::openCudaDevice);
