// Names of values, attributes of arguments and results, calls of Sharding,
// attributes outside the subset and resources come back as they were.
// RUN: reprise rematerialize %s --budget 70% -o - | FileCheck %s
// RUN: reprise rematerialize %s --budget 70% -o - | reprise-opt --allow-unregistered-dialect -o /dev/null

// CHECK: module @r attributes {mhlo.num_partitions = 1 : i32} {
// CHECK-NEXT: func.func public @main(%w: tensor<4x1024xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 0 : i32},
// CHECK-SAME: %arg1: tensor<1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
// CHECK-SAME: -> (tensor<4x1024xf32> {jax.result_info = "result[0]['w']"})
// CHECK-NEXT: %t = stablehlo.tanh %w
// CHECK-NEXT: %e = stablehlo.exponential %t
// CHECK-NEXT: %s = stablehlo.custom_call @Sharding(%e) {backend_config = "", mhlo.sharding = "{replicated}"}
// CHECK-NEXT: %f = stablehlo.custom_call @f(%s) {api_version = 2 : i32, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]}
// CHECK-NEXT: %[[B:.*]]:2 = stablehlo.optimization_barrier %w, %f
// CHECK-NEXT: %[[T:.*]] = stablehlo.tanh %[[B]]#0
// CHECK-NEXT: %l = stablehlo.log %[[T]]
// CHECK-NEXT: %m = stablehlo.multiply %l, %[[B]]#1
// CHECK: %blob = stablehlo.constant dense_resource<blob> : tensor<4xf32>
// CHECK: return %r
// CHECK: blob: "0x04000000000080BF0000004000008040000080BF"
module @r attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%w: tensor<4x1024xf32> {tf.aliasing_output = 0 : i32, mhlo.sharding = "{replicated}"}, %arg1: tensor<1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4x1024xf32> {jax.result_info = "result[0]['w']"}) {
    %blob = stablehlo.constant dense_resource<blob> : tensor<4xf32>
    %b = stablehlo.broadcast_in_dim %blob, dims = [0] : (tensor<4xf32>) -> tensor<4x1024xf32>
    %t = stablehlo.tanh %w : tensor<4x1024xf32>
    %e = stablehlo.exponential %t : tensor<4x1024xf32>
    %s = stablehlo.custom_call @Sharding(%e) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<4x1024xf32>) -> tensor<4x1024xf32>
    %f = "stablehlo.custom_call"(%s) {call_target_name = "f", api_version = 2 : i32, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4x1024xf32>) -> tensor<4x1024xf32>
    %l = stablehlo.log %t : tensor<4x1024xf32>
    %m = stablehlo.multiply %l, %f : tensor<4x1024xf32>
    %n = stablehlo.multiply %m, %b : tensor<4x1024xf32>
    %r = stablehlo.add %n, %w : tensor<4x1024xf32>
    return %r : tensor<4x1024xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x04000000000080bf0000004000008040000080bf"
    }
  }
#-}
