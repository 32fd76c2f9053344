//===- RematPasses.td - Automatic rematerialization ---------*- tablegen -*-===//
#ifndef REPRISE_PASSES_REMATPASSES
#define REPRISE_PASSES_REMATPASSES

include "reprise/Passes/Rates.td"

def SgRecomputeCheap : Pass<"sg-recompute-cheap", "::mlir::func::FuncOp"> {
  let summary = "recomputes cheap values in the kernels that read them";
  let description = [{
    Works on a flat function of primitives and library ops (after `sg-decompose`).
    For every value that the backward pass or a recomputation reads from an earlier
    phase, the pass decides whether to keep it or to recompute it from kept values.
    Recomputation uses ops that work element by element, move or repeat elements, or
    draw random numbers: in one kernel with their reader, these take hardly any
    time. A minimum cut chooses the kept values: those with the fewest bytes and,
    among equals, with the least recomputation.

    The pass never repeats

    - reductions and library ops;
    - a value whose recomputation would read more than `most-reads` times its own
      elements;
    - the result of more than 24 such ops in a row, of as many elements, that start
      from kept values or from the inputs of an annotated block.

    By default, the target sets `most-reads`: 3.5 on a processor (three values of the
    same size, and small ones), and 1.5 on a GPU, whose kernels are as fast as its
    memory. A GPU thus keeps sums and values that are moved after something was
    recomputed, and recomputes only what a kernel makes of one value.

    A repeated op takes the origin of its reader. An op of a recomputation that has
    no reader left is removed.

    A library op that reads a recomputed value waits for a kernel that recomputes
    the value for a reduction, if that kernel runs next and nothing reads the
    library op's results before it: the gradient of a filter takes the activation
    from the kernel that needs its mask. It also waits for a kernel that computes
    part of the value on the way to another one; that kernel then makes both: the
    gradient of a weight takes a GELU's values from the kernel of its slopes.

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
           "the target that says what recomputing a value may read; none: a "
           "processor">,
    Option<"mostReads", "most-reads", "double", /*default=*/"0",
           "elements that recomputing a value may read, as a multiple of its "
           "own; 0: what the target says">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgRoundKept : Pass<"sg-round-kept", "::mlir::func::FuncOp"> {
  let summary = "rounds the values that the backward pass keeps";
  let description = [{
    Works on a flat function of primitives and library ops, after
    `sg-recompute-cheap`. Every value of the forward pass that a later phase reads is
    stored in the type `type`, and what reads it later reads the rounded numbers. The
    forward pass and its loss stay as they are; **gradients become approximate**.

    With `bf16`, a value is cast. With `fp8`, each row along the last dimension is
    divided by its largest magnitude / 448, so that the row fits the 8-bit format, and
    becomes bytes (`sg.encode_fp8`) beside one factor for each row.

    The pass leaves exact

    - arguments, variables and results, which exist in any case;
    - values of at most `exact-bytes`, and statistics: results that are smaller than
      another one of their op, as an attention's log-sum-exp, and values that only
      pointwise ops separate from a reduction, such as a mean, a reciprocal deviation, or
      the sum of a softmax;
    - values that are not wider than the type, and, with `fp8`, rows of fewer than 8
      elements, whose factors would take more than they save.

    Recomputation to meet a budget starts from exact values, so that the bits are those
    without a budget. A checkpointing mode keeps other values, and so rounds others.

    ```mlir
    func.func @f(%x: tensor<64x32xf32>, %w: tensor<32x32xf32>,
                 %dy: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
      %h = sg.matmul %x, %w {sg.origin = #sg.origin<"fc", forward>}
        : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
      %y = sg.exp %h {sg.origin = #sg.origin<"act", forward>} : tensor<64x32xf32>
      %d = sg.mul %dy, %h {sg.origin = #sg.origin<"act", backward>}
        : tensor<64x32xf32>
      return %y, %d : tensor<64x32xf32>, tensor<64x32xf32>
    }
    // %h is kept as
    //   %s = sg.cast %h : tensor<64x32xf32> to tensor<64x32xbf16>
    // and the backward pass reads
    //   %r = sg.cast %s : tensor<64x32xbf16> to tensor<64x32xf32>
    ```
  }];
  let options = [
    Option<"type", "type", "std::string", "\"bf16\"",
           "the type that kept values are rounded to: bf16 or fp8">,
    Option<"exactBytes", "exact-bytes", "uint64_t", "4096",
           "values of at most so many bytes stay exact">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgRematerialize : Pass<"sg-rematerialize", "::mlir::ModuleOp"> {
  let summary = "recomputes values so that a step fits a budget";
  let description = [{
    Orders the ops of the module's step (its first function, or the one named
    `function`) and repeats some of them later, so that the whole program, with
    variables and constants, takes at most the budget. The cost is little more than
    that of any schedule. The functions must be flat and contain kernels and library
    ops only (after `sg-form-kernels`). Recomputation by annotated blocks is already
    part of the step.

    The pass writes the function's ops in the order of the schedule and marks the
    function `sg.scheduled`, so that `sg-lower-to-rt` keeps the order and the
    addresses. The attribute `sg.offsets` of each op gives the addresses of its
    results and its workspace; `sg.offset` gives those of arguments. Addresses are in
    bytes from the end of variables and constants. A clone reads its operands through
    an `sg.barrier` that waits for the op in front of it, and the phase of its
    `sg.origin` is `recompute`.

    One of three options sets the budget: `budget-bytes`, `budget-percent` (of the
    program without recomputation) or `knee` (where the curve of time over bytes
    bends). The schedules that are tried do not depend on the budget: a smaller budget
    never gives a larger peak, and a larger one never costs more.

    With `host-bytes`, a value may also be copied to host memory (`sg.offload`) and
    back (`sg.fetch`), at the rate of the link and beside the ops. The schedule is the
    one that takes the least time with its waits for copies; without a better one, it
    is the one of recomputation alone.

    Costs of ops come from a roofline, or from a profile of measured times.

    Every value that the backward pass reads, and every recomputed one, gets a remark
    of the category `sg-rematerialize`: why it is kept or recomputed, its bytes and
    its milliseconds.

    Fails if the budget is below the smallest one found. The error names that
    budget, the bytes below which no schedule of these kernels exists, and the largest
    values that cause them.

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
  let options = !listconcat([
    Option<"budgetBytes", "budget-bytes", "uint64_t", "0",
           "bytes of the whole program; 0: another option gives the budget">,
    Option<"budgetPercent", "budget-percent", "double", "0",
           "budget as a share of the program without recomputation">,
    Option<"knee", "knee", "bool", "false",
           "choose the budget at the knee of the curve">,
    Option<"hostBytes", "host-bytes", "uint64_t", "0",
           "bytes of host memory that values may be copied to; 0: none">,
    Option<"hostGbytesPerSecond", "host-gbytes-per-second", "double", "0",
           "rate of copies to the host and, at the same time, from there, in "
           "GB/s">,
    Option<"hostMicroseconds", "host-microseconds", "double", "5",
           "latency of such a copy">,
    Option<"function", "function", "std::string", "\"\"",
           "the function to work on; the module's first one if empty">,
    Option<"work", "work", "double", "1.0",
           "effort of the search; 1 is some seconds for a thousand ops">,
    Option<"threads", "threads", "unsigned", "2",
           "threads that library calls are planned for and the search uses">,
    Option<"target", "target", "std::string", "\"cpu:native\"",
           "device that it is for, as of sg-lower-to-rt">,
    Option<"profile", "profile", "std::string", "\"\"",
           "file of 'reprise profile' with measured times of the ops; what is "
           "not in it costs what the two rates say, scaled to the others">,
    ListOption<"keep", "keep", "std::string",
               "globs of module paths or file:line whose ops are not "
               "recomputed">], MachineRates);
  let dependentDialects = ["::reprise::rt_dialect::RtDialect"];
}

def RematToBudget : Pass<"remat-to-budget", "::mlir::ModuleOp"> {
  let summary = "recomputes values of any dialect to meet a budget of live bytes";
  let description = [{
    Orders the ops of one function (the module's first one with a body, or the one
    named `function`) and repeats some of them later, so that at most the budget's
    bytes are live at once. The cost is little more than that of any schedule. The
    function contains a step: the forward pass, the backward pass and anything else,
    as straight-line code in one block, of any dialect. The pass treats an op with
    regions as a whole.

    The planner needs to know what an op costs, which bytes its results take, whether
    it may run again, and what shares storage. It asks `RematOpInterface`, MLIR's
    interfaces for memory effects, views and destinations, and the attributes of the
    `remat` dialect. An op that none of these describe runs once, in the order of all
    such ops. So does an op whose regions read or write memory. An unregistered op
    takes part if it has `remat.pure`.

    Bufferization may leave a tensor in the memory from which it is made, as
    `bufferization.to_tensor` does. The readers of such a tensor, and of everything
    that is made of it without a copy, run again only between the surrounding writes.
    An op that updates it in place runs once.

    Without other information, an op costs the larger of its arithmetic over `gflops`
    and the bytes of its operands and results over `gbytes-per-second`. The arithmetic
    of a linalg op is the iterations of its loops times the ops of its body; that of
    tosa's products is computed likewise. Other ops count one for each element of a
    result.

    Live bytes are those of ranked tensors and memrefs of static shape, and
    `remat.workspace`, each storage as a multiple of 64 bytes. They bound what
    bufferization holds at once after `one-shot-bufferize` with
    `bufferize-function-boundaries`, `buffer-deallocation-pipeline` and
    `optimize-allocation-liveness`:

    - A value lives from the op that makes it to the last one that reads it, both
      included, or to the end if it is returned. The reader of a view reads
      everything that the view is made of.
    - The result of a destination-style op takes the storage of its destination if
      that ends there and the op reads it through no other operand and in no region.
      Elementwise ops of linalg may read it through other operands.
    - A value that may share a storage without being a view of it, such as one that
      is inserted into or selected, keeps that storage alive, and both are computed
      once. The same applies to a view that is `remat.fixed`, and to what it views.
    - An op with regions that does not declare its workspace takes the most that
      lives at once inside: in the larger branch, or in one iteration of a loop plus
      the values that it carries. A call takes what the called function holds.
    - A result of a branch, of a call, or of a loop that cannot carry its value in one
      storage lives to the end, because deallocation learns its storage only at run
      time. If it could be any storage, as after a call, all values live to the end.
    - A returned value has the storage of an argument that the caller gives up for it
      (`tf.aliasing_output`, `jax.buffer_donor`) and no bytes of its own, if nothing
      reads the argument after the value's op; that op then runs once. Upstream's
      bufferization ignores these attributes.
    - A function returns copies of arguments, of constants, of tensors in memory such
      as the result of `bufferization.to_tensor`, and of values that it returns twice.

    Arguments and constants are not counted, because every schedule has them. The pass
    assigns no addresses; how close an allocator comes to the live bytes depends on
    the allocator.

    The pass writes the ops in the order of the schedule. A clone reads its operands
    through `remat.barrier`s that wait for the op in front of it, so that nothing
    merges the clone with its original. Its number, `remat.recomputed`, differs from
    that of every other clone in the function, also across runs of the pass. Every op
    that writes into a `tensor.empty` gets one of its own, numbered by
    `remat.destination`: ops that share one share a storage from the first of them to
    the last.

    Merge common subexpressions before this pass, not after it: merging makes values
    live longer than planned. Run `remat-erase-barriers` once no pass that merges or
    moves ops on values follows.

    One of three options sets the budget: `budget-bytes`, `budget-percent` (of the
    live bytes without recomputation, in the best order found) or `knee` (where the
    curve of time over bytes bends).

    Remarks of the category `remat-to-budget` report the choice (`live_bytes` is the
    promise) and, for every value that the backward pass reads and every recomputed
    one, why it is kept or recomputed.

    Fails if the budget is below the smallest one found. The error names that
    budget, the bytes below which no schedule of these ops exists, and the largest
    values that cause them. Fails also if the bytes of a result are not known.

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
  let options = !listconcat([
    Option<"budgetBytes", "budget-bytes", "uint64_t", "0",
           "most bytes live at once; 0: another option gives the budget">,
    Option<"budgetPercent", "budget-percent", "double", "0",
           "budget as a share of the live bytes without recomputation">,
    Option<"knee", "knee", "bool", "false",
           "choose the budget at the knee of the curve">,
    Option<"function", "function", "std::string", "\"\"",
           "the function to work on; the first one with a body if empty">,
    Option<"work", "work", "double", "1.0",
           "effort of the search; 1 is some seconds for a thousand ops">,
    Option<"threads", "threads", "unsigned", "2", "threads of the search">], WideRates);
}

def RematEraseBarriers : Pass<"remat-erase-barriers"> {
  let summary = "removes remat.barrier ops";
  let description = [{
    Replaces each barrier by its input. Then only the order of the ops is left of a
    schedule, and only `remat.recomputed` distinguishes clones from originals. If a
    pass rewrites ops and drops that attribute, common-subexpression elimination on
    values merges them, so run this pass after such passes. Lowering to buffers and
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
