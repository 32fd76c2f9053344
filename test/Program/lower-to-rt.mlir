// Flat functions become entries of one program, which passes its verifier.
// RUN: reprise-opt %s --pass-pipeline='builtin.module(sg-lower-to-rt{model=mlp threads=2 checkpointing=none},rt.program(rt-verify-program))' | FileCheck %s

// CHECK-NOT: func.func
// CHECK-NOT: sg.variable
// CHECK: rt.program @mlp attributes
// CHECK-SAME: checkpointing = "none"
// CHECK-SAME: fixed_bytes = 320 : i64
// CHECK-SAME: threads = 2 : i64

// The variable, then the constant that both entries share.
// CHECK: rt.buffer 0 "w" parameter at 0 size 256
// CHECK: rt.buffer 1 "constant0" constant at 256 size 4
// CHECK: rt.variable "w" <0 + 0 : tensor<16x4xf32>>
// CHECK: rt.constant 1 =
// CHECK-NOT: rt.constant
sg.variable @w : tensor<16x4xf32> {role = #sg.role<parameter>,
  init = #sg.init<kaiming_normal>}

// CHECK: rt.kernel @[[UPDATE:k0_update]]
// CHECK: rt.kernel @[[SCALE:k1_scale]]
// CHECK-NOT: rt.kernel

// CHECK-LABEL: rt.entry @train_step
// CHECK-SAME: inputs [#rt.binding<"image", <[[X:[0-9]+]] + 0 : tensor<8x16xf32>>>]
// CHECK-SAME: outputs [#rt.binding<"logits", <[[Y:[0-9]+]] + 0 : tensor<8x4xf32>>>]
// CHECK: rt.call matmul reads [#rt.view<[[X]] + 0 : tensor<8x16xf32>>, #rt.view<0 + 0 : tensor<16x4xf32>>]
// CHECK: rt.launch @[[UPDATE]]
// CHECK-SAME: writes [#rt.view<0 + 0 : tensor<16x4xf32>>]
func.func @train_step(%x: tensor<8x16xf32> {sg.name = "image"})
    -> (tensor<8x4xf32> {sg.name = "logits"}) {
  %w = sg.read @w : tensor<16x4xf32>
  %c = sg.constant dense<0.5> : tensor<f32>
  %y = sg.matmul %x, %w
    : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %n = sg.kernel "update" (%a = %w : tensor<16x4xf32>, %b = %c : tensor<f32>)
      -> tensor<16x4xf32> {
    %s = sg.broadcast %b dims [] : tensor<f32> -> tensor<16x4xf32>
    %d = sg.sub %a, %s : tensor<16x4xf32>
    sg.yield %d : tensor<16x4xf32>
  }
  sg.write @w, %n : tensor<16x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: rt.entry @eval_step
// CHECK: rt.call matmul
// CHECK: rt.launch @[[SCALE]]
func.func @eval_step(%x: tensor<8x16xf32> {sg.name = "image"})
    -> (tensor<8x4xf32> {sg.name = "logits"}) {
  %w = sg.read @w : tensor<16x4xf32>
  %c = sg.constant dense<0.5> : tensor<f32>
  %y = sg.matmul %x, %w
    : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %n = sg.kernel "scale" (%a = %y : tensor<8x4xf32>, %b = %c : tensor<f32>)
      -> tensor<8x4xf32> {
    %s = sg.broadcast %b dims [] : tensor<f32> -> tensor<8x4xf32>
    %d = sg.mul %a, %s : tensor<8x4xf32>
    sg.yield %d : tensor<8x4xf32>
  }
  return %n : tensor<8x4xf32>
}
