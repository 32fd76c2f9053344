// Every op and attribute of rt survives printing, custom and generic.
// RUN: reprise-opt %s | reprise-opt | FileCheck %s
// RUN: reprise-opt %s --mlir-print-op-generic | reprise-opt | FileCheck %s
// RUN: sed '1,/^.. What is said/d' %s | reprise-opt --pass-pipeline='builtin.module(rt.program(rt-verify-program))' -o /dev/null

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

// What is said for people and tools.
// CHECK-LABEL: rt.program @told
rt.program @told attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.kernel @double {
  ^bb0(%x: tensor<4xf32>):
    %y = sg.add %x, %x : tensor<4xf32>
    sg.yield %y : tensor<4xf32>
  }
  // CHECK: rt.entry @train_step
  // CHECK-SAME: peak 144 max_live 96 base_flops 0 kept 16 after 1
  // CHECK-SAME: attributes {certificate = #rt.certificate<budget 200,
  // CHECK-SAME: plan <144 bytes, 21 ps, "per-block">, plain <160 bytes, 14 ps>,
  // CHECK-SAME: smallest <144 bytes, 21 ps>, bound 20, price 7,
  // CHECK-SAME: proven 100 at "b:add" holding{{ ?}}[<"a" in "m", 16 bytes, 7 ps>]>}
  rt.entry @train_step inputs [] outputs []
      peak 144 max_live 96 base_flops 0 kept 16 after 1
      attributes {certificate = #rt.certificate<budget 200,
        plan <144 bytes, 21 ps, "per-block">, plain <160 bytes, 14 ps>,
        smallest <144 bytes, 21 ps>, bound 20, price 7,
        proven 100 at "b:add" holding [<"a" in "m", 16 bytes, 7 ps>]>} {
    // CHECK: rt.buffer 1 "a" activation at 64 size 16 live 0 to 1 because dear
    rt.buffer 1 "a" activation at 64 size 16 live 0 to 1 because dear
    // CHECK: rt.buffer 2 "b" gradient at 128 size 16 live 1 to 1 because passing
    rt.buffer 2 "b" gradient at 128 size 16 live 1 to 1 because passing
    // CHECK: rt.buffer 3 "a#2" recomputed at 128 size 16 live 2 to 2 because again
    rt.buffer 3 "a#2" recomputed at 128 size 16 live 2 to 2 because again
    // CHECK: grains 1 <"add" in "m" forward, flops 4, bytes 32, takes 7, asked>
    // CHECK-SAME: {in_place = array<i32: 0, 0>}
    rt.launch @double reads [#rt.view<0 + 0 : tensor<4xf32>>]
      writes [#rt.view<1 + 0 : tensor<4xf32>>] grains 1
      <"add" in "m" forward, flops 4, bytes 32, asked, takes 7>
      {in_place = array<i32: 0, 0>}
    rt.launch @double reads [#rt.view<1 + 0 : tensor<4xf32>>]
      writes [#rt.view<2 + 0 : tensor<4xf32>>] grains 1
      <"add" in "m" backward, flops 4, bytes 32, takes 7>
    // CHECK: <"add" in "m" recompute, flops 4, bytes 32, takes 7, again 0>
    rt.launch @double reads [#rt.view<0 + 0 : tensor<4xf32>>]
      writes [#rt.view<3 + 0 : tensor<4xf32>>] grains 1
      <"add" in "m" recompute, flops 4, bytes 32, takes 7, again 0>
  }
}
