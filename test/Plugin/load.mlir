// The stock mlir-opt differentiates and checkpoints a model.
//
// UNSUPPORTED: sanitized
//
// RUN: mlir-opt %s --load-dialect-plugin=%reprise_lib/libReprisePlugin.so \
// RUN:   --load-pass-plugin=%reprise_lib/libReprisePlugin.so \
// RUN:   --pass-pipeline="builtin.module(sg-differentiate{optimizer=none},func.func(sg-lower-checkpointing))" \
// RUN:   | FileCheck %s

sg.variable @w : tensor<4x4xf32> {
  role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @recomputes_a_block
// CHECK:         sg.module "a"
// CHECK-SAME:      activation_checkpointing
// CHECK:         sg.backward of [@w]
// CHECK:           sg.barrier
// CHECK:           sg.module "a"
// CHECK-SAME:        #sg.phase<recompute>
// CHECK:             sg.tanh
// CHECK:           sg.module "a"
// CHECK-SAME:        #sg.phase<backward>
func.func @recomputes_a_block(%x: tensor<8x4xf32>) -> tensor<f32> {
  %y = sg.module "a" (%a = %x : tensor<8x4xf32>) -> tensor<8x4xf32>
      attributes {activation_checkpointing} {
    %w = sg.read @w : tensor<4x4xf32>
    %t = sg.tanh %a : tensor<8x4xf32>
    %p = sg.matmul %t, %w
      : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    sg.yield %p : tensor<8x4xf32>
  }
  %l = sg.reduce_sum %y dims [0, 1] : tensor<8x4xf32> -> tensor<f32>
  return %l : tensor<f32>
}
