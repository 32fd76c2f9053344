// RUN: reprise-opt %s --stablehlo-inline-calls | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[R:.*]] = stablehlo.multiply %arg0, %arg0 : tensor<8xf32>
// CHECK-NEXT:    return %[[R]] : tensor<8xf32>
// CHECK-NOT:   @square
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = func.call @square(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func private @square(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = stablehlo.multiply %x, %x : tensor<8xf32>
  return %r : tensor<8xf32>
}
