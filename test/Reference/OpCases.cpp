//===- OpCases.cpp - Each op on odd shapes and attributes -----------------===//

#include "OpCases.h"

using namespace reprise;
using namespace reprise::reference;
using namespace reprise::reference::testing;

Case reference::testing::make(std::string name, std::string arguments,
                              std::string results, std::string body, double low,
                              double high) {
  return {name,
          "func.func @f(" + arguments + ") -> (" + results + ") {\n" + body +
              "\n}\n",
          low, high};
}

Case reference::testing::unary(std::string op, double low, double high) {
  std::string type = "tensor<3x5xf64>";
  return make(op, "%x: " + type, type,
              "%y = sg." + op + " %x : " + type + "\nreturn %y : " + type, low,
              high);
}

static Case binary(std::string op, double low = -1.0, double high = 1.0) {
  std::string type = "tensor<7x3xf64>";
  return make(op, "%x: " + type + ", %y: " + type, type,
              "%z = sg." + op + " %x, %y : " + type + "\nreturn %z : " + type,
              low, high);
}

/// A function of one op, written "(operands) attributes : (types) -> types":
/// `head` is the op up to its type.
static Case functional(std::string name, std::string arguments,
                       std::string types, std::string head,
                       std::string result) {
  return make(name, arguments, result,
              "%r = " + head + " : (" + types + ") -> " + result +
                  "\nreturn %r : " + result);
}

static std::vector<Case> pointwiseCases() {
  return {
      unary("neg"),
      unary("abs"),
      unary("exp"),
      unary("log", 0.3, 2.0),
      unary("sqrt", 0.3, 2.0),
      unary("rsqrt", 0.3, 2.0),
      unary("tanh", -2.0, 2.0),
      unary("sigmoid", -3.0, 3.0),
      unary("erf", -2.0, 2.0),
      unary("relu"),
      binary("add"),
      binary("sub"),
      binary("mul"),
      binary("div", 0.5, 2.0),
      binary("maximum"),
      binary("minimum"),
      make("square", "%x: tensor<5xf64>", "tensor<5xf64>", R"(
        %y = sg.mul %x, %x : tensor<5xf64>
        return %y : tensor<5xf64>)"),
      make("quotient_of_itself", "%x: tensor<5xf64>", "tensor<5xf64>", R"(
        %y = sg.exp %x : tensor<5xf64>
        %z = sg.div %x, %y : tensor<5xf64>
        %w = sg.sub %z, %y : tensor<5xf64>
        return %w : tensor<5xf64>)"),
      make("select", "%x: tensor<4x3xf64>, %y: tensor<4x3xf64>",
           "tensor<4x3xf64>", R"(
        %m = sg.compare gt %x, %y : tensor<4x3xf64> -> tensor<4x3xi1>
        %e = sg.exp %x : tensor<4x3xf64>
        %z = sg.select %m, %e, %y : tensor<4x3xi1>, tensor<4x3xf64>
        return %z : tensor<4x3xf64>)"),
      make("cast", "%x: tensor<6xf64>", "tensor<6xf32>", R"(
        %y = sg.exp %x : tensor<6xf64>
        %z = sg.cast %y : tensor<6xf64> to tensor<6xf32>
        return %z : tensor<6xf32>)"),
  };
}

