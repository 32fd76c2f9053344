// Barriers that wait for each other become one.
//
// RUN: reprise-opt %s --pass-pipeline='builtin.module(func.func(stablehlo-insert-barriers))' | FileCheck %s

// CHECK-LABEL: func.func @wait
// CHECK-NEXT:    %[[S:.*]] = stablehlo.sine %arg1
// CHECK-NEXT:    %[[B:.*]]:2 = stablehlo.optimization_barrier %arg0, %[[S]]
// CHECK-NEXT:    stablehlo.add %[[B]]#0, %[[B]]#1
func.func @wait(%x: tensor<8xf32>, %g: tensor<8xf32>) -> tensor<8xf32> {
  %s = stablehlo.sine %g : tensor<8xf32>
  %x1 = remat.barrier %x after %s : tensor<8xf32>, tensor<8xf32>
  %s1 = remat.barrier %s after %x1 : tensor<8xf32>, tensor<8xf32>
  %y = stablehlo.add %x1, %s1 {remat.recomputed = 1 : i64} : tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @twice
// CHECK-NEXT:    %[[B:.*]]:2 = stablehlo.optimization_barrier %arg0, %arg1
// CHECK-NEXT:    %[[Y:.*]] = stablehlo.tanh %[[B]]#0
// CHECK-NEXT:    stablehlo.multiply %[[Y]], %[[B]]#1
func.func @twice(%x: tensor<8xf32>, %g: tensor<8xf32>) -> tensor<8xf32> {
  %x1 = remat.barrier %x after %g : tensor<8xf32>, tensor<8xf32>
  %x2 = remat.barrier %x1 after %g : tensor<8xf32>, tensor<8xf32>
  %y = stablehlo.tanh %x2 {remat.recomputed = 1 : i64} : tensor<8xf32>
  %r = stablehlo.multiply %y, %g : tensor<8xf32>
  return %r : tensor<8xf32>
}
