// The example of sg-shard-optimizer's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-shard-optimizer`/d' %source/docs/passes/train.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-shard-optimizer="ranks=3 least-bytes=0" | FileCheck %s

// CHECK: sg.variable @m : tensor<4xf32> {{.*}}whole_shape = array<i64: 2, 5>
// CHECK-LABEL: func.func @f(
// CHECK: %[[W:.*]] = sg.read @w : tensor<2x5xf32>
// CHECK: %[[M:.*]] = sg.read @m : tensor<4xf32>
// CHECK: %[[S:.*]] = sg.reduce_scatter %{{.*}} ranks 3 sequence 0
// CHECK: %[[N:.*]] = sg.add %[[M]], %[[S]] : tensor<4xf32>
// CHECK: %[[T:.*]] = sg.take_shard %[[W]] ranks 3 sequence 1
// CHECK: %[[V:.*]] = sg.sub %[[T]], %[[N]] : tensor<4xf32>
// CHECK: %[[X:.*]] = sg.gather_shards %[[V]] ranks 3 sequence 2
// CHECK: sg.write @m, %[[N]] : tensor<4xf32>
// CHECK: sg.write @w, %[[X]] : tensor<2x5xf32>
