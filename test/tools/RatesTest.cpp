//===- RatesTest.cpp - Speeds as people write them ------------------------===//

#include "reprise/Text/Rates.h"
#include <gtest/gtest.h>

using namespace reprise;

static std::string errorOf(const std::string &text) {
  auto roofline = text::parseRoofline(text);
  EXPECT_FALSE(roofline.ok()) << text << " was read";
  return roofline.status().message();
}

TEST(Rates, are_read_in_any_order_and_unit) {
  for (const char *text : {"400GFLOPS,35GB/s", "35 GB/s, 400 GFLOPS",
                           "0.4TFLOPS,35000MB/s", "4e5MFLOPS,0.035TB/s"}) {
    auto roofline = text::parseRoofline(text);
    ASSERT_TRUE(roofline.ok()) << text << ": " << roofline.status().message();
    EXPECT_DOUBLE_EQ(roofline->gflops, 400) << text;
    EXPECT_DOUBLE_EQ(roofline->gigabytesPerSecond, 35) << text;
  }
}

TEST(Rates, come_back_as_written) {
  EXPECT_EQ(text::formatRoofline({123.44, 9.96}), "123.4GFLOPS,10.0GB/s");
  std::string text = text::formatRoofline({123.4, 10, 1500});
  EXPECT_EQ(text, "123.4GFLOPS,10.0GB/s,16bit=1500.0GFLOPS");
  auto roofline = text::parseRoofline(text);
  ASSERT_TRUE(roofline.ok());
  EXPECT_DOUBLE_EQ(roofline->gflops, 123.4);
  EXPECT_DOUBLE_EQ(roofline->narrowGflops, 1500);
  EXPECT_EQ(text::formatRoofline(
                *text::parseRoofline(" 16bit=1.5TFLOPS,10 GB/s, 123.4GFLOPS")),
            text);
}

TEST(Rates, refusals_say_what_is_wrong) {
  auto says = [](const char *text, const char *what) {
    std::string error = errorOf(text);
    EXPECT_NE(error.find(what), std::string::npos) << error;
    EXPECT_NE(error.find("400GFLOPS,35GB/s"), std::string::npos) << error;
  };
  says("", "two rates");
  says("400GFLOPS", "two rates");
  says("400GFLOPS,35GB/s,", "two rates");
  says("400GFLOPS,", "two rates");
  says("1GFLOPS,1GB/s,1GB/s", "twice");
  says("fastGFLOPS,35GB/s", "'fastGFLOPS' is not a number");
  says("400,35GB/s", "'400' is not a number with a unit");
  says("400GFLOP,35GB/s", "'GFLOP' is none of");
  says("400GFLOPS,35GiB/s", "'GiB/s' is none of");
  says("0GFLOPS,35GB/s", "above 0");
  says("-4GFLOPS,35GB/s", "above 0");
  says("nanGFLOPS,35GB/s", "not a number");
  says("400GFLOPS,1e12GB/s", "at most");
  says("400GFLOPS,35GFLOPS", "twice");
  says("1GB/s,35GB/s", "twice");
  says("400GFLOPS,35GB/s,16bit=", "'' is not a number");
  says("400GFLOPS,35GB/s,16bit=3GB/s", "16bit= is arithmetic");
  says("16bit=1GFLOPS,16bit=2GFLOPS,35GB/s", "twice");
  says("16bit=1GFLOPS,35GB/s", "two rates");
  says("400GFLOPS,35GB/s,16bit=0GFLOPS", "above 0");
}

TEST(Rates, a_roofline_takes_the_slower_of_both) {
  rt::Roofline roofline{100, 10};
  EXPECT_DOUBLE_EQ(roofline.milliseconds(200000000, 0), 2);
  EXPECT_DOUBLE_EQ(roofline.milliseconds(0, 30000000), 3);
  EXPECT_DOUBLE_EQ(roofline.milliseconds(200000000, 30000000), 3);
  EXPECT_DOUBLE_EQ(roofline.milliseconds(200000000, 0, true), 2);
  roofline.narrowGflops = 400;
  EXPECT_DOUBLE_EQ(roofline.milliseconds(200000000, 0, true), 0.5);
  EXPECT_DOUBLE_EQ(roofline.milliseconds(200000000, 0), 2);
  EXPECT_DOUBLE_EQ(roofline.milliseconds(200000000, 30000000, true), 3);
}

TEST(Links, are_read_in_any_unit) {
  for (const char *text :
       {"12.5GB/s,20us", "12500 MB/s, 0.02 ms", "0.0125TB/s,20000ns"}) {
    auto link = text::parseLink(text);
    ASSERT_TRUE(link.ok()) << text << ": " << link.status().message();
    EXPECT_DOUBLE_EQ(link->gigabytesPerSecond, 12.5) << text;
    EXPECT_DOUBLE_EQ(link->microseconds, 20) << text;
  }
  EXPECT_EQ(text::formatLink({12.5, 20}), "12.5 GB/s and 20 us");
  EXPECT_EQ(text::formatLink(*text::parseLink("1MB/s,5ns")),
            "0.001 GB/s and 0.005 us");
  // 1 ms of latency and 2 MB at 1 GB/s.
  EXPECT_DOUBLE_EQ((rt::Link{1, 1000}.milliseconds(2000000)), 3);
}

TEST(Links, refusals_say_what_is_wrong) {
  auto says = [](const char *text, const char *what) {
    auto link = text::parseLink(text);
    ASSERT_FALSE(link.ok()) << text;
    std::string error = link.status().message();
    EXPECT_NE(error.find(what), std::string::npos) << error;
    EXPECT_NE(error.find("12.5GB/s,20us"), std::string::npos) << error;
  };
  says("", "a comma between them");
  says("12.5GB/s", "a comma between them");
  says("12.5GB/s,", "a number with a unit");
  says("fast,20us", "a number with a unit");
  says("12.5GB/s,20us,3", "'us,3' is none of ns, us and ms");
  says("12.5GiB/s,20us", "'GiB/s' is none of");
  says("12.5GFLOPS,20us", "'GFLOPS' is none of");
  says("12.5GB/s,20s", "'s' is none of");
  says("0GB/s,20us", "the rate");
  says("nanGB/s,20us", "a number with a unit");
  says("12.5GB/s,-1us", "the latency");
  says("12.5GB/s,1e30ms", "the latency");
}
