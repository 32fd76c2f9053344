//===- Register.cpp - The device "cpu" by name ----------------------------===//
//
// What links RepriseRuntime asks the linker for the symbol below, so that this
// object is part of it and its registration runs before main.
//
//===----------------------------------------------------------------------===//
#include "CpuDevice.h"

extern "C" const char reprise_device_cpu;
const char reprise_device_cpu = 0;

static const reprise::rt::DeviceRegistration registration{
    "cpu", reprise::rt::openCpuDevice};
