//===- FusePasses.td - Composite ops to kernels -------------*- tablegen -*-===//
#ifndef REPRISE_PASSES_FUSEPASSES
#define REPRISE_PASSES_FUSEPASSES

include "mlir/Pass/PassBase.td"

def SgDecompose : Pass<"sg-decompose", "::mlir::func::FuncOp"> {
  let summary = "replaces composite ops by primitives";
  let description = [{
    Replaces every op that implements `DecomposeOpInterface` by its decomposition, and
    the ops of the decomposition in turn. Ops inside `sg.module` and `sg.backward` are
    included. An op that a library runs stays, such as attention that was not
    decomposed before (`sg-choose-attention`).

    The pass then makes these changes.

    **Large reductions.** A large reduction over leading and other dimensions is split
    in two, so that it runs in parallel: the first part keeps as many leading
    dimensions as give 8 parts or more, the second reduces those. Reductions are split
    only if the first part shrinks its operand to an eighth or less and the operand has
    at least 16384 elements. Sums of bf16 and f16 are split in f32. The order of a sum
    is then a function of its operand's shape alone. Sums of columns stay whole if
    kernels of `target` add them by parts.

    **Volumes.** A convolution of volumes whose filter has one frame, or one pixel a
    frame, becomes one of images if nothing is padded along what it reads alone: frames
    become samples, or the pixels of a frame a row. Its gradients become such ones too.
    These reshapes are views. If a filter of one frame strides over frames, the points
    that it reads are cut out first, and their gradient gets zeros between. A depthwise
    convolution of volumes whose filter has several frames and moves by one frame
    becomes the sum of convolutions of images, one for each frame of the filter, in its
    order: libraries have fast depthwise kernels for images.

    **Patches.** A convolution without padding and groups, whose windows touch and do
    not overlap, becomes the product of a matrix of patches and the filter. Its
    gradients become such products too.

    **Channels.** If the library of `target` takes input channels of its operands' type
    in groups, images and filters get channels of zeros up to whole groups, below the
    cast that makes an image, and gradients lose them. If an image has so few channels
    that the points between two windows may become channels too (`target` gives the
    limit), they do. The convolution and the gradient of its filter then lose their
    strides, and filters get rows and columns of zeros so that windows begin and end
    between such points. With `fuse`, each such form of an image or a filter is made
    once, in the block that read it.

    **Strided 1x1 filters.** If the library is slow at gradients for inputs of 1x1
    filters with strides, these gradients are computed for the points that such a
    filter reads, and zeros are inserted between them.

    **Pools.** On a `target` where bytes are time, such as a GPU, the positions of a
    pool's maxima, which its gradient needs, are found where the pool's operand is
    made, in the same phase.

    **Casts.** A cast that narrows a view of a value narrows the value instead. A
    widening cast of a view moves after the view, to the kernel that it can join. Casts
    around ops that only move elements, `sg.transpose` and `sg.roll`, move too, so that
    half as many bytes are moved: a narrowing cast moves in front if a kernel makes the
    value and nothing else reads the moved value; a widening cast moves after the op if
    only kernels read it.

    **Biases.** A product and the addition of a vector to its rows, with the rounding
    that follows, become `sg.matmul_bias`, unless something else reads the values in
    between or the library of `target` does not add a vector of that type.

    **Gradients.** With `add-gradients`, an f32 addition and a gradient for an input
    that only it reads become `sg.conv2d_input_grad_add`, if the library of `target`
    can accumulate into the bytes of the other operand and these are more than half as
    large as the largest tensor. One tensor is then live instead of two, at a small
    cost in time. Budgets consider such kernels as well.

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
    Works on a flat function of primitives and library ops. Afterwards, the function
    contains only `sg.read`, `sg.write`, `sg.constant`, `sg.reshape`, `sg.barrier`, the
    library ops and `sg.kernel`.

    **Elementwise ops.** An op joins the kernel of its operand if both have the same
    iteration space and phase.

    **Sums of columns.** Reductions over the same dimensions share a sweep if they read
    the same data or results of the same kernel. Their kernel continues with their
    results at their own index: a sum of columns and the mean, the reciprocal deviation
    and the running statistics that are made of it are one kernel. Arithmetic of that
    size after the sums joins them if nothing is kept longer for it. At most four sums
    of columns share a sweep. No kernel with a reduction has both a variable's new
    value, which is made once, and a large one, which may have to be recomputed.

    **Rows.** Reductions over the trailing dimensions may also be read along their row:
    a row of softmax or of layer normalization is one kernel, which passes over the row
    once for each reduction that waits for another, at most three times, and once to
    store. The conditions are:

    - a row reads at most 256 KiB;
    - there are at least 8 rows, or fewer than 16,384 elements;
    - no operand that only the reductions read is kept longer, except that the result
      of a sum over sixteen times as much may wait 48 ops for the sums of its columns.

    **Updates.** Four or more updates of small variables share a kernel, whatever their
    shapes: arithmetic on gradients whose results are only written. Their gradients
    wait for the last of them, and are at most a 1024th of all gradients. Arithmetic of
    the backward pass that only an update reads belongs to the update. If launches of
    `target` take as long as small kernels, as on a GPU, the gradients may also be a
    256th of what library calls of the forward pass make. There, casts of variables
    that library calls read also share kernels, as long as the values that wait for
    their readers are as small.

    **Repeated ops.** Broadcasts, splats and iota are repeated in each kernel that reads
    them. So are short chains of cheap arithmetic on one large operand, if reading that
    operand again costs less than storing the result, and on several operands that every
    reader's kernel reads in any case; they may read rows of other places. On a GPU,
    where bytes are time, a chain may also read one of several operands instead of the
    result. An op that reorders rows for a single op that inserts them among others
    joins that op's kernel.

    An op does not join a kernel if that would delay library ops, barriers or ops of
    another phase that wait for the kernel.

    **Library ops in kernels.** A library op that a kernel of `target` runs, such as
    attention on a GPU, is a kernel of its own. A product of matrices that a kernel
    runs, such as a bf16 convolution of single points on a GPU, shares the kernel with
    the ops that make its left operand and with the ops that sum columns of its result.
    This requires a place in the block after everything that they read and before
    everything that reads them; the result is then read where it is made. An op that
    makes an operand of the forward pass joins if nothing else reads it. A slice of rows
    of such a product becomes the product of a slice of rows. New running statistics do
    not join the sums of a product, which may have to be recomputed; they share kernels
    as updates do. The bits of results depend on none of this.

    All other kernels round exactly as their ops do one by one.

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
           "kernels run; none: not, and none">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

#endif // REPRISE_PASSES_FUSEPASSES
