//===- Devices.h - The devices that the suite runs on -----------*- C++ -*-===//
//
// The suite is instantiated for the device of the form that its binary is
// linked with.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_RUNTIME_CONFORMANCE_DEVICES_H
#define REPRISE_TEST_RUNTIME_CONFORMANCE_DEVICES_H

#include "DeviceForm.h"
#include <gtest/gtest.h>

namespace reprise::test {

inline auto devicesHere() { return testing::Values(deviceForm().device()); }

inline std::string
deviceLabel(const testing::TestParamInfo<std::string> &info) {
  return info.param;
}

} // namespace reprise::test

#endif // REPRISE_TEST_RUNTIME_CONFORMANCE_DEVICES_H
