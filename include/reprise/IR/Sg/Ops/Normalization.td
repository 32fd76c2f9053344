//===- Normalization.td - Normalization of batches and layers *- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_NORMALIZATION
#define REPRISE_IR_SG_OPS_NORMALIZATION

include "reprise/IR/Sg/Ops/OpBase.td"

def Sg_BatchNormOp : Sg_Op<"batch_norm", [AllTypesMatch<["x", "result"]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "batch normalization of a model, not yet specialized";
  let description = [{
    Normalizes over all dimensions except the last. In training, the op becomes
    `sg.batch_norm_training`, and running = (1 - momentum) * running + momentum *
    statistic is written, with the unbiased variance. In inference, it becomes
    `sg.batch_norm_inference` on the running statistics. Differentiation and
    `sg-to-inference` replace it.

    Scale, offset, running statistics and values computed from them have one element type:
    that of `x`, or f32 if `x` is bf16 or f16. The whole computation uses that type, and
    the result is rounded once, to the type of `x`.

    `spares_x` affects gradients: see `sg.batch_norm_training`.

    ```mlir
    %y = sg.batch_norm %x, %gamma, %beta
        {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64,
         running_mean = @"bn1.running_mean",
         running_variance = @"bn1.running_var"}
      : (tensor<8x4x4x64xf32>, tensor<64xf32>, tensor<64xf32>)
      -> tensor<8x4x4x64xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$x, Sg_FloatTensor:$gamma,
    Sg_FloatTensor:$beta, F64Attr:$epsilon, F64Attr:$momentum,
    FlatSymbolRefAttr:$running_mean, FlatSymbolRefAttr:$running_variance,
    UnitAttr:$spares_x);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $gamma `,` $beta attr-dict `:` functional-type(operands, results)
  }];
}

def Sg_BatchNormTrainingOp : Sg_InferredOp<"batch_norm_training"> {
  let summary = "normalizes by the batch's own statistics";
  let description = [{
    mean, variance (biased), rstd = 1 / sqrt(variance + epsilon), each over all dimensions
    except the last; y = (x - mean) * rstd * gamma + beta (Ioffe, Szegedy 2015, arXiv
    1502.03167). Element types are those of `sg.batch_norm`.

    With `spares_x`, the gradients are computed from the operands of the convolution of
    single points whose result is x, and not from x (`sg-spare-norm-operands`).

    ```mlir
    %y, %mean, %variance, %rstd = sg.batch_norm_training %x, %gamma, %beta
        {epsilon = 1.0e-05 : f64}
      : (tensor<8x4x4x64xf32>, tensor<64xf32>, tensor<64xf32>)
      -> (tensor<8x4x4x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$x, Sg_FloatTensor:$gamma,
                       Sg_FloatTensor:$beta, F64Attr:$epsilon,
                       UnitAttr:$spares_x);
  let results = (outs Sg_FloatTensor:$y, Sg_FloatTensor:$mean,
                      Sg_FloatTensor:$variance, Sg_FloatTensor:$rstd);
  let assemblyFormat = [{
    $x `,` $gamma `,` $beta attr-dict `:` functional-type(operands, results)
  }];
}

def Sg_NormalizeOp : Sg_InferredOp<"normalize"> {
  let summary = "(x - mean) * rstd * gamma + beta along the last dimension";
  let description = [{
    Computed from left to right, each operation rounded: the same arithmetic and bits as
    `sg.batch_norm_training` with known statistics. Element types are those of
    `sg.batch_norm`.

    ```mlir
    %y = sg.normalize %x, %mean, %rstd, %gamma, %beta
      : (tensor<8x4x4x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>,
         tensor<64xf32>) -> tensor<8x4x4x64xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$x, Sg_FloatTensor:$mean,
    Sg_FloatTensor:$rstd, Sg_FloatTensor:$gamma, Sg_FloatTensor:$beta);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}

def Sg_BatchNormInferenceOp : Sg_InferredOp<"batch_norm_inference"> {
  let summary = "normalizes by given statistics";
  let description = [{
    `sg.normalize` with rstd = 1 / sqrt(variance + epsilon). Element types are
    those of `sg.batch_norm`.

    ```mlir
    %y = sg.batch_norm_inference %x, %gamma, %beta, %mean, %variance
        {epsilon = 1.0e-05 : f64}
      : (tensor<8x4x4x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>,
         tensor<64xf32>) -> tensor<8x4x4x64xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$x, Sg_FloatTensor:$gamma,
    Sg_FloatTensor:$beta, Sg_FloatTensor:$mean, Sg_FloatTensor:$variance,
    F64Attr:$epsilon);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}

def Sg_BatchNormGradOp : Sg_InferredOp<"batch_norm_grad"> {
  let summary = "the gradients of batch_norm_training";
  let description = [{
    With xhat = (x - mean) * rstd and M elements a channel:
    dbeta = sum dy, dgamma = sum dy * xhat,
    dx = (gamma * rstd) * ((dy - dbeta / M) - xhat * (dgamma / M)).
    Element types are those of `sg.batch_norm`; dy and dx have that of x, dgamma
    and dbeta that of gamma.

    ```mlir
    %dx, %dgamma, %dbeta = sg.batch_norm_grad %x, %gamma, %mean, %rstd, %dy
      : (tensor<8x4x4x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>,
         tensor<8x4x4x64xf32>)
      -> (tensor<8x4x4x64xf32>, tensor<64xf32>, tensor<64xf32>)
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$x, Sg_FloatTensor:$gamma,
    Sg_FloatTensor:$mean, Sg_FloatTensor:$rstd, Sg_FloatTensor:$dy);
  let results = (outs Sg_FloatTensor:$dx, Sg_FloatTensor:$dgamma,
                      Sg_FloatTensor:$dbeta);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}

def Sg_LayerNormOp : Sg_InferredOp<"layer_norm"> {
  let summary = "normalizes along the last dimension";
  let description = [{
    mean, variance (biased), rstd = 1 / sqrt(variance + epsilon), each along the last
    dimension; y = (x - mean) * rstd * gamma + beta (Ba, Kiros, Hinton 2016, arXiv
    1607.06450). Scale and offset (C) have the type of `x` (...,C), or f32 if that is bf16
    or f16; mean and rstd (...) have the type of scale and offset. The whole computation
    uses that type, and y is rounded once, to the type of `x`.

    ```mlir
    %y, %mean, %rstd = sg.layer_norm %x, %gamma, %beta {epsilon = 1.0e-05 : f64}
      : (tensor<8x16x64xf32>, tensor<64xf32>, tensor<64xf32>)
      -> (tensor<8x16x64xf32>, tensor<8x16xf32>, tensor<8x16xf32>)
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$x, Sg_FloatTensor:$gamma,
                       Sg_FloatTensor:$beta, F64Attr:$epsilon);
  let results = (outs Sg_FloatTensor:$y, Sg_FloatTensor:$mean,
                      Sg_FloatTensor:$rstd);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}

def Sg_LayerNormGradOp : Sg_InferredOp<"layer_norm_grad"> {
  let summary = "the gradients of layer_norm";
  let description = [{
    With xhat = (x - mean) * rstd, g = dy * gamma and C elements a row:
    dbeta = sum dy, dgamma = sum dy * xhat, both over all but the last dimension;
    dx = rstd * ((g - sum g / C) - xhat * (sum(g * xhat) / C)), these sums along
    the last. Element types are those of `sg.layer_norm`; dy and dx have that of
    x, dgamma and dbeta that of gamma.

    ```mlir
    %dx, %dgamma, %dbeta = sg.layer_norm_grad %x, %gamma, %mean, %rstd, %dy
      : (tensor<8x16x64xf32>, tensor<64xf32>, tensor<8x16xf32>, tensor<8x16xf32>,
         tensor<8x16x64xf32>)
      -> (tensor<8x16x64xf32>, tensor<64xf32>, tensor<64xf32>)
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$x, Sg_FloatTensor:$gamma,
    Sg_FloatTensor:$mean, Sg_FloatTensor:$rstd, Sg_FloatTensor:$dy);
  let results = (outs Sg_FloatTensor:$dx, Sg_FloatTensor:$dgamma,
                      Sg_FloatTensor:$dbeta);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}

def Sg_RunningAverageOp
    : Sg_Op<"running_average", [Pure, AllTypesMatch<["initial", "result"]>]> {
  let summary = "a running average after several updates";
  let description = [{
    Row k of `rows` (R,N) updates the C averages by its elements from `start` on:
    a = a * keep + rows[k, start + c], one row after the other, each product and sum
    rounded. The bits are those of R updates by single ops.

    ```mlir
    %b = sg.running_average %a, %rows {keep = 9.0e-01 : f64, start = 32 : i64}
      : tensor<64xf32>, tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Sg_TensorOf<[F32, F64]>:$initial,
                       Sg_TensorOf<[F32, F64]>:$rows, I64Attr:$start,
                       F64Attr:$keep);
  let results = (outs Sg_TensorOf<[F32, F64]>:$result);
  let assemblyFormat = [{
    $initial `,` $rows attr-dict `:` type($result) `,` type($rows)
  }];
  let hasVerifier = 1;
}

#endif // REPRISE_IR_SG_OPS_NORMALIZATION
