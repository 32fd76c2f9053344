// The example of sg-autocast's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-autocast`/d' %source/docs/passes/train.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-autocast=type=bf16 | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8x4xf32>, %[[W:[a-z0-9]+]]: tensor<10x4xf32>
// CHECK-NEXT: %[[A:.*]] = sg.cast %[[X]] : tensor<8x4xf32> to tensor<8x4xbf16>
// CHECK-NEXT: %[[B:.*]] = sg.cast %[[W]] : tensor<10x4xf32> to tensor<10x4xbf16>
// CHECK-NEXT: %[[Y:.*]] = sg.matmul %[[A]], %[[B]] {transpose_b}
// CHECK-SAME:   : (tensor<8x4xbf16>, tensor<10x4xbf16>) -> tensor<8x10xbf16>
// CHECK-NEXT: %[[R:.*]] = sg.relu %[[Y]] : tensor<8x10xbf16>
// CHECK-NEXT: %[[S:.*]] = sg.cast %[[R]] : tensor<8x10xbf16> to tensor<8x10xf32>
// CHECK-NEXT: return %[[S]] : tensor<8x10xf32>
