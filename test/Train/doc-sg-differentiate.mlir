// The example of sg-differentiate's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-differentiate`/d' %source/docs/passes/train.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-differentiate=optimizer=none | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32>
// CHECK: %{{.*}} = sg.backward of [@w] -> tensor<8x4xf32> {
// CHECK-NEXT: %[[ONE:.*]] = sg.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[G:.*]] = sg.broadcast %[[ONE]] dims [] : tensor<f32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[GW:.*]] = sg.mul %[[G]], %[[X]] : tensor<8x4xf32>
// CHECK-NEXT: sg.yield %[[GW]] : tensor<8x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
