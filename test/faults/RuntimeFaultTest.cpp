//===- RuntimeFaultTest.cpp - The same of the runtime's faults ------------===//
#include "../../runtime/core/Fault.h"
#include "gtest/gtest.h"
#include <cstdlib>

// This file is compiled as a product is.
static_assert(!REPRISE_FAULT("any"), "a product has no faults");

TEST(RuntimeFault, TheEnvironmentDoesNotReachAProduct) {
  ASSERT_EQ(setenv("REPRISE_FAULT", "any", 1), 0);
  EXPECT_FALSE(REPRISE_FAULT("any"));
  ASSERT_EQ(unsetenv("REPRISE_FAULT"), 0);
}
