//===- TrainPasses.td - From a model to a training step -----*- tablegen -*-===//
#ifndef REPRISE_PASSES_TRAINPASSES
#define REPRISE_PASSES_TRAINPASSES

include "mlir/Pass/PassBase.td"

// The options of the ops that follow the gradients.
defvar StepEndOptions = [
    Option<"optimizer", "optimizer", "std::string", "\"sgd\"",
           "sgd, adam, adamw, or none to stop after the gradients">,
    ListOption<"hyperparameters", "hyperparameters", "std::string",
               "of the optimizer, as NAME=VALUE">,
    ListOption<"noWeightDecay", "no-weight-decay", "std::string",
               "globs of parameters without weight decay">,
    Option<"clipMode", "clip-mode", "std::string", "\"pre_defined\"",
           "maximum norm of the gradients: pre_defined, average or "
           "moving_average">,
    Option<"clipNorm", "clip-norm", "double", "0",
           "with pre_defined: maximum norm of all gradients together; 0 for "
           "none">,
    Option<"clipTolerance", "clip-tolerance", "double", "1",
           "with an average: its factor">,
    Option<"clipMomentum", "clip-momentum", "double", "0",
           "with moving_average: share of the old average that is kept">,
    Option<"clipNormType", "clip-norm-type", "std::string", "\"2\"",
           "norm of the gradients: 1, 2 or inf">,
    Option<"emitNonFinite", "emit-nonfinite", "bool", "false",
           "return whether the loss or a gradient is not finite">,
    Option<"emitGradients", "emit-gradients", "bool", "false",
           "return the gradients as results">,
    Option<"lossScaling", "loss-scaling", "bool", "false",
           "scale the loss so that f16 holds its gradients">];

