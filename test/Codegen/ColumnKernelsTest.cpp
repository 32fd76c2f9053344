//===- ColumnKernelsTest.cpp - Kernels that go on with sums of columns ----===//
//
// Statistics and what is made of them at their own index, as one kernel:
// compared with the reference, and bit for bit with their ops in kernels of
// their own, over leading, middle and outer dimensions, on columns that fill no
// vector and no tile.
//
//===----------------------------------------------------------------------===//

#include "ReductionText.h"
#include <gtest/gtest.h>

using namespace reprise::test;

namespace {

/// The mean and the mean square, what a running mean becomes, and a factor
/// beside them that reads neither.
Case moments(const ReductionText &t, const std::string &element) {
  return t.make(
      "moments", {t.full(), t.kept(), t.kept(), element},
      t.splat("n", "64.0") + t.reduce("s", "reduce_sum", "a0") +
          t.keptOp("%m = sg.div %s, %n") + t.op("%p = sg.mul %a0, %a0") +
          t.reduce("q", "reduce_sum", "p") + t.keptOp("%v = sg.div %q, %n") +
          t.keptOp("%x = sg.mul %m, %m") + t.keptOp("%w = sg.add %v, %x") +
          "%b = sg.broadcast %a3 dims [] : tensor<" + element + "> -> tensor<" +
          t.kept() + ">\n" + t.keptOp("%d = sg.mul %a1, %b") +
          t.keptOp("%u = sg.add %d, %m") + t.keptOp("%g = sg.mul %a1, %a2"),
      {{"%s", t.kept()},
       {"%w", t.kept()},
       {"%p", t.full()},
       {"%u", t.kept()},
       {"%g", t.kept()}});
}

/// Reduced dimensions of shapes: a sum leaves columns in memory, or points.
struct Reduced {
  Shape shape;
  std::vector<size_t> dims;
};

const std::vector<Reduced> kReduced = {{{3, 1}, {0}},
                                       {{5, 3}, {0}},
                                       {{8, 64}, {0}},
                                       {{9, 100}, {0}},
                                       {{3, 300}, {0}},
                                       {{2, 1000}, {0}},
                                       {{700, 5}, {0}},
                                       {{4, 3, 2, 260}, {0}},
                                       {{2, 3, 5, 40}, {1, 2}},
                                       {{2, 3, 5, 40}, {0, 2}},
                                       {{6, 5, 33}, {1}},
                                       {{3, 5, 7}, {0, 2}},
                                       {{2, 7, 7, 3}, {0, 1, 2}}};

std::vector<Case> everyReduction(const std::string &element) {
  std::vector<Case> cases;
  for (const Reduced &each : kReduced)
    cases.push_back(
        moments(ReductionText(each.shape, each.dims, element), element));
  return cases;
}

} // namespace

TEST(ColumnKernels, statistics_and_what_is_made_of_them) {
  for (const char *element : {"f32", "bf16", "f16"})
    checkCases(everyReduction(element), 31);
}

TEST(ColumnKernels, enough_columns_for_several_grains) {
  checkCases({moments(ReductionText({40, 5000}, {0}, "f32"), "f32")}, 32);
}

// On a GPU several blocks have parts of them: of one tile of columns, of more
// than one, of points, and of columns that fill no vector; of many parts in
// groups: two of vectors, one of which leaves a part over, two of single
// elements, and three.
TEST(ColumnKernels, long_columns) {
  for (const char *element : {"f32", "bf16"})
    checkCases({moments(ReductionText({20000, 8}, {0}, element), element),
                moments(ReductionText({3, 4000, 40}, {1}, element), element),
                moments(ReductionText({90, 101, 3}, {0, 1}, element), element),
                moments(ReductionText({6000, 300}, {0}, element), element),
                moments(ReductionText({2, 4500, 132}, {1}, element), element),
                moments(ReductionText({45000, 3}, {0}, element), element),
                moments(ReductionText({9000, 128}, {0}, element), element)},
               33);
}

TEST(ColumnKernels, what_is_kept_lies_over_its_own_index) {
  using Pairs = std::vector<std::pair<unsigned, unsigned>>;
  // The product over what it is made of; three over what is read with them.
  EXPECT_EQ(pairsOf(moments(ReductionText({8, 4}, {0}, "f32"), "f32")),
            (Pairs{{1, 1}, {1, 2}, {2, 0}, {3, 1}, {3, 2}, {4, 1}, {4, 2}}));
}

TEST(ColumnKernels, columns_are_no_rows) {
  // What every column reads along a row of a square lies under no result.
  ReductionText t({8, 8}, {0}, "f32");
  std::string body = t.keptOp("%n = sg.neg %a1") +
                     "%b = sg.broadcast %n dims [0] : tensor<8xf32> -> "
                     "tensor<8x8xf32>\n" +
                     t.op("%p = sg.mul %a0, %b") +
                     t.reduce("s", "reduce_sum", "p") +
                     t.keptOp("%y = sg.add %s, %n");
  Case c = t.make("square", {t.full(), t.kept()}, body,
                  {{"%n", t.kept()}, {"%y", t.kept()}});
  EXPECT_TRUE(pairsOf(c).empty());
  checkCases({c}, 33);
}

TEST(ColumnKernels, operands_that_keep_no_lanes) {
  // Beside the sums a transposed value is read: element by element.
  ReductionText t({5, 7, 40}, {0}, "f32");
  std::string body = t.reduce("s", "reduce_sum", "a0") +
                     "%b = sg.transpose %a1 perm [1, 0] : tensor<40x7xf32> -> "
                     "tensor<7x40xf32>\n" +
                     t.keptOp("%y = sg.add %s, %b");
  checkCases(
      {t.make("turned", {t.full(), "40x7xf32"}, body, {{"%y", t.kept()}})}, 34);
}
