// What does nothing goes; what could change a bit stays.
//
// RUN: reprise-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @identities
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>
func.func @identities(%x: tensor<8x4xf32>, %s: tensor<i64>) -> tensor<8x4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = sg.reshape %x : tensor<8x4xf32> -> tensor<8x4xf32>
  %1 = sg.transpose %0 perm [0, 1] : tensor<8x4xf32> -> tensor<8x4xf32>
  %2 = sg.broadcast %1 dims [0, 1] : tensor<8x4xf32> -> tensor<8x4xf32>
  %3 = sg.cast %2 : tensor<8x4xf32> to tensor<8x4xf32>
  %4 = sg.slice %3 [0, 0] to [8, 4] by [1, 1] : tensor<8x4xf32> -> tensor<8x4xf32>
  %5 = sg.pad %4 low [0, 0] high [0, 0] interior [0, 0] value 0.0
    : tensor<8x4xf32> -> tensor<8x4xf32>
  %6 = sg.concat %5 dim 0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %7 = sg.reduce_sum %6 dims [] : tensor<8x4xf32> -> tensor<8x4xf32>
  %8 = sg.reduce_max %7 dims [] : tensor<8x4xf32> -> tensor<8x4xf32>
  %9 = sg.dropout %8, %s, %s {probability = 0.0 : f64, stream = 0 : i64}
    : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<8x4xf32>
  %10 = sg.roll %9 by [0, 0] : tensor<8x4xf32>
  return %10 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @chains
func.func @chains(%x: tensor<2x3x4xf32>) -> (tensor<24xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>) {
  // CHECK-DAG: sg.reshape %[[X:.*]] : tensor<2x3x4xf32> -> tensor<24xf32>
  %0 = sg.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %1 = sg.reshape %0 : tensor<6x4xf32> -> tensor<24xf32>
  // CHECK-DAG: sg.transpose %{{.*}} perm [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %2 = sg.transpose %x perm [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %3 = sg.transpose %2 perm [1, 2, 0] : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %arg0
  %4 = sg.transpose %x perm [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %5 = sg.transpose %4 perm [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
  return %1, %3, %5 : tensor<24xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @not_removed
func.func @not_removed(%x: tensor<4xf32>, %u: tensor<2x2xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>) {
  // CHECK: sg.add
  %zero = sg.constant dense<0.0> : tensor<4xf32>
  %0 = sg.add %x, %zero : tensor<4xf32>
  // CHECK: sg.cast {{.*}} to tensor<4xbf16>
  // CHECK: sg.cast {{.*}} to tensor<4xf32>
  %1 = sg.cast %x : tensor<4xf32> to tensor<4xbf16>
  %2 = sg.cast %1 : tensor<4xbf16> to tensor<4xf32>
  // A square matrix transposed has its own type and another content.
  // CHECK: sg.transpose
  %3 = sg.transpose %u perm [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
  return %0, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>
}

// What was widened has nothing to round.
// CHECK-LABEL: func.func @there_and_back
// CHECK-SAME: %[[B:.*]]: tensor<4xbf16>, %[[H:.*]]: tensor<4xf16>
func.func @there_and_back(%b: tensor<4xbf16>, %h: tensor<4xf16>)
    -> (tensor<4xbf16>, tensor<4xf16>, tensor<4xbf16>) {
  %0 = sg.cast %b : tensor<4xbf16> to tensor<4xf32>
  %1 = sg.cast %0 : tensor<4xf32> to tensor<4xbf16>
  %2 = sg.cast %h : tensor<4xf16> to tensor<4xf32>
  %3 = sg.cast %2 : tensor<4xf32> to tensor<4xf16>
  // Neither type of 16 bits has all numbers of the other.
  // CHECK-NEXT: %[[HB:.*]] = sg.cast %[[B]] : tensor<4xbf16> to tensor<4xf16>
  // CHECK-NEXT: %[[BH:.*]] = sg.cast %[[HB]] : tensor<4xf16> to tensor<4xbf16>
  // CHECK-NEXT: return %[[B]], %[[H]], %[[BH]]
  %4 = sg.cast %b : tensor<4xbf16> to tensor<4xf16>
  %5 = sg.cast %4 : tensor<4xf16> to tensor<4xbf16>
  return %1, %3, %5 : tensor<4xbf16>, tensor<4xf16>, tensor<4xbf16>
}

// A constant of the backward pass stays in it: captured, it would count as kept.
// CHECK-LABEL: func.func @backward
// CHECK: sg.backward
// CHECK-NEXT: sg.constant dense<2.000000e+00>
sg.variable @w : tensor<4xf32> {
  role = #sg.role<parameter>, init = #sg.init<zeros>}
func.func @backward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sg.backward of [@w] -> tensor<4xf32> {
    %1 = sg.mul %x, %x : tensor<4xf32>
    %2 = sg.constant dense<2.0> : tensor<4xf32>
    %3 = sg.mul %1, %2 : tensor<4xf32>
    sg.yield %3 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
