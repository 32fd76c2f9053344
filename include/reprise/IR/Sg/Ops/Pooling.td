//===- Pooling.td - Pools and their gradients ---------------*- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_POOLING
#define REPRISE_IR_SG_OPS_POOLING

include "reprise/IR/Sg/Ops/OpBase.td"

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

#endif // REPRISE_IR_SG_OPS_POOLING
