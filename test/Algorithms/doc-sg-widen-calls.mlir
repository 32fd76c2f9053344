// The example of sg-widen-calls's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-widen-calls`/d' %source/docs/passes/algorithms.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-widen-calls | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8x4xf16>, %[[W:[a-z0-9]+]]: tensor<4x10xf16>
// CHECK-NEXT: %[[A:.*]] = sg.cast %[[X]] : tensor<8x4xf16> to tensor<8x4xf32>
// CHECK-NEXT: %[[B:.*]] = sg.cast %[[W]] : tensor<4x10xf16> to tensor<4x10xf32>
// CHECK-NEXT: %[[Y:.*]] = sg.matmul %[[A]], %[[B]]
// CHECK-SAME:   : (tensor<8x4xf32>, tensor<4x10xf32>) -> tensor<8x10xf32>
// CHECK-NEXT: %[[R:.*]] = sg.cast %[[Y]] : tensor<8x10xf32> to tensor<8x10xf16>
// CHECK-NEXT: return %[[R]] : tensor<8x10xf16>
