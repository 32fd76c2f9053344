//===- KernelsTest.cpp - Compiled kernels against the reference -----------===//

#include "KernelMachine.h"
#include "ReductionText.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace reprise::test;

namespace {

std::string type(const Shape &shape, const std::string &element = "f32") {
  return ReductionText::type(shape, element);
}
std::string tensor(const Shape &shape, const std::string &element = "f32") {
  return "tensor<" + type(shape, element) + ">";
}
std::string list(size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i < end; ++i)
    text += (i == begin ? "" : ", ") + std::to_string(i);
  return "[" + text + "]";
}
std::string label(const std::string &what, const Shape &shape) {
  std::string text = what;
  for (int64_t d : shape)
    text += "_" + std::to_string(d);
  return text;
}
/// %name = broadcast of %from along the last dimension.
std::string trailing(const std::string &name, const std::string &from,
                     const Shape &shape) {
  size_t last = shape.size() - 1;
  return "%" + name + " = sg.broadcast %" + from + " dims " +
         list(last, last + 1) + " : " + tensor({shape.back()}) + " -> " +
         tensor(shape) + "\n";
}
std::string op(const std::string &line, const Shape &shape,
               const std::string &element = "f32") {
  return line + " : " + tensor(shape, element) + "\n";
}

const std::vector<Shape> kShapes = {
    {1},          {17},          {4099},         {3, 1},     {5, 3},
    {7, 17},      {13, 64},      {2, 100},       {3, 5, 7},  {2, 3, 5, 64},
    {2, 7, 7, 3}, {1, 9, 1, 33}, {4, 3, 2, 260}, {37, 1000}, {2, 1, 1}};

Case normalizeAddRelu(const Shape &s) {
  Case c{label("norm", s), {type(s), type(s)}, "", {}};
  for (int i = 0; i < 4; ++i)
    c.arguments.push_back(type({s.back()}));
  c.body = trailing("m", "a2", s) + trailing("r", "a3", s) +
           trailing("g", "a4", s) + trailing("b", "a5", s) +
           op("%c = sg.sub %a0, %m", s) + op("%h = sg.mul %c, %r", s) +
           op("%k = sg.mul %h, %g", s) + op("%n = sg.add %k, %b", s) +
           op("%z = sg.add %n, %a1", s) + op("%y = sg.relu %z", s);
  c.results = {{"%y", type(s)}};
  return c;
}

/// Additions in a row of a loop: blocks of 64, then the sums of the blocks.
int64_t additionsOf(int64_t extent) {
  return extent <= 2 * 64 ? extent : 64 + (extent + 63) / 64;
}

/// The same of a sum over `reduced`. Of the last dimension 16 lanes are added
/// side by side, then those that fill no vector, then the lanes in four steps.
int64_t additionsOf(const Shape &s, const std::vector<size_t> &reduced) {
  int64_t additions = 0;
  for (size_t d : reduced)
    additions +=
        d + 1 == s.size() ? additionsOf(s[d] / 16) + 1 + 4 : additionsOf(s[d]);
  return additions;
}

/// Sums over `reduced`, one of them of a product that is stored too.
Case sums(const std::string &name, const Shape &s,
          const std::vector<size_t> &reduced) {
  Shape kept;
  std::string over;
  for (size_t d = 0; d < s.size(); ++d) {
    bool isReduced = false;
    for (size_t r : reduced)
      isReduced |= r == d;
    if (!isReduced)
      kept.push_back(s[d]);
    else
      over += (over.empty() ? "" : ", ") + std::to_string(d);
  }
  Case c{label(name, s), {type(s), type(s)}, "", {}};
  std::string to = " : " + tensor(s) + " -> " + tensor(kept) + "\n";
  c.body = op("%p = sg.mul %a0, %a1", s) + "%s = sg.reduce_sum %a0 dims [" +
           over + "]" + to + "%t = sg.reduce_sum %p dims [" + over + "]" + to +
           "%u = sg.reduce_max %p dims [" + over + "]" + to;
  c.results = {{"%s", type(kept)},
               {"%t", type(kept)},
               {"%p", type(s)},
               {"%u", type(kept)}};
  // The product and the maximum are exact.
  int64_t additions = additionsOf(s, reduced);
  c.additions = {additions, additions, 0, 0};
  return c;
}

