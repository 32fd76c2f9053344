// The loss is the result that is bound as such, wherever it stands; a learning
// rate that the model takes itself is the optimizer's; a flag says whether the
// loss and all gradients are finite.
//
// RUN: reprise-opt %s --sg-differentiate=hyperparameters=momentum=0 \
// RUN:   | FileCheck %s
// RUN: reprise-opt %s '--sg-differentiate=optimizer=none emit-nonfinite' \
// RUN:   | FileCheck %s --check-prefix=FLAG
// RUN: reprise-opt %s '--sg-differentiate=hyperparameters=momentum=0 emit-nonfinite' \
// RUN:   | FileCheck %s --check-prefix=KEEPS

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// CHECK-LABEL: func.func @second_result_is_the_loss(
// CHECK-SAME: %[[PACE:[a-z0-9]+]]: tensor<f32> {{[^)]*}}sg.name = "pace"})
// CHECK-NOT: learning_rate"
// FLAG-LABEL: func.func @second_result_is_the_loss(
// FLAG-SAME: tensor<i1> {sg.binding = #sg.binding<nonfinite>, sg.name = "nonfinite"})
func.func @second_result_is_the_loss(
    %x: tensor<4xf32> {sg.name = "x"},
    %pace: tensor<f32> {sg.name = "pace", sg.binding = #sg.binding<learning_rate>})
    -> (tensor<f32> {sg.name = "norm", sg.binding = #sg.binding<metric>},
        tensor<f32> {sg.name = "cost", sg.binding = #sg.binding<loss>}) {
  // CHECK: sg.backward of [@w]
  // CHECK: sg.mul %{{.*}}, %[[X:.*]] : tensor<4xf32>
  // CHECK: sg.broadcast %[[PACE]]
  // FLAG: sg.mul
  // FLAG: %[[LOSS:.*]] = sg.reduce_sum %{{.*}} dims [0] : tensor<4xf32> -> tensor<f32>
  // FLAG: %[[G:.*]] = sg.backward
  // FLAG: %[[A:.*]] = sg.sub %[[LOSS]], %[[LOSS]]
  // FLAG: %[[B:.*]] = sg.sub %[[G]], %[[G]]
  // FLAG: %[[C:.*]] = sg.reduce_sum %[[B]] dims [0]
  // FLAG: %[[SUM:.*]] = sg.add %[[A]], %[[C]]
  // FLAG: %[[BAD:.*]] = sg.compare ne %[[SUM]], %[[SUM]]
  // FLAG: return %{{.*}}, %[[LOSS]], %[[BAD]]
  // KEEPS: %[[BAD:.*]] = sg.compare ne
  // KEEPS: %[[NEXT:.*]] = sg.sub %{{.*}} : tensor<4xf32>
  // KEEPS: %[[OLD:.*]] = sg.read @w
  // KEEPS: %[[MASK:.*]] = sg.broadcast %[[BAD]]
  // KEEPS: %[[KEPT:.*]] = sg.select %[[MASK]], %[[OLD]], %[[NEXT]]
  // KEEPS: sg.write @w, %[[KEPT]]
  %norm = sg.reduce_sum %x dims [0] : tensor<4xf32> -> tensor<f32>
  %w = sg.read @w : tensor<4xf32>
  %p = sg.mul %w, %x : tensor<4xf32>
  %l = sg.reduce_sum %p dims [0] : tensor<4xf32> -> tensor<f32>
  return %norm, %l : tensor<f32>, tensor<f32>
}
