//===- Register.cpp - The device "cpu" by name ----------------------------===//
//
// Programs linked with RepriseRuntime require the symbol below, so that the
// linker includes this object and its registration runs before main.
//
//===----------------------------------------------------------------------===//
#include "CpuDevice.h"

extern "C" const char reprise_device_cpu;
const char reprise_device_cpu = 0;

static const reprise::rt::DeviceRegistration registration{
    "cpu", reprise::rt::openCpuDevice};