/// One op with attributes, from values of shapes `from` to one of shape `to`.
struct Call {
  std::string label, op, attributes;
  std::vector<Shape> from;
  Shape to;
};

Case callCase(const Call &call, double tolerance) {
  Case c{call.label, {}, "%y = sg." + call.op, {{"%y", type(call.to)}}};
  std::string types;
  for (size_t i = 0; i < call.from.size(); ++i) {
    c.arguments.push_back(type(call.from[i]));
    c.body += (i ? ", %a" : " %a") + std::to_string(i);
    types += (i ? ", " : "") + tensor(call.from[i]);
  }
  c.body += " {" + call.attributes + "} : (" + types + ") -> " +
            tensor(call.to) + "\n";
  c.tolerance = tolerance;
  return c;
}

Case mathCase(const std::string &name, const Shape &s,
              const std::string &element, double tolerance) {
  Case c{label(name + "_" + element, s), {type(s, element)}, "", {}};
  c.body = op("%x = sg.abs %a0", s, element) +
           op("%r = sg." + name + " %x", s, element);
  c.results = {{"%r", type(s, element)}};
  c.tolerance = tolerance;
  return c;
}

} // namespace

TEST(Kernels, normalize_add_relu_has_the_bits_of_its_ops) {
  std::vector<Case> cases;
  for (const Shape &s : kShapes)
    cases.push_back(normalizeAddRelu(s));
  checkCases(cases, 1);
}

/// Updates of several shapes, each with a step that all share: of two equal
/// shapes, of one that fills no vector, and of rows that broadcasts keep apart.
static Case updates(const std::vector<Shape> &shapes) {
  Case c{label("updates", shapes.front()), {"f32"}, "", {}};
  for (const Shape &s : shapes) {
    std::string k = std::to_string(c.arguments.size());
    std::string m = std::to_string(c.arguments.size() + 1);
    c.arguments.push_back(type(s));
    c.arguments.push_back(type(s));
    c.body += "%b" + k + " = sg.broadcast %a0 dims [] : tensor<f32> -> " +
              tensor(s) + "\n" +
              op("%s" + k + " = sg.mul %a" + m + ", %b" + k, s) +
              op("%y" + k + " = sg.sub %a" + k + ", %s" + k, s);
    c.results.push_back({"%y" + k, type(s)});
  }
  return c;
}

TEST(Kernels, values_of_several_shapes) {
  checkCases({updates({{64}, {64}, {7, 17}, {}, {2, 3, 5}}),
              updates({{4099}, {3, 1}, {4099}}),
              updates({{1, 9, 1, 33}, {40000}, {9, 33}, {1}})},
             12);
  // A shape's rows that are read element by element beside another's.
  Case moves{"moves", {"17x40xf32", "64xf32"}, "", {}};
  moves.body = "%t = sg.transpose %a0 perm [1, 0] : tensor<17x40xf32> -> "
               "tensor<40x17xf32>\n" +
               op("%u = sg.neg %a1", {64});
  moves.results = {{"%t", "40x17xf32"}, {"%u", "64xf32"}};
  checkCases({moves}, 13);
}

TEST(Kernels, results_of_several_shapes_lie_over_their_own_operands) {
  using Pairs = std::vector<std::pair<unsigned, unsigned>>;
  EXPECT_EQ(pairsOf(updates({{8}, {8}, {4}})),
            (Pairs{{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 5}, {2, 6}}));
}

TEST(Kernels, sums_share_a_sweep_over_any_dimensions) {
  std::vector<Case> cases;
  for (const Shape &s : kShapes) {
    std::vector<size_t> all;
    for (size_t d = 0; d < s.size(); ++d)
      all.push_back(d);
    std::vector<size_t> leading(all.begin(), all.end() - 1);
    cases.push_back(sums("all", s, all));
    cases.push_back(sums("last", s, {s.size() - 1}));
    if (s.size() > 1)
      cases.push_back(sums("leading", s, leading));
    if (s.size() > 2)
      cases.push_back(sums("ends", s, {0, s.size() - 1}));
    if (s.size() > 3)
      cases.push_back(sums("middle", s, {1, 2}));
  }
  cases.push_back(sums("long", {700, 5}, {0}));
  cases.push_back(sums("long", {3, 5003}, {1}));
  checkCases(cases, 2);
}

