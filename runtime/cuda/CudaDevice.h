//===- CudaDevice.h - A GPU behind the device interface ---------*- C++ -*-===//
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

/// What stands behind "cuda:".
struct Which {
  unsigned number = 0;
  /// Whether calls that were planned by other libraries run as these can, in
  /// the planned bytes; bits and time may be others.
  bool mayAdapt = false;
};

/// Reads "", "1", "adapt" or "1,adapt". Fails with RP_UNAVAILABLE.
Expected<Which> readWhich(const std::string &which);

/// A device whose programs each have a driver of their own.
std::unique_ptr<Device> makeCudaDevice(DriverOpener open, bool mayAdapt,
                                       const MeasuredWork &measured = {});

/// The GPU of this machine that readWhich says. Fails with
/// RP_UNAVAILABLE, and says what is missing and what to do.
Expected<std::unique_ptr<Device>> openCudaDevice(const std::string &which);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUDADEVICE_H
