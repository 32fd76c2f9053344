// RUN: reprise-opt %s --pass-pipeline='builtin.module(rt.program(rt-verify-effects))' -split-input-file -verify-diagnostics

// A variable is written once an entry, over what it was or not; a clone and a
// derivative draw what the forward pass drew.
rt.program @right attributes {arena_bytes = 128 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.variable "w" <0 + 0 : tensor<4xf32>> {
    role = #sg.role<parameter>, init = #sg.init<zeros>}
  rt.kernel @relu {
  ^bb0(%x: tensor<4xf32>):
    %r = sg.relu %x : tensor<4xf32>
    sg.yield %r : tensor<4xf32>
  }
  rt.kernel @draw {
  ^bb0(%x: tensor<i64>):
    %r = sg.random_uniform %x, %x stream 3 : tensor<i64>, tensor<i64> -> tensor<4xf32>
    sg.yield %r : tensor<4xf32>
  }
  rt.entry @train_step inputs [] outputs [] peak 128 max_live 128 base_flops 0 {
    rt.buffer 1 "s" input at 64 size 8 live 0 to 3
    rt.buffer 2 "u" activation at 128 size 16 live 0 to 3
    rt.launch @draw reads [#rt.view<1 + 0 : tensor<i64>>]
      writes [#rt.view<2 + 0 : tensor<4xf32>>] grains 1
      <"draw" in "a" forward, flops 0, bytes 0>
    rt.launch @draw reads [#rt.view<1 + 0 : tensor<i64>>]
      writes [#rt.view<2 + 0 : tensor<4xf32>>] grains 1
      <"draw" in "a" recompute, flops 0, bytes 0>
    rt.launch @draw reads [#rt.view<1 + 0 : tensor<i64>>]
      writes [#rt.view<2 + 0 : tensor<4xf32>>] grains 1
      <"draw" in "a" backward, flops 0, bytes 0>
    rt.launch @relu reads [#rt.view<0 + 0 : tensor<4xf32>>]
      writes [#rt.view<0 + 0 : tensor<4xf32>>] grains 1
      <"relu" in "w" update, flops 0, bytes 0>
  }
  rt.entry @eval_step inputs [] outputs [] peak 128 max_live 128 base_flops 0 {
    rt.launch @relu reads [#rt.view<0 + 0 : tensor<4xf32>>]
      writes [#rt.view<0 + 0 : tensor<4xf32>>] grains 1
      <"relu" in "w" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @writes_twice attributes {arena_bytes = 64 : i64,
    fixed_bytes = 64 : i64, library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.variable "w" <0 + 0 : tensor<4xf32>> {
    role = #sg.role<parameter>, init = #sg.init<zeros>}
  rt.kernel @relu {
  ^bb0(%x: tensor<4xf32>):
    %r = sg.relu %x : tensor<4xf32>
    sg.yield %r : tensor<4xf32>
  }
  rt.entry @e inputs [] outputs [] peak 64 max_live 64 base_flops 0 {
    // expected-note@+1 {{first written here}}
    rt.launch @relu reads [#rt.view<0 + 0 : tensor<4xf32>>]
      writes [#rt.view<0 + 0 : tensor<4xf32>>] grains 1
      <"relu" in "" forward, flops 0, bytes 0>
    // expected-error@+1 {{writes variable 'w' a second time in one step of training}}
    rt.launch @relu reads [#rt.view<0 + 0 : tensor<4xf32>>]
      writes [#rt.view<0 + 0 : tensor<4xf32>>] grains 1
      <"relu" in "" update, flops 0, bytes 0>
  }
}

// -----

rt.program @copies_in_the_backward_pass attributes {arena_bytes = 128 : i64,
    fixed_bytes = 64 : i64, library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.variable "w" <0 + 0 : tensor<4xf32>> {
    role = #sg.role<parameter>, init = #sg.init<zeros>}
  rt.entry @e inputs [] outputs [] peak 128 max_live 128 base_flops 0 {
    rt.buffer 1 "g" gradient at 64 size 16 live 0 to 0
    // expected-error@+1 {{writes variable 'w' in the backward phase}}
    rt.copy <1 + 0 : tensor<4xf32>> to <0 + 0 : tensor<4xf32>>
      <"copy" in "" backward, flops 0, bytes 0>
  }
}

// -----

rt.program @draws_twice attributes {arena_bytes = 128 : i64,
    fixed_bytes = 64 : i64, library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.kernel @draw {
  ^bb0(%x: tensor<i64>):
    %r = sg.random_uniform %x, %x stream 3 : tensor<i64>, tensor<i64> -> tensor<4xf32>
    sg.yield %r : tensor<4xf32>
  }
  rt.entry @e inputs [] outputs [] peak 128 max_live 128 base_flops 0 {
    rt.buffer 0 "s" input at 64 size 8 live 0 to 1
    rt.buffer 1 "u" activation at 128 size 16 live 0 to 1
    // expected-note@+1 {{the other step}}
    rt.launch @draw reads [#rt.view<0 + 0 : tensor<i64>>]
      writes [#rt.view<1 + 0 : tensor<4xf32>>] grains 1
      <"draw" in "a" forward, flops 0, bytes 0>
    // expected-error@+1 {{draws from stream 3, which another step draws from}}
    rt.launch @draw reads [#rt.view<0 + 0 : tensor<i64>>]
      writes [#rt.view<1 + 0 : tensor<4xf32>>] grains 1
      <"draw" in "b" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @only_repeats attributes {arena_bytes = 128 : i64,
    fixed_bytes = 64 : i64, library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.kernel @draw {
  ^bb0(%x: tensor<i64>):
    %r = sg.random_uniform %x, %x stream 3 : tensor<i64>, tensor<i64> -> tensor<4xf32>
    sg.yield %r : tensor<4xf32>
  }
  rt.entry @e inputs [] outputs [] peak 128 max_live 128 base_flops 0 {
    rt.buffer 0 "s" input at 64 size 8 live 0 to 0
    rt.buffer 1 "u" activation at 128 size 16 live 0 to 0
    // expected-error@+1 {{repeats stream 3, but no forward step draws from it}}
    rt.launch @draw reads [#rt.view<0 + 0 : tensor<i64>>]
      writes [#rt.view<1 + 0 : tensor<4xf32>>] grains 1
      <"draw" in "a" recompute, flops 0, bytes 0>
  }
}

// -----

// Calls of the library draw, too: of streams that their ints say.
rt.program @calls_draw attributes {arena_bytes = 1024 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.entry @e inputs [] outputs [] peak 1024 max_live 1024 base_flops 0 {
    rt.buffer 0 "s" input at 64 size 8 live 0 to 3
    rt.buffer 1 "qkv" input at 128 size 96 live 0 to 3
    rt.buffer 2 "y" activation at 256 size 32 live 0 to 3
    rt.buffer 3 "lse" activation at 320 size 16 live 0 to 3
    // expected-note@+1 {{the other step}}
    rt.call attention reads [#rt.view<1 + 0 : tensor<1x2x3x2x2xf32>>, #rt.view<0 + 0 : tensor<i64>>, #rt.view<0 + 0 : tensor<i64>>]
      writes [#rt.view<2 + 0 : tensor<1x2x2x2xf32>>, #rt.view<3 + 0 : tensor<1x2x2xf32>>]
      ints [5] floats [1.0, 0.25] by "tiles" <"attention" in "" forward, flops 0, bytes 0>
    rt.call attention reads [#rt.view<1 + 0 : tensor<1x2x3x2x2xf32>>, #rt.view<0 + 0 : tensor<i64>>, #rt.view<0 + 0 : tensor<i64>>]
      writes [#rt.view<2 + 0 : tensor<1x2x2x2xf32>>, #rt.view<3 + 0 : tensor<1x2x2xf32>>]
      ints [5] floats [1.0, 0.25] by "tiles" <"attention" in "" recompute, flops 0, bytes 0>
    rt.call attention reads [#rt.view<1 + 0 : tensor<1x2x3x2x2xf32>>]
      writes [#rt.view<2 + 0 : tensor<1x2x2x2xf32>>, #rt.view<3 + 0 : tensor<1x2x2xf32>>]
      ints [] floats [1.0] by "tiles" <"attention" in "" forward, flops 0, bytes 0>
    // expected-error@+1 {{draws from stream 5, which another step draws from}}
    rt.call attention reads [#rt.view<1 + 0 : tensor<1x2x3x2x2xf32>>, #rt.view<0 + 0 : tensor<i64>>, #rt.view<0 + 0 : tensor<i64>>]
      writes [#rt.view<2 + 0 : tensor<1x2x2x2xf32>>, #rt.view<3 + 0 : tensor<1x2x2xf32>>]
      ints [5] floats [1.0, 0.25] by "tiles" <"attention" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @collectives_in_another_order attributes {arena_bytes = 192 : i64,
    fixed_bytes = 0 : i64, library = "x", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.entry @e inputs [] outputs [] peak 192 max_live 192 base_flops 0 {
    rt.buffer 0 "a" input at 0 size 16 live 0 to 1
    rt.buffer 1 "b" output at 64 size 16 live 0 to 1
    rt.buffer 2 "c" output at 128 size 32 live 0 to 1
    rt.call all_gather reads [#rt.view<0 + 0 : tensor<4xf32>>]
      writes [#rt.view<2 + 0 : tensor<2x4xf32>>] ints [2, 0] by "rows by rank"
      <"all_gather" in "" forward, flops 0, bytes 0>
    // expected-error@+1 {{is collective 2, but the next one of the entry is 1}}
    rt.call all_reduce reads [#rt.view<0 + 0 : tensor<4xf32>>]
      writes [#rt.view<1 + 0 : tensor<4xf32>>] ints [2, 2] by "sums by shards"
      <"all_reduce" in "" update, flops 0, bytes 0>
  }
}

// -----

rt.program @collective_in_a_clone attributes {arena_bytes = 128 : i64,
    fixed_bytes = 0 : i64, library = "x", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.entry @e inputs [] outputs [] peak 128 max_live 128 base_flops 0 {
    rt.buffer 0 "a" input at 0 size 16 live 0 to 0
    rt.buffer 1 "b" output at 64 size 16 live 0 to 0
    // expected-error@+1 {{is collective 0 in the recompute phase, which may repeat it}}
    rt.call all_reduce reads [#rt.view<0 + 0 : tensor<4xf32>>]
      writes [#rt.view<1 + 0 : tensor<4xf32>>] ints [2, 0] by "sums by shards"
      <"all_reduce" in "" recompute, flops 0, bytes 0>
  }
}
