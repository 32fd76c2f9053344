//===- FaultTest.cpp - Faults exist in test builds only -------------------===//
#include "reprise/Fault.h"
#include "Planted.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <vector>

// This file is compiled as a product is.
#ifdef REPRISE_PLANT_FAULTS
#error "faults are planted in targets that test/faults/CMakeLists.txt names"
#endif
static constexpr bool isDamaged() {
  REPRISE_FAULT("any", return true);
  return false;
}
static_assert(!isDamaged(), "a product has no faults");

TEST(Fault, TheEnvironmentDoesNotReachAProduct) {
  ASSERT_EQ(setenv("REPRISE_FAULT", "any", 1), 0);
  EXPECT_FALSE(isDamaged());
  ASSERT_EQ(unsetenv("REPRISE_FAULT"), 0);
}

TEST(Fault, IsChosenByItsNameAndOnce) {
  ASSERT_EQ(setenv("REPRISE_FAULT", "first", 1), 0);
  EXPECT_TRUE(plantedFirst());
  EXPECT_FALSE(plantedSecond());
  ASSERT_EQ(setenv("REPRISE_FAULT", "second", 1), 0);
  EXPECT_TRUE(plantedFirst());
  EXPECT_FALSE(plantedSecond());
  ASSERT_EQ(unsetenv("REPRISE_FAULT"), 0);
}

TEST(Fault, IsAStatementOfTheLoopAroundIt) {
  ASSERT_EQ(setenv("REPRISE_FAULT", "loop", 1), 0);
  EXPECT_EQ(plantedLoop(), (std::vector<int>{0, -2, -3}));
  ASSERT_EQ(unsetenv("REPRISE_FAULT"), 0);
}
