//===- CheckpointPasses.td - Annotated checkpointing --------*- tablegen -*-===//
#ifndef REPRISE_PASSES_CHECKPOINTPASSES
#define REPRISE_PASSES_CHECKPOINTPASSES

include "mlir/Pass/PassBase.td"

def SgAssignCheckpointing
    : Pass<"sg-assign-checkpointing", "::mlir::func::FuncOp"> {
  let summary = "annotates a model's blocks for checkpointing";
  let description = [{
    Modes:
    - `none`: removes every annotation.
    - `annotated`: leaves the model as it is.
    - `per-block`: annotates the innermost blocks.
    - `nested`: annotates every block.
    - `segments=N`: cuts the whole model at its narrow points, through which
      all later computation passes, into N consecutive segments of about equal
      forward bytes. The last one is not annotated: it would be computed again
      at once.
    - `sqrt`: cuts at every ceil(sqrt(C))-th of C narrow points (Chen et
      al. 2016, arXiv 1604.06174).
    - `threshold-bytes=B`: cuts after every convolution and matrix product, so
      that only their results are kept, where a segment holds a cheaper value
      of more than B bytes.

    No cut parts a convolution from a batch norm that `spares_x`: it is behind the norm
    then. Modes that cut dissolve the model's own blocks first. Works on a model,
    before differentiation.

    `recompute` annotates more blocks after the mode has done its part: those
    whose path (`layer1.0`) or source location (`model.mlir:12`) matches one of
    its globs. A glob that matches no block is an error.

    A mark `sg.recompute` on what stands in an annotated block is taken away:
    the block runs again as a whole. A mark on an input or a variable is an
    error.

    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = sg.module "layer1" (%a = %x : tensor<8xf32>) -> tensor<8xf32> {
        %r = sg.relu %a : tensor<8xf32>
        sg.yield %r : tensor<8xf32>
      }
      return %y : tensor<8xf32>
    }
    // becomes, with mode=per-block,
    //   %y = sg.module "layer1" (%a = %x : tensor<8xf32>) -> tensor<8xf32>
    //     attributes {activation_checkpointing} {
    ```
  }];
  let options = [Option<"mode", "mode", "std::string", "\"annotated\"",
    "none, annotated, per-block, nested, segments=N, sqrt or "
    "threshold-bytes=B">,
    ListOption<"recompute", "recompute", "std::string",
    "globs of paths or file:line of blocks to annotate as well">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgLowerCheckpointing
    : Pass<"sg-lower-checkpointing", "::mlir::func::FuncOp"> {
  let summary = "clones annotated blocks into the backward pass";
  let description = [{
    An annotated block hands out its results, and no residuals but statistics
    (batch-norm's mean and reciprocal deviation). In front of its mirror
    stands a clone of those of its ops whose values the mirror reads, fed by
    the block's inputs through `sg.barrier`, which waits for the mirror's
    cotangents. Writes are never cloned; an op of another dialect that a clone needs
    and that does not say that it has no effects is an error. Annotated blocks within a clone are
    lowered again.

    A result of the block that the backward pass keeps for another reason is
    read, not computed again.

    ```mlir
    sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>,
                                    init = #sg.init<zeros>}
    func.func @step(%x: tensor<8xf32>) -> tensor<f32> {
      %y, %r = sg.module "a" (%i = %x : tensor<8xf32>)
          -> (tensor<8xf32>, tensor<8xf32>)
          attributes {activation_checkpointing, instance = 0 : i64,
                      residuals = 1 : i64} {
        %w = sg.read @w : tensor<8xf32>
        %s = sg.add %i, %w : tensor<8xf32>
        %e = sg.exp %s : tensor<8xf32>
        %n = sg.neg %e : tensor<8xf32>
        sg.yield %n, %e : tensor<8xf32>, tensor<8xf32>
      }
      %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
      %dw = sg.backward of [@w] -> tensor<8xf32> {
        %one = sg.constant dense<1.0> : tensor<f32>
        %dy = sg.broadcast %one dims [] : tensor<f32> -> tensor<8xf32>
        %g = sg.module "a" (%d = %dy : tensor<8xf32>, %k = %r : tensor<8xf32>)
            -> tensor<8xf32>
            attributes {instance = 0 : i64, phase = #sg.phase<backward>} {
          %de = sg.neg %d : tensor<8xf32>
          %ds = sg.mul %de, %k : tensor<8xf32>
          sg.yield %ds : tensor<8xf32>
        }
        sg.yield %g : tensor<8xf32>
      }
      return %l : tensor<f32>
    }

    // "a" hands out its result only, and the mirror reads %r2, made before it by
    //   %b = sg.barrier(%x) after(%dy)
    //     : (tensor<8xf32>) after(tensor<8xf32>) -> tensor<8xf32>
    //   %r2 = sg.module "a" (%i = %b : tensor<8xf32>) -> tensor<8xf32>
    //       attributes {instance = 0 : i64, phase = #sg.phase<recompute>} {
    //     %w = sg.read @w : tensor<8xf32>
    //     %s = sg.add %i, %w : tensor<8xf32>
    //     %e = sg.exp %s : tensor<8xf32>
    //     sg.yield %e : tensor<8xf32>
    //   }
    ```
  }];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgRecomputeMarked : Pass<"sg-recompute-marked", "::mlir::func::FuncOp"> {
  let summary = "has the backward pass compute marked tensors again";
  let description = [{
    Of a flat function, with `sg.origin`. What the backward pass reads of a
    tensor that `sg.recompute` marks is made by clones, in front of the first op
    that reads of it: of the op that makes the tensor and of those of the same
    origin that lead to it. They read the layer's inputs through `sg.barrier`,
    which waits for the gradients that this op reads; statistics are kept. Marked
    tensors that are made of one another are made again together. The marks are
    gone then.

    ```mlir
    #f = #sg.origin<"act", forward>
    #b = #sg.origin<"act", backward>
    func.func @step(%x: tensor<8xf32>, %dy: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %e = sg.exp %x {sg.origin = #f} : tensor<8xf32>
      %m = sg.recompute %e {sg.origin = #f} : tensor<8xf32>
      %y = sg.neg %m {sg.origin = #f} : tensor<8xf32>
      %dz = sg.neg %dy {sg.origin = #b} : tensor<8xf32>
      %dx = sg.mul %dz, %e {sg.origin = #b} : tensor<8xf32>
      return %y, %dx : tensor<8xf32>, tensor<8xf32>
    }
    // The product reads %e1, made in front of it by
    //   %b = sg.barrier(%x) after(%dz) {sg.origin = #sg.origin<"act", recompute>}
    //   %e1 = sg.exp %b {sg.origin = #sg.origin<"act", recompute>}
    ```
  }];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgPrintKept : Pass<"sg-print-kept", "::mlir::func::FuncOp"> {
  let summary = "lists what the backward pass keeps";
  let description = [{
    One line a value that `sg.backward` captures: bytes, type, block, the op
    that makes it, source location; then the sum. Parameters are not listed:
    they are kept anyway.

    ```mlir
    sg.variable @w : tensor<8x4xf32> {role = #sg.role<parameter>,
                                      init = #sg.init<zeros>}
    func.func @f(%x: tensor<8x4xf32>) {
      %y = sg.module "layer1" (%a = %x : tensor<8x4xf32>) -> tensor<8x4xf32> {
        %r = sg.relu %a : tensor<8x4xf32>
        sg.yield %r : tensor<8x4xf32>
      }
      %dw = sg.backward of [@w] -> tensor<8x4xf32> {
        %g = sg.neg %y : tensor<8x4xf32>
        sg.yield %g : tensor<8x4xf32>
      }
      return
    }
    // kept in @f:
    //         128 bytes  tensor<8x4xf32>  layer1  sg.relu  (model.mlir:5)
    //         128 bytes in 1 values
    ```
  }];
}

#endif // REPRISE_PASSES_CHECKPOINTPASSES
