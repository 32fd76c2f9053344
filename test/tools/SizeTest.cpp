//===- SizeTest.cpp - Bytes and numbers as people write them --------------===//

#include "reprise/Text/Size.h"
#include <gtest/gtest.h>

using namespace reprise::text;

static uint64_t bytesOf(const std::string &text) {
  auto size = parseSize(text);
  EXPECT_TRUE(size.ok()) << text << ": " << size.status().message();
  return size.ok() ? *size : 0;
}

static std::string errorOf(const std::string &text) {
  auto size = parseSize(text);
  EXPECT_FALSE(size.ok()) << text << " was read as " << *size;
  return size.status().message();
}

TEST(Size, binary_and_decimal_units_differ) {
  EXPECT_EQ(bytesOf("2GB"), 2000000000u);
  EXPECT_EQ(bytesOf("2GiB"), 2147483648u);
  EXPECT_EQ(bytesOf("512MiB"), 536870912u);
  EXPECT_EQ(bytesOf("1kB"), 1000u);
  EXPECT_EQ(bytesOf("1KiB"), 1024u);
}

TEST(Size, a_number_alone_is_bytes) {
  EXPECT_EQ(bytesOf("4096"), 4096u);
  EXPECT_EQ(bytesOf("0"), 0u);
  EXPECT_EQ(bytesOf("17 B"), 17u);
}

TEST(Size, fractions_are_exact) {
  EXPECT_EQ(bytesOf("1.5GiB"), 1610612736u);
  EXPECT_EQ(bytesOf("0.1GB"), 100000000u);
  EXPECT_EQ(bytesOf("0.125 KiB"), 128u);
  EXPECT_EQ(bytesOf("1.000"), 1u);
}

TEST(Size, parts_of_bytes_are_dropped) {
  EXPECT_EQ(bytesOf("2.6MiB"), 2726297u); // and 0.6
  EXPECT_EQ(bytesOf("0.0001 kB"), 0u);
  EXPECT_EQ(bytesOf("0.33333333333333333333333333KiB"), 341u);
  EXPECT_EQ(bytesOf("0.99999999999999999999999TiB"), 1099511627775u);
}

TEST(Size, letters_alone_are_binary) {
  EXPECT_EQ(bytesOf("2G"), 2147483648u);
  EXPECT_EQ(bytesOf("512M"), 536870912u);
  EXPECT_EQ(bytesOf("1.5K"), 1536u);
  EXPECT_EQ(bytesOf("1T"), 1099511627776u);
}

TEST(Size, the_largest_is_read_and_the_next_refused) {
  EXPECT_EQ(bytesOf("18446744073709551615"), UINT64_MAX);
  EXPECT_NE(errorOf("18446744073709551616").find("64 bits"), std::string::npos);
  EXPECT_NE(errorOf("99999999TiB").find("64 bits"), std::string::npos);
}

TEST(Size, parts_of_bytes_without_a_unit_are_refused) {
  EXPECT_NE(errorOf("1.5").find("whole number"), std::string::npos);
  EXPECT_NE(errorOf("0.5B").find("whole number"), std::string::npos);
}

TEST(Size, other_text_is_refused_with_an_example) {
  for (const char *text :
       {"", "MiB", "-1", "1,5GB", "512mib", "1 GB ", "1.", ".5GB", "1e9",
        "1  GB", "0x10", "12 34", "2g", "1MM"})
    EXPECT_NE(errorOf(text).find("512MiB"), std::string::npos) << text;
}

TEST(Size, formats_in_binary_units) {
  EXPECT_EQ(formatSize(0), "0 B");
  EXPECT_EQ(formatSize(1023), "1023 B");
  EXPECT_EQ(formatSize(1024), "1.0 KiB");
  EXPECT_EQ(formatSize(uint64_t(713) << 20), "713.0 MiB");
  // Not "1024.0 MiB".
  EXPECT_EQ(formatSize((uint64_t(1) << 30) - 1), "1.0 GiB");
}

TEST(Size, different_sizes_beside_one_another_look_different) {
  using Texts = std::vector<std::string>;
  uint64_t mib = uint64_t(1) << 20;
  EXPECT_EQ(formatSizesApart({mib, 2 * mib, mib}),
            (Texts{"1.0 MiB", "2.0 MiB", "1.0 MiB"}));
  EXPECT_EQ(formatSizesApart({3442112, 3464192}),
            (Texts{"3.28 MiB", "3.30 MiB"}));
  EXPECT_EQ(formatSizesApart({3442112, 3442176}),
            (Texts{"3,442,112 B", "3,442,176 B"}));
  EXPECT_EQ(formatSizesApart({}), Texts());
}

TEST(Size, one_is_no_plural) {
  EXPECT_EQ(formatCounted(1, "execution", "executions"), "1 execution");
  EXPECT_EQ(formatCounted(0, "execution", "executions"), "0 executions");
}

TEST(Size, formats_counts_in_decimal_prefixes) {
  EXPECT_EQ(formatCount(640), "640");
  EXPECT_EQ(formatCount(4089184256.0), "4.09 G");
  EXPECT_EQ(formatCount(11513626624.0), "11.5 G");
  EXPECT_EQ(formatCount(999900), "1.00 M");
  EXPECT_EQ(formatInteger(25557032), "25,557,032");
  EXPECT_EQ(formatInteger(999), "999");
  EXPECT_EQ(formatFlops(0), "0 FLOP");
  EXPECT_EQ(formatFlops(8950000), "8.95 MFLOP");
}

TEST(Size, formats_times_by_magnitude) {
  EXPECT_EQ(formatSeconds(0.421), "0.42 s");
  EXPECT_EQ(formatSeconds(59.4), "59 s");
  EXPECT_EQ(formatSeconds(59.6), "1 min 00 s");
  EXPECT_EQ(formatSeconds(3725), "1 h 02 min");
}
