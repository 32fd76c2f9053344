// RUN: reprise-opt %s --sg-rematerialize="knee" | FileCheck %s
// RUN: reprise-opt %s --sg-rematerialize="budget-bytes=1088" | FileCheck %s
// RUN: not reprise-opt %s --sg-rematerialize="budget-bytes=1024" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LESS

// A step may have nothing to run; its input and its variable take bytes.

// CHECK-LABEL: func.func @step
// CHECK-SAME:    sg.scheduled}
// CHECK-NEXT:    return %arg0
// LESS: budget of 1.0 KiB (1024 bytes) cannot be met; the smallest found is 1.1 KiB (1088 bytes)

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>,
                                init = #sg.init<zeros>}
func.func @step(%x: tensor<256xf32> {sg.name = "x"})
    -> (tensor<256xf32> {sg.name = "y"}) {
  return %x : tensor<256xf32>
}
