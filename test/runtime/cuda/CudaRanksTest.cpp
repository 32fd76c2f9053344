//===- CudaRanksTest.cpp - The seam to NCCL on a fake of it ---------------===//
//
// The libraries of FakeCuda and FakeNccl are those that this program opens.
//
//===----------------------------------------------------------------------===//
#include "../../../runtime/cuda/CudaDriver.h"
#include "../cpu/FirstRank.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nccl.h>
#include <thread>

using namespace reprise;
using namespace reprise::rt;
using namespace reprise::rt::cuda;

namespace {

template <typename Function>
bool find(const char *library, const char *name, Function &function) {
  void *opened = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  function = reinterpret_cast<Function>(opened ? dlsym(opened, name) : nullptr);
  return function != nullptr;
}

/// Rank 1 of three. The others have ended once `lost` is set.
class MiddleRank : public FirstRank {
public:
  MiddleRank() : FirstRank(3) {}
  unsigned rank() const override { return 1; }
  Status watch(double) override {
    ++watched;
    return lost ? Status::error(RP_UNAVAILABLE, "rank 2 has ended") : Status();
  }
  bool lost = false;
  int watched = 0;
};

class FakeRanks : public ::testing::Test {
protected:
  void SetUp() override {
    Expected<std::unique_ptr<Driver>> opened = openCudaDriver(0);
    Status meets = NcclRanks::makeMeeting().status();
    bool isFake = find("libcuda.so.1", "fakeCudaBusy", makeBusy) &&
                  find("libnccl.so.2", "fakeNcclTake", take) &&
                  find("libnccl.so.2", "fakeNcclInit", setInit) &&
                  find("libnccl.so.2", "fakeNcclAsync", setAsync);
    if (!opened.ok() || !isFake)
      GTEST_SKIP() << "the fake libraries are not in use: "
                   << (opened.ok() ? meets : opened.status()).message();
    driver = std::move(*opened);
    stream = *driver->createStream();
    take();
  }
  void TearDown() override {
    if (!driver)
      return;
    makeBusy(false);
    driver.reset();
    setInit(ncclSuccess);
    setAsync(ncclSuccess);
  }
  void join() {
    Expected<Meeting> meeting = driver->makeMeeting();
    ASSERT_TRUE(meeting.ok()) << meeting.status().message();
    Status status = driver->join(*meeting, ranks);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(*take(), "init 1 of 3 at 'the meeting'\n");
  }

  /// The lines of the library, once there are some.
  std::string await() {
    std::string lines;
    for (int tries = 0; lines.empty() && tries < 500; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      lines = *take();
    }
    return lines;
  }

  void (*makeBusy)(bool) = nullptr;
  std::string *(*take)() = nullptr;
  void (*setInit)(ncclResult_t) = nullptr;
  void (*setAsync)(ncclResult_t) = nullptr;
  MiddleRank ranks;
  std::unique_ptr<Driver> driver;
  Stream stream{};
};

} // namespace

/// Ten numbers are shards of four, four and two.
TEST_F(FakeRanks, EachSendsTheOthersTheirShards) {
  join();
  EXPECT_TRUE(driver->exchange(stream, 1000, {40, 16}, 2000).ok());
  EXPECT_EQ(*take(), "[\n"
                     "send 16 at 1000 to 0\nreceive 16 at 2000 from 0\n"
                     "send 16 at 1016 to 1\nreceive 16 at 2016 from 1\n"
                     "send 8 at 1032 to 2\nreceive 16 at 2032 from 2\n"
                     "]\n");
  EXPECT_TRUE(driver->gather(stream, 1000, {40, 16}).ok());
  EXPECT_EQ(*take(),
            "[\nbroadcast 16 at 1000 of 0\n"
            "broadcast 16 at 1016 of 1\nbroadcast 8 at 1032 of 2\n]\n");
  EXPECT_TRUE(driver->exchange(stream, 1000, {24, 16}, 2000).ok());
  EXPECT_EQ(*take(), "[\n"
                     "send 16 at 1000 to 0\nreceive 8 at 2000 from 0\n"
                     "send 8 at 1016 to 1\nreceive 8 at 2008 from 1\n"
                     "receive 8 at 2016 from 2\n"
                     "]\n");
  // Ranks without a part neither send nor receive one.
  EXPECT_TRUE(driver->exchange(stream, 1000, {4, 4}, 2000).ok());
  EXPECT_EQ(*take(), "[\nsend 4 at 1000 to 0\n]\n");
  EXPECT_TRUE(driver->gather(stream, 1000, {4, 4}).ok());
  EXPECT_EQ(*take(), "[\nbroadcast 4 at 1000 of 0\n]\n");
  EXPECT_TRUE(driver->sum(stream, 1000, 40, RP_F32).ok());
  EXPECT_TRUE(driver->sum(stream, 1000, 40, RP_F64).ok());
  EXPECT_EQ(*take(), "[\nall-reduce 10 f32 at 1000\n]\n"
                     "[\nall-reduce 5 f64 at 1000\n]\n");
  driver.reset();
  EXPECT_EQ(*take(), "destroy\n");
}

