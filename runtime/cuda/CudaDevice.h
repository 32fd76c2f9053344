//===- CudaDevice.h - A GPU as a device -------------------------*- C++ -*-===//
//
// One arena in the GPU's memory, one stream for steps and one for inputs, each
// entry captured as one graph.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_CUDADEVICE_H
#define REPRISE_RUNTIME_CUDA_CUDADEVICE_H

#include "DescribeGpu.h"
#include "Driver.h"
#include "reprise/Runtime/Device.h"

namespace reprise::rt::cuda {

/// Opens a driver for one program.
using DriverOpener = std::function<Expected<std::unique_ptr<Driver>>()>;

/// The options after "cuda:".
struct Which {
  unsigned number = 0;
  /// True if calls planned by other libraries may run by these, in the planned
  /// bytes; bits and time may differ.
  bool mayAdapt = false;
};

/// Reads "", "1", "adapt" or "1,adapt". Fails with RP_UNAVAILABLE.
Expected<Which> readWhich(const std::string &which);

/// Returns a device whose programs each have their own driver.
std::unique_ptr<Device> makeCudaDevice(DriverOpener open, bool mayAdapt,
                                       const MeasuredWork &measured = {});

/// Opens this machine's GPU that readWhich selects. Fails with RP_UNAVAILABLE,
/// with the missing part and a remedy.
Expected<std::unique_ptr<Device>> openCudaDevice(const std::string &which);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUDADEVICE_H