TEST(Kernels, functions_stay_within_some_ulps) {
  std::vector<Case> cases;
  for (const char *name : {"exp", "log", "tanh", "erf", "sigmoid"}) {
    cases.push_back(mathCase(name, {3, 37}, "f32", 1e-6));
    if (hasDoubleFunctions())
      cases.push_back(mathCase(name, {3, 37}, "f64", 1e-14));
    cases.push_back(mathCase(name, {3, 37}, "bf16", 1e-2));
    cases.push_back(mathCase(name, {3, 37}, "f16", 2e-3));
  }
  // Of -x^24, some of which are far from where erf changes.
  Shape s = {9, 37};
  Case far{"erf_far", {type(s, "f32")}, "", {}};
  far.body = op("%x = sg.mul %a0, %a0", s) + op("%y = sg.mul %x, %x", s) +
             op("%z = sg.mul %y, %y", s) + op("%u = sg.mul %z, %z", s) +
             op("%v = sg.mul %u, %z", s) + op("%n = sg.neg %v", s) +
             op("%r = sg.erf %n", s);
  far.results = {{"%r", type(s, "f32")}};
  far.tolerance = 1e-6;
  cases.push_back(far);
  // Correctly rounded.
  cases.push_back(mathCase("sqrt", {3, 37}, "f32", 0));
  cases.push_back(mathCase("rsqrt", {3, 37}, "f32", 0));
  cases.push_back(mathCase("sqrt", {3, 37}, "f64", 0));
  checkCases(cases, 3);
}

// A little more than the middle between two neighbours of bf16, which f32 does
// not see, numbers beyond f32 at either end, and any others.
TEST(Kernels, f64_is_rounded_to_bf16_once) {
  std::vector<Case> cases;
  for (const Shape &s : {Shape{3, 37}, Shape{7}, Shape{}}) {
    Case c{label("f64_to_bf16", s), {type(s, "bf16"), type(s, "f64")}, "", {}};
    auto cast = [&](const std::string &to, const std::string &of,
                    const char *from, const char *into) {
      return to + " = sg.cast " + of + " : " + tensor(s, from) + " to " +
             tensor(s, into) + "\n";
    };
    c.body = cast("%w", "%a0", "bf16", "f64");
    // From 2 to 4, where neighbours are 1/64 apart.
    c.body += "%three = sg.constant dense<3.0> : " + tensor(s, "bf16") + "\n" +
              op("%near = sg.add %a0, %three", s, "bf16") +
              cast("%n", "%near", "bf16", "f64");
    unsigned count = 0;
    for (auto [name, value, number] :
         {std::array{"add", "%n", "7.8125004656612873e-03"},
          std::array{"sub", "%n", "7.8125004656612873e-03"},
          std::array{"add", "%n", "7.8124995343387127e-03"},
          std::array{"mul", "%w", "1.0e40"}, std::array{"mul", "%w", "1.0e-40"},
          std::array{"mul", "%w", "1.0e-60"}}) {
      std::string k = std::to_string(count++);
      c.body +=
          "%c" + k + " = sg.constant dense<" + number +
          "> : " + tensor(s, "f64") + "\n" +
          op("%x" + k + " = sg." + name + " " + value + ", %c" + k, s, "f64") +
          cast("%y" + k, "%x" + k, "f64", "bf16");
      c.results.push_back({"%y" + k, type(s, "bf16")});
    }
    c.body += cast("%z", "%a1", "f64", "bf16");
    c.results.push_back({"%z", type(s, "bf16")});
    cases.push_back(c);
  }
  checkCases(cases, 14);
}

