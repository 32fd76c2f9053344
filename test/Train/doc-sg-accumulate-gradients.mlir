// The example of sg-accumulate-gradients' documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-accumulate-gradients`/d' %source/docs/passes/train.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-accumulate-gradients=micro-batches=2 | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x4xf32>
// CHECK: %[[X0:.*]] = sg.slice %[[X]] [0, 0] to [2, 4] by [1, 1]
// CHECK: %[[G0:.*]] = sg.reduce_sum %[[X0]] dims [0]
// CHECK: %[[B:.*]] = sg.barrier(%[[X]]) after(%[[G0]])
// CHECK: %[[X1:.*]] = sg.slice %[[B]] [2, 0] to [4, 4] by [1, 1]
// CHECK: %[[G1:.*]] = sg.reduce_sum %[[X1]] dims [0]
// CHECK: %[[S:.*]] = sg.add %[[G0]], %[[G1]]
// CHECK: %[[TWO:.*]] = sg.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK: %[[G:.*]] = sg.div %[[S]], %[[TWO]]
// CHECK: return %{{.*}}, %[[G]]
