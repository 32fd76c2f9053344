// The example of sg-reduce-over-ranks' documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-reduce-over-ranks`/d' %source/docs/passes/train.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-reduce-over-ranks=ranks=2 | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    tensor<2x4xf32>
// CHECK: %[[G:.*]] = sg.reduce_sum
// CHECK: %[[L:.*]] = sg.reduce_sum
// CHECK: %[[SG:.*]] = sg.all_reduce %[[G]] ranks 2 sequence 0
// CHECK: %[[TWO:.*]] = sg.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK: %[[MG:.*]] = sg.div %[[SG]], %[[TWO]]
// CHECK: %[[SL:.*]] = sg.all_reduce %[[L]] ranks 2 sequence 1
// CHECK: %[[ML:.*]] = sg.div %[[SL]], %{{.*}}
// CHECK: return %[[ML]], %[[MG]]
