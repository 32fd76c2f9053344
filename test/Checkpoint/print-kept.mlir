// RUN: reprise-opt %s -split-input-file --sg-print-kept -o /dev/null \
// RUN:   | FileCheck %s --match-full-lines --strict-whitespace

// A captured argument is named as such; a parameter is not listed.
//      CHECK:kept in @lists_values_of_blocks_and_arguments:
// CHECK-NEXT:         128 bytes  tensor<8x4xf32>  argument  ({{.*}}print-kept.mlir:[[@LINE+7]])
// CHECK-NEXT:         128 bytes  tensor<8x4xf32>  layer1.0  sg.exp  ({{.*}}print-kept.mlir:[[@LINE+14]])
// CHECK-NEXT:          16 bytes  tensor<4xf32>  sg.reduce_sum  ({{.*}}print-kept.mlir:[[@LINE+18]])
// CHECK-NEXT:         272 bytes in 3 values

sg.variable @w : tensor<8x4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @lists_values_of_blocks_and_arguments(%x: tensor<8x4xf32>) {
  %w = sg.read @w : tensor<8x4xf32>
  %y, %r = sg.module "layer1" (%i = %x : tensor<8x4xf32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>)
      attributes {instance = 0 : i64, residuals = 1 : i64} {
    %e:2 = sg.module "layer1.0" (%j = %i : tensor<8x4xf32>)
        -> (tensor<8x4xf32>, tensor<8x4xf32>)
        attributes {instance = 1 : i64, residuals = 1 : i64} {
      %e = sg.exp %j : tensor<8x4xf32>
      sg.yield %j, %e : tensor<8x4xf32>, tensor<8x4xf32>
    }
    sg.yield %e#0, %e#1 : tensor<8x4xf32>, tensor<8x4xf32>
  }
  %s = sg.reduce_sum %y dims [0] : tensor<8x4xf32> -> tensor<4xf32>
  %g = sg.backward of [@w] -> tensor<8x4xf32> {
    %a = sg.mul %x, %r : tensor<8x4xf32>
    %b = sg.mul %a, %w : tensor<8x4xf32>
    %c = sg.broadcast %s dims [1] : tensor<4xf32> -> tensor<8x4xf32>
    %d = sg.mul %b, %c : tensor<8x4xf32>
    sg.yield %d : tensor<8x4xf32>
  }
  return
}
