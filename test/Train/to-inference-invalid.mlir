// RUN: reprise-opt %s -split-input-file -verify-diagnostics --sg-to-inference

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @has_a_backward_pass(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{inference is derived from a model, before differentiation}}
  %g = sg.backward of [@w] -> tensor<8xf32> {
    sg.yield %x : tensor<8xf32>
  }
  return %x : tensor<8xf32>
}

// -----

func.func @is_specialized_to_training(%x: tensor<8x3xf32>, %c: tensor<3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{inference is derived from a model, before differentiation}}
  %y, %mean, %variance, %rstd = sg.batch_norm_training %x, %c, %c
      {epsilon = 1.0e-05 : f64}
    : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>)
    -> (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %y : tensor<8x3xf32>
}
