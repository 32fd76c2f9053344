//===- SgNnOps.td - Layers and their gradients --------------*- tablegen -*-===//
#ifndef REPRISE_IR_SGNNOPS
#define REPRISE_IR_SGNNOPS

include "reprise/IR/SgShapeOps.td"

/// An op whose results may all be f32 if their inferred types, from the
/// operands, are narrower.
class Sg_WideningOp<string mnemonic> : Sg_InferredOp<mnemonic> {
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange actual) {
      return inferred == actual ||
             ::reprise::sg::areWidened(inferred, actual);
    }
  }];
}

def Sg_MatMulOp : Sg_WideningOp<"matmul"> {
  let summary = "the matrix product";
  let description = [{
    (...,M,K) times (...,K,N), with equal leading dimensions. A transpose flag swaps the
    last two dimensions of its operand. The operands have one element type. The result has
    the same type, or f32 if the operands are bf16 or f16: sums are then f32 and are not
    rounded. The gradient rounds such a cotangent to the operands' type.

    ```mlir
    %c = sg.matmul %a, %b {transpose_b}
      : (tensor<8x4xf32>, tensor<10x4xf32>) -> tensor<8x10xf32>
    %d = sg.matmul %e, %f : (tensor<8x4xbf16>, tensor<4x10xbf16>) -> tensor<8x10xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$lhs, Sg_FloatTensor:$rhs,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
}

// stride (h, w); pad (top, bottom, left, right); dilation (h, w).
def Sg_MatMulBiasOp : Sg_WideningOp<"matmul_bias"> {
  let summary = "the matrix product with a bias added to each row";
  let description = [{
    `sg.matmul` of the first two operands, plus the third (N) along the last dimension.
    The bias has the operands' element type, or f32 if that is bf16 or f16. For bf16
    and f16, product and sum are f32 with either type of bias and are rounded once, to
    the result's type. `sg-decompose` forms this op from a product and a following
    addition, because libraries compute both at once.

    ```mlir
    %c = sg.matmul_bias %a, %b, %bias {transpose_b}
      : (tensor<8x4xbf16>, tensor<10x4xbf16>, tensor<10xf32>) -> tensor<8x10xbf16>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$lhs, Sg_FloatTensor:$rhs,
                       Sg_FloatTensor:$bias,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $bias attr-dict `:` functional-type(operands, results)
  }];
}

defvar Sg_ConvAttrs = (ins DenseI64ArrayAttr:$strides,
  DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation, I64Attr:$groups);

def Sg_Conv2DOp : Sg_WideningOp<"conv2d"> {
  let summary = "two-dimensional convolution (cross-correlation)";
  let description = [{
    `x` (N,H,W,C), `filter` (O,KH,KW,C/groups), result (N,H',W',O).
    `strides` (h, w), `padding` (top, bottom, left, right), `dilation` (h, w;
    1 is dense). Text may leave out strides, dilation and groups of 1 and padding of 0.
    Element types are those of `sg.matmul`.

    ```mlir
    %y = sg.conv2d %x, %w {strides = array<i64: 2, 2>,
        padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>,
        groups = 1 : i64}
      : (tensor<8x32x32x3xf32>, tensor<64x3x3x3xf32>) -> tensor<8x16x16x64xf32>
    %z = sg.conv2d %x, %v
      : (tensor<8x32x32x3xf32>, tensor<64x1x1x3xf32>) -> tensor<8x32x32x64xf32>
    ```
  }];
  let arguments = !con((ins Sg_FloatTensor:$x, Sg_FloatTensor:$filter), Sg_ConvAttrs);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $filter custom<ConvolutionAttributes>(attr-dict)
    `:` functional-type(operands, results)
  }];
}

