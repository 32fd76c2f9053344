//===- RowKernelsTest.cpp - Kernels that go over a row several times ------===//
//
// Softmax, normalizations and others whose reductions are read again, as one
// kernel: compared with the reference, and bit for bit with their ops in
// kernels of their own, on rows of one dimension and of several, shorter and
// longer than the lanes and the blocks of sums, in f32, bf16 and f16.
//
//===----------------------------------------------------------------------===//

#include "ReductionText.h"
#include <gtest/gtest.h>

using namespace reprise::test;

namespace {

std::string softmaxBody(const ReductionText &t) {
  return t.reduce("m", "reduce_max", "a0") + t.repeat("mb", "m") +
         t.op("%c = sg.sub %a0, %mb") + t.op("%e = sg.exp %c") +
         t.reduce("s", "reduce_sum", "e") + t.repeat("sb", "s") +
         t.op("%y = sg.div %e, %sb");
}

Case softmax(const ReductionText &t) {
  return t.make("softmax", {t.full()}, softmaxBody(t), {{"%y", t.full()}});
}

/// The exponentials and the statistics are handed out as well, and what is made
/// of the statistics: the passes that reduce are all.
Case statistics(const ReductionText &t) {
  return t.make(
      "statistics", {t.full(), t.kept()},
      t.reduce("m", "reduce_max", "a0") + t.repeat("mb", "m") +
          t.op("%c = sg.sub %a0, %mb") + t.op("%e = sg.exp %c") +
          t.reduce("s", "reduce_sum", "e") + t.keptOp("%l = sg.log %s") +
          t.keptOp("%z = sg.add %l, %m") + t.keptOp("%w = sg.mul %z, %a1"),
      {{"%m", t.kept()},
       {"%e", t.full()},
       {"%s", t.kept()},
       {"%w", t.kept()},
       {"%z", t.kept()}});
}

Case softmaxGrad(const ReductionText &t) {
  return t.make("softmax_grad", {t.full(), t.full()},
                t.op("%p = sg.mul %a0, %a1") +
                    t.reduce("s", "reduce_sum", "p") + t.repeat("sb", "s") +
                    t.op("%d = sg.sub %a1, %sb") + t.op("%y = sg.mul %a0, %d"),
                {{"%y", t.full()}});
}

/// With a scale and a shift along the last dimension, and a residual; hands out
/// the statistics.
Case layerNorm(const ReductionText &t) {
  std::string body =
      t.splat("n", "12.0") + t.splat("e", "0.01") +
      t.reduce("s", "reduce_sum", "a0") + t.keptOp("%m = sg.div %s, %n") +
      t.repeat("mb", "m") + t.op("%c = sg.sub %a0, %mb") +
      t.op("%q = sg.mul %c, %c") + t.reduce("v", "reduce_sum", "q") +
      t.keptOp("%w = sg.div %v, %n") + t.keptOp("%we = sg.add %w, %e") +
      t.keptOp("%r = sg.rsqrt %we") + t.repeat("rb", "r") +
      t.op("%h = sg.mul %c, %rb") + t.trailing("gb", "a1") +
      t.trailing("bb", "a2") + t.op("%k = sg.mul %h, %gb") +
      t.op("%b = sg.add %k, %bb") + t.op("%y = sg.add %b, %a3");
  return t.make("layer_norm", {t.full(), t.last(), t.last(), t.full()}, body,
                {{"%y", t.full()}, {"%m", t.kept()}, {"%r", t.kept()}});
}

/// Two sums in one pass, of two operands.
Case layerNormGrad(const ReductionText &t) {
  std::string body =
      t.splat("n", "0.1") + t.repeat("mb", "a2") + t.repeat("rb", "a3") +
      t.op("%c = sg.sub %a0, %mb") + t.op("%h = sg.mul %c, %rb") +
      t.op("%p = sg.mul %a1, %h") + t.reduce("s", "reduce_sum", "a1") +
      t.reduce("u", "reduce_sum", "p") + t.keptOp("%sn = sg.mul %s, %n") +
      t.keptOp("%un = sg.mul %u, %n") + t.repeat("sb", "sn") +
      t.repeat("ub", "un") + t.op("%d = sg.sub %a1, %sb") +
      t.op("%hu = sg.mul %h, %ub") + t.op("%f = sg.sub %d, %hu") +
      t.op("%y = sg.mul %f, %rb");
  return t.make("layer_norm_grad", {t.full(), t.full(), t.kept(), t.kept()},
                body, {{"%y", t.full()}});
}

/// A maximum, a sum that reads it, a sum that reads both: four passes.
Case threeReductions(const ReductionText &t) {
  std::string body = softmaxBody(t) + t.op("%q = sg.mul %y, %y") +
                     t.reduce("n", "reduce_sum", "q") +
                     t.keptOp("%r = sg.sqrt %n") + t.repeat("rb", "r") +
                     t.op("%z = sg.div %y, %rb") + t.op("%x = sg.mul %a0, %a1");
  return t.make("three", {t.full(), t.full()}, body,
                {{"%z", t.full()}, {"%x", t.full()}, {"%n", t.kept()}});
}

/// Losses of rows of logits by their labels: integers, masks and two reductions
/// in one pass, and a one-hot row beside.
Case crossEntropy(const ReductionText &t, const Shape &shape) {
  std::string n = std::to_string(shape[0]), full = "tensor<" + t.full() + ">";
  std::string integers = "tensor<" + ReductionText::type(shape, "i32") + ">";
  std::string mask = "tensor<" + ReductionText::type(shape, "i1") + ">";
  std::string body =
      softmaxBody(t) + "%i = sg.iota 1 : " + integers + "\n" +
      "%l = sg.broadcast %a1 dims [0] : tensor<" + n + "xi32> -> " + integers +
      "\n%o = sg.compare eq %i, %l : " + integers + " -> " + mask +
      "\n%z = sg.constant dense<0.0> : " + full +
      "\n%p = sg.select %o, %a0, %z : " + mask + ", " + full + "\n" +
      t.reduce("k", "reduce_sum", "p") + t.keptOp("%g = sg.log %s") +
      t.keptOp("%d = sg.sub %m, %k") + t.keptOp("%loss = sg.add %g, %d") +
      "%h = sg.cast %o : " + mask + " to " + full + "\n" +
      t.op("%x = sg.sub %y, %h");
  return t.make("entropy", {t.full(), n + "xi32"}, body,
                {{"%loss", t.kept()},
                 {"%x", t.full()},
                 {"%o", ReductionText::type(shape, "i1")}});
}

/// Where a row of integers has its maximum, and how often.
Case maxima(const Shape &shape) {
  ReductionText t = overRows(shape, 1, "i32");
  std::string mask = ReductionText::type(shape, "i1");
  std::string body = t.reduce("m", "reduce_max", "a0") + t.repeat("mb", "m") +
                     "%o = sg.compare eq %a0, %mb : tensor<" + t.full() +
                     "> -> tensor<" + mask + ">\n%c = sg.cast %o : tensor<" +
                     mask + "> to tensor<" + t.full() + ">\n" +
                     t.reduce("n", "reduce_sum", "c");
  return t.make("maxima", {t.full()}, body,
                {{"%o", mask}, {"%n", t.kept()}, {"%m", t.kept()}});
}

/// Rows of a transposed matrix, element by element, and a part of them.
Case movedRows() {
  ReductionText t = overRows({7, 40}, 1, "f32");
  std::string body =
      "%t = sg.transpose %a0 perm [1, 0] : tensor<40x7xf32> -> "
      "tensor<7x40xf32>\n%b = sg.broadcast %a1 dims [1] : tensor<40xf32> -> "
      "tensor<7x40xf32>\n%u = sg.slice %a2 [0, 2] to [7, 42] by [1, 1] : "
      "tensor<7x50xf32> -> tensor<7x40xf32>\n" +
      t.op("%x = sg.add %t, %b") + t.reduce("s", "reduce_sum", "x") +
      t.repeat("sb", "s") + t.op("%d = sg.div %u, %sb") +
      t.op("%y = sg.add %d, %x");
  Case c = t.make("moved", {"40x7xf32", "40xf32", "7x50xf32"}, body,
                  {{"%y", "7x40xf32"}});
  // Handled one by one, its sums have an order of their own.
  c.hasParts = false;
  c.tolerance = 1e-3;
  return c;
}

const std::vector<Shape> kShapes = {
    {1},       {300},     {3, 1},        {5, 3},         {13, 64},   {2, 100},
    {3, 5, 7}, {4, 1, 3}, {2, 3, 5, 40}, {4, 3, 2, 260}, {37, 1000}, {3, 5003}};

/// `make` on every shape and every number of trailing dimensions.
std::vector<Case> everyRow(Case (*make)(const ReductionText &),
                           const std::string &element) {
  std::vector<Case> cases;
  for (const Shape &shape : kShapes)
    for (size_t reduced = 1; reduced <= shape.size(); ++reduced)
      if (element == "f32" || shape == Shape{5, 3} || shape == Shape{2, 100} ||
          shape == Shape{3, 5, 7})
        cases.push_back(make(overRows(shape, reduced, element)));
  return cases;
}

void checkEveryRow(Case (*make)(const ReductionText &), uint64_t seed) {
  for (const char *element : {"f32", "bf16", "f16"})
    checkCases(everyRow(make, element), seed);
}

} // namespace

