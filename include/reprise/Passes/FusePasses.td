//===- FusePasses.td - Composite ops to kernels -------------*- tablegen -*-===//
#ifndef REPRISE_PASSES_FUSEPASSES
#define REPRISE_PASSES_FUSEPASSES

include "mlir/Pass/PassBase.td"

def SgDecompose : Pass<"sg-decompose", "::mlir::func::FuncOp"> {
  let summary = "replaces composite ops by primitives";
  let description = [{
    Every op that implements `DecomposeOpInterface` is replaced by its
    decomposition, and what that emits in turn. Ops inside `sg.module` and
    `sg.backward` are included. An op that a library runs stays: attention that was
    not decomposed before (`sg-choose-attention`).

    Then a large reduction over leading and other dimensions is split in two,
    so that it runs in parallel: the first keeps as many leading dimensions as
    give 8 parts or more, the second reduces those. Both are large only if the
    first shrinks its operand to an eighth or less; reductions of fewer than
    16384 elements stay as they are. Sums of bf16 and f16 are split in f32.
    The order of a sum is then a function of its operand's shape alone. Sums of
    columns stay whole where kernels of `target` add them by parts.

    A convolution whose windows touch and do not overlap, without padding and
    groups, becomes the product of a matrix of patches and the filter, and so do its
    gradients.

    Where the library of `target` takes input channels of its operands' type in groups,
    images and filters get channels of zeros until they have whole groups, below the
    cast that makes an image, and gradients lose them. Where an image has so few that the
    points between two windows may be channels too (`target` says up to how many), they
    become channels, and the convolution and the gradient of its filter lose their
    strides; filters get rows and columns of zeros so that windows begin and end between
    such points. With `fuse`, what forms make of an image or a filter is made once for
    all in the block that read it. Where the library is slow at gradients for inputs of
    1x1 filters with strides, these are computed for the points that such a filter looks at, with zeros
    put between them.

    For a `target` on which bytes are time, as a GPU, where a pool found its maxima,
    which its gradient needs, is looked for where its operand is made, in the same phase.

    A cast that narrows a view of a value narrows the value, and one of a view that
    widens stands behind the view: where the kernel is that it can join. So do casts
    around what only moves elements, `sg.transpose` and `sg.roll`, which then moves half
    as much: in front of it where a kernel makes the value and nothing else reads it
    moved, behind it where only kernels read it.

    A product and the addition of a vector to its rows, with the rounding behind
    that, become `sg.matmul_bias`, unless something else reads what lies between them,
    or the library of `target` does not add a vector of that type.

    With `add-gradients`, an addition in f32 and a gradient for an input that only it
    reads become `sg.conv2d_input_grad_add` where the library of `target` adds up in
    the bytes of what it adds to, if they are more than half as large as the largest:
    one tensor is there instead of two, for a little time. Budgets look at such
    kernels as well.

    ```mlir
    func.func @f(%x: tensor<8x64x64xf32>) -> tensor<64xf32> {
      %s = sg.reduce_sum %x dims [0, 1] : tensor<8x64x64xf32> -> tensor<64xf32>
      return %s : tensor<64xf32>
    }
    // the sum becomes
    //   %p = sg.reduce_sum %x dims [1] : tensor<8x64x64xf32> -> tensor<8x64xf32>
    //   %s = sg.reduce_sum %p dims [0] : tensor<8x64xf32> -> tensor<64xf32>
    ```
  }];
  let options = [
    Option<"fuse", "fuse", "bool", "true",
           "join products with the biases added to them">,
    Option<"target", "target", "std::string", "\"\"",
           "the target that adds biases and columns as it can; none: any bias, and "
           "columns by two kernels">,
    Option<"addGradients", "add-gradients", "bool", "false",
           "have the library add up gradients where `target` does that">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgFormKernels : Pass<"sg-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "groups primitives into kernels";
  let description = [{
    Works on a flat function of primitives and library ops. Afterwards it holds
    only `sg.read`, `sg.write`, `sg.constant`, `sg.reshape`, `sg.barrier`, the
    library ops and `sg.kernel`.

    An op joins the kernel of what it reads when both have one iteration space
    and one phase. Reductions over the same dimensions share a sweep, of the same
    data or of what one kernel made. Their kernel goes on with them at their own
    index: a sum of columns, the mean, the reciprocal deviation and the running
    statistics that are made of it are one kernel. Arithmetic of that size that
    stands behind the sums joins them, where nothing is kept longer for it.

    Reductions over the trailing dimensions may also be read along the row that
    they are of: a row of softmax or of layer normalization is one kernel, which
    goes over the row once for each reduction that waits for another, of three at
    most, and once to store. That is so where a row is at most 256 KiB of what is
    read, where there are at least 8 rows or fewer than 16,384 elements, and where
    no operand that only the reductions read is kept longer; but what a sum of
    sixteen times as much made may wait 48 ops for the sums of its columns. Four
    sums of columns at most share a sweep, and no kernel that reduces has both a
    variable's new value, which is made once, and a large one, which may have to be
    made again.

    Four or more updates of small variables share a kernel, whatever their shapes:
    arithmetic on gradients whose results are only written. Their gradients wait
    for the last of them, and are at most a 1024th of all gradients. Arithmetic of
    the backward pass that an update alone reads is the update's own. For a
    `target` whose launches take as long as small kernels, as a GPU's do, they may
    also be a 256th of what library calls of the forward pass make; and casts of
    variables that library calls read share kernels, as long as what waits for its
    reader is as small.

    Broadcasts, splats and iota are repeated in each kernel that reads them; so
    are short chains of cheap arithmetic on one large operand, where reading
    that operand again costs less than storing the result, and on several that every
    reader's kernel reads in any case; what they read may be rows of other places.
    Where bytes are time, on a GPU, one of them may also be read instead of the
    result. What brings rows in another order for a single op that puts them among
    others is done in that op's kernel. An op does not join
    a kernel if library ops, barriers or ops of another phase that wait for the
    kernel would have to wait longer.

    A library op that a kernel of `target` runs, as attention on a GPU, is a kernel of
    its own. A product of matrices that one runs, as a convolution of bf16 that looks
    at single points on a GPU, shares it with what makes its left operand and with what
    sums columns of its result, where some place in the block is behind all that they
    read and in front of all that reads them: the result is then read where it is made.
    What makes an operand of the forward pass joins if nothing else reads it. A slice of
    rows of such a product is the product of a slice of rows. New running statistics do
    not join what sums up a product, which may have to be made again; they share kernels
    as updates do. Bits do not depend on any of this.

    No other kernel rounds otherwise than its ops one by one.

    ```mlir
    func.func @f(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %s = sg.add %x, %y : tensor<8x4xf32>
      %r = sg.relu %s : tensor<8x4xf32>
      return %r : tensor<8x4xf32>
    }
    // the ops become
    //   %r = sg.kernel "add_relu" (%a = %x : tensor<8x4xf32>,
    //                              %b = %y : tensor<8x4xf32>)
    //       -> tensor<8x4xf32> {
    //     %s = sg.add %a, %b : tensor<8x4xf32>
    //     %r = sg.relu %s : tensor<8x4xf32>
    //     sg.yield %r : tensor<8x4xf32>
    //   }
    ```
  }];
  let options = [
    Option<"fuse", "fuse", "bool", "true",
           "let ops share kernels; else each is a kernel of its own">,
    Option<"target", "target", "std::string", "\"\"",
           "the target that says whether launches take time, and which library ops its "
           "kernels run; none: not, and none">,
    Option<"joinProducts", "join-products", "std::string", "\"all\"",
           "the products that share kernels with what stands around them, of those "
           "that kernels of the target run: all, backward or none">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

#endif // REPRISE_PASSES_FUSEPASSES
