// Rules that need the whole program.
// RUN: reprise-opt %s --pass-pipeline='builtin.module(rt.program(rt-verify-program))' -split-input-file -verify-diagnostics

// Two buffers may have the same bytes one after the other, and a kernel may
// work in place.
rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.kernel @k {
  ^bb0(%x: tensor<4xf32>):
    %r = sg.relu %x : tensor<4xf32>
    sg.yield %r : tensor<4xf32>
  }
  rt.entry @e inputs [] outputs [] peak 192 max_live 192 base_flops 0 {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 2
    rt.buffer 2 "b" activation at 128 size 64 live 2 to 3
    rt.buffer 3 "c" activation at 64 size 64 live 3 to 3
    rt.launch @k reads [#rt.view<0 + 0 : tensor<4xf32>>]
      writes [#rt.view<1 + 0 : tensor<4xf32>>] grains 1
      <"k" in "" forward, flops 0, bytes 0>
    rt.launch @k reads [#rt.view<1 + 0 : tensor<4xf32>>]
      writes [#rt.view<1 + 0 : tensor<4xf32>>] grains 1
      <"k" in "" forward, flops 0, bytes 0>
    rt.launch @k reads [#rt.view<1 + 0 : tensor<4xf32>>]
      writes [#rt.view<2 + 0 : tensor<4xf32>>] grains 1
      <"k" in "" forward, flops 0, bytes 0>
    rt.launch @k reads [#rt.view<2 + 0 : tensor<4xf32>>]
      writes [#rt.view<3 + 0 : tensor<4xf32>>] grains 1
      <"k" in "" forward, flops 0, bytes 0>
  }
}

// -----

// expected-error@+1 {{has 64 fixed bytes in an arena of 0 bytes}}
rt.program @p attributes {arena_bytes = 0 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
}

// -----

// expected-error@+1 {{claims 65 bytes, which is not a multiple of 64 up to 2^46}}
rt.program @p attributes {arena_bytes = 65 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
}

// -----

// expected-error@+1 {{wants 0 threads; 1 to 1024 are possible}}
rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 0 : i64} {
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  // expected-error@+1 {{has number 1 in place of 0}}
  rt.buffer 1 "w" parameter at 0 size 16
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  // expected-error@+1 {{0 of 80 bytes at byte 0 does not lie between bytes 0 and 64}}
  rt.buffer 0 "w" parameter at 0 size 80
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 128 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 80
  // expected-error@+1 {{1 shares byte 64 with buffer 0}}
  rt.buffer 1 "v" parameter at 64 size 16
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 128 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  // expected-error@+1 {{1 shares byte 0 with buffer 0}}
  rt.buffer 1 "v" parameter at 0 size 16
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  // expected-error@+1 {{takes 32 bytes at byte 0 of buffer 0, which has 16 bytes}}
  rt.variable "w" <0 + 0 : tensor<8xf32>> {init = #sg.init<ones>, role = #sg.role<parameter>}
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  // expected-error@+1 {{names buffer 1 of 1}}
  rt.variable "w" <1 + 0 : tensor<4xf32>> {init = #sg.init<ones>, role = #sg.role<parameter>}
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  // expected-error@+1 {{has a view at byte 2, which is not a multiple of its elements' 4 bytes}}
  rt.variable "w" <0 + 2 : tensor<2xf32>> {init = #sg.init<ones>, role = #sg.role<parameter>}
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.variable "w" <0 + 0 : tensor<4xf32>> {init = #sg.init<ones>, role = #sg.role<parameter>}
  // expected-error@+1 {{declares a second variable 'w'}}
  rt.variable "w" <0 + 0 : tensor<4xf32>> {init = #sg.init<ones>, role = #sg.role<parameter>}
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.variable "w" <0 + 0 : tensor<4xf32>> {init = #sg.init<ones>, role = #sg.role<parameter>}
  // expected-error@+1 {{'v' has the buffer of 'w'}}
  rt.variable "v" <0 + 0 : tensor<4xf32>> {init = #sg.init<ones>, role = #sg.role<parameter>}
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "c" constant at 0 size 16
  // expected-error@+1 {{'v' is on a buffer of kind constant}}
  rt.variable "v" <0 + 0 : tensor<4xf32>> {init = #sg.init<ones>, role = #sg.role<parameter>}
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  // expected-error@+1 {{0 is a constant without contents}}
  rt.buffer 0 "c" constant at 0 size 16
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "c" constant at 0 size 16
  // expected-error@+1 {{has 8 bytes for buffer 0 of 16 bytes}}
  rt.constant 0 = dense<0.0> : tensor<2xf32>
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  // expected-error@+1 {{fills buffer 0, which is not a constant that is still empty}}
  rt.constant 0 = dense<0.0> : tensor<4xf32>
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.entry @e inputs [] outputs [] peak 192 max_live 192 base_flops 0 {
    // expected-error@+1 {{1 of 64 bytes at byte 0 does not lie between bytes 64 and 256}}
    rt.buffer 1 "a" activation at 0 size 64 live 0 to 0
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.entry @e inputs [] outputs [] peak 192 max_live 192 base_flops 0 {
    // expected-error@+1 {{1 lives from step 0 to step 1 of 1}}
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 1
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.entry @e inputs [] outputs [] peak 192 max_live 192 base_flops 0 {
    // expected-note@+1 {{the other buffer}}
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 0
    // expected-error@+1 {{2 shares byte 64 with buffer 1; both live at step 0}}
    rt.buffer 2 "b" activation at 64 size 64 live 0 to 0
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.entry @e inputs [] outputs [] peak 192 max_live 192 base_flops 0 {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 0
    // expected-note@+1 {{the buffer}}
    rt.buffer 2 "b" activation at 128 size 64 live 1 to 1
    // expected-error@+1 {{is step 0 and uses buffer 2, which lives from step 1 to step 1}}
    rt.copy <1 + 0 : tensor<4xf32>> to <2 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0>
    rt.copy <0 + 0 : tensor<4xf32>> to <2 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.entry @e inputs [] outputs [] peak 192 max_live 192 base_flops 0 {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 0
    // expected-error@+1 {{writes bytes 64 to 80 while it reads bytes 64 to 80}}
    rt.copy <1 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0>
  }
}

// -----

// What a call adds to before anything else may lie where its result does, and
// nothing else of it.
rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.entry @e inputs [] outputs [] peak 192 max_live 192 base_flops 0 {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 1
    rt.call matmul reads [#rt.view<0 + 0 : tensor<2x2xf32>>, #rt.view<0 + 0 : tensor<2x2xf32>>, #rt.view<1 + 0 : tensor<2x2xf32>>]
      writes [#rt.view<1 + 0 : tensor<2x2xf32>>] ints [0, 0] epilogues [add] by ""
      <"sum" in "" forward, flops 0, bytes 0>
    // expected-error@+1 {{writes bytes 64 to 80 while it reads bytes 64 to 80}}
    rt.call matmul reads [#rt.view<0 + 0 : tensor<2x2xf32>>, #rt.view<1 + 0 : tensor<2x2xf32>>, #rt.view<1 + 16 : tensor<2x2xf32>>]
      writes [#rt.view<1 + 0 : tensor<2x2xf32>>] ints [0, 0] epilogues [add] by ""
      <"sum" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.kernel @k {
  ^bb0(%x: tensor<4xf32>):
    %r = sg.relu %x : tensor<4xf32>
    sg.yield %r : tensor<4xf32>
  }
  rt.entry @e inputs [] outputs [] peak 192 max_live 192 base_flops 0 {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 0
    // expected-error@+1 {{writes bytes 68 to 84 while it reads bytes 64 to 80}}
    rt.launch @k reads [#rt.view<1 + 0 : tensor<4xf32>>]
      writes [#rt.view<1 + 4 : tensor<4xf32>>] grains 1
      <"k" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.kernel @k {
  ^bb0(%x: tensor<4xf32>):
    %r = sg.relu %x : tensor<4xf32>
    sg.yield %r, %r : tensor<4xf32>, tensor<4xf32>
  }
  rt.entry @e inputs [] outputs [] peak 192 max_live 192 base_flops 0 {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 0
    // expected-error@+1 {{writes byte 64 twice}}
    rt.launch @k reads [#rt.view<0 + 0 : tensor<4xf32>>]
      writes [#rt.view<1 + 0 : tensor<4xf32>>, #rt.view<1 + 0 : tensor<4xf32>>]
      grains 1 <"k" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "c" constant at 0 size 16
  rt.constant 0 = dense<0.0> : tensor<4xf32>
  rt.entry @e inputs [] outputs [] peak 192 max_live 192 base_flops 0 {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 0
    // expected-error@+1 {{writes constant buffer 0}}
    rt.copy <1 + 0 : tensor<4xf32>> to <0 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  // expected-error@+1 {{input 'i' is not on a buffer that lives from the first step}}
  rt.entry @e inputs [#rt.binding<"i", <1 + 0 : tensor<4xf32>>>] outputs [] peak 192 max_live 192 base_flops 0 {
    rt.buffer 1 "a" input at 64 size 64 live 1 to 1
    rt.copy <1 + 0 : tensor<4xf32>> to <0 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0>
    rt.copy <1 + 0 : tensor<4xf32>> to <0 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  // expected-error@+1 {{output 'i' is not on a buffer that lives to the last step}}
  rt.entry @e inputs [] outputs [#rt.binding<"i", <1 + 0 : tensor<4xf32>>>] peak 192 max_live 192 base_flops 0 {
    rt.buffer 1 "a" output at 64 size 64 live 0 to 0
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0>
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  // expected-error@+1 {{claims a peak of 192 bytes; its buffers reach 128 bytes}}
  rt.entry @e inputs [] outputs [] peak 192 max_live 192 base_flops 0 {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 0
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  // expected-error@+1 {{claims 192 live bytes; the largest sum is 128 bytes}}
  rt.entry @e inputs [] outputs [] peak 128 max_live 192 base_flops 0 {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 0
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0>
  }
}

// -----

// Of a target that wants more than 64.
rt.program @coarse attributes {arena_bytes = 512 : i64, fixed_bytes = 512 : i64,
    library = "", target = #rt.target<"pocket", "", alignment 256>,
    threads = 1 : i64} {
  // expected-error@+1 {{0 lies at 64, but the target wants multiples of 256}}
  rt.buffer 0 "w" parameter at 64 size 16
}

// What is said for people and tools.

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.entry @e inputs [] outputs [] peak 128 max_live 128 base_flops 0 kept 64 after 1
      attributes {certificate = #rt.certificate<budget 128,
        plan <128 bytes, 10 ps>, plain <128 bytes, 10 ps>,
        smallest <128 bytes, 10 ps>, bound 1, price 0, proven 1 at "">} {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 1
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0, takes 5>
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" recompute, flops 0, bytes 0, takes 5, again 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  // expected-error@+1 {{claims 60 kept bytes; after 1 steps 64 bytes live on}}
  rt.entry @e inputs [] outputs [] peak 128 max_live 128 base_flops 0 kept 60 after 1 {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 1
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0, takes 5>
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" recompute, flops 0, bytes 0, takes 5, again 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  // expected-error@+1 {{has 3 forward steps among 2}}
  rt.entry @e inputs [] outputs [] peak 128 max_live 128 base_flops 0 kept 0 after 3 {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 1
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0, takes 5>
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" recompute, flops 0, bytes 0, takes 5, again 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.entry @e inputs [] outputs [] peak 128 max_live 128 base_flops 0 {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 1
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0, takes 5>
    // expected-error@+1 {{is step 1 and recomputes step 1, which does not come before it}}
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" recompute, flops 0, bytes 0, takes 5, again 1>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.entry @e inputs [] outputs [] peak 128 max_live 128 base_flops 0 {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 1
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0, takes 5>
    // expected-error@+1 {{recomputes step 0, but is of phase forward}}
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0, takes 5, again 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.entry @e inputs [] outputs [] peak 128 max_live 128 base_flops 0 {
    // expected-error@+1 {{1 is of kind workspace, but in memory because again}}
    rt.buffer 1 "a" workspace at 64 size 64 live 0 to 1 because again
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0, takes 5>
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" recompute, flops 0, bytes 0, takes 5, again 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.entry @e inputs [] outputs [] peak 128 max_live 128 base_flops 0 {
    // expected-error@+1 {{1 is of kind activation, but in memory because input}}
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 1 because input
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0, takes 5>
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" recompute, flops 0, bytes 0, takes 5, again 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  // expected-error@+1 {{@e needs 128 bytes, but its plan takes 127}}
  rt.entry @e inputs [] outputs [] peak 128 max_live 128 base_flops 0
      attributes {certificate = #rt.certificate<budget 128,
        plan <127 bytes, 10 ps>, plain <128 bytes, 10 ps>,
        smallest <128 bytes, 10 ps>, bound 1, price 0, proven 1 at "">} {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 1
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0, takes 5>
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" recompute, flops 0, bytes 0, takes 5, again 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  // expected-error@+1 {{@e takes 10 ps, but its plan 11}}
  rt.entry @e inputs [] outputs [] peak 128 max_live 128 base_flops 0
      attributes {certificate = #rt.certificate<budget 128,
        plan <128 bytes, 11 ps>, plain <128 bytes, 11 ps>,
        smallest <128 bytes, 11 ps>, bound 1, price 0, proven 1 at "">} {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 1
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0, takes 5>
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" recompute, flops 0, bytes 0, takes 5, again 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.entry @e inputs [] outputs [] peak 128 max_live 128 base_flops 0
      attributes {certificate = #rt.certificate<budget 130,
        plan <128 bytes, 5 ps>, plain <128 bytes, 5 ps>,
        smallest <128 bytes, 5 ps>, bound 1, price 0, proven 1 at "">} {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 0
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0, takes 5>
  }
  // expected-error@+1 {{@other needs 192 bytes, more than the budget of 130}}
  rt.entry @other inputs [] outputs [] peak 192 max_live 192 base_flops 0 {
    rt.buffer 1 "a" activation at 64 size 128 live 0 to 0
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0, takes 5>
  }
}

// -----

// A clone runs what its original does.
rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.kernel @double {
  ^bb0(%x: tensor<4xf32>):
    %y = sg.add %x, %x : tensor<4xf32>
    sg.yield %y : tensor<4xf32>
  }
  rt.entry @e inputs [] outputs [] peak 128 max_live 128 base_flops 0 {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 1
    rt.copy <0 + 0 : tensor<4xf32>> to <1 + 0 : tensor<4xf32>>
      <"copy" in "" forward, flops 0, bytes 0, takes 5>
    // expected-error@+1 {{runs @double to recompute step 0, which runs "rt.copy"}}
    rt.launch @double reads [#rt.view<0 + 0 : tensor<4xf32>>]
      writes [#rt.view<1 + 0 : tensor<4xf32>>] grains 1
      <"add" in "" recompute, flops 4, bytes 32, again 0>
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.kernel @double {
  ^bb0(%x: tensor<4xf32>):
    %y = sg.add %x, %x : tensor<4xf32>
    sg.yield %y : tensor<4xf32>
  }
  rt.entry @e inputs [] outputs [] peak 128 max_live 128 base_flops 0 {
    rt.buffer 1 "a" activation at 64 size 64 live 0 to 0
    // expected-error@+1 {{pairs no outputs with inputs by in_place}}
    rt.launch @double reads [#rt.view<0 + 0 : tensor<4xf32>>]
      writes [#rt.view<1 + 0 : tensor<4xf32>>] grains 1
      <"add" in "" forward, flops 4, bytes 32> {in_place = array<i32: 0, 1>}
  }
}

// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.entry @e inputs [] outputs [] peak 80 max_live 80 base_flops 0 {
    rt.buffer 1 "a" activation at 64 size 16 live 0 to 2
    rt.offload <0 + 0 : tensor<4xf32>> to host 0
      <"offload" in "" forward, flops 0, bytes 16>
    rt.fetch host 0 to <1 + 0 : tensor<4xf32>>
      <"fetch" in "" recompute, flops 0, bytes 16>
    // expected-error@+1 {{fetches 'tensor<4xf32>' from byte 64, where no step before has offloaded one}}
    rt.fetch host 64 to <1 + 0 : tensor<4xf32>>
      <"fetch" in "" recompute, flops 0, bytes 16>
  }
}


// -----

rt.program @p attributes {arena_bytes = 256 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 16
  rt.entry @e inputs [] outputs [] peak 80 max_live 80 base_flops 0 {
    rt.buffer 1 "a" activation at 64 size 16 live 0 to 1
    rt.offload <0 + 0 : tensor<4xf32>> to host 64
      <"offload" in "" forward, flops 0, bytes 16>
    // expected-error@+1 {{offloads to byte 64, over another value}}
    rt.offload <1 + 0 : tensor<4xf32>> to host 64
      <"offload" in "" forward, flops 0, bytes 16>
  }
}