static std::vector<Case> movingCases() {
  return {
      make("broadcast_new_dims", "%x: tensor<3xf64>", "tensor<2x3x4xf64>", R"(
        %y = sg.broadcast %x dims [1] : tensor<3xf64> -> tensor<2x3x4xf64>
        return %y : tensor<2x3x4xf64>)"),
      make("broadcast_unit_dim", "%x: tensor<1x3xf64>", "tensor<5x2x3xf64>", R"(
        %y = sg.broadcast %x dims [1, 2] : tensor<1x3xf64> -> tensor<5x2x3xf64>
        return %y : tensor<5x2x3xf64>)"),
      make("broadcast_unit_stays", "%x: tensor<1x3xf64>", "tensor<1x2x3xf64>",
           R"(
        %y = sg.broadcast %x dims [0, 2] : tensor<1x3xf64> -> tensor<1x2x3xf64>
        return %y : tensor<1x2x3xf64>)"),
      make("broadcast_scalar", "%x: tensor<f64>", "tensor<3x2xf64>", R"(
        %y = sg.broadcast %x dims [] : tensor<f64> -> tensor<3x2xf64>
        return %y : tensor<3x2xf64>)"),
      make("reshape", "%x: tensor<4x3xf64>", "tensor<2x6xf64>", R"(
        %y = sg.reshape %x : tensor<4x3xf64> -> tensor<2x6xf64>
        return %y : tensor<2x6xf64>)"),
      make("keep", "%x: tensor<4x3xf64>", "tensor<4x3xf64>", R"(
        %k = sg.keep %x : tensor<4x3xf64>
        %y = sg.mul %k, %k : tensor<4x3xf64>
        return %y : tensor<4x3xf64>)"),
      make("recompute", "%x: tensor<4x3xf64>", "tensor<4x3xf64>", R"(
        %m = sg.recompute %x : tensor<4x3xf64>
        %y = sg.mul %m, %m : tensor<4x3xf64>
        return %y : tensor<4x3xf64>)"),
      make("transpose", "%x: tensor<2x3x5xf64>", "tensor<5x2x3xf64>", R"(
        %y = sg.transpose %x perm [2, 0, 1]
          : tensor<2x3x5xf64> -> tensor<5x2x3xf64>
        return %y : tensor<5x2x3xf64>)"),
      make("slice", "%x: tensor<8x5xf64>", "tensor<3x3xf64>", R"(
        %y = sg.slice %x [1, 2] to [8, 5] by [3, 1]
          : tensor<8x5xf64> -> tensor<3x3xf64>
        return %y : tensor<3x3xf64>)"),
      make("slice_short_of_the_end", "%x: tensor<9xf64>", "tensor<3xf64>", R"(
        %y = sg.slice %x [0] to [6] by [2] : tensor<9xf64> -> tensor<3xf64>
        return %y : tensor<3xf64>)"),
      make("pad", "%x: tensor<3x2xf64>", "tensor<8x5xf64>", R"(
        %y = sg.pad %x low [1, 0] high [2, 3] interior [1, 0] value 0.5
          : tensor<3x2xf64> -> tensor<8x5xf64>
        return %y : tensor<8x5xf64>)"),
      make("concat", "%x: tensor<2x3xf64>, %y: tensor<2x1xf64>",
           "tensor<2x7xf64>", R"(
        %z = sg.concat %x, %y, %x dim 1
          : (tensor<2x3xf64>, tensor<2x1xf64>, tensor<2x3xf64>)
          -> tensor<2x7xf64>
        return %z : tensor<2x7xf64>)"),
  };
}

static std::vector<Case> reductionCases() {
  return {
      make("reduce_sum_outer", "%x: tensor<4x3x2xf64>", "tensor<2xf64>", R"(
        %y = sg.reduce_sum %x dims [0, 1] : tensor<4x3x2xf64> -> tensor<2xf64>
        return %y : tensor<2xf64>)"),
      make("reduce_sum_middle", "%x: tensor<4x3x2xf64>", "tensor<4x2xf64>", R"(
        %y = sg.reduce_sum %x dims [1] : tensor<4x3x2xf64> -> tensor<4x2xf64>
        return %y : tensor<4x2xf64>)"),
      make("reduce_sum_all", "%x: tensor<4x3xf64>", "tensor<f64>", R"(
        %y = sg.reduce_sum %x dims [0, 1] : tensor<4x3xf64> -> tensor<f64>
        return %y : tensor<f64>)"),
      make("reduce_max", "%x: tensor<4x3x2xf64>", "tensor<3xf64>", R"(
        %y = sg.reduce_max %x dims [0, 2] : tensor<4x3x2xf64> -> tensor<3xf64>
        return %y : tensor<3xf64>)"),
  };
}

