// RUN: reprise-opt %s -split-input-file --sg-average-variables=decay=0.75 | FileCheck %s
// RUN: reprise-opt %s -split-input-file '--sg-average-variables=decay=0.75 keeps-by=none' | FileCheck %s

// Parameters and running statistics have averages beside them, counters none.
// CHECK: sg.variable @w : tensor<2x3x3x4xf32> {file_permutation = array<i32: 0, 3, 1, 2>, init = #sg.init<ones>, role = #sg.role<parameter>}
// CHECK-NEXT: sg.variable @w.ema : tensor<2x3x3x4xf32> {file_permutation = array<i32: 0, 3, 1, 2>, init = #sg.init<zeros>, role = #sg.role<optimizer_state>}
sg.variable @w : tensor<2x3x3x4xf32> {file_permutation = array<i32: 0, 3, 1, 2>, init = #sg.init<ones>, role = #sg.role<parameter>}
// CHECK-NEXT: sg.variable @m : tensor<4xf64>
// CHECK-NEXT: sg.variable @m.ema : tensor<4xf64>
sg.variable @m : tensor<4xf64> {init = #sg.init<zeros>, role = #sg.role<running_statistics>}
// CHECK-NEXT: sg.variable @n : tensor<i64>
// CHECK-NEXT: sg.variable @frozen
// CHECK-NEXT: func.func
sg.variable @n : tensor<i64> {init = #sg.init<zeros>, role = #sg.role<counter>}
sg.variable @frozen : tensor<4xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}

// CHECK-LABEL: @averages_what_is_written
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<2x3x3x4xf32>, %[[M:[a-z0-9]+]]: tensor<4xf64>
func.func @averages_what_is_written(%w: tensor<2x3x3x4xf32>, %m: tensor<4xf64>, %n: tensor<i64>) {
  // CHECK: sg.write @w, %[[W]]
  // CHECK-NEXT: %[[OLD:.*]] = sg.read @w.ema
  // CHECK-NEXT: %[[CHANGE:.*]] = sg.sub %[[W]], %[[OLD]]
  // CHECK-NEXT: %[[SHARE:.*]] = sg.constant dense<2.500000e-01> : tensor<2x3x3x4xf32>
  // CHECK-NEXT: %[[PART:.*]] = sg.mul %[[CHANGE]], %[[SHARE]]
  // CHECK-NEXT: %[[NEXT:.*]] = sg.add %[[OLD]], %[[PART]]
  // CHECK-NEXT: sg.write @w.ema, %[[NEXT]]
  sg.write @w, %w : tensor<2x3x3x4xf32>
  // CHECK: sg.write @m, %[[M]]
  // CHECK: sg.write @m.ema
  sg.write @m, %m : tensor<4xf64>
  // CHECK: sg.write @n
  // CHECK-NEXT: return
  sg.write @n, %n : tensor<i64>
  return
}