// Tiles with ends behind the tensor's, several in a kernel, of narrow types,
// and parts of tensors, whose rows are longer in memory.
TEST(Kernels, transposed_elements) {
  std::vector<Case> cases;
  cases.push_back({"transposed_part",
                   {"40x70xf32"},
                   "%t = sg.slice %a0 [0, 0] to [40, 45] by [1, 1] : "
                   "tensor<40x70xf32> -> tensor<40x45xf32>\n"
                   "%y = sg.transpose %t perm [1, 0] : tensor<40x45xf32> -> "
                   "tensor<45x40xf32>\n",
                   {{"%y", "45x40xf32"}}});
  cases.push_back({"transposed_twice",
                   {"70x45xf32", "70x45xf32", "45x70xf32"},
                   "%s = sg.transpose %a0 perm [1, 0] : tensor<70x45xf32> -> "
                   "tensor<45x70xf32>\n"
                   "%t = sg.transpose %a1 perm [1, 0] : tensor<70x45xf32> -> "
                   "tensor<45x70xf32>\n" +
                       op("%u = sg.mul %s, %t", {45, 70}) + "\n" +
                       op("%y = sg.add %u, %a2", {45, 70}),
                   {{"%y", "45x70xf32"}}});
  cases.push_back({"transposed_bf16",
                   {"3x50x64xbf16"},
                   "%t = sg.transpose %a0 perm [0, 2, 1] : "
                   "tensor<3x50x64xbf16> -> tensor<3x64x50xbf16>\n",
                   {{"%t", "3x64x50xbf16"}}});
  cases.push_back({"transposed_few",
                   {"2401x3xf32"},
                   "%t = sg.transpose %a0 perm [1, 0] : tensor<2401x3xf32> -> "
                   "tensor<3x2401xf32>\n",
                   {{"%t", "3x2401xf32"}}});
  checkCases(cases, 4);
}

