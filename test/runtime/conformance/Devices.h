//===- Devices.h - The devices that the suite runs on -----------*- C++ -*-===//
//
// The suite is instantiated for the devices that this process can open. One
// test for each device that Reprise knows says whether the suite ran on it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_RUNTIME_CONFORMANCE_DEVICES_H
#define REPRISE_TEST_RUNTIME_CONFORMANCE_DEVICES_H

#include "reprise/Runtime/Device.h"
#include <gtest/gtest.h>

namespace reprise::test {

inline auto devicesHere() { return testing::ValuesIn(rt::deviceNames()); }

inline std::string
deviceLabel(const testing::TestParamInfo<std::string> &info) {
  return info.param;
}

} // namespace reprise::test

#endif // REPRISE_TEST_RUNTIME_CONFORMANCE_DEVICES_H
