//===- TableTest.cpp - Tables for people ----------------------------------===//

#include "reprise/Text/Table.h"
#include <gtest/gtest.h>

using namespace reprise::text;

TEST(Table, columns_are_as_wide_as_their_widest_cell) {
  Table table({{"name", Align::Left}, {"bytes"}, {"note", Align::Left}});
  table.add({"a", "1234567", ""});
  table.add({"longer", "1", "x"});
  EXPECT_EQ(table.str(), "name      bytes  note\n"
                         "a       1234567\n"
                         "longer        1  x\n");
}

TEST(Table, a_letter_of_two_bytes_takes_one_place) {
  Table table({{"n", Align::Left}, {"v"}});
  table.add({"\xC3\xA9", "1"});
  table.add({"e", "2"});
  EXPECT_EQ(table.str(), "n  v\n\xC3\xA9  1\ne  2\n");
}

TEST(Nearest, finds_a_typing_error) {
  std::vector<std::string> known = {"resnet18", "resnet50", "mlp"};
  EXPECT_EQ(nearest("resnet5", known), "resnet50");
  EXPECT_EQ(nearest("mpl", known), "mlp");
  EXPECT_EQ(nearest("ml", known), "mlp");
  EXPECT_EQ(nearest("transformer", known), "");
}

TEST(Wrap, breaks_at_the_last_space_that_fits) {
  EXPECT_EQ(wrap("aa bb cc", 5), "aa bb\ncc");
  EXPECT_EQ(wrap("aa bb cc", 4), "aa\nbb\ncc");
  EXPECT_EQ(wrap("long-word a", 4), "long-word\na");
  EXPECT_EQ(wrap("", 4), "");
}
