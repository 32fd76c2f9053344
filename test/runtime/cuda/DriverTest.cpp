//===- DriverTest.cpp - Opening a GPU where there may be none -------------===//
#include "../../../runtime/cuda/Driver.h"
#include "../cpu/FirstRank.h"
#include "reprise/Runtime/Cuda/Cuda.h"

#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace reprise::rt;
using namespace reprise::rt::cuda;

TEST(Driver, SaysWhatIsMissingAndWhatToDo) {
  Expected<std::unique_ptr<Driver>> driver = openCudaDriver(0);
  if (driver.ok())
    GTEST_SKIP() << "there is a GPU here";
  EXPECT_EQ(driver.status().code(), RP_UNAVAILABLE);
  const std::string &message = driver.status().message();
  EXPECT_NE(message.find("--target cpu:native"), std::string::npos) << message;
  if (message.find("this build has no CUDA") != std::string::npos)
    GTEST_SKIP() << message;
  if (void *there = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
    dlclose(there);
    GTEST_SKIP() << "there is a driver here: " << message;
  }
  EXPECT_EQ(message.find("no NVIDIA driver: libcuda.so.1"), 0u) << message;
  EXPECT_NE(message.find("install the driver"), std::string::npos) << message;
}

TEST(Driver, RefusesANumberThatNoGpuHas) {
  Expected<std::unique_ptr<Driver>> driver = openCudaDriver(100000);
  ASSERT_FALSE(driver.ok());
  EXPECT_EQ(driver.status().code(), RP_UNAVAILABLE);
}

/// What a GPU says of itself is what plans are made from elsewhere.
TEST(Driver, DescribesTheGpuThatIsHere) {
  Expected<std::unique_ptr<Driver>> driver = openCudaDriver(0);
  if (!driver.ok())
    GTEST_SKIP() << driver.status().message();
  Expected<DeviceFacts> facts = (*driver)->facts();
  ASSERT_TRUE(facts.ok()) << facts.status().message();
  DeviceDescription description;
  description.key = "here";
  description.name = facts->name;
  description.architecture = facts->architecture;
  description.memoryBytes = facts->totalBytes;
  description.roofline.narrowGflops = 1;
  description.properties = facts->properties;
  Expected<DeviceDescription> read =
      readDescription(writeDescription(description));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->properties, facts->properties);
}

/// One GPU is a run of one rank, which sends to itself. Its calls are captured,
/// as those of a step, and the kernel that adds is given parts of three ranks.
TEST(Driver, CapturesCallsOfRanksOnTheGpuThatIsHere) {
  Expected<std::unique_ptr<Driver>> opened = openCudaDriver(0);
  if (!opened.ok())
    GTEST_SKIP() << opened.status().message();
  Driver &driver = **opened;
  Expected<Meeting> meeting = driver.makeMeeting();
  if (!meeting.ok())
    GTEST_SKIP() << meeting.status().message();
  reprise::FirstRank ranks(1);
  Status joined = driver.join(*meeting, ranks);
  ASSERT_TRUE(joined.ok()) << joined.message();
  // More elements than one launch has threads.
  constexpr size_t count = 3'000'001, bytes = count * sizeof(float);
  std::vector<float> parts(3 * count);
  std::iota(parts.begin(), parts.end(), 0.1f);
  Address data = *driver.allocate(3 * bytes),
          received = *driver.allocate(bytes), sums = *driver.allocate(bytes);
  void *pinned = *driver.allocatePinned(3 * bytes);
  std::memcpy(pinned, parts.data(), 3 * bytes);
  Stream stream = *driver.createStream();
  EXPECT_TRUE(driver.upload(stream, data, pinned, 3 * bytes).ok());
  ASSERT_TRUE(driver.beginCapture(stream).ok());
  for (const Status &each :
       {driver.exchange(stream, data, {bytes, bytes}, received),
        driver.addParts(stream, sums, data, bytes, 3, RP_F32),
        driver.gather(stream, sums, {bytes, bytes}),
        driver.sum(stream, sums, bytes, RP_F32)})
    EXPECT_TRUE(each.ok()) << each.message();
  Expected<Graph> graph = driver.endCapture(stream);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  ASSERT_TRUE(driver.freeze().ok());
  std::vector<float> expected(parts.begin(), parts.begin() + count);
  auto download = [&](Address from) {
    EXPECT_TRUE(driver.download(stream, pinned, from, bytes).ok());
    Status done = driver.synchronize(stream);
    EXPECT_TRUE(done.ok()) << done.message();
    const auto *numbers = static_cast<const float *>(pinned);
    return std::vector<float>(numbers, numbers + count);
  };
  EXPECT_TRUE(driver.launch(stream, *graph).ok());
  EXPECT_TRUE(download(received) == expected);
  for (size_t part : {1, 2})
    for (size_t i = 0; i < count; ++i)
      expected[i] += parts[part * count + i];
  EXPECT_TRUE(download(sums) == expected);
}
