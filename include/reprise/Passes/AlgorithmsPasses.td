//===- AlgorithmsPasses.td - Choices of algorithms ----------*- tablegen -*-===//
#ifndef REPRISE_PASSES_ALGORITHMSPASSES
#define REPRISE_PASSES_ALGORITHMSPASSES

include "reprise/Passes/Rates.td"

def SgChooseAttention : Pass<"sg-choose-attention", "::mlir::func::FuncOp"> {
  let summary = "chooses between attention by tiles and attention with stored scores";
  let description = [{
    Leaves an `sg.attention` of a model to the target's library or to a kernel of the
    target, or decomposes it. The library or kernel computes the scores by tiles, and
    recomputes them for the gradient. The decomposition consists of products and a
    softmax, whose results the backward pass keeps or recomputes like any others.

    `form` selects one of the two. `auto` takes the form that needs less time by the
    roofline of both directions, and tiles where both need the same. A kernel computes
    the scores once for the gradient of queries, once for that of keys and values, and
    once for that of a bias. If the target has no function for the op's type and shape,
    the op is decomposed. A remark reports the bytes of scores that are not stored.

    Works on a model, before types are chosen and before differentiation.

    ```mlir
    func.func @f(%qkv: tensor<2x5x3x2x4xf32>) -> tensor<2x5x2x4xf32> {
      %y, %lse = sg.attention %qkv {scale = 0.5 : f64}
        : (tensor<2x5x3x2x4xf32>) -> (tensor<2x5x2x4xf32>, tensor<2x2x5xf32>)
      return %y : tensor<2x5x2x4xf32>
    }
    // with form=stored becomes, after slices and transposes,
    //   %s = sg.matmul %q, %k {transpose_b}
    //     : (tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x5x5xf32>
    //   %t = sg.mul %s, %scale : tensor<2x2x5x5xf32>
    //   %p = sg.softmax %t : tensor<2x2x5x5xf32>
    //   %y = sg.matmul %p, %v
    //     : (tensor<2x2x5x5xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x5x4xf32>
    ```
  }];
  let options = !listconcat([
    Option<"target", "target", "std::string", "\"cpu:native\"",
           "device that it is for, as cpu:native">,
    Option<"form", "form", "std::string", "\"auto\"",
           "auto, tiled or stored">,
    Option<"narrow", "narrow", "bool", "false",
           "whether products are still to be narrowed, by mixed precision">], MachineRates);
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgHalveHidden : Pass<"sg-halve-hidden", "::mlir::func::FuncOp"> {
  let summary = "splits large hidden units of perceptrons into halves";
  let description = [{
    The hidden units between two products of a perceptron are larger than its input and
    output, four times in transformers. In the backward pass, they are in memory together
    with their gradients. If only elementwise ops stand between the products, this pass
    splits the columns of the first matrix and the rows of the second into halves. Each
    half of the hidden units is finished before the other one begins, and so are their
    gradients. No number is computed twice. The sum over hidden units becomes one of two
    sums, regardless of later recomputation and fusion, and for evaluation too.

    The pass applies to f32 on targets where two products of half the columns take as long
    as one. The hidden units must have at least `least-bytes` and more than half the bytes
    of the largest ones. The rows must be many compared with the columns of input and
    output, so that cutting weights and joining their gradients takes little time. Weights
    that are slices already are not cut again. Of two perceptrons that share a product,
    the larger one is split. Marks on tensors move to the halves and change nothing.

    A block that contains one of the products and not the other leaves the hidden units
    whole. The boundaries of a model's blocks may therefore change the last bits of
    results; which blocks are checkpointed does not. A remark reports the number of
    splits.

    Works on a model, before differentiation, and not before `sg-autocast`.

    ```mlir
    func.func @f(%x: tensor<256x4xf32>, %a: tensor<16x4xf32>, %b: tensor<4x16xf32>)
        -> tensor<256x4xf32> {
      %h = sg.matmul %x, %a {transpose_b}
        : (tensor<256x4xf32>, tensor<16x4xf32>) -> tensor<256x16xf32>
      %g = sg.gelu %h : tensor<256x16xf32>
      %y = sg.matmul %g, %b {transpose_b}
        : (tensor<256x16xf32>, tensor<4x16xf32>) -> tensor<256x4xf32>
      return %y : tensor<256x4xf32>
    }
    // with least-bytes=0 becomes
    //   %a0 = sg.slice %a [0, 0] to [8, 4] by [1, 1]
    //     : tensor<16x4xf32> -> tensor<8x4xf32>
    //   %h0 = sg.matmul %x, %a0 {transpose_b}
    //     : (tensor<256x4xf32>, tensor<8x4xf32>) -> tensor<256x8xf32>
    //   %g0 = sg.gelu %h0 : tensor<256x8xf32>
    //   %b0 = sg.slice %b [0, 0] to [4, 8] by [1, 1]
    //     : tensor<4x16xf32> -> tensor<4x8xf32>
    //   %y0 = sg.matmul %g0, %b0 {transpose_b}
    //     : (tensor<256x8xf32>, tensor<4x8xf32>) -> tensor<256x4xf32>
    //   .. %y1 likewise, of [8, 0] to [16, 4] and [0, 8] to [4, 16]
    //   %y = sg.add %y0, %y1 : tensor<256x4xf32>
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu:native\"",
           "device that it is for, as cpu:native">,
    Option<"leastBytes", "least-bytes", "uint64_t", "8388608",
           "hidden units of fewer bytes stay whole">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgSpareNormOperands : Pass<"sg-spare-norm-operands", "::mlir::func::FuncOp"> {
  let summary = "computes gradients of batch norms without the convolutions that they normalize";
  let description = [{
    If a batch norm normalizes x = r W^T, a convolution of single points (1x1, stride 1),
    its backward pass reads x twice, to sum dy * xhat and to make dx, and the convolution
    reads dx twice. If x is wider than r, as after the last convolution of a residual
    block, x and dx are the largest tensors nearby. But x is linear in r, so sums over x
    are sums over r multiplied by W. With n rows, means over rows m(.), sums over rows C =
    r^T r - n m(r) m(r)^T and G = dy^T r - n m(dy) m(r)^T, k = gamma * rstd for each
    channel:

        dbeta = n m(dy)
        dgamma = rstd * (W * G summed along its rows)
        b = k * rstd * dgamma / n
        dW = k * G - b * (W C)
        dr = dy (k * W) - r (W^T (b * W)) - m(dy) (k * W) + m(r) (W^T (b * W))

    This follows from x - m(x) = (r - m(r)) W^T, put into the gradients of
    `sg.batch_norm_grad` and of the convolution. dx is not made, and x is not kept for the
    backward pass, which makes x only to recompute y. The products that replace them are
    smaller than the convolution, by the ratio of the columns of r to those of x.

    The pass marks (`spares_x`) the batch norms for which `sg-differentiate` uses these
    formulas:

    - the norm is in f32, and its convolution is in the same block and has no other
      reader;
    - x has at least `least-bytes`;
    - the convolution has at least twice as many output as input channels, and eight times
      as many rows, so that products of the weights take little time;
    - the target takes less time for this than for reading x again.

    Marks on tensors (`sg.keep`, `sg.recompute`) change nothing. A block that contains the
    convolution or the norm and not both leaves the norm as it is. The boundaries of a
    model's blocks may therefore change the last bits of gradients; which blocks are
    checkpointed does not. A remark reports the number of marked norms.

    Works on a model, before differentiation and before `sg-assign-checkpointing`, which
    ends no segment between the two. `sg-autocast` removes the marks.

    ```mlir
    sg.variable @mean : tensor<8xf32> {role = #sg.role<running_statistics>,
      init = #sg.init<zeros>}
    sg.variable @variance : tensor<8xf32> {role = #sg.role<running_statistics>,
      init = #sg.init<ones>}
    func.func @f(%r: tensor<2x4x8x4xf32>, %w: tensor<8x1x1x4xf32>, %gamma: tensor<8xf32>,
                 %beta: tensor<8xf32>) -> tensor<2x4x8x8xf32> {
      %x = sg.conv2d %r, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>,
          dilation = array<i64: 1, 1>, groups = 1 : i64}
        : (tensor<2x4x8x4xf32>, tensor<8x1x1x4xf32>) -> tensor<2x4x8x8xf32>
      %y = sg.batch_norm %x, %gamma, %beta {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64,
          running_mean = @mean, running_variance = @variance}
        : (tensor<2x4x8x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8x8xf32>
      return %y : tensor<2x4x8x8xf32>
    }
    // with least-bytes=0 has
    //   %y = sg.batch_norm %x, %gamma, %beta {.., spares_x}
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu:native\"",
           "device that it is for, as cpu:native">,
    Option<"leastBytes", "least-bytes", "uint64_t", "8388608",
           "results of fewer bytes are read again">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgWidenCalls : Pass<"sg-widen-calls", "::mlir::func::FuncOp"> {
  let summary = "computes library ops in f32 where a target's library supports no narrower type";
  let description = [{
    A library op on bf16 or f16 whose type the target's library does not support computes
    in f32: casts widen its operands, which is exact, and round its result. Every library
    sums such products in f32, so the rounding equals that of a library that supports the
    type. This saves neither time nor memory. A remark reports the number of such ops.

    If a library op has an f32 result but the library stores no sums wider than its
    operands, it stores them rounded, and a cast widens them. The pass is part of mixed
    precision only: without mixed precision, an op of a type that a target does not run is
    refused.

    ```mlir
    func.func @f(%x: tensor<8x4xf16>, %w: tensor<4x10xf16>) -> tensor<8x10xf16> {
      %y = sg.matmul %x, %w
        : (tensor<8x4xf16>, tensor<4x10xf16>) -> tensor<8x10xf16>
      return %y : tensor<8x10xf16>
    }
    // with target=cpu:native becomes
    //   %a = sg.cast %x : tensor<8x4xf16> to tensor<8x4xf32>
    //   %b = sg.cast %w : tensor<4x10xf16> to tensor<4x10xf32>
    //   %y = sg.matmul %a, %b
    //     : (tensor<8x4xf32>, tensor<4x10xf32>) -> tensor<8x10xf32>
    //   %r = sg.cast %y : tensor<8x10xf32> to tensor<8x10xf16>
    //   return %r : tensor<8x10xf16>
    ```
  }];
  let options = [Option<"target", "target", "std::string", "\"cpu:native\"",
                        "device that it is for, as cpu:native">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

#endif // REPRISE_PASSES_ALGORITHMSPASSES
