//===- TrainPasses.td - From a model to a training step -----*- tablegen -*-===//
#ifndef REPRISE_PASSES_TRAINPASSES
#define REPRISE_PASSES_TRAINPASSES

include "mlir/Pass/PassBase.td"

def SgDifferentiate : Pass<"sg-differentiate", "::mlir::ModuleOp"> {
  let summary = "adds the backward pass and the optimizer to a model";
  let description = [{
    Differentiates each function's loss, the scalar result of
    `#sg.binding<loss>` or else the first, for every variable of role
    `parameter` that it reads. Each `sg.module` gets a mirror
    in `sg.backward`; what a mirror reads of its block is handed out as
    additional, residual results. What the backward region captures is what is
    kept.

    `sg.batch_norm` becomes `sg.batch_norm_training` and writes of the running
    statistics. Then the parameters' updates follow. The learning rate is the
    argument of `#sg.binding<learning_rate>`, or a new last one. `emit-gradients`
    returns each gradient as a result named `gradient:PARAMETER`;
    `emit-nonfinite` returns as the result `nonfinite` whether the loss or a
    gradient has an element that is not finite.

    | optimizer | hyperparameters | |
    |---|---|---|
    | `sgd` | `momentum` 0.9, `weight-decay` 0 | with g = gradient + weight-decay * w and v' = momentum * v + g it writes w - learning_rate * v', and v' (`PARAMETER.momentum_buffer`) where momentum is not zero |
    | `adamw` | `beta1` 0.9, `beta2` 0.999, `epsilon` 1e-8, `weight-decay` 0.01 | PyTorch's AdamW; keeps `PARAMETER.exp_avg`, `PARAMETER.exp_avg_sq` and the powers of both betas |
    | `none` | | gradients alone |

    Fails at an op through which a gradient flows and that has neither a
    vector-Jacobian product nor a decomposition; with an optimizer, at an
    `sg.write` of the model to a variable of role `parameter`, which the
    optimizer writes, and at a symbol with the name of one of the optimizer's
    variables that is not a variable of role `optimizer_state` and its type.

    ```mlir
    sg.variable @w : tensor<8x4xf32> {role = #sg.role<parameter>,
                                      init = #sg.init<zeros>}
    func.func @f(%x: tensor<8x4xf32>) -> tensor<f32> {
      %w = sg.read @w : tensor<8x4xf32>
      %p = sg.mul %w, %x : tensor<8x4xf32>
      %l = sg.reduce_sum %p dims [0, 1] : tensor<8x4xf32> -> tensor<f32>
      return %l : tensor<f32>
    }
    // gains, with optimizer=none, before the return
    //   %dw = sg.backward of [@w] -> tensor<8x4xf32> {
    //     %one = sg.constant dense<1.000000e+00> : tensor<f32>
    //     %g = sg.broadcast %one dims [] : tensor<f32> -> tensor<8x4xf32>
    //     %gw = sg.mul %g, %x : tensor<8x4xf32>
    //     sg.yield %gw : tensor<8x4xf32>
    //   }
    ```
  }];
  let options = [
    Option<"optimizer", "optimizer", "std::string", "\"sgd\"",
           "sgd, adamw, or none to stop after the gradients">,
    ListOption<"hyperparameters", "hyperparameters", "std::string",
               "of the optimizer, as NAME=VALUE">,
    Option<"emitNonFinite", "emit-nonfinite", "bool", "false",
           "return whether the loss or a gradient is not finite">,
    Option<"emitGradients", "emit-gradients", "bool", "false",
           "return the gradients as results">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgAutocast : Pass<"sg-autocast", "::mlir::func::FuncOp"> {
  let summary = "runs a model's products in bf16 or f16";
  let description = [{
    Mixed precision, as PyTorch's autocast does it: variables, arguments and
    results keep their types, and each op of a model computes in the type that its
    rule says (`AutocastOpInterface`), casts standing between them.

    | rule | ops | |
    |---|---|---|
    | narrow | `matmul`, `conv2d` | operands in `type`, sums in f32, the result rounded once to `type`: behind the addition of a bias that nothing else reads |
    | wide | `cross_entropy`, `exp`, `global_avg_pool`, `layer_norm`, `log`, `reduce_sum`, `rsqrt`, `softmax` | f32 |
    | widest | arithmetic, `compare`, `concat`, `select` | the widest of the operands' types; constants and scalars say nothing |
    | first | all others | the type of the first operand |

    An op that has no rule has the operands that it was written for. A value is cast
    to a type once in a block. f64 and integers are left alone. Works on a model,
    before differentiation: a cast's derivative is the cast back, so that gradients
    of f32 variables are f32.

    ```mlir
    func.func @f(%x: tensor<8x4xf32>, %w: tensor<10x4xf32>) -> tensor<8x10xf32> {
      %y = sg.matmul %x, %w {transpose_b}
        : (tensor<8x4xf32>, tensor<10x4xf32>) -> tensor<8x10xf32>
      %r = sg.relu %y : tensor<8x10xf32>
      return %r : tensor<8x10xf32>
    }
    // with type=bf16 becomes
    //   %a = sg.cast %x : tensor<8x4xf32> to tensor<8x4xbf16>
    //   %b = sg.cast %w : tensor<10x4xf32> to tensor<10x4xbf16>
    //   %y = sg.matmul %a, %b {transpose_b}
    //     : (tensor<8x4xbf16>, tensor<10x4xbf16>) -> tensor<8x10xbf16>
    //   %r = sg.relu %y : tensor<8x10xbf16>
    //   %s = sg.cast %r : tensor<8x10xbf16> to tensor<8x10xf32>
    //   return %s : tensor<8x10xf32>
    ```
  }];
  let options = [Option<"type", "type", "std::string", "\"bf16\"",
                        "bf16 or f16">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgToInference : Pass<"sg-to-inference", "::mlir::func::FuncOp"> {
  let summary = "turns a model into its inference";
  let description = [{
    Drops checkpointing annotations, dropout and writes; batch normalization
    uses the running statistics. Works on a model, before differentiation.

    ```mlir
    func.func @f(%x: tensor<8xf32>, %seed: tensor<i64>, %step: tensor<i64>)
        -> tensor<8xf32> {
      %d = sg.dropout %x, %seed, %step
          {probability = 0.5 : f64, stream = 1 : i64}
        : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<8xf32>
      %y = sg.relu %d : tensor<8xf32>
      return %y : tensor<8xf32>
    }
    // becomes
    //   %y = sg.relu %x : tensor<8xf32>
    //   return %y : tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgFlatten : Pass<"sg-flatten", "::mlir::func::FuncOp"> {
  let summary = "inlines blocks and the backward region";
  let description = [{
    Every op but constants and reads then says by its attribute `sg.origin` where
    it came from: the path of the leaf, where `sg.path` says one, else of the block; the
    phase; the number of the block, where blocks are numbered.

    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = sg.module "layer1" (%a = %x : tensor<8xf32>) -> tensor<8xf32> {
        %r = sg.relu %a : tensor<8xf32>
        sg.yield %r : tensor<8xf32>
      }
      return %y : tensor<8xf32>
    }
    // becomes
    //   %y = sg.relu %x {sg.origin = #sg.origin<"layer1", forward>}
    //     : tensor<8xf32>
    //   return %y : tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgVerifyEffects : Pass<"sg-verify-effects", "::mlir::func::FuncOp"> {
  let summary = "proves that effects happen exactly once";
  let description = [{
    Fails when a variable is written more than once, when a write stands in a
    clone or in the backward region, when two different forward ops draw from
    one random stream, or when a clone draws from a stream that no forward op
    has. Works at every level of sg; `rt-verify-effects` proves the same of a
    program.

    ```mlir
    sg.variable @counter : tensor<i64> {role = #sg.role<counter>,
                                        init = #sg.init<zeros>}
    func.func @f(%a: tensor<i64>, %b: tensor<i64>) {
      sg.write @counter, %a : tensor<i64>
      sg.write @counter, %b : tensor<i64>
      return
    }
    // error: 'sg.write' op writes @counter a second time in one step
    // note: first written here
    ```
  }];
}

def SgVerifyLevel : Pass<"sg-verify-level", "::mlir::func::FuncOp"> {
  let summary = "checks that a function is at a level";
  let description = [{
    `model`: no sg.backward, no residuals, every block of phase forward.
    `train`: exactly one sg.backward, blocks specialized, each mirror with its
    block. `remat`: as train, and no annotated block hands out residuals other
    than statistics. `flat`: no blocks and no sg.backward, and where one op says
    by `sg.origin` where it comes from, all but constants and reads do.

    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = sg.module "layer1" (%a = %x : tensor<8xf32>) -> tensor<8xf32> {
        %r = sg.relu %a : tensor<8xf32>
        sg.yield %r : tensor<8xf32>
      }
      return %y : tensor<8xf32>
    }
    // with level=flat,
    // error: 'sg.module' op does not belong to a flat function
    ```
  }];
  let options = [Option<"level", "level", "std::string", "\"model\"",
                        "model, train, remat or flat">];
}

#endif // REPRISE_PASSES_TRAINPASSES
