// What one op of rt can tell to be wrong.
// RUN: reprise-opt %s -split-input-file -verify-diagnostics

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  // expected-error@+1 {{of a program lives for ever and has no first and last step}}
  rt.buffer 0 "w" parameter at 0 size 32 live 0 to 1
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.entry @e inputs [] outputs [] peak 64 max_live 64 base_flops 0 {
    // expected-error@+1 {{of an entry needs its first and last step}}
    rt.buffer 0 "w" parameter at 0 size 32
  }
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  // expected-error@+1 {{lies at byte 4, which is not a multiple of 64}}
  rt.buffer 0 "w" parameter at 4 size 32
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  // expected-error@+1 {{has 0 bytes}}
  rt.buffer 0 "w" parameter at 0 size 0
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  // expected-error@+1 {{is not dense}}
  rt.variable "w" <0 + 0 : tensor<2x2xf32>, strides [1, 2]> {
    init = #sg.init<ones>, role = #sg.role<parameter>}
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  // expected-error@+1 {{file_permutation has 1 entries for 2 dimensions}}
  rt.variable "w" <0 + 0 : tensor<2x2xf32>> {file_permutation = array<i32: 0>,
    init = #sg.init<ones>, role = #sg.role<parameter>}
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  // expected-error@+1 {{must end with sg.yield}}
  rt.kernel @k {
  ^bb0(%a: tensor<4xf32>):
    %s = sg.relu %a : tensor<4xf32>
  }
}

// -----

// expected-error@+1 {{a view has 1 strides for 2 dimensions}}
rt.copy <0 + 0 : tensor<2x2xf32>, strides [1]> to <0 + 0 : tensor<2x2xf32>>
  <"copy" in "" forward, flops 0, bytes 0>

// -----

// expected-error@+1 {{a view has a negative stride}}
rt.copy <0 + 0 : tensor<2xf32>, strides [-1]> to <0 + 0 : tensor<2xf32>>
  <"copy" in "" forward, flops 0, bytes 0>

// -----

// expected-error@+1 {{a view needs a statically shaped tensor of f32, bf16, f16, f64, i1, i8, i32 or i64, but has 'tensor<?xf32>'}}
rt.copy <0 + 0 : tensor<?xf32>> to <0 + 0 : tensor<?xf32>>
  <"copy" in "" forward, flops 0, bytes 0>

// -----

// expected-error@+1 {{has more than 2^58 elements}}
rt.copy <0 + 0 : tensor<4611686018427387904x4611686018427387904xf32>>
  to <0 + 0 : tensor<2xf32>> <"copy" in "" forward, flops 0, bytes 0>

// -----

// expected-error@+1 {{expects parent op 'rt.entry'}}
rt.copy <0 + 0 : tensor<2xf32>> to <1 + 0 : tensor<2xf32>>
  <"copy" in "" forward, flops 0, bytes 0>

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.entry @e inputs [] outputs [] peak 64 max_live 64 base_flops 0 {
    // expected-error@+1 {{both must be dense and of one type}}
    rt.copy <0 + 0 : tensor<2xf32>> to <1 + 0 : tensor<2xi32>>
      <"copy" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.entry @e inputs [] outputs [] peak 64 max_live 64 base_flops 0 {
    // expected-error@+1 {{reads 1 and writes 1 tensors; matmul reads 2 and writes 1}}
    rt.call matmul reads [#rt.view<0 + 0 : tensor<2x2xf32>>]
      writes [#rt.view<0 + 0 : tensor<2x2xf32>>] ints [0, 0] by ""
      <"matmul" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.entry @e inputs [] outputs [] peak 64 max_live 64 base_flops 0 {
    // expected-error@+1 {{has 1 ints; conv2d takes 9}}
    rt.call conv2d
      reads [#rt.view<0 + 0 : tensor<2x2xf32>>, #rt.view<0 + 0 : tensor<2x2xf32>>]
      writes [#rt.view<0 + 0 : tensor<2x2xf32>>] ints [0] by ""
      <"conv2d" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.entry @e inputs [] outputs [] peak 64 max_live 64 base_flops 0 {
    // expected-error@+1 {{reads 2 and writes 1 tensors; matmul with its epilogues reads 3 and writes 1}}
    rt.call matmul reads [#rt.view<0 + 0 : tensor<2x2xf32>>, #rt.view<0 + 0 : tensor<2x2xf32>>]
      writes [#rt.view<0 + 0 : tensor<2x2xf32>>] ints [0, 0] epilogues [bias, relu] by ""
      <"matmul" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.entry @e inputs [] outputs [] peak 64 max_live 64 base_flops 0 {
    // expected-error@+1 {{has epilogues; rms_norm takes none}}
    rt.call rms_norm reads [#rt.view<0 + 0 : tensor<2x2xf32>>, #rt.view<0 + 0 : tensor<2x2xf32>>]
      writes [#rt.view<0 + 0 : tensor<2x2xf32>>, #rt.view<0 + 0 : tensor<2x2xf32>>] ints [] floats [1.0e-05] epilogues [relu] by ""
      <"rms_norm" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.entry @e inputs [] outputs [] peak 64 max_live 64 base_flops 0 {
    // expected-error@+1 {{has 0 floats; rms_norm takes 1}}
    rt.call rms_norm reads [#rt.view<0 + 0 : tensor<2x2xf32>>, #rt.view<0 + 0 : tensor<2x2xf32>>]
      writes [#rt.view<0 + 0 : tensor<2x2xf32>>, #rt.view<0 + 0 : tensor<2x2xf32>>] ints [] by ""
      <"rms_norm" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.entry @e inputs [] outputs [] peak 64 max_live 64 base_flops 0 {
    // expected-error@+1 {{reads 2 and writes 1 tensors; rms_norm reads 2 and writes 2}}
    rt.call rms_norm reads [#rt.view<0 + 0 : tensor<2x2xf32>>, #rt.view<0 + 0 : tensor<2x2xf32>>]
      writes [#rt.view<0 + 0 : tensor<2x2xf32>>] ints [] floats [1.0e-05] by ""
      <"rms_norm" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.entry @e inputs [] outputs [] peak 64 max_live 64 base_flops 0 {
    // expected-error@+1 {{has 9 epilogues; a call takes 8}}
    rt.call matmul reads [#rt.view<0 + 0 : tensor<2x2xf32>>, #rt.view<0 + 0 : tensor<2x2xf32>>]
      writes [#rt.view<0 + 0 : tensor<2x2xf32>>] ints [0, 0]
      epilogues [relu, relu, relu, relu, relu, relu, relu, relu, relu] by ""
      <"matmul" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.entry @e inputs [] outputs [] peak 64 max_live 64 base_flops 0 {
    // expected-error@+1 {{names no rt.kernel: @k}}
    rt.launch @k reads [] writes [] grains 1
      <"k" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  // expected-note@+1 {{defined here}}
  rt.kernel @k {
  ^bb0(%a: tensor<4xf32>):
    sg.yield %a : tensor<4xf32>
  }
  rt.entry @e inputs [] outputs [] peak 64 max_live 64 base_flops 0 {
    // expected-error@+1 {{has 1 views for 2 kernel arguments}}
    rt.launch @k reads [#rt.view<0 + 0 : tensor<4xf32>>] writes [] grains 1
      <"k" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  // expected-note@+1 {{defined here}}
  rt.kernel @k {
  ^bb0(%a: tensor<4xf32>):
    sg.yield %a : tensor<4xf32>
  }
  rt.entry @e inputs [] outputs [] peak 64 max_live 64 base_flops 0 {
    // expected-error@+1 {{passes 'tensor<2x2xf32>' as kernel argument 1 of type 'tensor<4xf32>'}}
    rt.launch @k reads [#rt.view<0 + 0 : tensor<4xf32>>]
      writes [#rt.view<0 + 0 : tensor<2x2xf32>>] grains 1
      <"k" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.entry @e inputs [] outputs [] peak 64 max_live 64 base_flops 0 {
    // expected-error@+1 {{has 0 grains; at least 1 is needed}}
    rt.launch @k reads [] writes [] grains 0
      <"k" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.entry @e inputs [] outputs [] peak 64 max_live 64 base_flops 0 {
    // expected-error@+1 {{has a view that is not dense}}
    rt.launch @k reads [#rt.view<0 + 0 : tensor<2x2xf32>, strides [1, 2]>]
      writes [] grains 1 <"k" in "" forward, flops 0, bytes 0>
  }
}

// -----

// expected-error@+1 {{i32 or i64, but has 'tensor<2xi16>'}}
rt.copy <0 + 0 : tensor<2xi16>> to <0 + 0 : tensor<2xi16>>
  <"copy" in "" forward, flops 0, bytes 0>

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  // expected-error@+1 {{cannot hold 'vector<4xf32>'}}
  rt.constant 0 = dense<0.0> : vector<4xf32>
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  // expected-error@+1 {{has no place in a program}}
  %c = sg.constant dense<0.0> : tensor<4xf32>
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.entry @e inputs [] outputs [] peak 64 max_live 64 base_flops 0 {
    // expected-error@+1 {{has no place in an entry}}
    %c = sg.constant dense<0.0> : tensor<4xf32>
  }
}

// -----

// expected-error@+1 {{a target needs the name of its device}}
rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64, library = "", target = #rt.target<"", "">, threads = 1 : i64} {
}

// -----

// expected-error@+1 {{a target aligns buffers to a power of two from 64 to 2097152 bytes, not to 96}}
rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64, library = "", target = #rt.target<"cpu", "", alignment 96>, threads = 1 : i64} {
}

// -----

// expected-error@+1 {{the plan of a certificate takes 8 bytes, more than the budget of 7}}
#c = #rt.certificate<budget 7, plan <8 bytes, 1 ps>, plain <8 bytes, 1 ps>, smallest <8 bytes, 1 ps>, bound 1, price 0, proven 1 at "">

// -----

// expected-error@+1 {{the plan of a certificate takes 1 ps, less than the bound of 2}}
#c = #rt.certificate<budget 8, plan <8 bytes, 1 ps>, plain <8 bytes, 1 ps>, smallest <8 bytes, 1 ps>, bound 2, price 0, proven 1 at "">

// -----

// expected-error@+1 {{a schedule of a certificate takes 6 bytes, less than the proven 7}}
#c = #rt.certificate<budget 8, plan <8 bytes, 1 ps>, plain <8 bytes, 1 ps>, smallest <6 bytes, 1 ps>, bound 1, price 0, proven 7 at "">

// -----

// expected-error@+1 {{expected takes, again or asked}}
#s = #rt.step<"a" in "" forward, flops 1, bytes 1, costs 4>

// -----

// expected-error@+1 {{'takes' a second time}}
#s = #rt.step<"a" in "" forward, flops 1, bytes 1, takes 4, takes 5>

// -----

// expected-error@+1 {{has attribute 'rt.certificate', which is none of those known: a #rt.certificate 'rt.certificate' on functions, a string 'rt.command' on programs}}
func.func @f() attributes {rt.certificate = "x", sg.scheduled} {
  return
}

// -----

// expected-error@+1 {{has attribute 'rt.command', which is none of those known}}
func.func @f() attributes {rt.command = "reprise compile"} {
  return
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.entry @e inputs [] outputs [] peak 64 max_live 16 base_flops 0 {
    // expected-error@+1 {{'rt.offload' op has offset 4 in host memory; a multiple of 64 is needed}}
    rt.offload <0 + 0 : tensor<4xf32>> to host 4
      <"offload" in "" forward, flops 0, bytes 16>
  }
}
