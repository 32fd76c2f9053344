// While a division is there, everything else goes.
//
// RUN: reprise-reduce %s \
// RUN:   --reduction-tree='test=%S/Inputs/keeps-division.sh' \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK-NOT:     sg.module
// CHECK-NOT:     sg.exp
// CHECK-NOT:     sg.tanh
// CHECK:         sg.div
// CHECK-NOT:     sg.tanh
// CHECK:         return
func.func @f(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = sg.module "a" (%a = %x : tensor<8x4xf32>) -> tensor<8x4xf32> {
    %t = sg.tanh %a : tensor<8x4xf32>
    %e = sg.exp %t : tensor<8x4xf32>
    %q = sg.div %e, %a : tensor<8x4xf32>
    sg.yield %q : tensor<8x4xf32>
  }
  %z = sg.tanh %y : tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}