TEST(RowKernels, softmax) { checkEveryRow(softmax, 11); }
TEST(RowKernels, statistics_without_another_pass) {
  checkEveryRow(statistics, 12);
}
TEST(RowKernels, softmax_gradient) { checkEveryRow(softmaxGrad, 13); }
TEST(RowKernels, layer_norm) { checkEveryRow(layerNorm, 14); }
TEST(RowKernels, layer_norm_gradient) { checkEveryRow(layerNormGrad, 15); }
TEST(RowKernels, three_reductions_in_a_row) {
  checkCases(everyRow(threeReductions, "f32"), 16);
}

TEST(RowKernels, integers_and_masks) {
  std::vector<Case> cases;
  for (const Shape &shape : {Shape{6, 1}, Shape{6, 10}, Shape{5, 35}}) {
    cases.push_back(crossEntropy(overRows(shape, 1, "f32"), shape));
    cases.push_back(maxima(shape));
  }
  checkCases(cases, 17);
}

TEST(RowKernels, operands_that_move) { checkCases({movedRows()}, 18); }

TEST(RowKernels, enough_rows_for_several_grains) {
  ReductionText t = overRows({640, 100}, 1, "f32");
  checkCases({softmax(t), layerNorm(t)}, 19);
}

TEST(RowKernels, outputs_lie_over_what_their_row_is_made_of) {
  using Pairs = std::vector<std::pair<unsigned, unsigned>>;
  ReductionText t = overRows({8, 4}, 1, "f32");
  EXPECT_EQ(pairsOf(softmax(t)), (Pairs{{0, 0}}));
  // Not over the scale and the shift, which every row reads.
  EXPECT_EQ(pairsOf(layerNorm(overRows({4, 4}, 1, "f32"))),
            (Pairs{{0, 0}, {0, 3}}));
  // What one element a row is made of, once.
  EXPECT_EQ(pairsOf(statistics(t)), (Pairs{{1, 0}, {3, 1}, {4, 1}}));
  // An operand that is repeated along the row is read in every pass.
  EXPECT_EQ(pairsOf(layerNormGrad(t)), (Pairs{{0, 0}, {0, 1}}));
}

TEST(RowKernels, rows_of_one_element_are_no_elements) {
  // The row's factor has the bytes of its elements, but not their order.
  ReductionText t = overRows({8, 1}, 1, "f32");
  std::string body = t.reduce("s", "reduce_sum", "a0") +
                     t.keptOp("%w = sg.mul %s, %a1") + t.repeat("b", "w") +
                     t.op("%y = sg.mul %a0, %b");
  Case c = t.make("ones", {t.full(), t.kept()}, body,
                  {{"%y", t.full()}, {"%w", t.kept()}});
  EXPECT_EQ(pairsOf(c),
            (std::vector<std::pair<unsigned, unsigned>>{{0, 0}, {1, 1}}));
  checkCases({c}, 20);
}
