//===- SgTransformerOps.td - Layers of transformers ---------*- tablegen -*-===//
#ifndef REPRISE_IR_SGTRANSFORMEROPS
#define REPRISE_IR_SGTRANSFORMEROPS

include "reprise/IR/SgPointwiseOps.td"
include "reprise/IR/SgShapeOps.td"

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

def Sg_AttentionOp : Sg_InferredOp<"attention", [
    AttrSizedOperandSegments, RandomOpInterface]> {
  let summary = "self-attention that does not have to store its scores";
  let description = [{
    Self-attention of queries q, keys k and values v of each head, side by side in `qkv`
    (B,N,3,H,D): N tokens of H heads of D numbers. The scores are s = scale (q . k) +
    bias, (B,H,N,N); lse = log sum e^s along the last dimension, (B,H,N); result = e^(s -
    lse) v, (B,N,H,D) (Vaswani et al. 2017, arXiv 1706.03762). A bias (P,H,N,N) is added
    to the scores of sample b at row b mod P: distances in windows, masks.

    With `dropout`, weights are dropped as `sg.dropout` of the same probability and stream
    drops elements of a tensor (B,H,N,N), and lse includes all of them.

    The result has the type of `qkv`. lse and bias have that type, or f32 if it is bf16 or
    f16. Scores are then f32, and weights are rounded to the type of `qkv` before they are
    multiplied by v.

    A library with this function runs it by tiles of some queries at a time, whose scores
    stay in a cache. `sg-choose-attention` decides where that happens.

    ```mlir
    %y, %lse = sg.attention %qkv {scale = 0.25 : f64}
      : (tensor<8x49x3x4x16xf32>)
      -> (tensor<8x49x4x16xf32>, tensor<8x4x49xf32>)
    %z, %zlse = sg.attention %qkv, %bias {scale = 0.25 : f64}
      : (tensor<8x49x3x4x16xf32>, tensor<2x4x49x49xf32>)
      -> (tensor<8x49x4x16xf32>, tensor<8x4x49xf32>)
    %w, %wlse = sg.attention %qkv dropout(%seed, %step)
      {probability = 0.1 : f64, scale = 0.25 : f64, stream = 3 : i64}
      : (tensor<8x49x3x4x16xf32>, tensor<i64>, tensor<i64>)
      -> (tensor<8x49x4x16xf32>, tensor<8x4x49xf32>)
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$qkv, Optional<Sg_FloatTensor>:$bias,
    Optional<Sg_CounterTensor>:$seed, Optional<Sg_CounterTensor>:$step,
    F64Attr:$scale, OptionalAttr<F64Attr>:$probability,
    OptionalAttr<I64Attr>:$stream);
  let results = (outs Sg_FloatTensor:$result, Sg_FloatTensor:$lse);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $qkv (`,` $bias^)? (`dropout` `(` $seed^ `,` $step `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Sg_AttentionGradOp : Sg_InferredOp<"attention_grad", [
    AttrSizedOperandSegments, RandomOpInterface]> {
  let summary = "the gradients of attention";
  let description = [{
    With the recomputed scores s, p = e^(s - lse), delta = sum dy * y along D and ds = p
    (dy . v - delta): dq = scale ds k, dk = scale ds^T q, dv = p^T dy, side by side in
    dqkv; dbias, if there is a bias, is the sum of ds over samples of the same row. (Dao
    et al. 2022, arXiv 2205.14135.) `y` and `lse` are the results of `sg.attention`. With
    `dropout`, the same weights p and products dy . v are dropped again, except for p in
    ds.

    ```mlir
    %dqkv = sg.attention_grad %qkv, %y, %lse, %dy {scale = 0.25 : f64}
      : (tensor<8x49x3x4x16xf32>, tensor<8x49x4x16xf32>, tensor<8x4x49xf32>,
         tensor<8x49x4x16xf32>) -> tensor<8x49x3x4x16xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$qkv, Sg_FloatTensor:$y,
    Sg_FloatTensor:$lse, Sg_FloatTensor:$dy, Optional<Sg_FloatTensor>:$bias,
    Optional<Sg_CounterTensor>:$seed, Optional<Sg_CounterTensor>:$step,
    F64Attr:$scale, OptionalAttr<F64Attr>:$probability,
    OptionalAttr<I64Attr>:$stream);
  let results = (outs Sg_FloatTensor:$dqkv, Optional<Sg_FloatTensor>:$dbias);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $qkv `,` $y `,` $lse `,` $dy (`,` $bias^)?
    (`dropout` `(` $seed^ `,` $step `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
}

/// A composite activation: computed in f32 if x is bf16 or f16, and rounded
/// once. Its derivative keeps x; `note` says more about it. lib/IR's
/// Activations.cpp has its formulas.
class Sg_ActivationOp<string mnemonic, string formula, string note>
    : Sg_Op<mnemonic, [Pure, SameOperandsAndResultType, Sg_Activation]> {
  let summary = formula # ", element by element";
  let description = "Computed in f32 where x is bf16 or f16, and rounded once. "
    # "Its derivative keeps x" # note # "\n\n```mlir\n%y = sg." # mnemonic
    # " %x : tensor<8x4xf32>\n```\n";
  let arguments = (ins Sg_FloatTensor:$operand);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Sg_GeluOp : Sg_ActivationOp<"gelu", "", ""> {
  let summary = "the Gaussian error linear unit, element by element";
  let description = [{
    x (1 + erf(x / sqrt 2)) / 2, or, with `tanh`,
    x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 (Hendrycks, Gimpel 2016,
    arXiv 1606.08415). Computed in f32 where x is bf16 or f16, and rounded once.
    Its derivative keeps x.

    ```mlir
    %y = sg.gelu %x : tensor<8x4xf32>
    %z = sg.gelu %x {tanh} : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$operand, UnitAttr:$tanh);
}

def Sg_SiluOp : Sg_ActivationOp<"silu", "x / (1 + e^-x)", ".">;
def Sg_HardSigmoidOp : Sg_ActivationOp<"hard_sigmoid",
  "(x + 3) / 6 within [0, 1]", " and is zero at -3 and 3.">;
def Sg_HardSwishOp : Sg_ActivationOp<"hard_swish",
  "x (x + 3) / 6, 0 below -3 and x above 3",
  "; at -3 it is -1/2 and at 3 it is 3/2, the limits from between.">;

def Sg_RollOp : Sg_InferredOp<"roll"> {
  let summary = "shifts cyclically";
  let description = [{
    The element at i of the operand is at (i + shifts) modulo the extents of the
    result.

    ```mlir
    %y = sg.roll %x by [0, -3, -3, 0] : tensor<8x14x14x96xf32>
    ```
  }];
  let arguments = (ins Sg_Tensor:$operand, DenseI64ArrayAttr:$shifts);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = "$operand `by` $shifts attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Sg_GatherOp : Sg_InferredOp<"gather"> {
  let summary = "rows of a table by index";
  let description = [{
    For a table (K,...) and indices of any shape: the table's rows at the
    indices, (indices...,...). A row outside [0, K) is zero.

    ```mlir
    %y = sg.gather %table, %indices
      : (tensor<169x3xf32>, tensor<2401xi32>) -> tensor<2401x3xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$table, Sg_IntTensor:$indices);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}

def Sg_GatherGradOp : Sg_Op<"gather_grad", [Pure]> {
  let summary = "the gradient of gather for its table";
  let description = [{
    Row k is the sum of the rows of `dy` (indices...,...) whose index is k, in an order
    that the shape determines. Every row is compared with every index, so the op is meant
    for tables of some thousand rows.

    ```mlir
    %dtable = sg.gather_grad %indices, %dy
      : (tensor<2401xi32>, tensor<2401x3xf32>) -> tensor<169x3xf32>
    ```
  }];
  let arguments = (ins Sg_IntTensor:$indices, Sg_FloatTensor:$dy);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // REPRISE_IR_SGTRANSFORMEROPS
