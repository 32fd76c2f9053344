// An unregistered op that ends the step is not repeated for each micro-batch.
//
// RUN: reprise-opt %s --allow-unregistered-dialect \
// RUN:   --sg-accumulate-gradients=micro-batches=2 | FileCheck %s

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// CHECK-LABEL: func.func @ends_once
// CHECK-COUNT-2: sg.reduce_sum {{.*}} dims [0] {sg.origin = #sg.origin<"a", backward
// CHECK:         "other.return"
// CHECK-NOT:     "other.return"
// CHECK:       }
func.func @ends_once(%x: tensor<2x4xf32>)
    -> (tensor<f32> {sg.binding = #sg.binding<loss>},
        tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %w = sg.read @w : tensor<4xf32>
  %g = sg.reduce_sum %x dims [0] {sg.origin = #sg.origin<"a", backward, 1>} : tensor<2x4xf32> -> tensor<4xf32>
  %p = sg.mul %g, %w {sg.origin = #sg.origin<"a", forward, 0>} : tensor<4xf32>
  %l = sg.reduce_sum %p dims [0] {sg.origin = #sg.origin<"a", forward, 0>} : tensor<4xf32> -> tensor<f32>
  "other.return"(%l, %g) : (tensor<f32>, tensor<4xf32>) -> ()
}
