//===- Attention.td - Attention and its gradient ------------*- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_ATTENTION
#define REPRISE_IR_SG_OPS_ATTENTION

include "reprise/IR/Sg/Ops/OpBase.td"

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

#endif // REPRISE_IR_SG_OPS_ATTENTION
