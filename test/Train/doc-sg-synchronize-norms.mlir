// The example of sg-synchronize-norms' documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-synchronize-norms`/d' %source/docs/passes/train.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-synchronize-norms=ranks=2 | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK: %{{.*}}, %[[M:.*]], %[[V:.*]], %{{.*}} = sg.batch_norm_training
// CHECK: %[[OWN:.*]] = sg.concat %[[M]], %[[V]]
// CHECK: sg.all_gather %[[OWN]] ranks 2 sequence 0
// CHECK: %[[R:.*]] = sg.rsqrt
// CHECK: %[[Z:.*]] = sg.normalize %{{.*}}, %{{.*}}, %[[R]],
// CHECK: return %[[Z]]
