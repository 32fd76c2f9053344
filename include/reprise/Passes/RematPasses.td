//===- RematPasses.td - Automatic rematerialization ---------*- tablegen -*-===//
#ifndef REPRISE_PASSES_REMATPASSES
#define REPRISE_PASSES_REMATPASSES

include "mlir/Pass/PassBase.td"

def SgRecomputeCheap : Pass<"sg-recompute-cheap", "::mlir::func::FuncOp"> {
  let summary = "computes cheap values again in the kernels that read them";
  let description = [{
    Works on a flat function of primitives and library ops (after
    `sg-decompose`). What the backward pass, or a recomputation, reads of an
    earlier phase is kept, or computed again from what is kept, by ops that work
    element by element, move elements, repeat them or draw random numbers: in
    one kernel with their reader these take hardly any time. Which values are
    kept is the choice of the fewest bytes, and of several such the one that
    computes least again: a minimum cut. Reductions and library ops are never
    repeated, nor is a value that would read more than `most-reads` times its own
    elements (3.5: three values as large, and small ones), nor what more than 24
    such ops in a row, of as many elements, make of what is kept, and what an annotated block begins with. Without a number it is what the target has no time for: on a processor
    3.5, on a GPU, whose kernels are as fast as its memory, 1.5, so that what was
    added up is kept, and what is moved behind something made again, and only what a
    kernel makes of one value is made again. An op that is repeated takes the origin of its reader; one of a
    recomputation that nobody reads any more goes. A library op that
    reads such a value waits for a kernel that makes it again to add something up,
    where that is the next to run and nothing reads the library op's results before:
    the gradient of a filter takes the activation from the kernel that needs its mask.
    It also waits for a kernel that computes part of the value on its way to another,
    which then makes both: the gradient of a weight takes a GELU's values from the
    kernel of its slopes.

    ```mlir
    func.func @f(%x: tensor<8x4xf32>, %w: tensor<4x4xf32>, %dy: tensor<8x4xf32>)
        -> (tensor<8x4xf32>, tensor<4x4xf32>) {
      %h = sg.matmul %x, %w {sg.origin = #sg.origin<"fc", forward>}
        : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
      %a = sg.exp %h {sg.origin = #sg.origin<"act", forward>} : tensor<8x4xf32>
      %y = sg.matmul %a, %w {sg.origin = #sg.origin<"out", forward>}
        : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
      %d = sg.mul %dy, %h {sg.origin = #sg.origin<"act", backward>}
        : tensor<8x4xf32>
      %g = sg.matmul %a, %d {transpose_a, sg.origin = #sg.origin<"out", backward>}
        : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
      return %y, %g : tensor<8x4xf32>, tensor<4x4xf32>
    }
    // the backward pass reads %h, which is kept, and computes
    //   %b = sg.exp %h {sg.origin = #sg.origin<"out", backward>}
    // in front of %g, which reads it instead of %a
    ```
  }];
  let options = [
    ListOption<"keep", "keep", "std::string",
               "globs of module paths or file:line whose values are kept "
               "where they are read">,
    Option<"target", "target", "std::string", "\"\"",
           "the target that says what computing a value again may read; none: a "
           "processor">,
    Option<"mostReads", "most-reads", "double", /*default=*/"0",
           "elements that computing a value again may read, as a multiple of "
           "its own; 0: what the target says">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

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
    Option<"narrowGflops", "narrow-gflops", "double", "0",
           "the same of library calls on bf16 and f16, in GFLOP/s; 0: as on "
           "others">,
    Option<"gbytesPerSecond", "gbytes-per-second", "double", "35",
           "bytes that the machine moves, in GB/s">,
    Option<"profile", "profile", "std::string", "\"\"",
           "file of 'reprise profile' with measured times of the ops; what is "
           "not in it costs what the two rates say, scaled to the others">,
    ListOption<"keep", "keep", "std::string",
               "globs of module paths or file:line whose ops are not executed "
               "again">];
  let dependentDialects = ["::reprise::rt_dialect::RtDialect"];
}

