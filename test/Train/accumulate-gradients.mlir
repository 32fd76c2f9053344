// A step of micro-batches: what is repeated, handed on and joined.
//
// RUN: reprise-opt %s -split-input-file --sg-accumulate-gradients=micro-batches=3 \
// RUN:   --sg-verify-effects --sg-verify-level=level=flat | FileCheck %s
// RUN: reprise-opt %s -split-input-file --sg-accumulate-gradients=micro-batches=1 \
// RUN:   | FileCheck %s --check-prefix=ONE

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// Each waits for the sum before it.
//
// CHECK-LABEL: func.func @waits_for_the_sum_before
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<6x4xf32>
// CHECK: %[[W:.*]] = sg.read @w
// CHECK-NOT: sg.read
// CHECK: sg.exp %[[W]] {sg.origin = #sg.origin<"a", forward, 0>}
// CHECK: %[[G0:.*]] = sg.reduce_sum %{{.*}} dims [0] {sg.origin = #sg.origin<"a", backward, 1>}
// CHECK: %[[B1:.*]] = sg.barrier(%[[X]]) after(%[[G0]])
// CHECK: sg.slice %[[B1]] [2, 0] to [4, 4]
// CHECK: sg.exp %[[W]] {sg.origin = #sg.origin<"a", forward, 2>}
// CHECK: %[[G1:.*]] = sg.reduce_sum %{{.*}} dims [0] {sg.origin = #sg.origin<"a", backward, 3>}
// CHECK: %[[S1:.*]] = sg.add %[[G0]], %[[G1]] {sg.origin = #sg.origin<"w", backward>}
// CHECK: %[[B2:.*]] = sg.barrier(%[[X]]) after(%[[S1]])
// CHECK: sg.slice %[[B2]] [4, 0] to [6, 4]
// CHECK: %[[S2:.*]] = sg.add %[[S1]], %{{.*}} {sg.origin = #sg.origin<"w", backward>}
// CHECK: %[[THREE:.*]] = sg.constant dense<3.000000e+00> : tensor<4xf32>
// CHECK: sg.div %[[S2]], %[[THREE]]
//
// ONE-LABEL: func.func @waits_for_the_sum_before
// ONE-NOT: sg.barrier
// ONE: return
func.func @waits_for_the_sum_before(%x: tensor<2x4xf32>)
    -> (tensor<f32> {sg.binding = #sg.binding<loss>},
        tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %w = sg.read @w : tensor<4xf32>
  %e = sg.exp %w {sg.origin = #sg.origin<"a", forward, 0>} : tensor<4xf32>
  %g = sg.reduce_sum %x dims [0] {sg.origin = #sg.origin<"a", backward, 1>} : tensor<2x4xf32> -> tensor<4xf32>
  %p = sg.mul %g, %e {sg.origin = #sg.origin<"a", forward, 0>} : tensor<4xf32>
  %l = sg.reduce_sum %p dims [0] {sg.origin = #sg.origin<"a", forward, 0>} : tensor<4xf32> -> tensor<f32>
  return %l, %g : tensor<f32>, tensor<4xf32>
}

// -----

sg.variable @w : tensor<2xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @mean : tensor<2xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}

// The next one reads what the one before would have written; one write is left.
//
// CHECK-LABEL: func.func @hands_variables_on
// CHECK: %[[OLD:.*]] = sg.read @mean
// CHECK: %[[M0:.*]] = sg.add %[[OLD]],
// CHECK-NOT: sg.write
// CHECK: %[[M1:.*]] = sg.add %[[M0]],
// CHECK-NOT: sg.write
// CHECK: %[[M2:.*]] = sg.add %[[M1]],
// CHECK: sg.write @mean, %[[M2]]
// CHECK-NOT: sg.write
// CHECK: return
func.func @hands_variables_on(%x: tensor<2xf32>)
    -> (tensor<2xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %old = sg.read @mean : tensor<2xf32>
  %next = sg.add %old, %x : tensor<2xf32>
  sg.write @mean, %next : tensor<2xf32>
  return %x : tensor<2xf32>
}

// -----

sg.variable @w : tensor<2x4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// Draws and their repetition in the backward pass share a stream, micro-batches
// do not.
//
// CHECK-LABEL: func.func @draws_from_streams_of_its_own
// CHECK: sg.dropout {{.*}}stream = 7
// CHECK: sg.dropout {{.*}}stream = 9
// CHECK: sg.dropout {{.*}}stream = 7
// CHECK: sg.dropout {{.*}}stream = 1048583
// CHECK: sg.dropout {{.*}}stream = 1048585
// CHECK: sg.dropout {{.*}}stream = 1048583
// CHECK: sg.dropout {{.*}}stream = 2097159
// CHECK: sg.dropout {{.*}}stream = 2097161
// CHECK: sg.dropout {{.*}}stream = 2097159
func.func @draws_from_streams_of_its_own(%x: tensor<2x4xf32>,
    %seed: tensor<i64> {sg.binding = #sg.binding<seed>},
    %step: tensor<i64> {sg.binding = #sg.binding<step>})
    -> (tensor<2x4xf32> {sg.binding = #sg.binding<logits>},
        tensor<2x4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %a = sg.dropout %x, %seed, %step {probability = 0.5 : f64, stream = 7 : i64, sg.origin = #sg.origin<"", forward>}
    : (tensor<2x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x4xf32>
  %b = sg.dropout %a, %seed, %step {probability = 0.5 : f64, stream = 9 : i64, sg.origin = #sg.origin<"", forward>}
    : (tensor<2x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x4xf32>
  %g = sg.dropout %b, %seed, %step {probability = 0.5 : f64, stream = 7 : i64, sg.origin = #sg.origin<"", backward>}
    : (tensor<2x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x4xf32>
  return %b, %g : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// The learning rate is of the step. Rows are joined, metrics averaged.
//
// CHECK-LABEL: func.func @joins_results
// CHECK-SAME: tensor<6x4xf32>, %[[RATE:[a-z0-9]+]]: tensor<f32> {sg.binding = #sg.binding<learning_rate>}, %{{.*}}: tensor<6xi32>
// CHECK-SAME: -> (tensor<6x4xf32> {sg.binding = #sg.binding<logits>}, tensor<f32> {sg.binding = #sg.binding<metric>}, tensor<4xf32>
// CHECK-COUNT-3: sg.exp %[[RATE]]
// CHECK: %[[ROWS:.*]] = sg.concat %{{.*}}, %{{.*}}, %{{.*}} dim 0
// CHECK: %[[METRIC:.*]] = sg.div
// CHECK: return %[[ROWS]], %[[METRIC]],
func.func @joins_results(%x: tensor<2x4xf32>,
    %rate: tensor<f32> {sg.binding = #sg.binding<learning_rate>},
    %label: tensor<2xi32> {sg.binding = #sg.binding<label>})
    -> (tensor<2x4xf32> {sg.binding = #sg.binding<logits>},
        tensor<f32> {sg.binding = #sg.binding<metric>},
        tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %r = sg.exp %rate : tensor<f32>
  %g = sg.reduce_sum %x dims [0] : tensor<2x4xf32> -> tensor<4xf32>
  %m = sg.reduce_sum %g dims [0] : tensor<4xf32> -> tensor<f32>
  %n = sg.mul %m, %r : tensor<f32>
  return %x, %n, %g : tensor<2x4xf32>, tensor<f32>, tensor<4xf32>
}
