//===- CpuDevice.h - The CPU as a device ------------------------*- C++ -*-===//
//
// oneDNN for library calls, compiled kernels for the rest, one team of threads
// for both.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_CPUDEVICE_H
#define REPRISE_RUNTIME_CPU_CPUDEVICE_H

#include "reprise/Runtime/Device.h"

namespace reprise::rt {

/// There is one CPU; fails with RP_UNAVAILABLE for any `which`.
Expected<std::unique_ptr<Device>> openCpuDevice(const std::string &which);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_CPUDEVICE_H
