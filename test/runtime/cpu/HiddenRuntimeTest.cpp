//===- HiddenRuntimeTest.cpp - A runtime that the library cannot see ------===//
//
// oneDNN is bound to the process's OpenMP there: plans are the same, and a
// session, which would run on other threads than planned, is refused.
//
//===----------------------------------------------------------------------===//
#include "HiddenRuntime.h"

#include <gtest/gtest.h>

using namespace reprise::test;

TEST(HiddenRuntime, SessionsAreRefused) {
  std::string message = openHidden();
  EXPECT_EQ(message.rfind("oneDNN does not run on the 2 threads of the "
                          "program, but on those of '",
                          0),
            0u)
      << message;
  EXPECT_NE(message.find("libgomp"), std::string::npos) << message;
}

// Each thread but the first adds up a copy of the gradient.
TEST(HiddenRuntime, PlansAreForTheThreadsAskedFor) {
  unsigned long one = workspaceHidden(1), two = workspaceHidden(2),
                four = workspaceHidden(4);
  EXPECT_GT(one, 0u);
  EXPECT_GT(two, one);
  EXPECT_GT(four, two);
}
