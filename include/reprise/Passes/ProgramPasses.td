//===- ProgramPasses.td - From flat functions to a program --*- tablegen -*-===//
#ifndef REPRISE_PASSES_PROGRAMPASSES
#define REPRISE_PASSES_PROGRAMPASSES

include "reprise/Passes/Rates.td"

def SgLowerToRt : Pass<"sg-lower-to-rt", "::mlir::ModuleOp"> {
  let summary = "orders and places flat functions into one program";
  let description = [{
    Every function becomes an entry of one `rt.program`, which replaces the functions and
    variables. The functions must be flat (`sg-flatten`) and contain kernels and library
    ops only (`sg-decompose`, `sg-form-kernels`).

    Order and addresses come from lib/Plan, or from the attributes of a function that is
    marked `sg.scheduled`. The validator checks both. In the order of lib/Plan, calls between
    ranks begin as soon as their operands are there, and what depends on them runs later, so
    that they run beside other steps; their memory is kept for as long, which may add
    `overlap-percent` of the program's bytes. A variable's next value is computed
    in the variable's own storage where possible (see
    include/reprise/Bridge/PlanProblem.h); otherwise, a copy ends the step.

    Fails on an op that no step can run, on a library op that the library refuses, and on
    more than 2^46 bytes of memory.

    ```mlir
    sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>,
                                    init = #sg.init<zeros>}
    func.func @eval_step() -> tensor<4xf32> {
      %w = sg.read @w : tensor<4xf32>
      return %w : tensor<4xf32>
    }
    // becomes, attributes of program and variable left out,
    //   rt.program @model {
    //     rt.buffer 0 "w" parameter at 0 size 16
    //     rt.variable "w" <0 + 0 : tensor<4xf32>>
    //     rt.entry @eval_step inputs []
    //       outputs [#rt.binding<"result0", <0 + 0 : tensor<4xf32>>>]
    //       peak 64 max_live 64 base_flops 0 kept 0 after 0 {
    //     }
    //   }
    ```
  }];
  let options = !listconcat([
    Option<"model", "model", "std::string", "\"model\"",
           "name of the program">,
    Option<"threads", "threads", "unsigned", "2",
           "threads that library calls are planned for">,
    Option<"target", "target", "std::string", "\"cpu:native\"",
           "device that it is for, as cpu:native; see docs/targets.md">,
    Option<"checkpointing", "checkpointing", "std::string", "\"\"",
           "the checkpointing mode, for the summary">,
    Option<"overlapPercent", "overlap-percent", "double", "12.5",
           "share of the program's bytes that calls between ranks may add">,
    Option<"profile", "profile", "std::string", "\"\"",
           "file of 'reprise profile' with measured times of the ops">], MachineRates);
  let dependentDialects = ["::reprise::rt_dialect::RtDialect"];
}

def RtVerifyProgram : Pass<"rt-verify-program", "::reprise::rt_dialect::ProgramOp"> {
  let summary = "checks a program's memory";
  let description = [{
    Checks that

    - buffers are numbered in order and lie in the arena: those of the program in its
      fixed part, those of entries above it;
    - no two buffers share a byte while both are live;
    - views lie within their buffers, and steps use buffers only while they are live;
    - a step overwrites what it reads only if its kernel may;
    - the peak and the largest sum of live bytes are as claimed;
    - every constant and variable has its storage.

    ```mlir
    rt.program @p attributes {arena_bytes = 128 : i64, fixed_bytes = 64 : i64,
                              library = "", target = #rt.target<"cpu", "">,
                              threads = 1 : i64} {
      rt.buffer 0 "w" parameter at 0 size 16
      rt.kernel @k {
      ^bb0(%x: tensor<4xf32>):
        %r = sg.relu %x : tensor<4xf32>
        sg.yield %r : tensor<4xf32>
      }
      rt.entry @step inputs [] outputs [] peak 128 max_live 192 base_flops 0 {
        rt.buffer 1 "a" activation at 64 size 64 live 0 to 1
        rt.buffer 2 "b" activation at 64 size 64 live 1 to 1
        rt.launch @k reads [#rt.view<0 + 0 : tensor<4xf32>>]
          writes [#rt.view<1 + 0 : tensor<4xf32>>] grains 1
          <"k" in "" forward, flops 0, bytes 0>
        rt.launch @k reads [#rt.view<1 + 0 : tensor<4xf32>>]
          writes [#rt.view<2 + 0 : tensor<4xf32>>] grains 1
          <"k" in "" forward, flops 0, bytes 0>
      }
    }
    // error: 'rt.buffer' op 2 shares byte 64 with buffer 1; both live at
    //        step 1
    ```
  }];
}

def RtVerifyEffects : Pass<"rt-verify-effects", "::reprise::rt_dialect::ProgramOp"> {
  let summary = "proves that a program's effects happen exactly once";
  let description = [{
    Proves for the steps of each entry what `sg-verify-effects` proves for a function. At
    most one step writes a variable's bytes, and this step is in the forward pass or the
    optimizer. No two steps of the forward pass draw from the same random stream, and a
    clone or a derivative draws from no other streams.

    ```mlir
    rt.program @p attributes {arena_bytes = 128 : i64, fixed_bytes = 64 : i64,
                              library = "", target = #rt.target<"cpu", "">,
                              threads = 1 : i64} {
      rt.buffer 0 "w" parameter at 0 size 16
      rt.variable "w" <0 + 0 : tensor<4xf32>> {
        role = #sg.role<parameter>, init = #sg.init<zeros>}
      rt.kernel @relu {
      ^bb0(%x: tensor<4xf32>):
        %r = sg.relu %x : tensor<4xf32>
        sg.yield %r : tensor<4xf32>
      }
      rt.entry @train_step inputs [] outputs [] peak 128 max_live 128
          base_flops 0 {
        rt.buffer 1 "a" activation at 64 size 64 live 0 to 0
        rt.launch @relu reads [#rt.view<1 + 0 : tensor<4xf32>>]
          writes [#rt.view<0 + 0 : tensor<4xf32>>] grains 1
          <"relu" in "layer1" recompute, flops 0, bytes 0>
      }
    }
    // error: 'rt.launch' op writes variable 'w' in the recompute phase
    ```
  }];
}

#endif // REPRISE_PASSES_PROGRAMPASSES