static std::vector<Case> matmulCases() {
  std::vector<Case> cases;
  for (bool a : {false, true})
    for (bool b : {false, true}) {
      std::string left = a ? "tensor<5x3xf64>" : "tensor<3x5xf64>";
      std::string right = b ? "tensor<4x5xf64>" : "tensor<5x4xf64>";
      std::string flags = a && b ? " {transpose_a, transpose_b}"
                          : a    ? " {transpose_a}"
                          : b    ? " {transpose_b}"
                                 : "";
      cases.push_back(
          functional(std::string("matmul_") + (a ? "t" : "n") + (b ? "t" : "n"),
                     "%a: " + left + ", %b: " + right, left + ", " + right,
                     "sg.matmul %a, %b" + flags, "tensor<3x4xf64>"));
    }
  cases.push_back(functional(
      "matmul_batched", "%a: tensor<2x3x5x4xf64>, %b: tensor<2x3x7x5xf64>",
      "tensor<2x3x5x4xf64>, tensor<2x3x7x5xf64>",
      "sg.matmul %a, %b {transpose_a, transpose_b}", "tensor<2x3x4x7xf64>"));
  cases.push_back(functional(
      "matmul_bias",
      "%a: tensor<2x5x4xf64>, %b: tensor<2x7x5xf64>, %c: tensor<7xf64>",
      "tensor<2x5x4xf64>, tensor<2x7x5xf64>, tensor<7xf64>",
      "sg.matmul_bias %a, %b, %c {transpose_a, transpose_b}",
      "tensor<2x4x7xf64>"));
  return cases;
}

/// The attributes of a convolution.
static std::string convAttributes(std::string strides, std::string padding,
                                  std::string dilation, std::string groups) {
  return " {strides = array<i64: " + strides +
         ">, padding = array<i64: " + padding +
         ">, dilation = array<i64: " + dilation + ">, groups = " + groups +
         " : i64}";
}

namespace {
struct Convolution {
  std::string name, x, filter, y, attributes;
  std::string op = "conv2d";
};
} // namespace

static std::vector<Convolution> convolutions() {
  return {
      {"plain", "tensor<2x4x5x3xf64>", "tensor<2x3x2x3xf64>",
       "tensor<2x2x4x2xf64>",
       convAttributes("1, 1", "0, 0, 0, 0", "1, 1", "1")},
      {"strided_asymmetric", "tensor<1x6x5x2xf64>", "tensor<3x3x3x2xf64>",
       "tensor<1x3x4x3xf64>",
       convAttributes("2, 1", "0, 1, 1, 0", "1, 1", "1")},
      {"stride_skips_pixels", "tensor<1x7x6x2xf64>", "tensor<2x1x1x2xf64>",
       "tensor<1x3x2x2xf64>",
       convAttributes("3, 4", "0, 0, 0, 0", "1, 1", "1")},
      {"dilated", "tensor<1x7x6x1xf64>", "tensor<2x3x2x1xf64>",
       "tensor<1x5x5x2xf64>",
       convAttributes("1, 1", "1, 1, 1, 1", "2, 3", "1")},
      {"grouped", "tensor<2x3x3x4xf64>", "tensor<6x2x2x2xf64>",
       "tensor<2x2x2x6xf64>",
       convAttributes("1, 1", "0, 0, 0, 0", "1, 1", "2")},
      {"depthwise", "tensor<1x5x5x3xf64>", "tensor<3x3x3x1xf64>",
       "tensor<1x3x3x3xf64>",
       convAttributes("2, 2", "1, 1, 1, 1", "1, 1", "3")},
      {"everything", "tensor<2x8x7x4xf64>", "tensor<4x3x2x2xf64>",
       "tensor<2x4x3x4xf64>",
       convAttributes("2, 3", "2, 1, 0, 2", "2, 2", "2")},
      {"plain", "tensor<1x3x4x3x2xf64>", "tensor<3x2x3x2x2xf64>",
       "tensor<1x2x2x2x3xf64>",
       convAttributes("1, 1, 1", "0, 0, 0, 0, 0, 0", "1, 1, 1", "1"), "conv3d"},
      {"of_frames", "tensor<1x3x4x4x2xf64>", "tensor<3x1x3x3x2xf64>",
       "tensor<1x3x2x2x3xf64>",
       convAttributes("1, 2, 2", "0, 0, 1, 1, 1, 1", "1, 1, 1", "1"), "conv3d"},
      {"depthwise", "tensor<1x3x5x4x3xf64>", "tensor<3x3x3x3x1xf64>",
       "tensor<1x3x3x2x3xf64>",
       convAttributes("1, 2, 2", "1, 1, 1, 1, 1, 1", "1, 1, 1", "3"), "conv3d"},
      {"everything", "tensor<2x5x6x5x4xf64>", "tensor<2x2x3x2x2xf64>",
       "tensor<2x4x3x2x2xf64>",
       convAttributes("1, 2, 3", "1, 0, 2, 1, 0, 2", "2, 2, 1", "2"), "conv3d"},
  };
}

