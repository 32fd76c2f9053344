//===- WorkerPoolTest.cpp - A few threads for equal work ------------------===//
#include "../../../runtime/trainer/WorkerPool.h"
#include "TestFiles.h"
#include <atomic>

using namespace reprise::rt;
using namespace reprise::rt::test;

TEST(WorkerPool, CallsEachNumberOnce) {
  for (unsigned threads : {1u, 2u, 5u}) {
    WorkerPool pool(threads);
    for (size_t count : {0, 1, 3, 200}) {
      std::vector<std::atomic<int>> calls(count);
      EXPECT_TRUE(pool.run(count,
                           [&](size_t i) {
                             ++calls[i];
                             return Status();
                           })
                      .ok());
      for (const std::atomic<int> &number : calls)
        EXPECT_EQ(number, 1);
    }
  }
}

TEST(WorkerPool, ReturnsTheFirstFailureWhateverTheThreads) {
  for (unsigned threads : {1u, 2u, 5u})
    for (int attempt = 0; attempt < 50; ++attempt) {
      WorkerPool pool(threads);
      Status status = pool.run(100, [](size_t i) {
        return i >= 7 ? Status::error(RP_DATA_LOSS, std::to_string(i))
                      : Status();
      });
      expectError(status, RP_DATA_LOSS, {"7"});
      EXPECT_EQ(status.message(), "7");
      EXPECT_TRUE(pool.run(3, [](size_t) { return Status(); }).ok());
    }
}

TEST(WorkerPool, SeveralThreadsWorkAtOnce) {
  WorkerPool pool(2);
  std::atomic<int> here{0};
  // Each waits for the other, so one thread would never end.
  EXPECT_TRUE(pool.run(2,
                       [&](size_t) {
                         ++here;
                         while (here < 2)
                           std::this_thread::yield();
                         return Status();
                       })
                  .ok());
}
