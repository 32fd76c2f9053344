// A step that never runs may normalize one value for each channel; the factor of
// the unbiased variance, n / (n - 1), is 1 there.

// RUN: reprise-opt %s --sg-differentiate=one-value-norms | FileCheck %s

sg.variable @gamma : tensor<3xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @beta : tensor<3xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @mean : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @var : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}

// CHECK-LABEL: func.func @normalizes_one_value
// CHECK: sg.batch_norm_training
// CHECK-NOT: 0x7F800000
// CHECK: sg.write @var
// CHECK: sg.write @gamma
func.func @normalizes_one_value(%x: tensor<1x1x1x3xf32>) -> tensor<f32> {
  %gamma = sg.read @gamma : tensor<3xf32>
  %beta = sg.read @beta : tensor<3xf32>
  %y = sg.batch_norm %x, %gamma, %beta
      {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64,
       running_mean = @mean, running_variance = @var}
    : (tensor<1x1x1x3xf32>, tensor<3xf32>, tensor<3xf32>)
    -> tensor<1x1x1x3xf32>
  %l = sg.reduce_sum %y dims [0, 1, 2, 3] : tensor<1x1x1x3xf32> -> tensor<f32>
  return %l : tensor<f32>
}
