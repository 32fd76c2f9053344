// The example of sg-lower-checkpointing's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-lower-checkpointing`/d' %source/docs/passes/checkpoint.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-lower-checkpointing | FileCheck %s

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
// CHECK: sg.module "a" (%{{.*}} = %[[X]] : tensor<8xf32>) -> tensor<8xf32> attributes {activation_checkpointing, instance = 0 : i64} {
// CHECK: sg.backward
// CHECK:   %[[DY:.*]] = sg.broadcast
// CHECK-NEXT: %[[B:.*]] = sg.barrier(%[[X]]) after(%[[DY]]) : (tensor<8xf32>) after(tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[R2:.*]] = sg.module "a" (%[[I:.*]] = %[[B]] : tensor<8xf32>) -> tensor<8xf32> attributes {instance = 0 : i64, phase = #sg.phase<recompute>} {
// CHECK-NEXT:   %[[W:.*]] = sg.read @w : tensor<8xf32>
// CHECK-NEXT:   %[[S:.*]] = sg.add %[[I]], %[[W]] : tensor<8xf32>
// CHECK-NEXT:   %[[E:.*]] = sg.exp %[[S]] : tensor<8xf32>
// CHECK-NEXT:   sg.yield %[[E]] : tensor<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: sg.module "a" (%{{.*}} = %[[DY]] : tensor<8xf32>, %{{.*}} = %[[R2]] : tensor<8xf32>)