TEST(Kernels, elements_move) {
  std::vector<Case> cases;
  cases.push_back({"transpose",
                   {"5x7x33xf32", "33x5x7xf32"},
                   "%t = sg.transpose %a0 perm [2, 0, 1] : tensor<5x7x33xf32> "
                   "-> tensor<33x5x7xf32>\n" +
                       op("%y = sg.add %t, %a1", {33, 5, 7}),
                   {{"%y", "33x5x7xf32"}}});
  cases.push_back({"rows",
                   {"5x7x33xf32"},
                   "%t = sg.transpose %a0 perm [1, 0, 2] : tensor<5x7x33xf32> "
                   "-> tensor<7x5x33xf32>\n",
                   {{"%t", "7x5x33xf32"}}});
  cases.push_back({"slice",
                   {"9x40xf32"},
                   "%t = sg.slice %a0 [1, 3] to [9, 37] by [3, 1] : "
                   "tensor<9x40xf32> -> tensor<3x34xf32>\n",
                   {{"%t", "3x34xf32"}}});
  // Whole rows of a part of the columns: the loops must not become one.
  cases.push_back({"slice_front",
                   {"8x6xf32"},
                   "%t = sg.slice %a0 [0, 0] to [8, 3] by [1, 1] : "
                   "tensor<8x6xf32> -> tensor<8x3xf32>\n"
                   "%y = sg.neg %t : tensor<8x3xf32>",
                   {{"%y", "8x3xf32"}}});
  cases.push_back({"slice_strided",
                   {"9x40xf32"},
                   "%t = sg.slice %a0 [1, 3] to [9, 37] by [3, 2] : "
                   "tensor<9x40xf32> -> tensor<3x17xf32>\n",
                   {{"%t", "3x17xf32"}}});
  cases.push_back({"pad_rows",
                   {"3x18xf32"},
                   "%t = sg.pad %a0 low [2, 0] high [1, 0] interior [2, 0] "
                   "value 1.5 : tensor<3x18xf32> -> tensor<10x18xf32>\n",
                   {{"%t", "10x18xf32"}}});
  cases.push_back({"pad_all",
                   {"3x18xf32"},
                   "%t = sg.pad %a0 low [2, 3] high [1, 0] interior [0, 1] "
                   "value 1.5 : tensor<3x18xf32> -> tensor<6x38xf32>\n",
                   {{"%t", "6x38xf32"}}});
  // Rows of four numbers, and of twelve, put among zeros in another order.
  for (auto [channels, high] : {std::pair<int, int>{3, 1}, {12, 0}}) {
    std::string c = std::to_string(channels) + "xf32",
                all = std::to_string(channels + high) + "xf32";
    cases.push_back(
        {"transpose_pad_" + std::to_string(channels),
         {"2x4x2x5x" + c},
         "%t = sg.transpose %a0 perm [0, 1, 3, 2, 4] : tensor<2x4x2x5x" + c +
             "> -> tensor<2x4x5x2x" + c +
             ">\n%y = sg.pad %t low [0, 2, 1, 0, 0] high [0, 1, 0, 0, " +
             std::to_string(high) +
             "] interior [0, 0, 0, 0, 0] value 0.0 : tensor<2x4x5x2x" + c +
             "> -> tensor<2x7x6x2x" + all + ">\n",
         {{"%y", "2x7x6x2x" + all}}});
  }
  cases.push_back({"concat_rows",
                   {"2x21xf32", "1x21xf32", "3x21xf32"},
                   "%t = sg.concat %a0, %a1, %a2 dim 0 : (tensor<2x21xf32>, "
                   "tensor<1x21xf32>, tensor<3x21xf32>) -> tensor<6x21xf32>\n",
                   {{"%t", "6x21xf32"}}});
  cases.push_back({"concat_columns",
                   {"3x5xf32", "3x20xf32"},
                   "%t = sg.concat %a0, %a1 dim 1 : (tensor<3x5xf32>, "
                   "tensor<3x20xf32>) -> tensor<3x25xf32>\n",
                   {{"%t", "3x25xf32"}}});
  cases.push_back({"roll_rows",
                   {"3x5x20xf32"},
                   "%t = sg.roll %a0 by [-2, 3, 0] : tensor<3x5x20xf32>\n",
                   {{"%t", "3x5x20xf32"}}});
  cases.push_back({"roll_columns",
                   {"3x37xf32"},
                   "%s = sg.neg %a0 : tensor<3x37xf32>\n"
                   "%t = sg.roll %s by [0, 11] : tensor<3x37xf32>\n",
                   {{"%t", "3x37xf32"}}});
  // Indices are from -5 to 9: rows outside the table are zero.
  cases.push_back({"gather_rows",
                   {"4x37xf32", "3x5xi32"},
                   "%t = sg.gather %a0, %a1 : (tensor<4x37xf32>, "
                   "tensor<3x5xi32>) -> tensor<3x5x37xf32>\n",
                   {{"%t", "3x5x37xf32"}}});
  cases.push_back({"gather_numbers",
                   {"4xf32", "37xi64"},
                   "%t = sg.gather %a0, %a1 : (tensor<4xf32>, "
                   "tensor<37xi64>) -> tensor<37xf32>\n",
                   {{"%t", "37xf32"}}});
  cases.push_back({"broadcasts",
                   {"3x1x20xf32", "5xf32", "f32"},
                   "%b = sg.broadcast %a0 dims [0, 1, 2] : tensor<3x1x20xf32> "
                   "-> tensor<3x5x20xf32>\n"
                   "%c = sg.broadcast %a1 dims [1] : tensor<5xf32> -> "
                   "tensor<3x5x20xf32>\n"
                   "%d = sg.broadcast %a2 dims [] : tensor<f32> -> "
                   "tensor<3x5x20xf32>\n" +
                       op("%s = sg.mul %b, %c", {3, 5, 20}) +
                       op("%y = sg.sub %s, %d", {3, 5, 20}),
                   {{"%y", "3x5x20xf32"}}});
  cases.push_back({"matrix_over_batch",
                   {"7x20xf32", "3x7x20xf32"},
                   "%b = sg.broadcast %a0 dims [1, 2] : tensor<7x20xf32> -> "
                   "tensor<3x7x20xf32>\n" +
                       op("%y = sg.add %b, %a1", {3, 7, 20}),
                   {{"%y", "3x7x20xf32"}}});
  checkCases(cases, 4);
}

