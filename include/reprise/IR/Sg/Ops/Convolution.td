//===- Convolution.td - Convolutions and their gradients ----*- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_CONVOLUTION
#define REPRISE_IR_SG_OPS_CONVOLUTION

include "reprise/IR/Sg/Ops/OpBase.td"

// stride (h, w); pad (top, bottom, left, right); dilation (h, w); for volumes
// depth, its numbers first.
defvar Sg_ConvAttrs = (ins DenseI64ArrayAttr:$strides,
  DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation, I64Attr:$groups);

/// A convolution of images (2 spatial dimensions) or volumes (3).
class Sg_ConvOp<int dims> : Sg_WideningOp<"conv" # dims # "d"> {
  let arguments = !con((ins Sg_FloatTensor:$x, Sg_FloatTensor:$filter), Sg_ConvAttrs);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = "$x `,` $filter custom<ConvolutionAttributes>(attr-dict, \""
    # dims # "\") `:` functional-type(operands, results)";
}

/// An operand of such a convolution's gradient, computed from the others.
class Sg_ConvGradOp<int dims, string gradient, dag operands, string operandsFormat>
    : Sg_Op<"conv" # dims # "d_" # gradient, [Pure]> {
  let arguments = !con(operands, Sg_ConvAttrs);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = operandsFormat # " custom<ConvolutionAttributes>(attr-dict, \""
    # dims # "\") `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

class Sg_ConvInputGradOp<int dims> : Sg_ConvGradOp<dims, "input_grad",
  (ins Sg_FloatTensor:$dy, Sg_FloatTensor:$filter), "$dy `,` $filter">;

class Sg_ConvFilterGradOp<int dims> : Sg_ConvGradOp<dims, "filter_grad",
  (ins Sg_FloatTensor:$x, Sg_FloatTensor:$dy), "$x `,` $dy">;

def Sg_Conv2DOp : Sg_ConvOp<2> {
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
}

def Sg_Conv2DInputGradOp : Sg_ConvInputGradOp<2> {
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
}

def Sg_Conv2DInputGradAddOp : Sg_ConvGradOp<2, "input_grad_add",
    (ins Sg_FloatTensor:$dy, Sg_FloatTensor:$filter, Sg_FloatTensor:$addend),
    "$dy `,` $filter `,` $addend"> {
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
}

def Sg_Conv2DFilterGradOp : Sg_ConvFilterGradOp<2> {
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
}

def Sg_Conv3DOp : Sg_ConvOp<3> {
  let summary = "three-dimensional convolution (cross-correlation)";
  let description = [{
    `x` (N,D,H,W,C), `filter` (O,KD,KH,KW,C/groups), result (N,D',H',W',O).
    Attributes are those of `sg.conv2d` with the numbers of the depth first, element
    types those of `sg.matmul`.

    ```mlir
    %y = sg.conv3d %x, %w {strides = array<i64: 1, 2, 2>,
        padding = array<i64: 1, 1, 3, 3, 3, 3>, dilation = array<i64: 1, 1, 1>,
        groups = 1 : i64}
      : (tensor<8x16x32x32x3xf32>, tensor<64x3x7x7x3xf32>) -> tensor<8x16x16x16x64xf32>
    ```
  }];
}

def Sg_Conv3DInputGradOp : Sg_ConvInputGradOp<3> {
  let summary = "the gradient of conv3d for its input";
  let description = [{
    The counterpart of `sg.conv2d_input_grad` for volumes.

    ```mlir
    %dx = sg.conv3d_input_grad %dy, %w {strides = array<i64: 1, 2, 2>,
        padding = array<i64: 1, 1, 3, 3, 3, 3>, dilation = array<i64: 1, 1, 1>,
        groups = 1 : i64}
      : (tensor<8x16x16x16x64xf32>, tensor<64x3x7x7x3xf32>) -> tensor<8x16x32x32x3xf32>
    ```
  }];
}

def Sg_Conv3DFilterGradOp : Sg_ConvFilterGradOp<3> {
  let summary = "the gradient of conv3d for its filter";
  let description = [{
    The counterpart of `sg.conv2d_filter_grad` for volumes.

    ```mlir
    %dw = sg.conv3d_filter_grad %x, %dy {strides = array<i64: 1, 2, 2>,
        padding = array<i64: 1, 1, 3, 3, 3, 3>, dilation = array<i64: 1, 1, 1>,
        groups = 1 : i64}
      : (tensor<8x16x32x32x3xf32>, tensor<8x16x16x16x64xf32>) -> tensor<64x3x7x7x3xf32>
    ```
  }];
}

#endif // REPRISE_IR_SG_OPS_CONVOLUTION
