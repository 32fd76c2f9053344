//===- DriverTest.cpp - Opening a GPU where there may be none -------------===//
#include "../../../runtime/cuda/Driver.h"
#include "reprise/Runtime/Cuda/Cuda.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

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