def SgDifferentiate : Pass<"sg-differentiate", "::mlir::ModuleOp"> {
  let summary = "adds the backward pass and the optimizer to a model";
  let description = [{
    Differentiates each function's loss (the scalar result of `#sg.binding<loss>`, or else
    the first result) with respect to every variable of role `parameter` that it reads and
    that is not `sg.frozen` (see `sg-select-parameters`).
    Each `sg.module` gets a mirror in `sg.backward`. The block returns the values that its
    mirror reads as additional, residual results. The values that the backward region
    reads from outside are the kept ones.

    The uses of a value, or of a parameter by all its reads, contribute to one sum, from
    the last use to the first. Mirrors take the sum so far and return the next. The bits
    of the sum therefore do not depend on the blocks.

    `sg.batch_norm` becomes `sg.batch_norm_training` and writes of the running statistics.
    The parameters' updates follow. The learning rate is the argument of
    `#sg.binding<learning_rate>`, or a new last argument. `emit-gradients` returns each
    gradient as a result named `gradient:PARAMETER`. `emit-nonfinite` returns, as the
    result `nonfinite`, whether the loss or a gradient has an element that is not finite.
    With `emit-nonfinite`, the optimizer of such a step writes nothing, so that the step can
    run again; it updates no parameter before the last gradient exists.

    | optimizer | hyperparameters | |
    |---|---|---|
    | `sgd` | `momentum` 0.9, `weight-decay` 0, `nesterov` 0 | with g = gradient + weight-decay * w and v' = momentum * v + g, writes w - learning_rate * v', or with `nesterov` (0 or 1) w - learning_rate * (g + momentum * v'); also writes v' (`PARAMETER.momentum_buffer`) if momentum is not zero |
    | `adam` | `beta1` 0.9, `beta2` 0.999, `epsilon` 1e-8, `weight-decay` 0 | PyTorch's Adam, whose weight decay is part of the gradient; keeps the same variables as `adamw` |
    | `adamw` | `beta1` 0.9, `beta2` 0.999, `epsilon` 1e-8, `weight-decay` 0.01 | PyTorch's AdamW; keeps `PARAMETER.exp_avg`, `PARAMETER.exp_avg_sq` and the powers of both betas |
    | `none` | | gradients only |

    **Clipping.** `clip-norm` C multiplies the gradients that the optimizer takes by
    min(1, C / (norm + 1e-6)), as PyTorch's `clip_grad_norm_`. The norm is the square root
    of the sum of the squares of all gradients, in f32, and is the metric `gradient_norm`
    of the step. Every gradient therefore lives until the last one exists. The gradients
    that `emit-gradients` returns are not clipped. With `clip-norm-type` 1, the norm is
    the sum of the absolute values; with `inf`, it is the largest absolute value.

    `clip-mode` `average` and `moving_average` clip to `clip-tolerance` times an average
    of the norms of earlier steps before clipping: their mean, or with `clip-momentum` m
    the average a' = m * a + (1 - m) * norm, which starts with the first norm. The first
    step has no average and clips nothing. The average is the variable
    `gradient_norm.average`, an f64; `gradient_norm.count` is the number of norms in it. A
    norm that is not finite leaves both unchanged, and so does a step that loss scaling
    skips, which has no norm.

    **Loss scaling.** `loss-scaling` is dynamic loss scaling with the numbers of PyTorch's
    `GradScaler`. The loss is multiplied by the variable `loss_scale` (initially 65536)
    before differentiation, and the gradients are divided by it. A step with a gradient
    that is not finite leaves the parameters and the optimizer's variables unchanged and
    halves the scale. 2,000 consecutive other steps (`loss_scale.growth_tracker`) double
    it. It stays between 2^-14, the smallest normal number of f16, and 2^24; GradScaler
    has no limits. The scale is a metric of the step, and so is `loss_scale.skipped`: 1 if
    the step is skipped, else 0. No parameter is updated before the last gradient exists.
    `nonfinite` then describes the loss only.

    **Weight decay.** `norm-bias-weight-decay`, of all three optimizers, replaces
    `weight-decay` for parameters of rank 0 and 1: the scales and offsets of
    normalizations, and biases. Most recipes of transformers use 0. Only the rank decides:
    a table of positions, absolute or relative, decays like a matrix, unless
    `no-weight-decay` matches it. `no-weight-decay` are globs of the names of parameters
    without weight decay, in all optimizers. A glob that matches none is an error.

    `one-value-norms` accepts batch normalizations with one value for each channel, for a
    step that is compiled for its variables alone and never runs. `sync-ranks` prepares
    for `sg-synchronize-norms`: running variances are unbiased for the elements of so many
    ranks.

    **Failures.** The pass fails

    - at a batch normalization with one value for each channel, as PyTorch does: the
      gradients of what it normalizes are all zero. Normalizations over other dimensions
      and by running statistics may have one value;
    - at an op through which a gradient flows and that has neither a vector-Jacobian
      product nor a decomposition;
    - if gradients are clipped, at a result named `gradient_norm`; if they are clipped to
      an average, also at a symbol that has the name of one of the average's variables and
      not its type;
    - with an optimizer, at an `sg.write` of the model to a variable of role `parameter`,
      which the optimizer writes, and at a symbol that has the name of one of the
      optimizer's variables and is not a variable of role `optimizer_state` and its type.

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
  let options = !listconcat(StepEndOptions, [
    Option<"oneValueNorms", "one-value-norms", "bool", "false",
           "accept batch normalizations with one value for each channel">,
    Option<"syncRanks", "sync-ranks", "unsigned", "1",
           "ranks over whose batches batch normalization has its statistics">]);
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgAutocast : Pass<"sg-autocast", "::mlir::func::FuncOp"> {
  let summary = "runs a model's products in bf16 or f16";
  let description = [{
    Mixed precision, as in PyTorch's autocast. Variables, arguments and results keep their
    types. Each op of a model computes in the type that its rule gives
    (`AutocastOpInterface`), and casts convert between the types.

    | rule | ops | |
    |---|---|---|
    | narrow | `attention`, `matmul`, `conv2d` | operands in `type`, sums in f32, the result rounded once to `type`, after the addition of a bias if nothing else reads the product; the bias of a `matmul`, and of a convolution of patches, is an operand like the others |
    | wide | `cross_entropy`, `exp`, `global_avg_pool`, `layer_norm`, `log`, `reduce_sum`, `rsqrt`, `softmax` | f32 |
    | widest | arithmetic, `compare`, `concat`, `select` | the widest of the operands' types; constants and scalars do not count |
    | first | all others | the type of the first operand |

    An op without a rule keeps the operand types that it was written with. A value is cast
    to a type once in a block. f64 and integers are left alone. Works on a model, before
    differentiation: a cast's derivative is the cast back, so gradients of f32 variables
    are f32.

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

def SgChangeLoss : Pass<"sg-change-loss", "::mlir::func::FuncOp"> {
  let summary = "applies label smoothing, class weights, ignored labels and mixup";
  let description = [{
    Works on a model whose loss is the mean of `sg.cross_entropy` over its rows: the sum
    divided by their number or multiplied by its reciprocal. Losses that
    `sg.auxiliary_loss` adds are changed in the same way. Runs before differentiation.
    Evaluation uses the original model, except that ignored labels are ignored there too.

    `label-smoothing` e and `class-weights` w are those of PyTorch's `CrossEntropyLoss`
    (`label_smoothing`, `weight`). With K classes, l the losses of the rows, y their
    labels, and p the probabilities of the logits, the loss becomes

        sum over n of (1 - e) w[y] l + e/K (sum over k of -w[k] log p[k])
        -----------------------------------------------------------------
                          sum over n of w[y]

    where w is 1 without weights. A batch whose labels all have weight 0 has no loss: the
    result is NaN.

    `mixup` mixes each row of the arguments of role data with the row before it, and the
    first with the last: r x + (1 - r) x' replaces x. r is a new last argument of role
    `mix_ratio`. The loss becomes r a + (1 - r) b, where a uses the labels of the rows and
    b those of the rows before them.

    `ignore-index` removes rows with that label, as PyTorch's `ignore_index`: their share
    of the sum is 0, and so is their w[y]. `sg.cross_entropy` becomes one that ignores
    them. A model whose op already ignores labels is changed in the same way. A batch of
    ignored rows only has no loss: the result is NaN.

    Fails

    - if the model has another loss, or its op ignores another label;
    - if the number of weights is not the number of classes, or weights are negative, not
      finite, or all 0;
    - with `mixup`, at a batch of one row, and at data that are not floating-point
      numbers.

    ```mlir
    func.func @f(%x: tensor<8x10xf32>, %y: tensor<8xi32>)
        -> (tensor<f32> {sg.binding = #sg.binding<loss>}) {
      %losses, %lse = sg.cross_entropy %x, %y
        : (tensor<8x10xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>)
      %s = sg.reduce_sum %losses dims [0] : tensor<8xf32> -> tensor<f32>
      %n = sg.constant dense<8.0> : tensor<f32>
      %l = sg.div %s, %n : tensor<f32>
      return %l : tensor<f32>
    }
    // with label-smoothing=0.1 has, in place of the losses,
    //   %m = sg.compare eq %classes, %labels
    //   %p = sg.select %m, %x, %zero
    //   %c = sg.reduce_sum %p dims [1]
    //   %t = sg.reduce_sum %x dims [1]
    //   %a = sg.div %t, %ten
    //   %d = sg.sub %c, %a
    //   %e = sg.mul %d, %tenth
    //   %r = sg.add %losses, %e
    ```
  }];
  let options = [Option<"labelSmoothing", "label-smoothing", "double", "0",
                        "share of a label that all classes have">,
                 ListOption<"classWeights", "class-weights", "double",
                            "weight of each class; none: 1">,
                 Option<"ignoreIndex", "ignore-index", "int64_t",
                        "std::numeric_limits<int64_t>::min()",
                        "label whose rows do not count; the least i64: none">,
                 Option<"mixup", "mixup", "bool", "false",
                        "mix each image with another of its batch">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgSelectParameters : Pass<"sg-select-parameters", "::mlir::ModuleOp"> {
  let summary = "freezes parameters and scales their learning rates";
  let description = [{
    Marks variables of role `parameter` for fine-tuning, by globs of their names.
    `sg-differentiate` computes no gradient of a variable with the unit attribute
    `sg.frozen`, so that the optimizer keeps no variable for it and the backward pass
    keeps no activation for it alone. An optimizer multiplies the learning rate of a
    variable with the f64 `sg.rate_scale` by that factor. A model may say both itself.

    `freeze` takes globs in order, of which the last that matches a parameter decides; one
    that begins with `!` excepts: `*` and `!fc.*` freeze all but the head. With
    `freeze-norms`, batch normalizations whose scale and offset are both frozen normalize
    by their running statistics and leave them unchanged. Without it they normalize by the
    batch and update the statistics, as in PyTorch.

    `lr-scale` takes GLOB=FACTOR. `layer-decay` D multiplies the rate of a parameter by
    D^(L - l), where l is its layer and L the last one. The parameters that one block
    reads, without the blocks in it, are a layer; so are those that are read between two
    blocks. Layers are numbered in the order of the model, and a parameter belongs to the
    first that reads it. All factors of a parameter are multiplied.

    A glob that matches no parameter is an error, as is a model of which everything is
    frozen.

    ```mlir
    sg.variable @backbone : tensor<4xf32> {role = #sg.role<parameter>,
                                           init = #sg.init<zeros>}
    sg.variable @head : tensor<4xf32> {role = #sg.role<parameter>,
                                       init = #sg.init<zeros>}
    func.func @f() -> tensor<f32> {
      %a = sg.read @backbone : tensor<4xf32>
      %b = sg.read @head : tensor<4xf32>
      %p = sg.mul %a, %b : tensor<4xf32>
      %l = sg.reduce_sum %p dims [0] : tensor<4xf32> -> tensor<f32>
      return %l : tensor<f32>
    }
    // with freeze=b*:
    //   sg.variable @backbone : tensor<4xf32> {init = #sg.init<zeros>,
    //     role = #sg.role<parameter>, sg.frozen}
    ```
  }];
  let options = [
    ListOption<"freeze", "freeze", "std::string",
               "globs of parameters that are not trained; '!' before one "
               "excepts">,
    Option<"freezeNorms", "freeze-norms", "bool", "false",
           "normalize frozen batch normalizations by running statistics">,
    ListOption<"rateScales", "lr-scale", "std::string",
               "factors of learning rates, as GLOB=FACTOR">,
    Option<"layerDecay", "layer-decay", "double", "1",
           "factor of the learning rate from a layer to the one before it">];
}

def SgBoundIndices : Pass<"sg-bound-indices", "::mlir::func::FuncOp"> {
  let summary = "records which integers ops accept from arguments";
  let description = [{
    Adds `sg.index_ranges` to integer arguments that choose classes or rows, and replaces
    existing ones. A range is the smallest number of classes, and of rows, among the ops
    that read an element. The pass follows arguments through casts, reshapes, broadcasts,
    transpositions, slices, cyclic shifts, copies, marks and `sg.module`s to

    - `sg.cross_entropy`: classes, and the label that it ignores,
    - a comparison of a label, by its role, for equality with the numbers of the classes
      (`sg.iota`, or a constant 0, 1, 2, ...), as in a one-hot encoding: classes, and the
      label of the same argument that `sg.cross_entropy` ignores,
    - `sg.gather`: rows.

    An element counts only if it is read in every row of the argument. Indices that are
    computed in other ways have no range: `sg.gather` gives zero for those outside its
    table. Arguments of more than 2^24 elements have no range either.

    ```mlir
    func.func @f(%x: tensor<8x10xf32>, %y: tensor<8xi32>) -> tensor<8xf32> {
      %losses, %lse = sg.cross_entropy %x, %y
        : (tensor<8x10xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>)
      return %losses : tensor<8xf32>
    }
    // becomes
    //   func.func @f(%x: tensor<8x10xf32>, %y: tensor<8xi32>
    //       {sg.index_ranges = [#sg.index_range<class 10 at [0, 1]>]})
    ```
  }];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgToInference : Pass<"sg-to-inference", "::mlir::func::FuncOp"> {
  let summary = "turns a model into its inference form";
  let description = [{
    Removes checkpointing annotations, dropout, auxiliary losses and writes. Batch
    normalization uses the running statistics. Works on a model, before differentiation.

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
    Afterwards, the attribute `sg.origin` of every op except constants and reads names its
    origin: the path of the leaf if `sg.path` gives one, else of the block; the phase; and
    the number of the block, if blocks are numbered.

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

def SgAccumulateGradients
    : Pass<"sg-accumulate-gradients", "::mlir::func::FuncOp"> {
  let summary = "makes a step from several micro-batches";
  let description = [{
    Takes a flat, differentiated function that returns gradients, as
    `sg-differentiate{optimizer=none emit-gradients}` and `sg-flatten` leave it. This
    function is the step of one micro-batch; the result is a step on `micro-batches` times
    the rows. Arguments of role data and label are taken in parts, one after the other.
    Gradients, loss and metrics are the means over the micro-batches. Logits and other
    results are joined along their rows.

    A micro-batch begins after a barrier that waits for the sums of the previous
    gradients, so that its activations are never live together with those of another one.

    A variable that the model writes, such as running statistics or a counter of steps,
    passes from one micro-batch to the next as it would from step to step. The next
    micro-batch reads what the one before it would have written, and only the last value
    is written. Batch normalization sees micro-batches; with it, the mean of the gradients
    is therefore not the gradient of the whole batch. Micro-batch k draws from stream s +
    k * 2^20 where the model draws from stream s.

    Fails at an update of a parameter, at blocks, at data or labels of another number of
    rows, and at a result of another kind.

    ```mlir
    sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>,
                                    init = #sg.init<zeros>}
    func.func @f(%x: tensor<2x4xf32>)
        -> (tensor<f32> {sg.binding = #sg.binding<loss>},
            tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
      %w = sg.read @w : tensor<4xf32>
      %g = sg.reduce_sum %x dims [0] : tensor<2x4xf32> -> tensor<4xf32>
      %p = sg.mul %g, %w : tensor<4xf32>
      %l = sg.reduce_sum %p dims [0] : tensor<4xf32> -> tensor<f32>
      return %l, %g : tensor<f32>, tensor<4xf32>
    }
    // with micro-batches=2 becomes, of %x : tensor<4x4xf32>,
    //   %x0 = sg.slice %x [0, 0] to [2, 4] by [1, 1]
    //   %g0 = sg.reduce_sum %x0 dims [0]
    //   (...)
    //   %b = sg.barrier(%x) after(%g0)
    //   %x1 = sg.slice %b [2, 0] to [4, 4] by [1, 1]
    //   %g1 = sg.reduce_sum %x1 dims [0]
    //   %s = sg.add %g0, %g1
    //   (...)
    //   %g = sg.div %s, %two
    ```
  }];
  let options = [Option<"microBatches", "micro-batches", "unsigned", "1",
                        "micro-batches of a step">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

include "reprise/Passes/RankPasses.td"

def SgUpdateParameters : Pass<"sg-update-parameters", "::mlir::ModuleOp"> {
  let summary = "adds the optimizer to functions of gradients";
  let description = [{
    The last part of `sg-differentiate`, for functions whose gradients other passes change
    first. Results of role gradient become updates, clipped if requested. Options and
    failures are those of `sg-differentiate`.

    ```mlir
    sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>,
                                    init = #sg.init<zeros>}
    func.func @f(%x: tensor<4xf32>)
        -> (tensor<f32> {sg.binding = #sg.binding<loss>},
            tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
      %w = sg.read @w : tensor<4xf32>
      %p = sg.mul %x, %w : tensor<4xf32>
      %l = sg.reduce_sum %p dims [0] : tensor<4xf32> -> tensor<f32>
      return %l, %x : tensor<f32>, tensor<4xf32>
    }
    // with hyperparameters=momentum=0 returns the loss alone, and before that
    //   %r = sg.broadcast %learning_rate dims []
    //   %s = sg.mul %r, %x
    //   %n = sg.sub %w, %s
    //   sg.write @w, %n
    ```
  }];
  let options = StepEndOptions;
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgAverageVariables : Pass<"sg-average-variables", "::mlir::ModuleOp"> {
  let summary = "keeps moving averages of the variables that steps update";
  let description = [{
    Adds to flat training steps the exponential moving average of each parameter and each
    running statistic that they write:

        NAME.ema += (1 - decay) * (next value of NAME - NAME.ema)

    which is decay * NAME.ema + (1 - decay) * next without its rounding of two factors
    whose sum is not 1. An average is a variable of role `optimizer_state` of its
    variable's type, f32 or f64; the runtime begins it with the variable's value.
    Parameters that a step does not write (frozen ones) have none. `keeps-by` names the
    result by which a step says that its parameters keep their values; averages then keep
    theirs.

    ```mlir
    sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>,
                                    init = #sg.init<ones>}
    func.func @f(%next: tensor<4xf32>) {
      sg.write @w, %next : tensor<4xf32>
      return
    }
    // with decay=0.75 the write is followed by
    //   %a = sg.read @w.ema
    //   %d = sg.sub %next, %a
    //   %s = sg.mul %d, (0.25)
    //   %n = sg.add %a, %s
    //   sg.write @w.ema, %n
    ```
  }];
  let options = [
      Option<"decay", "decay", "double", "0.9999",
             "share of an average that a step keeps">,
      Option<"keepsBy", "keeps-by", "::reprise::KeepsBy",
             "::reprise::KeepsBy::None",
             "the result by which a step says that variables keep their values",
             [{::llvm::cl::values(
                 clEnumValN(::reprise::KeepsBy::None, "none", "there is none"),
                 clEnumValN(::reprise::KeepsBy::Skipped, "skipped",
                            "the flag of loss scaling"),
                 clEnumValN(::reprise::KeepsBy::NonFinite, "nonfinite",
                            "the last one of role nonfinite"))}]>];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgVerifyEffects : Pass<"sg-verify-effects", "::mlir::func::FuncOp"> {
  let summary = "proves that effects happen exactly once";
  let description = [{
    Fails if a variable is written more than once, if a write is in a clone or in the
    backward region, if two different forward ops draw from the same random stream, or if
    a clone draws from a stream that no forward op has. Works at every level of sg;
    `rt-verify-effects` proves the same for a program.

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
    - `model`: no sg.backward, no residuals, every block of phase forward.
    - `train`: exactly one sg.backward, specialized blocks, each mirror with its block.
    - `remat`: as `train`, and no annotated block returns residuals other than statistics.
    - `flat`: no blocks and no sg.backward; if one op has `sg.origin`, all ops except
      constants and reads have it.

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
