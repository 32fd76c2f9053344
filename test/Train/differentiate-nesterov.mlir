// Nesterov's momentum, and which parameters decay.
//
// RUN: reprise-opt %s \
// RUN:   --sg-differentiate=hyperparameters=nesterov=1,momentum=0.5,weight-decay=0.25,norm-bias-weight-decay=0 \
// RUN:   | FileCheck %s
// RUN: reprise-opt %s --sg-differentiate=hyperparameters=nesterov=0 \
// RUN:   | FileCheck %s --check-prefix=OFF
// RUN: reprise-opt %s \
// RUN:   --sg-differentiate=hyperparameters=weight-decay=0.25,norm-bias-weight-decay=0.125 \
// RUN:   | FileCheck %s --check-prefix=BOTH

sg.variable @w : tensor<2x4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @gamma : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// CHECK-LABEL: func.func @looks_ahead_and_decays_matrices
// CHECK: %[[G:.*]]:2 = sg.backward of [@w, @gamma]
// CHECK: sg.yield
// CHECK: %[[W:.*]] = sg.read @w
// CHECK: %[[DECAYED:.*]] = sg.mul %[[W]]
// CHECK: %[[GRADIENT:.*]] = sg.add %[[G]]#0, %[[DECAYED]]
// CHECK: %[[VELOCITY:.*]] = sg.add %{{.*}}, %[[GRADIENT]]
// CHECK: sg.write @w.momentum_buffer, %[[VELOCITY]]
// CHECK: %[[AHEAD:.*]] = sg.mul %[[VELOCITY]]
// CHECK: %[[DIRECTION:.*]] = sg.add %[[GRADIENT]], %[[AHEAD]]
// CHECK: %[[STEP:.*]] = sg.mul %{{.*}}, %[[DIRECTION]]
// CHECK: %[[NEXT:.*]] = sg.sub %[[W]], %[[STEP]]
// CHECK: sg.write @w, %[[NEXT]]
// CHECK: sg.read @gamma :
// CHECK-NEXT: sg.read @gamma.momentum_buffer
// CHECK: sg.add %{{.*}}, %[[G]]#1
//
// OFF-LABEL: func.func @looks_ahead_and_decays_matrices
// OFF: sg.write @w.momentum_buffer, %[[VELOCITY:.*]] :
// OFF-NEXT: %[[RATES:.*]] = sg.broadcast
// OFF-NEXT: sg.mul %[[RATES]], %[[VELOCITY]]
//
// BOTH-LABEL: func.func @looks_ahead_and_decays_matrices
// BOTH: sg.yield
// BOTH: sg.read @w :
// BOTH: sg.constant dense<2.500000e-01> : tensor<2x4xf32>
// BOTH: sg.read @gamma :
// BOTH: sg.constant dense<1.250000e-01> : tensor<4xf32>
func.func @looks_ahead_and_decays_matrices(%x: tensor<2x4xf32>) -> tensor<f32> {
  %w = sg.read @w : tensor<2x4xf32>
  %gamma = sg.read @gamma : tensor<4xf32>
  %scale = sg.broadcast %gamma dims [1] : tensor<4xf32> -> tensor<2x4xf32>
  %v = sg.mul %w, %scale : tensor<2x4xf32>
  %p = sg.mul %v, %x : tensor<2x4xf32>
  %l = sg.reduce_sum %p dims [0, 1] : tensor<2x4xf32> -> tensor<f32>
  return %l : tensor<f32>
}
