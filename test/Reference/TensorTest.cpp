//===- TensorTest.cpp - Rounding, wrapping and indexing -------------------===//

#include "Support.h"
#include "mlir/IR/Builders.h"
#include <cmath>

using namespace mlir;
using namespace reprise::reference;
using namespace reprise::reference::testing;

TEST(Rounding, IsToNearestWithTiesToEven) {
  MLIRContext context;
  Builder b(&context);
  EXPECT_EQ(roundTo(b.getF64Type(), 0.1), 0.1);
  EXPECT_EQ(roundTo(b.getF32Type(), 0.1), static_cast<double>(0.1f));
  // A bf16 has 8 significant bits: 257 lies between 256 and 258.
  EXPECT_EQ(roundTo(b.getBF16Type(), 257.0), 256.0);
  EXPECT_EQ(roundTo(b.getBF16Type(), 259.0), 260.0);
  EXPECT_EQ(roundTo(b.getF16Type(), 65519.0), 65504.0);
  EXPECT_TRUE(std::isinf(roundTo(b.getF16Type(), 65520.0)));
}

TEST(Wrapping, KeepsTheRangeOfTheType) {
  MLIRContext context;
  Builder b(&context);
  EXPECT_EQ(wrapTo(b.getI8Type(), 128), -128);
  EXPECT_EQ(wrapTo(b.getI8Type(), -129), 127);
  EXPECT_EQ(wrapTo(b.getI1Type(), -1), 1);
  EXPECT_EQ(wrapTo(b.getI32Type(), int64_t{1} << 32), 0);
}

TEST(Indices, AreVisitedInRowMajorOrder) {
  SmallVector<int64_t> seen;
  forEachIndex({2, 3}, [&](ArrayRef<int64_t> index) {
    seen.push_back(10 * index[0] + index[1]);
  });
  EXPECT_EQ(seen, (SmallVector<int64_t>{0, 1, 2, 10, 11, 12}));
}

TEST(Indices, OfAScalarAreOneAndOfNothingNone) {
  int scalars = 0, none = 0;
  forEachIndex({}, [&](ArrayRef<int64_t>) { ++scalars; });
  forEachIndex({3, 0}, [&](ArrayRef<int64_t>) { ++none; });
  EXPECT_EQ(scalars, 1);
  EXPECT_EQ(none, 0);
}

TEST(Fill, KeepsNumbersApartAndOffZero) {
  MLIRContext context;
  Builder b(&context);
  auto type = RankedTensorType::get({7, 9}, b.getF64Type());
  SmallVector<double> all = {0.0};
  for (int64_t seed = 0; seed < 5; ++seed)
    llvm::append_range(all, fill(type, seed).getReals());
  llvm::sort(all);
  for (size_t i = 1; i < all.size(); ++i)
    EXPECT_GE(all[i] - all[i - 1], 2.0 / (20 * type.getNumElements()) - 1e-12);
}
