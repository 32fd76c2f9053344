//===- CudaDriverTest.cpp - The seam to CUDA on a fake of its library -----===//
//
// FakeCuda's library is the one that this program opens.
//
//===----------------------------------------------------------------------===//
#include "../../../runtime/cuda/Driver.h"
#include "Calls.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <thread>

using namespace reprise;
using namespace reprise::rt;
using namespace reprise::rt::cuda;

namespace {
class FakeGpu : public ::testing::Test {
protected:
  void SetUp() override {
    Expected<std::unique_ptr<Driver>> opened = openCudaDriver(0);
    // Only the name that the loader gave it finds the fake again.
    void *fake = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *live = fake ? dlsym(fake, "fakeCudaLive") : nullptr;
    void *repair = fake ? dlsym(fake, "fakeCudaRepair") : nullptr;
    void *stack = fake ? dlsym(fake, "fakeCudaContexts") : nullptr;
    if (!opened.ok() || !live || !repair || !stack)
      GTEST_SKIP() << "the fake driver is not in use: "
                   << opened.status().message();
    liveObjects = reinterpret_cast<int (*)()>(live);
    repairDevice = reinterpret_cast<void (*)()>(repair);
    contexts = reinterpret_cast<size_t (*)()>(stack);
    driver = std::move(*opened);
    // Other tests may have left some; this driver has its context.
    others = liveObjects() - 1;
    stream = *driver->createStream();
  }
  void TearDown() override {
    if (!liveObjects)
      return;
    // The thread's own context is current again behind each call.
    EXPECT_EQ(contexts(), 0u);
    driver.reset();
    EXPECT_EQ(contexts(), 0u);
    EXPECT_EQ(liveObjects(), others);
    repairDevice();
  }
  Kernel kernel(const char *name) {
    std::string code = std::string("a kernel ") + name;
    return (*driver->load(code.data(), code.size(), {name}))[0];
  }
  uint64_t read(Address address) {
    void *pinned = *driver->allocatePinned(8);
    EXPECT_TRUE(driver->download(stream, pinned, address, 8).ok());
    EXPECT_TRUE(driver->synchronize(stream).ok());
    uint64_t value = *static_cast<uint64_t *>(pinned);
    driver->releasePinned(pinned);
    return value;
  }

  int (*liveObjects)() = nullptr;
  int others = 0;
  void (*repairDevice)() = nullptr;
  size_t (*contexts)() = nullptr;
  std::unique_ptr<Driver> driver;
  Stream stream{};
};
} // namespace

TEST_F(FakeGpu, SaysWhatItIs) {
  Expected<DeviceFacts> facts = driver->facts();
  ASSERT_TRUE(facts.ok()) << facts.status().message();
  EXPECT_EQ(facts->name, "Fake GPU");
  EXPECT_EQ(facts->architecture, "sm_90");
  EXPECT_EQ(facts->totalBytes, 1u << 20);
  EXPECT_EQ(facts->freeBytes, 1u << 20);
  EXPECT_NE(facts->properties.find("\"deviceVer\":900"), std::string::npos);
  EXPECT_NE(facts->properties.find("\"maxGridSize\":[1024,1024,1024]"),
            std::string::npos);
}

TEST_F(FakeGpu, NumbersThatNoGpuHasAreRefused) {
  Expected<std::unique_ptr<Driver>> other = openCudaDriver(1);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.status().code(), RP_UNAVAILABLE);
  EXPECT_EQ(
      other.status().message(),
      "no GPU of number 1: there are 1, counted from 0; compile the model "
      "for the processor (--target cpu:native without --device)");
}

TEST_F(FakeGpu, WorkIsIssuedInOrder) {
  Address a = *driver->allocate(16), b = *driver->allocate(16);
  Kernel store = kernel("store");
  void *pinned = *driver->allocatePinned(8);
  *static_cast<uint64_t *>(pinned) = 77;
  EXPECT_TRUE(driver->upload(stream, a, pinned, 8).ok());
  EXPECT_EQ(read(a), 77u);
  EXPECT_TRUE(driver->copy(stream, b, a, 8).ok());
  EXPECT_EQ(read(b), 77u);
  EXPECT_TRUE(driver->fill(stream, b, 1, 8).ok());
  EXPECT_EQ(read(b), 0x0101010101010101u);
  EXPECT_TRUE(driver->launch(stream, store, {5, 32}, {b}, {}).ok());
  EXPECT_EQ(read(b), 5032u);
  Event event = *driver->createEvent();
  Stream second = *driver->createStream();
  EXPECT_TRUE(driver->record(stream, event).ok());
  EXPECT_TRUE(driver->wait(second, event).ok());
  EXPECT_TRUE(driver->synchronize(event).ok());
}

TEST_F(FakeGpu, WhatIsCapturedRunsWhenItsGraphIsLaunched) {
  Address a = *driver->allocate(8);
  Kernel store = kernel("store");
  EXPECT_TRUE(driver->fill(stream, a, 0, 8).ok());
  ASSERT_TRUE(driver->beginCapture(stream).ok());
  EXPECT_TRUE(driver->launch(stream, store, {2, 64}, {a}, {}).ok());
  Expected<Graph> graph = driver->endCapture(stream);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_EQ(read(a), 0u);
  EXPECT_TRUE(driver->launch(stream, *graph).ok());
  EXPECT_EQ(read(a), 2064u);
}

