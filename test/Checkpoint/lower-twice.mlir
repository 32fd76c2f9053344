// Lowering what is lowered changes nothing.
//
// RUN: reprise-opt %s -o %t.once --pass-pipeline='builtin.module(sg-differentiate, func.func(sg-lower-checkpointing))'
// RUN: reprise-opt %t.once -o %t.twice --sg-lower-checkpointing
// RUN: diff %t.once %t.twice
// RUN: FileCheck %s < %t.twice

sg.variable @gamma : tensor<3xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @mean : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @var : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}

// CHECK-LABEL: func.func @has_one_clone_a_block(
// CHECK: sg.backward
// CHECK-COUNT-3: #sg.phase<recompute>
// CHECK-NOT: #sg.phase<recompute>
func.func @has_one_clone_a_block(%x: tensor<8x3xf32>) -> tensor<f32> {
  %y = sg.module "a" (%i = %x : tensor<8x3xf32>) -> tensor<8x3xf32>
      attributes {activation_checkpointing} {
    %t = sg.exp %i : tensor<8x3xf32>
    %h = sg.module "a.b" (%j = %t : tensor<8x3xf32>) -> tensor<8x3xf32>
        attributes {activation_checkpointing} {
      %gamma = sg.read @gamma : tensor<3xf32>
      %n = sg.batch_norm %j, %gamma, %gamma
          {epsilon = 1.0e-05 : f64, momentum = 0.25 : f64,
           running_mean = @mean, running_variance = @var}
        : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
      %e = sg.exp %n : tensor<8x3xf32>
      %m = sg.neg %e : tensor<8x3xf32>
      sg.yield %m : tensor<8x3xf32>
    }
    %s = sg.sigmoid %h : tensor<8x3xf32>
    %n = sg.neg %s : tensor<8x3xf32>
    sg.yield %n : tensor<8x3xf32>
  }
  %l = sg.reduce_sum %y dims [0, 1] : tensor<8x3xf32> -> tensor<f32>
  return %l : tensor<f32>
}
