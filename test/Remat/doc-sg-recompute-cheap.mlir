// RUN: reprise-opt %s --sg-recompute-cheap | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK:         %[[H:.*]] = sg.matmul %arg0, %arg1
// CHECK:         %[[A:.*]] = sg.exp %[[H]] {sg.origin = #sg.origin<"act", forward>}
// CHECK:         %[[D:.*]] = sg.mul %arg2, %[[H]]
// CHECK:         %[[B:.*]] = sg.exp %[[H]] {sg.origin = #sg.origin<"out", backward>}
// CHECK:         sg.matmul %[[B]], %[[D]]
func.func @f(%x: tensor<8x4xf32>, %w: tensor<4x4xf32>, %dy: tensor<8x4xf32>)
    -> (tensor<8x4xf32>, tensor<4x4xf32>) {
  %h = sg.matmul %x, %w {sg.origin = #sg.origin<"fc", forward>}
    : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %a = sg.exp %h {sg.origin = #sg.origin<"act", forward>} : tensor<8x4xf32>
  %y = sg.matmul %a, %w {sg.origin = #sg.origin<"out", forward>}
    : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %d = sg.mul %dy, %h {sg.origin = #sg.origin<"act", backward>}
    : tensor<8x4xf32>
  %g = sg.matmul %a, %d {transpose_a, sg.origin = #sg.origin<"out", backward>}
    : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %y, %g : tensor<8x4xf32>, tensor<4x4xf32>
}
