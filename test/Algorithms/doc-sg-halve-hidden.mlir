// The example of sg-halve-hidden's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-halve-hidden`/d' %source/docs/passes/algorithms.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-halve-hidden{least-bytes=0}))' \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:.*]]: tensor<256x4xf32>, %[[A:.*]]: tensor<16x4xf32>, %[[B:.*]]: tensor<4x16xf32>
// CHECK-NEXT: %[[A0:.*]] = sg.slice %[[A]] [0, 0] to [8, 4] by [1, 1] : tensor<16x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[H0:.*]] = sg.matmul %[[X]], %[[A0]] {transpose_b} : (tensor<256x4xf32>, tensor<8x4xf32>) -> tensor<256x8xf32>
// CHECK-NEXT: %[[G0:.*]] = sg.gelu %[[H0]] : tensor<256x8xf32>
// CHECK-NEXT: %[[B0:.*]] = sg.slice %[[B]] [0, 0] to [4, 8] by [1, 1] : tensor<4x16xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[Y0:.*]] = sg.matmul %[[G0]], %[[B0]] {transpose_b} : (tensor<256x8xf32>, tensor<4x8xf32>) -> tensor<256x4xf32>
// CHECK-NEXT: %[[A1:.*]] = sg.slice %[[A]] [8, 0] to [16, 4] by [1, 1] : tensor<16x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[H1:.*]] = sg.matmul %[[X]], %[[A1]] {transpose_b} : (tensor<256x4xf32>, tensor<8x4xf32>) -> tensor<256x8xf32>
// CHECK-NEXT: %[[G1:.*]] = sg.gelu %[[H1]] : tensor<256x8xf32>
// CHECK-NEXT: %[[B1:.*]] = sg.slice %[[B]] [0, 8] to [4, 16] by [1, 1] : tensor<4x16xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[Y1:.*]] = sg.matmul %[[G1]], %[[B1]] {transpose_b} : (tensor<256x8xf32>, tensor<4x8xf32>) -> tensor<256x4xf32>
// CHECK-NEXT: %[[Y:.*]] = sg.add %[[Y0]], %[[Y1]] : tensor<256x4xf32>
// CHECK-NEXT: return %[[Y]]
