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
    - `segments=N`: cuts the whole model at its narrow points, through which all
      later computation passes, into N consecutive segments of about equal forward
      bytes. The last one is not annotated, because it would be recomputed at once.
    - `sqrt`: cuts at every ceil(sqrt(C))-th of C narrow points (Chen et al. 2016,
      arXiv 1604.06174).
    - `threshold-bytes=B`: cuts after every convolution and matrix product, so that
      only their results are kept, where a segment contains a cheaper value of more
      than B bytes.

    No cut separates a convolution from a batch norm that `spares_x`; the cut is then
    after the norm. Modes that cut dissolve the model's own blocks first. Works on a
    model, before differentiation.

    After the mode has run, `recompute` annotates more blocks: those whose path
    (`layer1.0`) or source location (`model.mlir:12`) matches one of its globs. A glob
    that matches no block is an error.

    The pass removes a mark `sg.recompute` on a value inside an annotated block,
    because the block runs again as a whole. A mark on an input or a variable is an
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
    "one of the modes above">,
    ListOption<"recompute", "recompute", "std::string",
    "globs of paths or file:line of blocks to annotate as well">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgLowerCheckpointing
    : Pass<"sg-lower-checkpointing", "::mlir::func::FuncOp"> {
  let summary = "clones annotated blocks into the backward pass";
  let description = [{
    Annotated blocks return their results, and no residuals except statistics
    (batch-norm's mean and reciprocal deviation). In front of a block's mirror, the
    pass inserts a clone of the ops whose values the mirror reads. The clone reads the
    block's inputs through `sg.barrier`, which waits for the mirror's cotangents.
    Writes are never cloned. If a clone needs an op of another dialect that does not
    declare itself free of effects, the pass fails. Annotated blocks within a clone
    are lowered in turn.

    If the backward pass keeps a result of the block for another reason, it reads that
    result instead of recomputing it.

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
  let summary = "recomputes marked tensors in the backward pass";
  let description = [{
    Works on a flat function with `sg.origin`. For each tensor that `sg.recompute`
    marks, the pass clones the op that makes the tensor and the ops of the same origin
    that lead to it. The clones stand in front of the first backward op that reads the
    tensor, and the backward pass reads them. They read the layer's inputs through
    `sg.barrier`, which waits for the gradients that this op reads; statistics are
    kept. Marked tensors that are made of one another are recomputed together. The
    pass then removes the marks.

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
  let summary = "lists the values that the backward pass keeps";
  let description = [{
    Prints one line for each kept value, which `sg.backward` reads (bytes, type, block, the
    op that makes it, source location), then the sum. Parameters are not listed,
    because they are kept in any case.

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