static std::vector<Case> convolutionCases() {
  std::vector<Case> cases;
  for (const Convolution &c : convolutions()) {
    cases.push_back(functional(
        c.op + "_" + c.name, "%x: " + c.x + ", %w: " + c.filter,
        c.x + ", " + c.filter, "sg." + c.op + " %x, %w" + c.attributes, c.y));
    cases.push_back(
        functional(c.op + "_input_grad_" + c.name,
                   "%dy: " + c.y + ", %w: " + c.filter, c.y + ", " + c.filter,
                   "sg." + c.op + "_input_grad %dy, %w" + c.attributes, c.x));
  }
  return cases;
}

static std::vector<Case> poolCases() {
  std::string x = "tensor<2x5x6x3xf64>";
  auto pool = [&](std::string name, std::string op, std::string attributes,
                  std::string y) {
    return functional(name, "%x: " + x, x,
                      "sg." + op + " %x {" + attributes + "}", y);
  };
  std::string padded = "window = array<i64: 3, 2>, strides = array<i64: 2, 1>, "
                       "padding = array<i64: 1, 2, 1, 0>";
  std::string gaps = "window = array<i64: 2, 2>, strides = array<i64: 3, 3>, "
                     "padding = array<i64: 0, 0, 0, 0>";
  return {
      pool("max_pool2d_padded", "max_pool2d", padded, "tensor<2x3x6x3xf64>"),
      pool("max_pool2d_gaps", "max_pool2d", gaps, "tensor<2x2x2x3xf64>"),
      pool("avg_pool2d_padded", "avg_pool2d", padded, "tensor<2x3x6x3xf64>"),
      pool("avg_pool2d_count_include_pad", "avg_pool2d",
           padded + ", count_include_pad", "tensor<2x3x6x3xf64>"),
      pool("avg_pool2d_gaps", "avg_pool2d", gaps, "tensor<2x2x2x3xf64>"),
      functional("global_avg_pool", "%x: " + x, x, "sg.global_avg_pool %x",
                 "tensor<2x3xf64>"),
  };
}

