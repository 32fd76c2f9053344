// The example of the pass's documentation.
// RUN: reprise-opt %s --sg-form-kernels | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>, %[[Y:.*]]: tensor<8x4xf32>
func.func @f(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK: %[[K:.*]] = sg.kernel "add_relu" (%[[A:.*]] = %[[X]] : tensor<8x4xf32>, %[[B:.*]] = %[[Y]] : tensor<8x4xf32>)
  // CHECK: %[[S:.*]] = sg.add %[[A]], %[[B]]
  // CHECK: %[[R:.*]] = sg.relu %[[S]]
  // CHECK: sg.yield %[[R]]
  // CHECK: return %[[K]]
  %s = sg.add %x, %y : tensor<8x4xf32>
  %r = sg.relu %s : tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
