//===- CudaDevice.h - A GPU behind the device interface ---------*- C++ -*-===//
//
// One arena in the GPU's memory, one stream, each entry captured as one graph.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_CUDADEVICE_H
#define REPRISE_RUNTIME_CUDA_CUDADEVICE_H

#include "Driver.h"
#include "reprise/Runtime/Device.h"

namespace reprise::rt::cuda {

/// Opens a driver for one program.
using DriverOpener = std::function<Expected<std::unique_ptr<Driver>>()>;

/// A device whose programs each have a driver of their own.
std::unique_ptr<Device> makeCudaDevice(DriverOpener open);

/// GPU number `which` of this machine, 0 if it is empty. Fails with
/// RP_UNAVAILABLE, and says what is missing and what to do.
Expected<std::unique_ptr<Device>> openCudaDevice(const std::string &which);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUDADEVICE_H