TEST(Kernels, integers_and_masks) {
  std::vector<Case> cases;
  for (int64_t n : {1, 10, 35}) {
    Shape s = {6, n};
    std::string size = std::to_string(n);
    cases.push_back({"onehot_" + size,
                     {"6xi32", type(s)},
                     "%i = sg.iota 1 : " + tensor(s, "i32") + "\n" +
                         "%l = sg.broadcast %a0 dims [0] : tensor<6xi32> -> " +
                         tensor(s, "i32") + "\n" +
                         "%m = sg.compare eq %i, %l : " + tensor(s, "i32") +
                         " -> " + tensor(s, "i1") + "\n" +
                         "%o = sg.cast %m : " + tensor(s, "i1") + " to " +
                         tensor(s) + "\n" + op("%y = sg.sub %a1, %o", s),
                     {{"%y", type(s)}, {"%m", type(s, "i1")}}});
    cases.push_back(
        {"select_" + size,
         {type(s, "i1"), type(s, "bf16"), type(s, "i64")},
         "%c = sg.cast %a2 : " + tensor(s, "i64") + " to " + tensor(s, "bf16") +
             "\n" + "%y = sg.select %a0, %a1, %c : " + tensor(s, "i1") + ", " +
             tensor(s, "bf16") + "\n" +
             op("%z = sg.maximum %a2, %a2", s, "i64") + "%n = sg.cast %a1 : " +
             tensor(s, "bf16") + " to " + tensor(s, "i32") + "\n",
         {{"%y", type(s, "bf16")},
          {"%z", type(s, "i64")},
          {"%n", type(s, "i32")}}});
    // True is 1, above false, as in the reference; a signed bit is below.
    cases.push_back({"masks_" + size,
                     {type(s, "i1"), type(s, "i1")},
                     op("%y = sg.maximum %a0, %a1", s, "i1") +
                         op("%z = sg.minimum %a0, %a1", s, "i1") +
                         "%l = sg.compare lt %a0, %a1 : " + tensor(s, "i1") +
                         " -> " + tensor(s, "i1") + "\n",
                     {{"%y", type(s, "i1")},
                      {"%z", type(s, "i1")},
                      {"%l", type(s, "i1")}}});
    cases.push_back({"half_" + size,
                     {type(s, "f16"), type(s, "f16")},
                     op("%p = sg.mul %a0, %a1", s, "f16") +
                         op("%q = sg.div %p, %a1", s, "f16"),
                     {{"%q", type(s, "f16")}}});
    cases.push_back({"bsum_" + size,
                     {type(s, "bf16")},
                     "%y = sg.reduce_sum %a0 dims [0] : " + tensor(s, "bf16") +
                         " -> " + tensor({n}, "bf16") + "\n",
                     {{"%y", type({n}, "bf16")}},
                     0,
                     {additionsOf(6)}});
  }
  cases.push_back({"step",
                   {"i64"},
                   "%o = sg.constant dense<1> : tensor<i64>\n"
                   "%y = sg.add %a0, %o : tensor<i64>\n",
                   {{"%y", "i64"}}});
  checkCases(cases, 5);
}

TEST(Kernels, random_numbers_are_the_counters) {
  std::vector<Case> cases;
  for (const Shape &s : {Shape{1}, Shape{5, 7}, Shape{20000}, Shape{3, 4, 50}})
    cases.push_back({label("random", s),
                     {"i64", "i64", type(s)},
                     "%u = sg.random_uniform %a0, %a1 stream 7 : tensor<i64>, "
                     "tensor<i64> -> " +
                         tensor(s) + "\n" + op("%y = sg.mul %u, %a2", s),
                     {{"%y", type(s)}, {"%u", type(s)}}});
  checkCases(cases, 6);
}

