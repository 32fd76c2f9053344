// The example of the pass's documentation.
// RUN: reprise-opt %s --sg-decompose | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK-SAME: %[[X:.*]]: tensor<8x64x64xf32>
func.func @f(%x: tensor<8x64x64xf32>) -> tensor<64xf32> {
  // CHECK: %[[P:.*]] = sg.reduce_sum %[[X]] dims [1] : tensor<8x64x64xf32> -> tensor<8x64xf32>
  // CHECK: %[[S:.*]] = sg.reduce_sum %[[P]] dims [0] : tensor<8x64xf32> -> tensor<64xf32>
  // CHECK: return %[[S]]
  %s = sg.reduce_sum %x dims [0, 1] : tensor<8x64x64xf32> -> tensor<64xf32>
  return %s : tensor<64xf32>
}
