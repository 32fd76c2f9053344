//===- TransformerCases.cpp - Layers of transformers on odd shapes --------===//

#include "OpCases.h"

using namespace reprise;
using namespace reprise::reference;
using namespace reprise::reference::testing;

std::vector<Case> reference::testing::transformerCases() {
  return {
      make("layer_norm",
           "%x: tensor<2x3x5xf64>, %g: tensor<5xf64>, %b: tensor<5xf64>",
           "tensor<2x3x5xf64>", R"(
        %y, %mean, %rstd = sg.layer_norm %x, %g, %b {epsilon = 1.0e-03 : f64}
          : (tensor<2x3x5xf64>, tensor<5xf64>, tensor<5xf64>)
          -> (tensor<2x3x5xf64>, tensor<2x3xf64>, tensor<2x3xf64>)
        return %y : tensor<2x3x5xf64>)"),
      make("layer_norm_of_a_matrix",
           "%x: tensor<7x2xf64>, %g: tensor<2xf64>, %b: tensor<2xf64>",
           "tensor<7x2xf64>", R"(
        %y, %mean, %rstd = sg.layer_norm %x, %g, %b {epsilon = 1.0e-01 : f64}
          : (tensor<7x2xf64>, tensor<2xf64>, tensor<2xf64>)
          -> (tensor<7x2xf64>, tensor<7xf64>, tensor<7xf64>)
        return %y : tensor<7x2xf64>)"),
      unary("gelu", -3.0, 3.0),
      make("gelu_by_tanh", "%x: tensor<3x5xf64>", "tensor<3x5xf64>", R"(
        %y = sg.gelu %x {tanh} : tensor<3x5xf64>
        return %y : tensor<3x5xf64>)",
           -3.0, 3.0),
      unary("silu", -4.0, 4.0),
      unary("hard_sigmoid", -4.0, 4.0),
      unary("hard_swish", -4.0, 4.0),
      make("roll", "%x: tensor<4x3x5xf64>", "tensor<4x3x5xf64>", R"(
        %y = sg.roll %x by [1, 0, -2] : tensor<4x3x5xf64>
        return %y : tensor<4x3x5xf64>)"),
      make("roll_by_nothing", "%x: tensor<4x3xf64>", "tensor<4x3xf64>", R"(
        %y = sg.roll %x by [0, 0] : tensor<4x3xf64>
        return %y : tensor<4x3xf64>)"),
      // Indices are 0, 1 and 2: of two rows, the last is outside.
      make("gather", "%t: tensor<2x3x2xf64>, %i: tensor<4x3xi32>",
           "tensor<4x3x3x2xf64>", R"(
        %y = sg.gather %t, %i
          : (tensor<2x3x2xf64>, tensor<4x3xi32>) -> tensor<4x3x3x2xf64>
        return %y : tensor<4x3x3x2xf64>)"),
      make("gather_of_a_vector", "%t: tensor<3xf64>, %i: tensor<7xi64>",
           "tensor<7xf64>", R"(
        %y = sg.gather %t, %i
          : (tensor<3xf64>, tensor<7xi64>) -> tensor<7xf64>
        return %y : tensor<7xf64>)"),
  };
}

std::vector<Case> reference::testing::transformerGradientCases() {
  return {
      make("layer_norm_grad",
           "%x: tensor<3x2x4xf64>, %g: tensor<4xf64>, %m: tensor<3x2xf64>, "
           "%r: tensor<3x2xf64>, %dy: tensor<3x2x4xf64>",
           "tensor<3x2x4xf64>, tensor<4xf64>, tensor<4xf64>", R"(
        %dx, %dg, %db = sg.layer_norm_grad %x, %g, %m, %r, %dy
          : (tensor<3x2x4xf64>, tensor<4xf64>, tensor<3x2xf64>,
             tensor<3x2xf64>, tensor<3x2x4xf64>)
          -> (tensor<3x2x4xf64>, tensor<4xf64>, tensor<4xf64>)
        return %dx, %dg, %db
          : tensor<3x2x4xf64>, tensor<4xf64>, tensor<4xf64>)"),
      make("gather_grad", "%i: tensor<4x3xi32>, %dy: tensor<4x3x5xf64>",
           "tensor<2x5xf64>", R"(
        %t = sg.gather_grad %i, %dy
          : (tensor<4x3xi32>, tensor<4x3x5xf64>) -> tensor<2x5xf64>
        return %t : tensor<2x5xf64>)"),
      make("gather_grad_of_a_vector", "%i: tensor<7xi64>, %dy: tensor<7xf64>",
           "tensor<4xf64>", R"(
        %t = sg.gather_grad %i, %dy
          : (tensor<7xi64>, tensor<7xf64>) -> tensor<4xf64>
        return %t : tensor<4xf64>)"),
  };
}
