// The second optimizer: its variables, what all updates share, one update.
//
// RUN: reprise-opt %s --sg-differentiate=optimizer=adamw | FileCheck %s
// RUN: reprise-opt %s '--sg-differentiate=optimizer=adamw hyperparameters=beta1=0.5,epsilon=0.25' \
// RUN:   | FileCheck %s --check-prefix=GIVEN
// RUN: not reprise-opt %s '--sg-differentiate=optimizer=adamw hyperparameters=epsilon=0' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EPSILON
// EPSILON: error: epsilon of adamw is 0; it must be at least 1e-30 and less than 1

// CHECK: sg.variable @w :
// CHECK-NEXT: sg.variable @w.exp_avg : tensor<2x4xf32> {file_permutation = array<i32: 1, 0>, init = #sg.init<zeros>, role = #sg.role<optimizer_state>}
// CHECK-NEXT: sg.variable @w.exp_avg_sq : tensor<2x4xf32> {file_permutation = array<i32: 1, 0>, init = #sg.init<zeros>, role = #sg.role<optimizer_state>}
// CHECK-NEXT: sg.variable @adamw.beta1_power : tensor<f64> {init = #sg.init<ones>, role = #sg.role<optimizer_state>}
// CHECK-NEXT: sg.variable @adamw.beta2_power : tensor<f64> {init = #sg.init<ones>, role = #sg.role<optimizer_state>}
sg.variable @w : tensor<2x4xf32> {role = #sg.role<parameter>,
  init = #sg.init<ones>, file_permutation = array<i32: 1, 0>}

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[RATE:[a-z0-9]+]]: tensor<f32> {sg.binding = #sg.binding<learning_rate>, sg.name = "learning_rate"})
func.func @step(%x: tensor<2x4xf32>) -> tensor<f32> {
  // CHECK: %[[G:.*]] = sg.backward of [@w]
  // CHECK: %[[WIDE:.*]] = sg.cast %[[RATE]]
  // CHECK: %[[OLD1:.*]] = sg.read @adamw.beta1_power
  // CHECK: %[[BETA1:.*]] = sg.constant dense<{{(0\.90+2|9\.0+e-01)}}> : tensor<f64>
  // CHECK: %[[POWER1:.*]] = sg.mul %[[OLD1]], %[[BETA1]]
  // CHECK: sg.write @adamw.beta1_power, %[[POWER1]]
  // CHECK: %[[SIZE:.*]] = sg.div
  // CHECK: sg.write @adamw.beta2_power
  // CHECK: %[[ROOT:.*]] = sg.sqrt
  // CHECK: sg.constant dense<1.000000e-02> : tensor<f64>
  // CHECK: %[[KEPT:.*]] = sg.sub
  // CHECK: %[[W:.*]] = sg.read @w :
  // CHECK: sg.read @w.exp_avg :
  // CHECK: %[[MEAN:.*]] = sg.add
  // CHECK: sg.write @w.exp_avg, %[[MEAN]]
  // CHECK: sg.mul %[[G]], %[[G]]
  // CHECK: %[[SQUARE:.*]] = sg.add
  // CHECK: sg.write @w.exp_avg_sq, %[[SQUARE]]
  // CHECK: sg.sqrt %[[SQUARE]]
  // CHECK: sg.cast %[[ROOT]] {{.*}}: tensor<f64> to tensor<f32>
  // CHECK: sg.constant dense<9.99999993E-9>
  // CHECK: sg.cast %[[SIZE]] {{.*}}: tensor<f64> to tensor<f32>
  // CHECK: sg.cast %[[KEPT]] {{.*}}: tensor<f64> to tensor<f32>
  // CHECK: %[[NEXT:.*]] = sg.sub
  // CHECK: sg.write @w, %[[NEXT]]
  // GIVEN-DAG: sg.constant dense<5.000000e-01> : tensor<f64>
  // GIVEN-DAG: sg.constant dense<2.500000e-01> : tensor<2x4xf32>
  %w = sg.read @w : tensor<2x4xf32>
  %p = sg.mul %w, %x : tensor<2x4xf32>
  %l = sg.reduce_sum %p dims [0, 1] : tensor<2x4xf32> -> tensor<f32>
  return %l : tensor<f32>
}
