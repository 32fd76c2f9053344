// RUN: reprise-opt %s --pass-pipeline='builtin.module(func.func(stablehlo-insert-barriers))' | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    %[[B:.*]]:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:    %[[Y:.*]] = stablehlo.tanh %[[B]]#0 : tensor<8xf32>
// CHECK-NEXT:    %[[R:.*]] = stablehlo.multiply %[[Y]], %[[B]]#1 : tensor<8xf32>
// CHECK-NEXT:    return %[[R]]
func.func @f(%x: tensor<8xf32>, %g: tensor<8xf32>) -> tensor<8xf32> {
  %x1 = remat.barrier %x after %g : tensor<8xf32>, tensor<8xf32>
  %y = stablehlo.tanh %x1 {remat.recomputed = 1 : i64} : tensor<8xf32>
  %r = stablehlo.multiply %y, %g : tensor<8xf32>
  return %r : tensor<8xf32>
}

// The operands of one op share a barrier, which a value enters once.
// CHECK-LABEL: func.func @two_operands
// CHECK-NEXT:    %[[S:.*]] = stablehlo.sine %arg1
// CHECK-NEXT:    %[[B:.*]]:2 = stablehlo.optimization_barrier %arg0, %[[S]]
// CHECK-NEXT:    stablehlo.add %[[B]]#0, %[[B]]#1
func.func @two_operands(%x: tensor<8xf32>, %g: tensor<8xf32>) -> tensor<8xf32> {
  %s = stablehlo.sine %g : tensor<8xf32>
  %x1 = remat.barrier %x after %s : tensor<8xf32>, tensor<8xf32>
  %s1 = remat.barrier %s after %s : tensor<8xf32>, tensor<8xf32>
  %y = stablehlo.add %x1, %s1 {remat.recomputed = 1 : i64} : tensor<8xf32>
  return %y : tensor<8xf32>
}

// A value that passes a barrier is stored; a view is computed behind it.
// CHECK-LABEL: func.func @view
// CHECK-NEXT:    stablehlo.broadcast_in_dim %arg0
// CHECK-NEXT:    %[[B:.*]]:2 = stablehlo.optimization_barrier %arg0, %arg1
// CHECK-NEXT:    %[[V:.*]] = stablehlo.broadcast_in_dim %[[B]]#0, dims = [1] :
// CHECK-NEXT:    stablehlo.tanh %[[V]]
func.func @view(%x: tensor<8xf32>, %g: tensor<8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %v = stablehlo.broadcast_in_dim %x, dims = [1] {remat.view = 0 : i64}
    : (tensor<8xf32>) -> tensor<4x8xf32>
  %v1 = remat.barrier %v after %g : tensor<4x8xf32>, tensor<8xf32>
  %y = stablehlo.tanh %v1 {remat.recomputed = 1 : i64} : tensor<4x8xf32>
  return %y, %v : tensor<4x8xf32>, tensor<4x8xf32>
}
