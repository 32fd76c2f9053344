//===- CallThreadTest.cpp - A thread for calls between ranks --------------===//
#include "../../../runtime/cpu/CallThread.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace reprise::rt;

namespace {
/// Records the calls that were made, in their order.
struct Log {
  std::vector<int> made; // read once all have ended
  std::atomic<int> count{0};
  std::thread::id thread;
};
struct Work {
  Log *log;
  int number;
  bool fails = false;

  static Status run(void *self, Team &team) {
    const Work &work = *static_cast<Work *>(self);
    // Later calls are given while this one runs.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(team.size(), 1u);
    work.log->made.push_back(work.number);
    work.log->thread = std::this_thread::get_id();
    ++work.log->count;
    return work.fails ? Status::error(RP_UNAVAILABLE, "it fails") : Status();
  }
};
} // namespace

static std::unique_ptr<CallThread> make() {
  Expected<std::unique_ptr<CallThread>> calls = CallThread::create();
  EXPECT_TRUE(calls.ok());
  return std::move(*calls);
}

TEST(CallThread, MakesCallsInTheirOrder) {
  std::unique_ptr<CallThread> calls = make();
  EXPECT_TRUE(calls->awaitAll().ok()); // none
  Log log;
  std::vector<Work> works;
  for (int k = 0; k < 20; ++k)
    works.push_back({&log, k});
  std::vector<uint64_t> numbers;
  for (Work &work : works)
    numbers.push_back(calls->start(Work::run, &work));
  EXPECT_TRUE(calls->await(numbers[7]).ok());
  EXPECT_GE(log.count, 8);
  EXPECT_TRUE(calls->awaitAll().ok());
  ASSERT_EQ(log.made.size(), 20u);
  for (int k = 0; k < 20; ++k)
    EXPECT_EQ(log.made[k], k);
  EXPECT_NE(log.thread, std::this_thread::get_id());
  EXPECT_TRUE(calls->await(numbers[3]).ok()); // long ago
}

TEST(CallThread, MakesNoCallAfterOneThatFailed) {
  std::unique_ptr<CallThread> calls = make();
  Log log;
  Work works[] = {{&log, 0}, {&log, 1, true}, {&log, 2}};
  for (Work &work : works)
    calls->start(Work::run, &work);
  EXPECT_EQ(calls->awaitAll().message(), "it fails");
  EXPECT_EQ(log.made, std::vector<int>({0, 1}));
  EXPECT_EQ(calls->await(calls->start(Work::run, &works[0])).message(),
            "it fails");
  EXPECT_EQ(log.made.size(), 2u);
}
