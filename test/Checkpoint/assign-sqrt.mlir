// RUN: reprise-opt %s --sg-assign-checkpointing=mode=sqrt | FileCheck %s

// CHECK-LABEL: func.func @cuts_at_every_third_of_seven_articulations(
func.func @cuts_at_every_third_of_seven_articulations(%x: tensor<8xf32>) -> tensor<f32> {
  // CHECK: %[[A:.*]] = sg.module "segment1"
  // CHECK: activation_checkpointing
  // CHECK-COUNT-3: sg.exp
  // CHECK-NEXT: sg.yield
  // CHECK: %[[B:.*]] = sg.module "segment2" (%{{.*}} = %[[A]] :
  // CHECK-SAME: activation_checkpointing
  // CHECK-COUNT-3: sg.exp
  // CHECK-NEXT: sg.yield
  // CHECK: sg.exp %[[B]]
  // CHECK: sg.reduce_sum
  %a = sg.exp %x : tensor<8xf32>
  %b = sg.exp %a : tensor<8xf32>
  %c = sg.exp %b : tensor<8xf32>
  %d = sg.exp %c : tensor<8xf32>
  %e = sg.exp %d : tensor<8xf32>
  %f = sg.exp %e : tensor<8xf32>
  %g = sg.exp %f : tensor<8xf32>
  %l = sg.reduce_sum %g dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// CHECK-LABEL: func.func @cuts_nothing_without_articulations(
func.func @cuts_nothing_without_articulations(%x: tensor<f32>) -> tensor<f32> {
  // CHECK-NOT: sg.module
  // CHECK: return
  return %x : tensor<f32>
}
