//===- PocketDeviceTest.cpp - A device in a shared library ----------------===//
#include "../runtime/conformance/ArtifactBuilder.h"
#include "../runtime/conformance/SessionHandle.h"
#include "reprise/Runtime/Device.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::test;

namespace {
class PocketDeviceTest : public testing::Test {
protected:
  PocketDeviceTest() { setenv("REPRISE_DEVICE_PATH", REPRISE_POCKET_PATH, 1); }
};
} // namespace

/// y = x * v + x.
static ArtifactBuilder pocketProgram() {
  ArtifactBuilder b;
  b.program.device = "pocket";
  b.program.alignment = 256;
  Tensor v = b.variable("v", {1}, fb::InitKind::Ones);
  Tensor x = b.input("x", {5}), y = b.activation("y", {5});
  b.launch("scale_add", {x, v, x, y}, {3}, 5);
  b.output("y", y);
  b.finish();
  return b;
}

TEST_F(PocketDeviceTest, RunsWhatIsForIt) {
  SessionHandle s;
  ASSERT_EQ(s.open(pocketProgram().seal(), {nullptr, 0, 0, 0}).message, "");
  ASSERT_EQ(take(rp_session_initialize(s.session, 1)).message, "");
  std::vector<float> x = {1, 2, 3, 4, 5}, y(5);
  ASSERT_EQ(s.setInput("x", x).message, "");
  ASSERT_EQ(s.run().message, "");
  ASSERT_EQ(s.getOutput("y", y).message, "");
  EXPECT_EQ(y, (std::vector<float>{2, 4, 6, 8, 10}));
}

/// Rows of x and their reciprocal deviations, by a call of two results.
static ArtifactBuilder callingProgram() {
  ArtifactBuilder b;
  b.program.device = "pocket";
  b.program.alignment = 256;
  Tensor x = b.input("x", {2, 2}), g = b.input("g", {2});
  Tensor y = b.activation("y", {2, 2}), r = b.activation("r", {2});
  EXPECT_TRUE(
      b.call({LibraryOp::RmsNorm, {x, g}, {y, r}, {}, {0.5}, {}, "loops"})
          .ok());
  b.output("y", y);
  b.output("r", r);
  b.finish();
  return b;
}

TEST_F(PocketDeviceTest, RunsCallsOfTwoResults) {
  SessionHandle s;
  ASSERT_EQ(s.open(callingProgram().seal(), {"pocket", 0, 0, 1}).message, "");
  std::vector<float> x = {1, 0, 2, 1}, g = {3, 5}, y(4), r(2);
  ASSERT_EQ(s.setInput("x", x).message, "");
  ASSERT_EQ(s.setInput("g", g).message, "");
  ASSERT_EQ(s.run().message, "");
  ASSERT_EQ(s.getOutput("y", y).message, "");
  ASSERT_EQ(s.getOutput("r", r).message, "");
  // Means of squares of 1/2 and 5/2, and 1/2 is added.
  float second = float(1 / std::sqrt(3.0));
  EXPECT_EQ(r, (std::vector<float>{1, second}));
  EXPECT_EQ(y, (std::vector<float>{3, 0, 2 * second * 3, second * 5}));
}

TEST_F(PocketDeviceTest, IsRefusedCallsThatItLacks) {
  ArtifactBuilder b;
  b.program.device = "pocket";
  b.program.alignment = 256;
  Tensor x = b.input("x", {2, 2}), y = b.activation("y", {2, 2});
  EXPECT_TRUE(
      b.call({LibraryOp::MatMul, {x, x}, {y}, {0, 0}, {}, {}, "loops"}).ok());
  b.finish();
  SessionHandle s;
  Outcome outcome = s.open(b.seal(), {"pocket", 0, 0, 0});
  EXPECT_EQ(outcome.code, RP_INCOMPATIBLE);
  EXPECT_EQ(outcome.message, "the pocket computer has no matmul");
}

TEST_F(PocketDeviceTest, RunsItWithItsMemoryChecked) {
  SessionHandle s;
  ASSERT_EQ(s.open(pocketProgram().seal(), {"pocket", 0, 0, 1}).message, "");
  ASSERT_EQ(take(rp_session_initialize(s.session, 1)).message, "");
  ASSERT_EQ(s.setInput("x", std::vector<float>(5, 3.0f)).message, "");
  ASSERT_EQ(s.run().message, "");
  EXPECT_EQ(s.memory().changed_bytes, 2 * 256u + 20);
}

TEST_F(PocketDeviceTest, IsRefusedTheProgramsOfOthers) {
  SessionHandle s;
  Outcome outcome = s.open(pocketProgram().seal(), {"cpu", 0, 0, 0});
  EXPECT_EQ(outcome.code, RP_INCOMPATIBLE);
  EXPECT_EQ(outcome.message,
            "the artifact was compiled for device 'pocket', not for 'cpu'; "
            "compile the model again for that one");
  ArtifactBuilder other;
  other.output("x", other.input("x", {1}));
  other.finish();
  outcome = s.open(other.seal(), {"pocket", 0, 0, 0});
  EXPECT_EQ(outcome.code, RP_INCOMPATIBLE);
}

TEST_F(PocketDeviceTest, SaysWhichOfItThereAre) {
  auto device = rt::openDevice("pocket:1");
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.status().message(),
            "there is one pocket computer, and no '1'");
}

TEST_F(PocketDeviceTest, UnknownDevicesAreNamedWithWhatWasTried) {
  auto device = rt::openDevice("desk");
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.status().code(), RP_UNAVAILABLE);
  std::string message = device.status().message();
  EXPECT_NE(message.find("there is no device 'desk' here ("), message.npos);
  EXPECT_NE(message.find("libreprise-device-desk.so"), message.npos);
  EXPECT_NE(message.find("available: cpu"), message.npos);
}

TEST_F(PocketDeviceTest, NamesDoNotLeaveTheFolder) {
  for (const char *name : {"../pocket", "a/b", "", "POCKET", "p\n", ".."}) {
    auto device = rt::openDevice(name);
    ASSERT_FALSE(device.ok());
    EXPECT_EQ(device.status().message().find("libreprise"), std::string::npos);
  }
}

TEST_F(PocketDeviceTest, LibrariesOfAnotherRevisionAreNotOpened) {
  auto device = rt::openDevice("old");
  ASSERT_FALSE(device.ok());
  EXPECT_NE(device.status().message().find("'reprise device 0'"),
            std::string::npos)
      << device.status().message();
}

TEST_F(PocketDeviceTest, RegisteredDevicesAreListed) {
  EXPECT_EQ(rt::deviceNames(), std::vector<std::string>{"cpu"});
}
