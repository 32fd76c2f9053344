//===- Loss.td - Softmax and cross entropy ------------------*- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_LOSS
#define REPRISE_IR_SG_OPS_LOSS

include "reprise/IR/Sg/Ops/OpBase.td"

def Sg_SoftmaxOp : Sg_Op<"softmax", [Pure, SameOperandsAndResultType]> {
  let summary = "e^x / sum e^x along the last dimension";
  let description = [{
    The row's maximum is subtracted from x first.

    ```mlir
    %y = sg.softmax %x : tensor<8x10xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$operand);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sg_SoftmaxGradOp : Sg_Op<"softmax_grad", [Pure, SameOperandsAndResultType]> {
  let summary = "y * (dy - sum(y * dy)), y being the result of softmax";
  let description = [{
    The sum runs along the last dimension.

    ```mlir
    %dx = sg.softmax_grad %y, %dy : tensor<8x10xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$y, Sg_FloatTensor:$dy);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = "$y `,` $dy attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sg_CrossEntropyOp : Sg_WideningOp<"cross_entropy"> {
  let summary = "the negative log-likelihood of labels, row by row";
  let description = [{
    For logits (N,K) and labels (N) in [0, K): lse = log sum e^logits, losses = lse -
    logits[label], both (N). A label outside gives lse. The row's maximum is subtracted
    before the exponential and added to lse afterwards. Both results have the logits'
    element type, or f32 if that is bf16 or f16; the whole computation is then in f32.

    Rows whose label is `ignore_index` have the loss 0, and their logits have the gradient
    0, as in PyTorch. Without the attribute, no label is ignored. A mean over the losses
    divides by the number of remaining rows; the option `ignore-index` of `sg-change-loss`
    turns a mean over all rows into that mean.

    ```mlir
    %losses, %lse = sg.cross_entropy %logits, %labels
      : (tensor<8x10xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$logits, Sg_IntTensor:$labels,
                       OptionalAttr<I64Attr>:$ignore_index);
  let results = (outs Sg_FloatTensor:$losses, Sg_FloatTensor:$lse);
  let assemblyFormat = [{
    $logits `,` $labels attr-dict `:` functional-type(operands, results)
  }];
}

def Sg_CrossEntropyGradOp : Sg_Op<"cross_entropy_grad", [Pure,
    AllTypesMatch<["logits", "result"]>]> {
  let summary = "(softmax(logits) - onehot(labels)) * dlosses";
  let description = [{
    The gradient of `sg.cross_entropy` for its logits. The softmax of a row is e^(logits -
    lse), divided by its sum over the row. That sum is 1 except for the rounding of lse,
    which the division removes. Element types are those of `sg.cross_entropy`; rows whose
    label is `ignore_index` are 0.

    ```mlir
    %dlogits = sg.cross_entropy_grad %logits, %labels, %lse, %dlosses
      : (tensor<8x10xf32>, tensor<8xi32>, tensor<8xf32>, tensor<8xf32>)
      -> tensor<8x10xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$logits, Sg_IntTensor:$labels,
                       Sg_FloatTensor:$lse, Sg_FloatTensor:$dlosses,
                       OptionalAttr<I64Attr>:$ignore_index);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Sg_AuxiliaryLossOp : Sg_Op<"auxiliary_loss",
    [Pure, SameOperandsAndResultType]> {
  let summary = "loss + weight * auxiliary while training, loss otherwise";
  let description = [{
    Adds the loss of an auxiliary classifier, which trains early layers of a deep network
    (Szegedy et al. 2015, arXiv 1409.4842). Both losses are scalars. `sg-to-inference`
    replaces the result by `loss`, so that evaluation neither counts nor computes the
    auxiliary one.

    ```mlir
    %total = sg.auxiliary_loss %loss, %auxiliary weight 3.000000e-01 : tensor<f32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$loss, Sg_FloatTensor:$auxiliary,
                       F64Attr:$weight);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = [{
    $loss `,` $auxiliary `weight` $weight attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif // REPRISE_IR_SG_OPS_LOSS
