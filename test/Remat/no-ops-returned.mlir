// RUN: reprise-opt %s --sg-rematerialize="knee" -o %t.step
// RUN: FileCheck %s --input-file=%t.step
// RUN: reprise-opt %t.step --sg-lower-to-rt -o /dev/null

// What is returned may be a read or a view that nothing else takes.

// CHECK-LABEL: func.func @step
// CHECK:         %[[W:.*]] = sg.read @w
// CHECK:         %[[X:.*]] = sg.reshape %arg0
// CHECK:         return %[[W]], %[[X]]

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>,
                                init = #sg.init<zeros>}
func.func @step(%x: tensor<256xf32> {sg.name = "x"})
    -> (tensor<4xf32> {sg.name = "y"}, tensor<16x16xf32> {sg.name = "z"}) {
  %w = sg.read @w : tensor<4xf32>
  %z = sg.reshape %x : tensor<256xf32> -> tensor<16x16xf32>
  return %w, %z : tensor<4xf32>, tensor<16x16xf32>
}