def RematToBudget : Pass<"remat-to-budget", "::mlir::ModuleOp"> {
  let summary = "computes values of any dialect again, to live in a budget";
  let description = [{
    Orders the ops of one function, the module's first one with a body or the
    one named `function`, and executes some of them again later, so that at most
    the budget's bytes are live at once, at little more cost than any schedule
    needs. The function holds a step: the forward pass, the backward pass and
    what else there is, as straight-line code in one block, of any dialect. Ops
    with regions are taken as a whole.

    What the planner asks of an op (what it costs, which bytes its results take,
    whether it may run again, what shares storage) is answered by
    `RematOpInterface`, by MLIR's interfaces for memory effects, views and
    destinations, or by the attributes of the `remat` dialect. What says nothing
    of itself is executed once, in the order of all such ops. An op whose regions
    read or write memory is one of these. Bufferization may leave a tensor in the
    memory that it is made of, as `bufferization.to_tensor` gives it: the readers
    of such a tensor, and of what is made of it without a copy, run again only
    between the writes that stand around them, and what updates it in place runs
    once. An unregistered op
    takes part when it has `remat.pure`. Where nothing says what an op costs, it
    is the larger one of its arithmetic over `gflops` and the bytes of its
    operands and results over `gbytes-per-second`. The arithmetic of an op of
    linalg is the iterations of its loops times the ops of its body, that of
    tosa's products likewise; of other ops it is one for each element of a
    result.

    Live bytes are those of ranked tensors and memrefs of static shape, and
    `remat.workspace`, each storage as a multiple of 64 bytes. They bound what
    bufferization holds at once after `one-shot-bufferize` with
    `bufferize-function-boundaries`, `buffer-deallocation-pipeline` and
    `optimize-allocation-liveness`:

    - A value lives from the op that makes it to the last one that reads it, both
      included, or to the end if it is returned. The reader of a view reads all
      that the view is made of.
    - The result of a destination-style op takes the storage of its destination
      if that ends there and the op reads it through no other operand and in no
      region. Elementwise ops of linalg may read it through other operands.
    - A value that may share a storage without being a view of it, such as one
      that is inserted into or selected, keeps that storage alive, and both are
      computed once. So is a view that is `remat.fixed`, and what it views.
    - An op with regions that does not say its workspace takes the most that
      lives at once inside: in the larger branch, or in one iteration of a loop
      beside what it carries. A call takes what the function called holds.
    - A result of a branch, of a call, or of a loop that cannot carry its value in
      one storage lives to the end, because deallocation knows its storage only
      when the program runs. If it could be any storage, as after a call, all
      values live to the end.
    - A function returns copies of arguments, of constants, of tensors in memory
      such as the result of `bufferization.to_tensor`, and of values that it
      returns twice.

    Arguments and constants themselves are not counted: they are there whatever
    the schedule. Nor are addresses assigned: how close an allocator comes to
    this is its own affair.

    The ops come out in the order of the schedule. What a clone reads goes
    through `remat.barrier`s that wait for the op in front of it, so that nothing
    merges the clone with its original; it has a number, `remat.recomputed`, that
    no other clone of the function has, whichever run of the pass made it. Every
    op that writes into a `tensor.empty` gets one of its own, numbered by
    `remat.destination`: ops that share one share a storage from the first of
    them to the last.
    Merge common subexpressions before, not after: that makes values live longer
    than was planned. Run `remat-erase-barriers` when nothing that merges or
    moves ops on values follows.

    One of `budget-bytes`, `budget-percent` (of the live bytes without
    recomputation, in the best order found) and `knee` (where the curve of time
    over bytes bends) says what is wanted.

    Remarks of the category `remat-to-budget` say what was chosen (`live_bytes`
    is the promise), and of every value that the backward pass reads, and every
    one computed again, why it is kept or recomputed.

    Fails when the budget is below the smallest that can be met; the error names
    that one, the bytes below which no schedule of these ops lives, and the
    largest values that pin it. Fails when the bytes of a result are not known.

    ```mlir
    func.func @step(%x: tensor<256xf32>) -> tensor<256xf32> {
      %a = "foreign.grow"(%x) {remat.pure}
        : (tensor<256xf32>) -> tensor<64x256xf32>
      %b = "foreign.sum"(%a) {remat.pure}
        : (tensor<64x256xf32>) -> tensor<256xf32>
      %c = "foreign.grow"(%b) {remat.pure}
        : (tensor<256xf32>) -> tensor<64x256xf32>
      %d = "foreign.sum"(%c) {remat.pure}
        : (tensor<64x256xf32>) -> tensor<256xf32>
      %e = "foreign.both"(%a, %d) {remat.pure}
        : (tensor<64x256xf32>, tensor<256xf32>) -> tensor<256xf32>
      return %e : tensor<256xf32>
    }
    // with budget-bytes=70000, %a is not kept while %c lives:
    //   %d = "foreign.sum"(%c) ...
    //   %x1 = remat.barrier %x after %d ...
    //   %a1 = "foreign.grow"(%x1) {remat.pure, remat.recomputed = 1 : i64} ...
    //   %e = "foreign.both"(%a1, %d) ...
    ```
  }];
  let dependentDialects = ["::reprise::remat::RematDialect"];
  let options = [
    Option<"budgetBytes", "budget-bytes", "uint64_t", "0",
           "most bytes live at once; 0: another option says what is wanted">,
    Option<"budgetPercent", "budget-percent", "double", "0",
           "budget as a share of the live bytes without recomputation">,
    Option<"knee", "knee", "bool", "false",
           "choose the budget at the knee of the curve">,
    Option<"function", "function", "std::string", "\"\"",
           "the function to work on; the first one with a body if empty">,
    Option<"work", "work", "double", "1.0",
           "effort of the search; 1 is some seconds for a thousand ops">,
    Option<"threads", "threads", "unsigned", "2", "threads of the search">,
    Option<"gflops", "gflops", "double", "400",
           "arithmetic that the machine does, in GFLOP/s">,
    Option<"gbytesPerSecond", "gbytes-per-second", "double", "35",
           "bytes that the machine moves, in GB/s">];
}

def RematEraseBarriers : Pass<"remat-erase-barriers"> {
  let summary = "takes remat.barrier ops away";
  let description = [{
    Replaces each barrier by its input. The order of the ops is then what is left
    of a schedule, and `remat.recomputed` all that tells clones from originals:
    where a pass rewrites ops and drops it, common-subexpression elimination on
    values merges them. Run it after such passes. What lowers to buffers and
    loops keeps the order.

    ```mlir
    func.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
      %x1 = remat.barrier %x after %y : tensor<8xf32>, tensor<8xf32>
      %r = "foreign.op"(%x1) : (tensor<8xf32>) -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
    // becomes
    //   %r = "foreign.op"(%x) : (tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
}

#endif // REPRISE_PASSES_REMATPASSES
