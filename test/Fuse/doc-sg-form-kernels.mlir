// The example of sg-form-kernels's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-form-kernels`/d' %source/docs/passes/fuse.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-form-kernels | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>, %[[Y:.*]]: tensor<8x4xf32>
// CHECK-NEXT: %[[K:.*]] = sg.kernel "add_relu" (%[[A:.*]] = %[[X]] : tensor<8x4xf32>, %[[B:.*]] = %[[Y]] : tensor<8x4xf32>) -> tensor<8x4xf32> {
// CHECK-NEXT: %[[S:.*]] = sg.add %[[A]], %[[B]] : tensor<8x4xf32>
// CHECK-NEXT: %[[R:.*]] = sg.relu %[[S]] : tensor<8x4xf32>
// CHECK-NEXT: sg.yield %[[R]] : tensor<8x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[K]]