static std::vector<Case> normalizationCases() {
  return {
      make("batch_norm_training",
           "%x: tensor<3x2x2x3xf64>, %g: tensor<3xf64>, %b: tensor<3xf64>",
           "tensor<3x2x2x3xf64>", R"(
        %y, %mean, %variance, %rstd = sg.batch_norm_training %x, %g, %b
            {epsilon = 1.0e-03 : f64}
          : (tensor<3x2x2x3xf64>, tensor<3xf64>, tensor<3xf64>)
          -> (tensor<3x2x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
        return %y : tensor<3x2x2x3xf64>)"),
      make("batch_norm_training_of_a_matrix",
           "%x: tensor<7x2xf64>, %g: tensor<2xf64>, %b: tensor<2xf64>",
           "tensor<7x2xf64>", R"(
        %y, %mean, %variance, %rstd = sg.batch_norm_training %x, %g, %b
            {epsilon = 1.0e-01 : f64}
          : (tensor<7x2xf64>, tensor<2xf64>, tensor<2xf64>)
          -> (tensor<7x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
        return %y : tensor<7x2xf64>)"),
      make("normalize",
           "%x: tensor<2x3x4xf64>, %m: tensor<4xf64>, %r: tensor<4xf64>, "
           "%g: tensor<4xf64>, %b: tensor<4xf64>",
           "tensor<2x3x4xf64>", R"(
        %y = sg.normalize %x, %m, %r, %g, %b
          : (tensor<2x3x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>,
             tensor<4xf64>) -> tensor<2x3x4xf64>
        return %y : tensor<2x3x4xf64>)"),
      make("batch_norm_inference",
           "%x: tensor<2x3x4xf64>, %g: tensor<4xf64>, %b: tensor<4xf64>, "
           "%m: tensor<4xf64>, %v: tensor<4xf64>",
           "tensor<2x3x4xf64>", R"(
        %y = sg.batch_norm_inference %x, %g, %b, %m, %v
            {epsilon = 1.0e-02 : f64}
          : (tensor<2x3x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>,
             tensor<4xf64>) -> tensor<2x3x4xf64>
        return %y : tensor<2x3x4xf64>)",
           0.2, 1.5),
  };
}

static std::vector<Case> lossCases() {
  std::string entropy = R"(
        %losses, %lse = sg.cross_entropy %x, %t
          : (tensor<5x3xf64>, tensor<5xi32>)
          -> (tensor<5xf64>, tensor<5xf64>)
        )";
  std::string arguments = "%x: tensor<5x3xf64>, %t: tensor<5xi32>";
  return {
      make("softmax", "%x: tensor<2x3x4xf64>", "tensor<2x3x4xf64>", R"(
        %y = sg.softmax %x : tensor<2x3x4xf64>
        return %y : tensor<2x3x4xf64>)",
           -3.0, 3.0),
      make("cross_entropy", arguments, "tensor<5xf64>",
           entropy + "return %losses : tensor<5xf64>", -3.0, 3.0),
      make("cross_entropy_lse", arguments, "tensor<5xf64>",
           entropy + "return %lse : tensor<5xf64>", -3.0, 3.0),
      make("cross_entropy_both", arguments, "tensor<5xf64>, tensor<5xf64>",
           entropy + "return %losses, %lse : tensor<5xf64>, tensor<5xf64>",
           -3.0, 3.0),
      make("cross_entropy_ignoring", arguments, "tensor<5xf64>, tensor<5xf64>",
           R"(
        %losses, %lse = sg.cross_entropy %x, %t {ignore_index = 1 : i64}
          : (tensor<5x3xf64>, tensor<5xi32>)
          -> (tensor<5xf64>, tensor<5xf64>)
        return %losses, %lse : tensor<5xf64>, tensor<5xf64>)",
           -3.0, 3.0),
      make("auxiliary_loss", "%x: tensor<f64>, %y: tensor<f64>", "tensor<f64>",
           R"(
        %z = sg.auxiliary_loss %x, %y weight 0.3 : tensor<f64>
        return %z : tensor<f64>)",
           0.5, 3.0),
      make("cross_entropy_label_outside",
           "%x: tensor<5x2xf64>, %t: tensor<5xi64>", "tensor<5xf64>", R"(
        %losses, %lse = sg.cross_entropy %x, %t
          : (tensor<5x2xf64>, tensor<5xi64>)
          -> (tensor<5xf64>, tensor<5xf64>)
        return %losses : tensor<5xf64>)"),
      make("dropout",
           "%x: tensor<9x7xf64>, %seed: tensor<i64>, %step: tensor<i64>",
           "tensor<9x7xf64>", R"(
        %y = sg.dropout %x, %seed, %step
            {probability = 3.0e-01 : f64, stream = 5 : i64}
          : (tensor<9x7xf64>, tensor<i64>, tensor<i64>) -> tensor<9x7xf64>
        return %y : tensor<9x7xf64>)"),
      make("dropout_of_samples",
           "%x: tensor<9x2x3xf64>, %seed: tensor<i64>, %step: tensor<i64>",
           "tensor<9x2x3xf64>", R"(
        %y = sg.dropout %x, %seed, %step
            {per_sample, probability = 3.0e-01 : f64, stream = 5 : i64}
          : (tensor<9x2x3xf64>, tensor<i64>, tensor<i64>) -> tensor<9x2x3xf64>
        return %y : tensor<9x2x3xf64>)"),
      make("dropout_of_none",
           "%x: tensor<9xf64>, %seed: tensor<i64>, %step: tensor<i64>",
           "tensor<9xf64>", R"(
        %y = sg.dropout %x, %seed, %step
            {probability = 0.0 : f64, stream = 0 : i64}
          : (tensor<9xf64>, tensor<i64>, tensor<i64>) -> tensor<9xf64>
        return %y : tensor<9xf64>)"),
  };
}

std::vector<Case> reference::testing::differentiableCases() {
  std::vector<Case> all;
  for (auto cases : {pointwiseCases, movingCases, reductionCases, matmulCases,
                     convolutionCases, poolCases, normalizationCases, lossCases,
                     transformerCases})
    llvm::append_range(all, cases());
  return all;
}

