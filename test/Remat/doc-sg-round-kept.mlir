// RUN: reprise-opt %s --sg-round-kept | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK:         %[[H:.*]] = sg.matmul %arg0, %arg1
// CHECK-NEXT:    %[[S:.*]] = sg.cast %[[H]] {sg.origin = #sg.origin<"fc", forward>} : tensor<64x32xf32> to tensor<64x32xbf16>
// CHECK:         sg.exp %[[H]]
// CHECK-NEXT:    %[[R:.*]] = sg.cast %[[S]] {sg.origin = #sg.origin<"act", backward>} : tensor<64x32xbf16> to tensor<64x32xf32>
// CHECK-NEXT:    sg.mul %arg2, %[[R]]
func.func @f(%x: tensor<64x32xf32>, %w: tensor<32x32xf32>,
             %dy: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  %h = sg.matmul %x, %w {sg.origin = #sg.origin<"fc", forward>}
    : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %y = sg.exp %h {sg.origin = #sg.origin<"act", forward>} : tensor<64x32xf32>
  %d = sg.mul %dy, %h {sg.origin = #sg.origin<"act", backward>}
    : tensor<64x32xf32>
  return %y, %d : tensor<64x32xf32>, tensor<64x32xf32>
}
