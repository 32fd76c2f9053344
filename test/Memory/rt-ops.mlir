// Every op and attribute of rt survives printing, custom and generic.
// RUN: reprise-opt %s | reprise-opt | FileCheck %s
// RUN: reprise-opt %s --mlir-print-op-generic | reprise-opt | FileCheck %s

// CHECK-LABEL: rt.program @tiny attributes
// CHECK-SAME: arena_bytes = 320 : i64
// CHECK-SAME: checkpointing = "sqrt"
// CHECK-SAME: fixed_bytes = 128 : i64
rt.program @tiny attributes {arena_bytes = 320 : i64, checkpointing = "sqrt",
    fixed_bytes = 128 : i64, library = "oneDNN", target = #rt.target<"cpu", "avx2">,
    threads = 2 : i64} {
  // CHECK: rt.buffer 0 "w" parameter at 0 size 32
  rt.buffer 0 "w" parameter at 0 size 32
  // CHECK: rt.buffer 1 "c" constant at 64 size 32
  rt.buffer 1 "c" constant at 64 size 32
  // CHECK: rt.variable "w" <0 + 0 : tensor<4x2xf32>>
  // CHECK-SAME: file_permutation = array<i32: 1, 0>
  // CHECK-SAME: init = #sg.init<ones>
  // CHECK-SAME: role = #sg.role<parameter>
  rt.variable "w" <0 + 0 : tensor<4x2xf32>> {
    file_permutation = array<i32: 1, 0>, init = #sg.init<ones>,
    role = #sg.role<parameter>}
  // CHECK: rt.constant 1 = dense<5.000000e-01> : tensor<4x2xf32>
  rt.constant 1 = dense<5.000000e-01> : tensor<4x2xf32>
  // CHECK: rt.kernel @add {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<4x2xf32>, %{{.*}}: tensor<4x2xf32>):
  rt.kernel @add {
  ^bb0(%a: tensor<4x2xf32>, %b: tensor<4x2xf32>):
    %s = sg.add %a, %b : tensor<4x2xf32>
    sg.yield %s : tensor<4x2xf32>
  }
  // CHECK: rt.entry @train_step
  // CHECK-SAME: inputs [#rt.binding<"image", <2 + 0 : tensor<2x4xf32>>>]
  // CHECK-SAME: outputs [#rt.binding<"y", <3 + 0 : tensor<2x2xf32>>>]
  // CHECK-SAME: peak 320 max_live 320 base_flops 40
  rt.entry @train_step inputs [#rt.binding<"image", <2 + 0 : tensor<2x4xf32>>>]
      outputs [#rt.binding<"y", <3 + 0 : tensor<2x2xf32>>>]
      peak 320 max_live 320 base_flops 40 {
    // CHECK: rt.buffer 2 "image" input at 128 size 64 live 0 to 0
    rt.buffer 2 "image" input at 128 size 64 live 0 to 0
    // CHECK: rt.buffer 3 "y" output at 192 size 64 live 0 to 2
    rt.buffer 3 "y" output at 192 size 64 live 0 to 2
    rt.buffer 4 "y" workspace at 256 size 64 live 0 to 0
    // CHECK: rt.call matmul
    // CHECK-SAME: reads [#rt.view<2 + 0 : tensor<2x4xf32>>, #rt.view<0 + 0 : tensor<4x2xf32>>]
    // CHECK-SAME: writes [#rt.view<3 + 0 : tensor<2x2xf32>>]
    // CHECK-SAME: ints [0, 0] by "jit"
    // CHECK-SAME: workspace <4 + 0 : tensor<64xi8>>
    // CHECK-SAME: <"matmul" in "fc" forward, flops 32, bytes 80>
    rt.call matmul reads [#rt.view<2 + 0 : tensor<2x4xf32>>, #rt.view<0 + 0 : tensor<4x2xf32>>]
      writes [#rt.view<3 + 0 : tensor<2x2xf32>>] ints [0, 0] by "jit"
      workspace <4 + 0 : tensor<64xi8>>
      <"matmul" in "fc" forward, flops 32, bytes 80>
    // CHECK: rt.call matmul
    // CHECK-SAME: ints [0, 0] epilogues [bias, relu, add] by "jit" <"dense"
    rt.call matmul reads [#rt.view<2 + 0 : tensor<2x4xf32>>, #rt.view<0 + 0 : tensor<4x2xf32>>,
        #rt.view<1 + 0 : tensor<2xf32>>, #rt.view<1 + 0 : tensor<2x2xf32>>]
      writes [#rt.view<3 + 0 : tensor<2x2xf32>>] ints [0, 0]
      epilogues [bias, relu, add] by "jit"
      <"dense" in "fc" forward, flops 44, bytes 88>
    // CHECK: rt.call rms_norm
    // CHECK-SAME: ints [] floats [1.000000e-05] by "loops" <"rms_norm"
    rt.call rms_norm reads [#rt.view<2 + 0 : tensor<2x4xf32>>, #rt.view<0 + 0 : tensor<4xf32>>]
      writes [#rt.view<3 + 0 : tensor<2x4xf32>>, #rt.view<4 + 0 : tensor<2xf32>>]
      ints [] floats [1.0e-05] by "loops"
      <"rms_norm" in "norm" forward, flops 32, bytes 88>
    // CHECK: rt.launch @add
    // CHECK-SAME: grains 4 <"add" in "" update, flops 8, bytes 96>
    rt.launch @add reads [#rt.view<0 + 0 : tensor<4x2xf32>>, #rt.view<1 + 0 : tensor<4x2xf32>>]
      writes [#rt.view<0 + 0 : tensor<4x2xf32>>] grains 4
      <"add" in "" update, flops 8, bytes 96>
    // CHECK: rt.copy <0 + 0 : tensor<2x2xf32>, strides[2, 1]> to <3 + 0 : tensor<2x2xf32>> <"copy" in "" recompute, flops 0, bytes 32>
    rt.copy <0 + 0 : tensor<2x2xf32>, strides [2, 1]>
      to <3 + 0 : tensor<2x2xf32>>
      <"copy" in "" recompute, flops 0, bytes 32>
  }
}
