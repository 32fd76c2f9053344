//===- OrderCheckTest.cpp - Work of streams that nothing orders -----------===//

#include "OrderCheck.h"
#include <gtest/gtest.h>

using namespace reprise::gpu_test;
using reprise::rt::cuda::Touch;

namespace {
class GpuOrder : public testing::Test {
protected:
  void SetUp() override {
    for (int i = 0; i < 2; ++i) {
      check.addStream();
      check.addEvent();
    }
  }
  size_t write(size_t stream, uint64_t at = 100) {
    return check.give(stream, "write", {{at, 10, true}}).size();
  }
  size_t read(size_t stream, uint64_t at = 100) {
    return check.give(stream, "read", {{at, 10, false}}).size();
  }
  OrderCheck check;
};
} // namespace

TEST_F(GpuOrder, a_stream_is_in_order) {
  EXPECT_EQ(write(0), 0u);
  EXPECT_EQ(read(0), 0u);
  EXPECT_EQ(write(0), 0u);
}

TEST_F(GpuOrder, two_streams_race_on_what_one_writes) {
  EXPECT_EQ(read(0), 0u);
  EXPECT_EQ(read(1), 0u);
  EXPECT_EQ(read(1, 109), 0u);
  EXPECT_EQ(write(1, 110), 0u);
  EXPECT_EQ(check.give(1, "upload", {{105, 1, true}}),
            std::vector<std::string>{
                "order: upload of stream 1 and read of stream 0 touch the same "
                "bytes, and nothing orders them"});
}

TEST_F(GpuOrder, an_event_orders_what_was_before_it) {
  write(0);
  check.record(0, 0);
  write(0, 200);
  check.wait(1, 0);
  EXPECT_EQ(read(1), 0u);
  EXPECT_EQ(read(1, 200), 1u);
}

TEST_F(GpuOrder, an_event_hands_on_what_its_stream_waited_for) {
  check.addStream();
  write(0);
  check.record(0, 0);
  check.wait(1, 0);
  check.record(1, 1);
  check.wait(2, 1);
  EXPECT_EQ(write(2), 0u);
}

TEST_F(GpuOrder, the_host_orders_what_it_gives_after_waiting) {
  write(0);
  check.record(0, 0);
  write(0, 200);
  check.hostWaitsForEvent(0);
  EXPECT_EQ(read(1), 0u);
  EXPECT_EQ(read(1, 200), 1u);
  check.hostWaitsForStream(0);
  EXPECT_EQ(write(1, 200), 0u);
}

TEST_F(GpuOrder, an_event_of_before_orders_nothing_new) {
  write(0);
  check.record(0, 0);
  check.wait(1, 0);
  write(0);
  check.wait(1, 0);
  EXPECT_EQ(read(1), 1u);
}
