// All constructs that cannot be planned are named at once, each with its place.
// RUN: not reprise rematerialize %s --budget 50% -o %t.mlir 2>&1 | FileCheck %s
// RUN: not ls %t.mlir

// CHECK: error: {{.*}}refused.mlir:[[@LINE+5]]: the module is partitioned over 4 devices: its shapes are not those of one device
// CHECK: error: {{.*}}refused.mlir:[[@LINE+5]]: argument 0 is a tensor<?x4xf32>: its shape is dynamic
// CHECK: error: {{.*}}refused.mlir:[[@LINE+6]]: 'stablehlo.tanh' makes a tensor<?x4xf32>: its shape is dynamic
// CHECK: error: {{.*}}refused.mlir:[[@LINE+6]]: 'stablehlo.custom_call' makes a tuple<tensor<4xf32>, tensor<4xf32>>: tuples are not supported
// CHECK: error: {{.*}}refused.mlir:[[@LINE+6]]: 'func.call' calls a function whose body is not in the module
module @m attributes {mhlo.num_partitions = 4 : i32} {
  func.func public @main(%x: tensor<?x4xf32>,
                         %y: tensor<4xf32>) -> tensor<?x4xf32> {
    %a = stablehlo.tanh %x : tensor<?x4xf32>
    %t = stablehlo.custom_call @pair(%y) : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
    %c = call @elsewhere(%y) : (tensor<4xf32>) -> tensor<4xf32>
    return %a : tensor<?x4xf32>
  }
  func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
}
