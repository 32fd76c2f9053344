// The example of sg-change-loss's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-change-loss`/d' %source/docs/passes/train.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir '--pass-pipeline=builtin.module(func.func(sg-change-loss{label-smoothing=0.1}))' | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8x10xf32>, %[[Y:[a-z0-9]+]]: tensor<8xi32>
// CHECK: %[[LOSSES:.*]], %{{.*}} = sg.cross_entropy %[[X]], %[[Y]]
// CHECK: %[[M:.*]] = sg.compare eq
// CHECK: %[[P:.*]] = sg.select %[[M]], %[[X]],
// CHECK-NEXT: %[[C:.*]] = sg.reduce_sum %[[P]] dims [1]
// CHECK-NEXT: %[[T:.*]] = sg.reduce_sum %[[X]] dims [1]
// CHECK-NEXT: sg.constant dense<1.000000e+01>
// CHECK-NEXT: %[[A:.*]] = sg.div %[[T]],
// CHECK-NEXT: %[[D:.*]] = sg.sub %[[C]], %[[A]]
// CHECK-NEXT: sg.constant dense<1.000000e-01>
// CHECK-NEXT: %[[E:.*]] = sg.mul %[[D]],
// CHECK-NEXT: %[[R:.*]] = sg.add %[[LOSSES]], %[[E]]
// CHECK-NEXT: sg.reduce_sum %[[R]] dims [0]
