// Adam's variables, and how weight decay enters.
//
// RUN: reprise-opt %s '--sg-differentiate=optimizer=adam hyperparameters=weight-decay=0.25' \
// RUN:   | FileCheck %s
// RUN: reprise-opt %s --sg-differentiate=optimizer=adam \
// RUN:   | FileCheck %s --check-prefix=PLAIN

// CHECK: sg.variable @w :
// CHECK-NEXT: sg.variable @w.exp_avg :
// CHECK-NEXT: sg.variable @w.exp_avg_sq :
// CHECK-NEXT: sg.variable @adam.beta1_power : tensor<f64> {init = #sg.init<ones>, role = #sg.role<optimizer_state>}
// CHECK-NEXT: sg.variable @adam.beta2_power : tensor<f64> {init = #sg.init<ones>, role = #sg.role<optimizer_state>}
sg.variable @w : tensor<2x4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// CHECK-LABEL: func.func @decays_by_the_gradient
// CHECK: %[[G:.*]] = sg.backward of [@w]
// CHECK: %[[W:.*]] = sg.read @w :
// CHECK: %[[DECAY:.*]] = sg.constant dense<2.500000e-01> : tensor<2x4xf32>
// CHECK: %[[DECAYED:.*]] = sg.mul %[[W]], %[[DECAY]]
// CHECK: %[[SUM:.*]] = sg.add %[[G]], %[[DECAYED]]
// CHECK: sg.mul %[[SUM]], %[[SUM]]
// CHECK: %[[NEXT:.*]] = sg.sub %[[W]],
// CHECK: sg.write @w, %[[NEXT]]
//
// PLAIN-LABEL: func.func @decays_by_the_gradient
// PLAIN: %[[G:.*]] = sg.backward of [@w]
// PLAIN: sg.mul %[[G]], %[[G]]
func.func @decays_by_the_gradient(%x: tensor<2x4xf32>) -> tensor<f32> {
  %w = sg.read @w : tensor<2x4xf32>
  %p = sg.mul %w, %x : tensor<2x4xf32>
  %l = sg.reduce_sum %p dims [0, 1] : tensor<2x4xf32> -> tensor<f32>
  return %l : tensor<f32>
}
