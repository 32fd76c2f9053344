// RUN: not reprise-opt %s -split-input-file --stablehlo-inline-calls 2>&1 | FileCheck %s

// CHECK: error: calls itself
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK: error: 'func.call' op calls a function of several blocks
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}
