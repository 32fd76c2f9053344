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
      make("attention", "%x: tensor<2x5x3x2x3xf64>", "tensor<2x5x2x3xf64>", R"(
        %y, %lse = sg.attention %x {scale = 0.7 : f64}
          : (tensor<2x5x3x2x3xf64>)
          -> (tensor<2x5x2x3xf64>, tensor<2x2x5xf64>)
        return %y : tensor<2x5x2x3xf64>)"),
      make("attention_with_biases",
           "%x: tensor<4x3x3x2x2xf64>, %b: tensor<2x2x3x3xf64>",
           "tensor<4x3x2x2xf64>", R"(
        %y, %lse = sg.attention %x, %b {scale = -1.5 : f64}
          : (tensor<4x3x3x2x2xf64>, tensor<2x2x3x3xf64>)
          -> (tensor<4x3x2x2xf64>, tensor<4x2x3xf64>)
        return %y : tensor<4x3x2x2xf64>)"),
      make("attention_of_one_token",
           "%x: tensor<3x1x3x1x1xf64>, %b: tensor<1x1x1x1xf64>",
           "tensor<3x1x1x1xf64>", R"(
        %y, %lse = sg.attention %x, %b {scale = 2.0 : f64}
          : (tensor<3x1x3x1x1xf64>, tensor<1x1x1x1xf64>)
          -> (tensor<3x1x1x1xf64>, tensor<3x1x1xf64>)
        return %y : tensor<3x1x1x1xf64>)"),
      make("attention_that_drops",
           "%x: tensor<2x5x3x2x3xf64>, %b: tensor<2x2x5x5xf64>, "
           "%seed: tensor<i64>, %step: tensor<i64>",
           "tensor<2x5x2x3xf64>", R"(
        %y, %lse = sg.attention %x, %b dropout(%seed, %step)
          {scale = 0.7 : f64, probability = 0.3 : f64, stream = 5 : i64}
          : (tensor<2x5x3x2x3xf64>, tensor<2x2x5x5xf64>, tensor<i64>,
             tensor<i64>) -> (tensor<2x5x2x3xf64>, tensor<2x2x5xf64>)
        return %y : tensor<2x5x2x3xf64>)"),
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
      make("attention_grad",
           "%x: tensor<2x4x3x2x3xf64>, %y: tensor<2x4x2x3xf64>, "
           "%l: tensor<2x2x4xf64>, %d: tensor<2x4x2x3xf64>",
           "tensor<2x4x3x2x3xf64>", R"(
        %g = sg.attention_grad %x, %y, %l, %d {scale = 0.7 : f64}
          : (tensor<2x4x3x2x3xf64>, tensor<2x4x2x3xf64>, tensor<2x2x4xf64>,
             tensor<2x4x2x3xf64>) -> tensor<2x4x3x2x3xf64>
        return %g : tensor<2x4x3x2x3xf64>)"),
      make("attention_grad_with_biases",
           "%x: tensor<4x3x3x1x2xf64>, %y: tensor<4x3x1x2xf64>, "
           "%l: tensor<4x1x3xf64>, %d: tensor<4x3x1x2xf64>, "
           "%b: tensor<2x1x3x3xf64>",
           "tensor<4x3x3x1x2xf64>, tensor<2x1x3x3xf64>", R"(
        %g, %h = sg.attention_grad %x, %y, %l, %d, %b {scale = -1.5 : f64}
          : (tensor<4x3x3x1x2xf64>, tensor<4x3x1x2xf64>, tensor<4x1x3xf64>,
             tensor<4x3x1x2xf64>, tensor<2x1x3x3xf64>)
          -> (tensor<4x3x3x1x2xf64>, tensor<2x1x3x3xf64>)
        return %g, %h : tensor<4x3x3x1x2xf64>, tensor<2x1x3x3xf64>)"),
      make("attention_grad_that_drops",
           "%x: tensor<2x4x3x2x3xf64>, %y: tensor<2x4x2x3xf64>, "
           "%l: tensor<2x2x4xf64>, %d: tensor<2x4x2x3xf64>, "
           "%seed: tensor<i64>, %step: tensor<i64>",
           "tensor<2x4x3x2x3xf64>", R"(
        %g = sg.attention_grad %x, %y, %l, %d dropout(%seed, %step)
          {scale = 0.7 : f64, probability = 0.3 : f64, stream = 5 : i64}
          : (tensor<2x4x3x2x3xf64>, tensor<2x4x2x3xf64>, tensor<2x2x4xf64>,
             tensor<2x4x2x3xf64>, tensor<i64>, tensor<i64>)
          -> tensor<2x4x3x2x3xf64>
        return %g : tensor<2x4x3x2x3xf64>)"),
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