static std::vector<Case> convolutionGradientCases() {
  std::vector<Case> cases;
  for (const Convolution &c : convolutions()) {
    if (c.op == "conv2d")
      cases.push_back(functional(
          "conv2d_input_grad_add_" + c.name,
          "%dy: " + c.y + ", %w: " + c.filter + ", %z: " + c.x,
          c.y + ", " + c.filter + ", " + c.x,
          "sg.conv2d_input_grad_add %dy, %w, %z" + c.attributes, c.x));
    cases.push_back(functional(
        c.op + "_filter_grad_" + c.name, "%x: " + c.x + ", %dy: " + c.y,
        c.x + ", " + c.y, "sg." + c.op + "_filter_grad %x, %dy" + c.attributes,
        c.filter));
  }
  return cases;
}

static std::vector<Case> poolGradientCases() {
  std::string x = "tensor<2x5x6x3xf64>", y = "tensor<2x3x6x3xf64>";
  std::string attributes =
      "window = array<i64: 3, 2>, strides = array<i64: 2, 1>, "
      "padding = array<i64: 1, 2, 1, 0>";
  return {
      functional("max_pool2d_grad", "%x: " + x + ", %dy: " + y, x + ", " + y,
                 "sg.max_pool2d_grad %x, %dy {" + attributes + "}", x),
      functional("avg_pool2d_grad", "%dy: " + y, y,
                 "sg.avg_pool2d_grad %dy {" + attributes + "}", x),
      functional(
          "avg_pool2d_grad_count_include_pad", "%dy: " + y, y,
          "sg.avg_pool2d_grad %dy {" + attributes + ", count_include_pad}", x),
  };
}

static std::vector<Case> layerGradientCases() {
  return {
      make("batch_norm_grad",
           "%x: tensor<3x2x4xf64>, %g: tensor<4xf64>, %m: tensor<4xf64>, "
           "%r: tensor<4xf64>, %dy: tensor<3x2x4xf64>",
           "tensor<3x2x4xf64>, tensor<4xf64>, tensor<4xf64>", R"(
        %dx, %dg, %db = sg.batch_norm_grad %x, %g, %m, %r, %dy
          : (tensor<3x2x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>,
             tensor<3x2x4xf64>)
          -> (tensor<3x2x4xf64>, tensor<4xf64>, tensor<4xf64>)
        return %dx, %dg, %db
          : tensor<3x2x4xf64>, tensor<4xf64>, tensor<4xf64>)"),
      binary("relu_grad"),
      binary("softmax_grad"),
      make("cross_entropy_grad",
           "%x: tensor<5x3xf64>, %t: tensor<5xi32>, %lse: tensor<5xf64>, "
           "%d: tensor<5xf64>",
           "tensor<5x3xf64>", R"(
        %dx = sg.cross_entropy_grad %x, %t, %lse, %d
          : (tensor<5x3xf64>, tensor<5xi32>, tensor<5xf64>, tensor<5xf64>)
          -> tensor<5x3xf64>
        return %dx : tensor<5x3xf64>)"),
      make("cross_entropy_grad_ignoring",
           "%x: tensor<5x3xf64>, %t: tensor<5xi32>, %lse: tensor<5xf64>, "
           "%d: tensor<5xf64>",
           "tensor<5x3xf64>", R"(
        %dx = sg.cross_entropy_grad %x, %t, %lse, %d {ignore_index = 1 : i64}
          : (tensor<5x3xf64>, tensor<5xi32>, tensor<5xf64>, tensor<5xf64>)
          -> tensor<5x3xf64>
        return %dx : tensor<5x3xf64>)"),
  };
}

std::vector<Case> reference::testing::gradientCases() {
  std::vector<Case> all;
  for (auto cases : {convolutionGradientCases, poolGradientCases,
                     layerGradientCases, transformerGradientCases})
    llvm::append_range(all, cases());
  return all;
}

std::string
reference::testing::caseName(const ::testing::TestParamInfo<Case> &info) {
  return info.param.name;
}

std::set<std::string>
reference::testing::opsIn(const std::vector<Case> &cases) {
  std::set<std::string> names;
  for (const Case &c : cases) {
    Program p(c.source);
    p.module->walk([&](mlir::Operation *op) {
      names.insert(op->getName().getStringRef().str());
    });
  }
  return names;
}