// Sessions have the context in common, and wait for their own streams.
TEST_F(FakeGpu, AnotherSessionComesAndGoesDuringACapture) {
  Address a = *driver->allocate(8);
  EXPECT_TRUE(driver->fill(stream, a, 0, 8).ok());
  ASSERT_TRUE(driver->beginCapture(stream).ok());
  EXPECT_FALSE(driver->synchronize(stream).ok());
  {
    Expected<std::unique_ptr<Driver>> other = openCudaDriver(0);
    ASSERT_TRUE(other.ok());
    Stream its = *(*other)->createStream();
    EXPECT_TRUE((*other)->fill(its, a, 7, 8).ok());
    EXPECT_TRUE((*other)->freeze().ok());
    EXPECT_TRUE((*other)->thaw().ok());
  }
  EXPECT_TRUE(driver->fill(stream, a, 9, 8).ok());
  Expected<Graph> graph = driver->endCapture(stream);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_EQ(read(a), 0x0707070707070707u);
  EXPECT_TRUE(driver->launch(stream, *graph).ok());
  EXPECT_EQ(read(a), 0x0909090909090909u);
}

TEST_F(FakeGpu, AnyThreadMayCall) {
  Status status;
  Address a = *driver->allocate(8);
  std::thread([&] { status = driver->fill(stream, a, 3, 8); }).join();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(read(a), 0x0303030303030303u);
}

TEST_F(FakeGpu, OutOfMemorySaysWhatIsFree) {
  Address a = *driver->allocate(1 << 19);
  EXPECT_EQ(a % 256, 0u);
  Expected<Address> more = driver->allocate(1 << 20);
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.status().code(), RP_OUT_OF_MEMORY);
  EXPECT_EQ(
      more.status().message(),
      "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): the fake's text: 1048576 "
      "bytes are requested, 524288 of the GPU's 1048576 are free");
  // No reason to give up.
  driver->release(a);
  EXPECT_TRUE(driver->allocate(1 << 20).ok());
  EXPECT_TRUE(driver->synchronize(stream).ok());
}

TEST_F(FakeGpu, CodeThatDoesNotLoadSaysWhy) {
  std::string code = "an error";
  Status bad = driver->load(code.data(), code.size(), {}).status();
  EXPECT_EQ(bad.message(), "cuModuleLoadDataEx: unknown error (218): the "
                           "fake's text: line 1: not an instruction");
  code = "store";
  bad = driver->load(code.data(), code.size(), {"absent"}).status();
  EXPECT_EQ(bad.message(), "cuModuleGetFunction of 'absent': unknown error "
                           "(500): the fake's text");
}

TEST_F(FakeGpu, AnErrorThatStaysIsRemembered) {
  Kernel crash = kernel("crash");
  EXPECT_TRUE(driver->launch(stream, crash, {1, 1}, {}, {}).ok());
  Status first = driver->synchronize(stream);
  EXPECT_EQ(first.code(), RP_INTERNAL);
  EXPECT_NE(first.message().find("CUDA_ERROR_ILLEGAL_ADDRESS (700)"),
            std::string::npos)
      << first.message();
  for (Status later : {driver->synchronize(stream), driver->freeze(),
                       driver->fill(stream, 0, 0, 0),
                       driver->allocate(1).status(), driver->facts().status()})
    EXPECT_EQ(later.message().find("the GPU is lost to this process since an "
                                   "error: "),
              0u)
        << later.message();
}

TEST_F(FakeGpu, NothingIsMadeBehindFreeze) {
  Address a = *driver->allocate(8);
  ASSERT_TRUE(driver->freeze().ok());
  std::string code = "store";
  for (Status late :
       {driver->allocate(8).status(), driver->allocatePinned(8).status(),
        driver->createStream().status(), driver->createEvent().status(),
        driver->load(code.data(), code.size(), {"store"}).status(),
        driver->prepare({LibraryOp::MatMul, {}, {}, {}}, "", 0, false)
            .status()})
    EXPECT_EQ(late.message().find("it is too late to "), 0u) << late.message();
  driver->release(a);
  EXPECT_TRUE(driver->synchronize(stream).ok());
}

TEST_F(FakeGpu, CallsThatWerePlannedOtherwiseAreRefused) {
  LibraryCallDesc both = test::product(RP_BF16, 16, 16, 16, true, true);
  for (auto [name, bytes] :
       {std::pair<const char *, uint64_t>{"cublaslt", 1 << 20},
        {"cudnn eng1", 0},
        {"", 0},
        {"cublaslt tf33", 1 << 30}}) {
    Expected<Call> call = driver->prepare(both, name, bytes, false);
    ASSERT_FALSE(call.ok()) << name;
    EXPECT_EQ(call.status().code(), RP_INCOMPATIBLE) << call.status().message();
  }
  EXPECT_EQ(
      driver->prepare(both, "cublaslt", 1 << 20, false).status().message(),
      "'cublaslt' needs a workspace of 33554688 bytes on this device; "
      "the program was planned with 1048576");
  both.inputs[0].shape = {1};
  EXPECT_EQ(driver->prepare(both, "cublaslt", 1 << 30, false).status().code(),
            RP_INVALID_ARGUMENT);
}