template <typename Number>
static void checkParts(Driver &driver, Stream stream, rp_element_type type) {
  // Sums in another order would lose the ones.
  std::vector<Number> parts = {1, 2, Number(1e20), 3, Number(-1e20), 4},
                      expected = {Number(1) + Number(1e20) + Number(-1e20), 9};
  size_t bytes = parts.size() * sizeof(Number);
  Address from = *driver.allocate(bytes), to = *driver.allocate(bytes);
  void *pinned = *driver.allocatePinned(bytes);
  std::memcpy(pinned, parts.data(), bytes);
  EXPECT_TRUE(driver.upload(stream, from, pinned, bytes).ok());
  Status status =
      driver.addParts(stream, to, from, 2 * sizeof(Number), 3, type);
  EXPECT_TRUE(status.ok()) << status.message();
  std::vector<Number> sums(2);
  EXPECT_TRUE(driver.download(stream, pinned, to, 2 * sizeof(Number)).ok());
  EXPECT_TRUE(driver.synchronize(stream).ok());
  std::memcpy(sums.data(), pinned, 2 * sizeof(Number));
  EXPECT_EQ(sums, expected);
}

TEST_F(FakeRanks, PartsAreAddedByTheKernelOfTheirType) {
  join();
  checkParts<float>(*driver, stream, RP_F32);
  checkParts<double>(*driver, stream, RP_F64);
}

#ifdef REPRISE_PTXAS
TEST(AddParts, IsCodeThatAssembles) {
  std::string file = testing::TempDir() + "add_parts.ptx";
  std::ofstream(file) << addPartsCode();
  for (const char *architecture : {"sm_80", "sm_90"}) {
    std::string command = std::string(REPRISE_PTXAS) +
                          " -arch=" + architecture + " -o /dev/null " + file;
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
}
#endif

TEST_F(FakeRanks, NothingIsSentBeforeTheyAreConnected) {
  EXPECT_EQ(driver->gather(stream, 1000, {40, 16}).message(),
            "no ranks are connected yet");
  EXPECT_EQ(*take(), "");
}

TEST_F(FakeRanks, AnErrorOfTheLibraryIsNamed) {
  setInit(ncclSystemError);
  Status status = driver->join(*driver->makeMeeting(), ranks);
  EXPECT_EQ(status.code(), RP_INTERNAL);
  EXPECT_EQ(status.message(), "NCCL: ncclCommInitRank: the fake's error (2): "
                              "the fake's detail");
}

TEST_F(FakeRanks, ARankThatEndsWhileTheyConnectEndsTheOthers) {
  setInit(ncclInProgress);
  ranks.lost = true;
  auto begin = std::chrono::steady_clock::now();
  Status status = driver->join(*driver->makeMeeting(), ranks);
  EXPECT_EQ(status.code(), RP_UNAVAILABLE);
  EXPECT_EQ(status.message(), "rank 2 has ended");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_F(FakeRanks, ARankThatEndsInAStepEndsTheOthers) {
  join();
  Event event = *driver->createEvent();
  EXPECT_TRUE(driver->synchronize(stream).ok());
  EXPECT_TRUE(driver->synchronize(event).ok());
  EXPECT_EQ(ranks.watched, 0);
  makeBusy(true);
  ranks.lost = true;
  Status status = driver->synchronize(stream);
  EXPECT_EQ(status.code(), RP_UNAVAILABLE);
  EXPECT_EQ(status.message(), "rank 2 has ended");
  EXPECT_EQ(await(), "abort\n");
  EXPECT_EQ(driver->synchronize(event).message(),
            "the GPU is lost to this process since an error: rank 2 has ended");
  makeBusy(false);
  driver.reset();
  EXPECT_EQ(*take(), ""); // it is aborted already
}

TEST_F(FakeRanks, AnErrorOfARunningCallIsNamed) {
  join();
  makeBusy(true);
  setAsync(ncclRemoteError);
  Event event = *driver->createEvent();
  Status status = driver->synchronize(event);
  EXPECT_EQ(status.code(), RP_UNAVAILABLE);
  EXPECT_EQ(status.message(), "NCCL: a call of all ranks: the fake's error "
                              "(6): the fake's detail");
  EXPECT_EQ(await(), "abort\n");
}
