// The example of sg-choose-attention's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-choose-attention`/d' %source/docs/passes/algorithms.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-choose-attention{form=stored}))' \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK:      %[[S:.*]] = sg.matmul %{{.*}}, %{{.*}} {transpose_b} : (tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x5x5xf32>
// CHECK:      %[[T:.*]] = sg.mul %[[S]], %{{.*}} : tensor<2x2x5x5xf32>
// CHECK-NEXT: %[[P:.*]] = sg.softmax %[[T]] : tensor<2x2x5x5xf32>
// CHECK-NEXT: sg.matmul %[[P]], %{{.*}} : (tensor<2x2x5x5xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x5x4xf32>
