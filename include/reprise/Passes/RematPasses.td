//===- RematPasses.td - Automatic rematerialization ---------*- tablegen -*-===//
#ifndef REPRISE_PASSES_REMATPASSES
#define REPRISE_PASSES_REMATPASSES

include "mlir/Pass/PassBase.td"

def SgRematerialize : Pass<"sg-rematerialize", "::mlir::ModuleOp"> {
  let summary = "computes values again so that a step fits a budget";
  let description = [{
    Orders the ops of the module's step, the first of its functions or the one
    named `function`, and executes some of them again later, so that the whole
    program, variables and constants included, takes at most the budget, at
    little more cost than any schedule needs. The functions must be flat and
    hold kernels and library ops only (after `sg-form-kernels`). What annotated
    blocks compute again is part of the step already.

    The function's ops come out in the order of the schedule, and the function
    is marked `sg.scheduled`, so that `sg-lower-to-rt` keeps that order, and the
    addresses: each op says by `sg.offsets` where its results and its workspace
    lie, each argument by `sg.offset`, in bytes from the end of variables and
    constants. A clone reads its operands through an `sg.barrier` that waits for
    the op in front of it, and the phase of its `sg.origin` is `recompute`.

    One of `budget-bytes`, `budget-percent` (of the program without
    recomputation) and `knee` (where the curve of time over bytes bends) says
    what is wanted. The schedules tried don't depend on the budget: a smaller
    one never gives a larger peak, nor a larger one more cost.

    What an op costs comes from a roofline, or from a profile of measured times.

    Every value that the backward pass reads, and every one computed again, gets
    a remark of the category `sg-rematerialize`: why it is kept or recomputed, its bytes, its
    milliseconds.

    Fails when the budget is below the smallest that can be met; the error names
    that one, the bytes below which no schedule of these kernels exists, and the
    largest values that pin it.

    ```mlir
    func.func @step(%x: tensor<256xf32> {sg.name = "x"})
        -> (tensor<256xf32> {sg.name = "y"}) {
      %a = sg.kernel "grow" (%v = %x : tensor<256xf32>) -> tensor<64x256xf32> {
        %r = sg.broadcast %v dims [1]
          : tensor<256xf32> -> tensor<64x256xf32>
        sg.yield %r : tensor<64x256xf32>
      }
      %b = sg.kernel "sum" (%v = %a : tensor<64x256xf32>) -> tensor<256xf32> {
        %r = sg.reduce_sum %v dims [0]
          : tensor<64x256xf32> -> tensor<256xf32>
        sg.yield %r : tensor<256xf32>
      }
      %c = sg.kernel "grow" (%v = %b : tensor<256xf32>) -> tensor<64x256xf32> {
        %r = sg.broadcast %v dims [1]
          : tensor<256xf32> -> tensor<64x256xf32>
        sg.yield %r : tensor<64x256xf32>
      }
      %d = sg.kernel "sum" (%v = %c : tensor<64x256xf32>) -> tensor<256xf32> {
        %r = sg.reduce_sum %v dims [0]
          : tensor<64x256xf32> -> tensor<256xf32>
        sg.yield %r : tensor<256xf32>
      }
      %e = sg.kernel "both" (%v = %a : tensor<64x256xf32>,
                             %w = %d : tensor<256xf32>) -> tensor<256xf32> {
        %s = sg.broadcast %w dims [1]
          : tensor<256xf32> -> tensor<64x256xf32>
        %t = sg.add %v, %s : tensor<64x256xf32>
        %r = sg.reduce_sum %t dims [0]
          : tensor<64x256xf32> -> tensor<256xf32>
        sg.yield %r : tensor<256xf32>
      }
      return %e : tensor<256xf32>
    }
    // with budget-bytes=70000, %a is not kept while %c lives:
    //   %d = ... "sum" ...
    //   %x1 = sg.barrier(%x) after(%d)
    //   %a1 = sg.kernel "grow" (%v = %x1 ...
    //   %e = sg.kernel "both" (%v = %a1 ..., %w = %d ...
    ```
  }];
  let options = [
    Option<"budgetBytes", "budget-bytes", "uint64_t", "0",
           "bytes of the whole program; 0: another option says what is wanted">,
    Option<"budgetPercent", "budget-percent", "double", "0",
           "budget as a share of the program without recomputation">,
    Option<"knee", "knee", "bool", "false",
           "choose the budget at the knee of the curve">,
    Option<"function", "function", "std::string", "\"\"",
           "the function to work on; the module's first one if empty">,
    Option<"work", "work", "double", "1.0",
           "effort of the search; 1 is some seconds for a thousand ops">,
    Option<"threads", "threads", "unsigned", "2",
           "threads that library calls are planned for and the search uses">,
    Option<"target", "target", "std::string", "\"cpu:native\"",
           "device that it is for, as of sg-lower-to-rt">,
    Option<"gflops", "gflops", "double", "400",
           "arithmetic that the machine does, in GFLOP/s">,
    Option<"gbytesPerSecond", "gbytes-per-second", "double", "35",
           "bytes that the machine moves, in GB/s">,
    Option<"profile", "profile", "std::string", "\"\"",
           "file of 'reprise profile' with measured times of the ops; what is "
           "not in it costs what the two rates say, scaled to the others">,
    ListOption<"keep", "keep", "std::string",
               "globs of module paths or file:line whose ops are not executed "
               "again">];
}

#endif // REPRISE_PASSES_REMATPASSES
