//===- PrintableTest.cpp - Text from elsewhere on a terminal --------------===//

#include "reprise/Text/Printable.h"
#include <gtest/gtest.h>

using reprise::text::printable;

TEST(Printable, text_stays_as_it_is) {
  for (const char *text : {"", "layer1.0.conv1", "a\tb\nc",
                           "Gr\xC3\xB6\xC3\x9F"
                           "e \xE6\xB7\xB1\xE5\xBA\xA6 \xF0\x9F\x90\xA2"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, orders_to_a_terminal_are_spelt_out) {
  EXPECT_EQ(printable("\x1B[31mred\x07"), "\\x1B[31mred\\x07");
  EXPECT_EQ(printable("a\rb\x7F"), "a\\x0Db\\x7F");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  // U+009B, the short form of ESC [
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\xC2\\x9B31m");
  // U+202E turns what follows around.
  EXPECT_EQ(printable("gpj\xE2\x80\xAE.exe"), "gpj\\xE2\\x80\\xAE.exe");
}

TEST(Printable, what_is_no_utf8_is_spelt_out) {
  EXPECT_EQ(printable("caf\xE9"), "caf\\xE9");
  EXPECT_EQ(printable("\xC3"), "\\xC3");
  EXPECT_EQ(printable("\xC3("), "\\xC3(");
  EXPECT_EQ(printable("\xC0\xAF"), "\\xC0\\xAF");          // not the shortest
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xED\\xA0\\x80"); // a surrogate
  EXPECT_EQ(printable("\xF5\x80\x80\x80"), "\\xF5\\x80\\x80\\x80");
  EXPECT_EQ(printable("\x9B"), "\\x9B");
}
