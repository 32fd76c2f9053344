//===- NestingTest.cpp - How deep the brackets of a text nest -------------===//

#include "reprise/Text/Nesting.h"
#include <gtest/gtest.h>
#include <string>

using reprise::text::findDeepNesting;

TEST(Nesting, finds_the_first_bracket_too_deep) {
  EXPECT_EQ(findDeepNesting("((()))", 2), 2u);
  EXPECT_EQ(findDeepNesting("((()))", 3), std::nullopt);
  EXPECT_EQ(findDeepNesting("()()()", 1), std::nullopt);
  EXPECT_EQ(findDeepNesting("[{<[{<[", 2), 6u);
}

TEST(Nesting, strings_and_comments_have_no_brackets) {
  EXPECT_EQ(findDeepNesting("\"(((\" // (((\n", 1), std::nullopt);
  EXPECT_EQ(findDeepNesting("\"\\\"(((\"", 1), std::nullopt);
  EXPECT_EQ(findDeepNesting("// (((", 1), std::nullopt);
  EXPECT_EQ(findDeepNesting("// (((\n((", 1), 8u);
  EXPECT_EQ(findDeepNesting("\"unfinished\n((", 1), 13u);
}

TEST(Nesting, arrows_close_nothing) {
  EXPECT_EQ(findDeepNesting("<() -> <() -> <", 2), 14u);
  EXPECT_EQ(findDeepNesting(std::string(200000, '('), 256), 256u);
}
