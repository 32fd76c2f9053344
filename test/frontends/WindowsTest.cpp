//===- WindowsTest.cpp - Windows by hand ----------------------------------===//

#include "Windows.h"
#include "gtest/gtest.h"

using namespace reprise::zoo;

namespace {

using Numbers = std::vector<int32_t>;

/// (row distance + 1) * 3 + column distance + 1, as the published code numbers
/// the nine distances in a window of 2x2.
TEST(Windows, NumberDistances) {
  EXPECT_EQ(countDistances({2, 2}), 9);
  EXPECT_EQ(distanceIndices({2, 2}, 4),
            (Numbers{4, 3, 1, 0, 5, 4, 2, 1, 7, 6, 4, 3, 8, 7, 5, 4}));
  // The first of them alone, where a window leaves no room for more.
  EXPECT_EQ(distanceIndices({2, 2}, 2), (Numbers{4, 3, 5, 4}));
  EXPECT_EQ(countDistances({8, 7, 7}), 2535);
}

/// An image of 4x4 in windows of 2x2, moved by one: columns, and rows, are of
/// the parts 0, 0, 1 and 2.
TEST(Windows, KnowWhatTheShiftBroughtTogether) {
  WindowGrid grid = layOutWindows({4, 4}, {2, 2}, {1, 1}, false);
  EXPECT_TRUE(grid.isShifted());
  EXPECT_EQ(partsOfImage(grid),
            (Numbers{0, 0, 0, 0, 1, 2, 1, 2, 3, 3, 6, 6, 4, 5, 7, 8}));
}

TEST(Windows, PadImagesAndFitVolumes) {
  WindowGrid image = layOutWindows({5, 2}, {4, 4}, {2, 2}, false);
  EXPECT_EQ(image.padded, (Extents{8, 4}));
  EXPECT_EQ(image.shift, (Extents{2, 0}));
  EXPECT_EQ(image.count(), 2);
  WindowGrid volume = layOutWindows({3, 5, 8}, {8, 4, 4}, {4, 2, 2}, true);
  EXPECT_EQ(volume.window, (Extents{3, 4, 4}));
  EXPECT_EQ(volume.padded, (Extents{3, 8, 8}));
  EXPECT_EQ(volume.shift, (Extents{0, 2, 2}));
  EXPECT_EQ(volume.tokens(), 48);
}

} // namespace
