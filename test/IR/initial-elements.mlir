// A variable's initial value may be data, in the text or behind it.
//
// RUN: reprise-opt %s | reprise-opt | FileCheck %s
// RUN: reprise-opt %s -mlir-print-op-generic | reprise-opt | FileCheck %s
// RUN: reprise-opt %s -emit-bytecode | reprise-opt | FileCheck %s
// RUN: reprise-opt %s --sg-lower-to-rt=threads=1 | FileCheck %s --check-prefix=RT

// CHECK: sg.variable @dense
// CHECK-SAME: init = #sg.init<elements, dense<[1.000000e+00, 5.000000e-01]> : tensor<2xf32>>
// CHECK: sg.variable @behind
// CHECK-SAME: init = #sg.init<elements, dense_resource<data> : tensor<2xf32>>
// RT: rt.variable "dense"
// RT-SAME: init = #sg.init<elements, dense<[1.000000e+00, 5.000000e-01]> : tensor<2xf32>>
// RT: rt.variable "behind"
// RT-SAME: init = #sg.init<elements, dense_resource<data> : tensor<2xf32>>
sg.variable @dense : tensor<2xf32> {role = #sg.role<parameter>,
  init = #sg.init<elements, dense<[1.0, 0.5]> : tensor<2xf32>>}
sg.variable @behind : tensor<2xf32> {role = #sg.role<parameter>,
  init = #sg.init<elements, dense_resource<data> : tensor<2xf32>>}

func.func @sum() -> tensor<2xf32> {
  %a = sg.read @dense : tensor<2xf32>
  %b = sg.read @behind : tensor<2xf32>
  %s = sg.kernel "add" (%x = %a : tensor<2xf32>, %y = %b : tensor<2xf32>) -> tensor<2xf32> {
    %z = sg.add %x, %y : tensor<2xf32>
    sg.yield %z : tensor<2xf32>
  }
  return %s : tensor<2xf32>
}

// CHECK: dialect_resources
// CHECK: data: "0x040000000000803F00000040"
{-#
  dialect_resources: {
    builtin: {
      data: "0x040000000000803F00000040"
    }
  }
#-}
