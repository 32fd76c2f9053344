// The example of sg-update-parameters' documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-update-parameters`/d' %source/docs/passes/train.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-update-parameters=hyperparameters=momentum=0 | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[RATE:[a-z0-9]+]]: tensor<f32> {sg.binding = #sg.binding<learning_rate>, sg.name = "learning_rate"}) -> (tensor<f32> {sg.binding = #sg.binding<loss>})
// CHECK: %[[L:.*]] = sg.reduce_sum
// CHECK: %[[W:.*]] = sg.read @w
// CHECK: %[[R:.*]] = sg.broadcast %[[RATE]] dims []
// CHECK: %[[S:.*]] = sg.mul %[[R]], %[[X]]
// CHECK: %[[N:.*]] = sg.sub %[[W]], %[[S]]
// CHECK: sg.write @w, %[[N]]
// CHECK: return %[[L]] : tensor<f32>
