// RUN: reprise-opt %s -split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-verify-level{level=model}), sg-differentiate{optimizer=none}, func.func(sg-verify-level{level=train}, sg-lower-checkpointing, sg-verify-level{level=remat}, sg-flatten, sg-verify-level{level=flat}))' \
// RUN:   | FileCheck %s

sg.variable @gamma : tensor<3xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @mean : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @var : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}

// Statistics stay residuals of a lowered block.
// CHECK-LABEL: func.func @is_at_each_level_in_turn(
func.func @is_at_each_level_in_turn(%x: tensor<8x3xf32>) -> tensor<f32> {
  // CHECK: sg.batch_norm_grad
  %y = sg.module "a" (%i = %x : tensor<8x3xf32>) -> tensor<8x3xf32>
      attributes {activation_checkpointing} {
    %gamma = sg.read @gamma : tensor<3xf32>
    %e = sg.exp %i : tensor<8x3xf32>
    %n = sg.batch_norm %e, %gamma, %gamma
        {epsilon = 1.0e-05 : f64, momentum = 0.25 : f64,
         running_mean = @mean, running_variance = @var}
      : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
    %r = sg.relu %n : tensor<8x3xf32>
    %s = sg.mul %r, %r : tensor<8x3xf32>
    sg.yield %s : tensor<8x3xf32>
  }
  %l = sg.reduce_sum %y dims [0, 1] : tensor<8x3xf32> -> tensor<f32>
  return %l : tensor<f32>
}