TEST(Kernels, pools_and_their_gradients) {
  struct Pool {
    int64_t window, stride, padding, size, out;
  };
  std::vector<Case> cases;
  for (int64_t channels : {1, 3, 17, 64})
    for (const Pool &p :
         {Pool{3, 2, 1, 9, 5}, Pool{2, 2, 0, 8, 4}, Pool{3, 1, 1, 5, 5},
          Pool{2, 3, 0, 8, 3}, Pool{5, 2, 2, 9, 5}, Pool{12, 3, 1, 16, 3}}) {
      Shape x = {2, p.size, p.size, channels}, y = {2, p.out, p.out, channels};
      auto pair = [](int64_t v, int n) {
        std::string text = std::to_string(v);
        for (int i = 1; i < n; ++i)
          text += ", " + std::to_string(v);
        return "array<i64: " + text + ">";
      };
      std::string attributes = "window = " + pair(p.window, 2) +
                               ", strides = " + pair(p.stride, 2) +
                               ", padding = " + pair(p.padding, 4);
      std::string suffix = "_" + std::to_string(p.window) + "_" +
                           std::to_string(p.stride) + "_" +
                           std::to_string(channels);
      cases.push_back(
          callCase({"max" + suffix, "max_pool2d", attributes, {x}, y}, 0));
      // A window of 12 by 12 has more positions than an i8 numbers.
      std::string at = type(y, p.window > 11 ? "i32" : "i8");
      for (const std::string element : {"f32", "bf16"}) {
        std::string image = tensor(x, element), pooled = tensor(y, element);
        // Zeros are maxima of many windows, the first of which counts.
        Case c{
            label("argmax" + suffix + element, x), {type(x, element)}, "", {}};
        c.body = "%r = sg.relu %a0 : " + image +
                 "\n%y = sg.max_pool2d_argmax %r {" + attributes + "} : (" +
                 image + ") -> tensor<" + at + ">\n";
        c.results = {{"%y", at}};
        cases.push_back(c);
        c.name = label("scatter" + suffix + element, x);
        c.arguments.push_back(type(y, element));
        c.body += "%z = sg.max_pool2d_scatter %y, %a1 {" + attributes +
                  "} : (tensor<" + at + ">, " + pooled + ") -> " + image + "\n";
        c.results = {{"%z", type(x, element)}};
        c.tolerance = element == "f32" ? 1e-6 : 1e-2;
        c.hasParts = true; // with the positions in memory
        cases.push_back(c);
      }
      for (bool include : {false, true}) {
        std::string all = attributes + (include ? ", count_include_pad" : "");
        std::string name = suffix + (include ? "_all" : "");
        cases.push_back(
            callCase({"avg" + name, "avg_pool2d", all, {x}, y}, 1e-6));
        cases.push_back(callCase(
            {"avg_grad" + name, "avg_pool2d_grad", all, {y}, x}, 1e-6));
      }
    }
  checkCases(cases, 7);
}

/// Random trees of pointwise ops and broadcasts on a random shape.
static Case randomCase(unsigned number) {
  std::mt19937_64 random(number * 7919 + 13);
  auto pick = [&](int64_t below) {
    return static_cast<int64_t>(random() % below);
  };
  Shape s;
  for (int64_t rank = 1 + pick(4); rank > 0; --rank)
    s.push_back(Shape{1, 2, 3, 5, 7, 16, 17, 31, 64, 65}[pick(10)]);
  Case c{"random" + std::to_string(number), {}, "", {}};
  std::vector<std::string> values;
  for (int i = 0; i < 3; ++i) {
    std::string name = "a" + std::to_string(i);
    std::vector<int64_t> kept;
    Shape from;
    for (size_t d = 0; d < s.size(); ++d)
      if (i == 0 || pick(2)) {
        kept.push_back(d);
        from.push_back(i == 2 && pick(4) == 0 ? 1 : s[d]);
      }
    c.arguments.push_back(type(from));
    std::string over;
    for (int64_t d : kept)
      over += (over.empty() ? "" : ", ") + std::to_string(d);
    if (from != s) {
      c.body += "%b" + name + " = sg.broadcast %" + name + " dims [" + over +
                "] : " + tensor(from) + " -> " + tensor(s) + "\n";
      name = "b" + name;
    }
    values.push_back("%" + name);
  }
  const char *binary[] = {"add", "sub", "mul", "maximum", "minimum", "div"};
  const char *unary[] = {"relu", "neg", "abs"};
  for (int i = 0; i < 8; ++i) {
    std::string name = "%v" + std::to_string(i);
    std::string x = values[pick(values.size())],
                y = values[pick(values.size())];
    c.body +=
        pick(3) == 0
            ? op(name + " = sg." + unary[pick(3)] + " " + x, s)
            : op(name + " = sg." + binary[pick(6)] + " " + x + ", " + y, s);
    values.push_back(name);
  }
  c.results = {{"%v7", type(s)}, {"%v5", type(s)}};
  return c;
}

TEST(Kernels, random_pointwise_kernels_have_the_bits_of_their_ops) {
  std::vector<Case> cases;
  for (unsigned i = 0; i < 80; ++i)
    cases.push_back(randomCase(i));
  checkCases(cases, 8);
}