def Sg_Conv2DInputGradOp : Sg_Op<"conv2d_input_grad", [Pure]> {
  let summary = "the gradient of conv2d for its input";
  let description = [{
    The result has the type of conv2d's `x`, which the cotangent `dy` and the
    filter do not determine when the stride exceeds 1. Attributes are those of
    `sg.conv2d`, element types those of `sg.matmul`.

    ```mlir
    %dx = sg.conv2d_input_grad %dy, %w {strides = array<i64: 2, 2>,
        padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>,
        groups = 1 : i64}
      : (tensor<8x16x16x64xf32>, tensor<64x3x3x3xf32>) -> tensor<8x32x32x3xf32>
    ```
  }];
  let arguments = !con((ins Sg_FloatTensor:$dy, Sg_FloatTensor:$filter), Sg_ConvAttrs);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = [{
    $dy `,` $filter custom<ConvolutionAttributes>(attr-dict)
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Sg_Conv2DInputGradAddOp : Sg_Op<"conv2d_input_grad_add", [Pure]> {
  let summary = "the gradient of conv2d for its input added to a tensor";
  let description = [{
    `sg.conv2d_input_grad` of the first two operands, plus the third, which has the
    result's type. If that is bf16 or f16, product and sum are f32 and are rounded once.
    `sg-decompose` forms this op from a gradient and a following addition if a library
    accumulates into the bytes of the other operand.

    ```mlir
    %sum = sg.conv2d_input_grad_add %dy, %w, %other {strides = array<i64: 1, 1>,
        padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
        groups = 1 : i64}
      : (tensor<8x16x16x64xf32>, tensor<64x1x1x256xf32>, tensor<8x16x16x256xf32>)
        -> tensor<8x16x16x256xf32>
    ```
  }];
  let arguments = !con((ins Sg_FloatTensor:$dy, Sg_FloatTensor:$filter,
                            Sg_FloatTensor:$addend), Sg_ConvAttrs);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = [{
    $dy `,` $filter `,` $addend custom<ConvolutionAttributes>(attr-dict)
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Sg_Conv2DFilterGradOp : Sg_Op<"conv2d_filter_grad", [Pure]> {
  let summary = "the gradient of conv2d for its filter";
  let description = [{
    The result has the type of conv2d's `filter`. Attributes are those of
    `sg.conv2d`, element types those of `sg.matmul`.

    ```mlir
    %dw = sg.conv2d_filter_grad %x, %dy {strides = array<i64: 2, 2>,
        padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>,
        groups = 1 : i64}
      : (tensor<8x32x32x3xf32>, tensor<8x16x16x64xf32>) -> tensor<64x3x3x3xf32>
    ```
  }];
  let arguments = !con((ins Sg_FloatTensor:$x, Sg_FloatTensor:$dy), Sg_ConvAttrs);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $dy custom<ConvolutionAttributes>(attr-dict)
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// window (h, w); strides (h, w); padding (top, bottom, left, right).
defvar Sg_PoolAttrs = (ins DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
  DenseI64ArrayAttr:$padding);

def Sg_MaxPool2DOp : Sg_InferredOp<"max_pool2d"> {
  let summary = "the maximum of each window";
  let description = [{
    Padding counts as minus infinity. NaN is the largest value.

    ```mlir
    %y = sg.max_pool2d %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>,
        padding = array<i64: 1, 1, 1, 1>}
      : (tensor<8x16x16x64xf32>) -> tensor<8x8x8x64xf32>
    ```
  }];
  let arguments = !con((ins Sg_FloatTensor:$x), Sg_PoolAttrs);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def Sg_MaxPool2DGradOp : Sg_Op<"max_pool2d_grad", [Pure, AllTypesMatch<["x", "result"]>]> {
  let summary = "the gradient of max_pool2d";
  let description = [{
    Each window's cotangent goes to its first maximum in row-major order. The
    contributions to an element are added in the row-major order of windows.
    The first NaN of a window is its maximum.

    ```mlir
    %dx = sg.max_pool2d_grad %x, %dy {window = array<i64: 3, 3>,
        strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
      : (tensor<8x16x16x64xf32>, tensor<8x8x8x64xf32>) -> tensor<8x16x16x64xf32>
    ```
  }];
  let arguments = !con((ins Sg_FloatTensor:$x, Sg_FloatTensor:$dy), Sg_PoolAttrs);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = "$x `,` $dy attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Sg_MaxPool2DArgmaxOp : Sg_InferredOp<"max_pool2d_argmax"> {
  let summary = "the position of the maximum in each window";
  let description = [{
    The number of the window's first maximum. Positions are counted row-major, including
    those in the padding. The first NaN is the maximum. The result is i8 if a window has
    at most 127 positions, else i32.

    ```mlir
    %at = sg.max_pool2d_argmax %x {window = array<i64: 3, 3>,
        strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
      : (tensor<8x16x16x64xf32>) -> tensor<8x8x8x64xi8>
    ```
  }];
  let arguments = !con((ins Sg_FloatTensor:$x), Sg_PoolAttrs);
  let results = (outs Sg_IntTensor:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def Sg_MaxPool2DScatterOp : Sg_Op<"max_pool2d_scatter", [Pure]> {
  let summary = "adds each window's cotangent at a position in it";
  let description = [{
    Computes `sg.max_pool2d_grad` from the result of `sg.max_pool2d_argmax`. The
    contributions to an element are added in the row-major order of windows.

    ```mlir
    %dx = sg.max_pool2d_scatter %at, %dy {window = array<i64: 3, 3>,
        strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
      : (tensor<8x8x8x64xi8>, tensor<8x8x8x64xf32>) -> tensor<8x16x16x64xf32>
    ```
  }];
  let arguments = !con((ins Sg_IntTensor:$argmax, Sg_FloatTensor:$dy), Sg_PoolAttrs);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = "$argmax `,` $dy attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Sg_AvgPool2DOp : Sg_InferredOp<"avg_pool2d"> {
  let summary = "the mean of each window";
  let description = [{
    Divides by the window's size, padding included when `count_include_pad`,
    else by the number of elements inside the image.

    ```mlir
    %y = sg.avg_pool2d %x {window = array<i64: 3, 3>,
        strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
      : (tensor<8x16x16x64xf32>) -> tensor<8x8x8x64xf32>
    ```
  }];
  let arguments = !con((ins Sg_FloatTensor:$x), Sg_PoolAttrs,
                       (ins UnitAttr:$count_include_pad));
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def Sg_AvgPool2DGradOp : Sg_Op<"avg_pool2d_grad", [Pure]> {
  let summary = "the gradient of avg_pool2d";
  let description = [{
    Each element of `dy`, divided as `sg.avg_pool2d` divides, goes to its window.
    The contributions to an element are added in the row-major order of windows.

    ```mlir
    %dx = sg.avg_pool2d_grad %dy {window = array<i64: 3, 3>,
        strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
      : (tensor<8x8x8x64xf32>) -> tensor<8x16x16x64xf32>
    ```
  }];
  let arguments = !con((ins Sg_FloatTensor:$dy), Sg_PoolAttrs,
                       (ins UnitAttr:$count_include_pad));
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = "$dy attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Sg_GlobalAvgPoolOp : Sg_InferredOp<"global_avg_pool"> {
  let summary = "the mean over height and width: (N,H,W,C) to (N,C)";
  let description = [{
    The sum, divided by H * W.

    ```mlir
    %y = sg.global_avg_pool %x : (tensor<8x7x7x512xf32>) -> tensor<8x512xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$x);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

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

def Sg_ReluGradOp : Sg_Op<"relu_grad", [Pure, SameOperandsAndResultType]> {
  let summary = "dy where the result y of relu is above zero, else 0";
  let description = [{
    Reads the result instead of the operand, so that relu's operand need not be kept.

    ```mlir
    %dx = sg.relu_grad %y, %dy : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$y, Sg_FloatTensor:$dy);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = "$y `,` $dy attr-dict `:` type($result)";
}

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

def Sg_DropoutOp : Sg_Op<"dropout", [
    Pure, AllTypesMatch<["x", "result"]>,
    DeclareOpInterfaceMethods<RandomOpInterface>]> {
  let summary = "zeros elements at random, scales the others";
  let description = [{
    With u from `sg.random_uniform` of the same stream: x / (1 - probability) where u >=
    probability, else 0. probability and 1 - probability are rounded to the types of u
    (f32) and x. The gradient is the same op on the cotangent, so no mask is kept. With
    `per_sample`, u has only the first dimension of x: whole samples are dropped, as in
    stochastic depth (Huang et al. 2016, arXiv 1603.09382).

    ```mlir
    %y = sg.dropout %x, %seed, %step {probability = 5.0e-01 : f64,
                                      stream = 1 : i64}
      : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<8x4xf32>
    %z = sg.dropout %x, %seed, %step {probability = 2.0e-01 : f64,
                                      stream = 2 : i64, per_sample}
      : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$x, Sg_CounterTensor:$seed,
    Sg_CounterTensor:$step, F64Attr:$probability, I64Attr:$stream,
    UnitAttr:$per_sample);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // REPRISE_IR_SGNNOPS
