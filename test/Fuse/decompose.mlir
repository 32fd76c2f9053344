// RUN: reprise-opt %s --sg-decompose | FileCheck %s
// RUN: reprise-opt %s --sg-decompose=target=cuda:h100 | FileCheck %s --check-prefix=GPU

// CHECK-LABEL: func.func @decomposes_what_decompositions_emit
// CHECK-NOT: sg.softmax
// CHECK: sg.reduce_max
// CHECK: sg.exp
// CHECK: sg.reduce_sum
// CHECK-NOT: sg.softmax
// CHECK: return
func.func @decomposes_what_decompositions_emit(%x: tensor<8x10xf32>) -> tensor<8x10xf32> {
  %y = sg.softmax %x : tensor<8x10xf32>
  return %y : tensor<8x10xf32>
}

// CHECK-LABEL: func.func @keeps_small_reductions
// CHECK: sg.reduce_sum %{{.*}} dims [0, 1]
// CHECK-NOT: sg.reduce_sum
// CHECK: return
func.func @keeps_small_reductions(%x: tensor<8x8x64xf32>) -> tensor<64xf32> {
  %y = sg.reduce_sum %x dims [0, 1] : tensor<8x8x64xf32> -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// A sum over rows alone has nothing to reduce first.
// CHECK-LABEL: func.func @keeps_sums_of_rows
// CHECK: sg.reduce_sum %{{.*}} dims [0] : tensor<1024x64xf32>
// CHECK-NOT: sg.reduce_sum
// CHECK: return
func.func @keeps_sums_of_rows(%x: tensor<1024x64xf32>) -> tensor<64xf32> {
  %y = sg.reduce_sum %x dims [0] : tensor<1024x64xf32> -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// Two images are too few parts: rows are kept as well.
// CHECK-LABEL: func.func @keeps_rows_of_small_batches
// CHECK: dims [2] : tensor<2x32x32x64xf32> -> tensor<2x32x64xf32>
// CHECK: dims [0, 1] : tensor<2x32x64xf32> -> tensor<64xf32>
func.func @keeps_rows_of_small_batches(%x: tensor<2x32x32x64xf32>) -> tensor<64xf32> {
  %y = sg.reduce_sum %x dims [0, 1, 2] : tensor<2x32x32x64xf32> -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// CHECK-LABEL: func.func @sums_narrow_types_in_f32
// CHECK: sg.cast {{.*}} to tensor<8x64x64xf32>
// CHECK: sg.reduce_sum
// CHECK: sg.reduce_sum
// CHECK: sg.cast {{.*}} to tensor<64xbf16>
func.func @sums_narrow_types_in_f32(%x: tensor<8x64x64xbf16>) -> tensor<64xbf16> {
  %y = sg.reduce_sum %x dims [0, 1] : tensor<8x64x64xbf16> -> tensor<64xbf16>
  return %y : tensor<64xbf16>
}

// CHECK-LABEL: func.func @splits_maxima
// CHECK: sg.reduce_max {{.*}} dims [1]
// CHECK: sg.reduce_max {{.*}} dims [0]
func.func @splits_maxima(%x: tensor<8x64x64xf32>) -> tensor<64xf32> {
  %y = sg.reduce_max %x dims [0, 1] : tensor<8x64x64xf32> -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// Statistics of narrow numbers are computed in the parameters' type, and what is
// normalized is rounded once.
// CHECK-LABEL: func @normalizes_in_the_type_of_parameters
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xbf16>
// CHECK-NEXT: %[[WIDE:.*]] = sg.cast %[[X]] : tensor<8x4xbf16> to tensor<8x4xf32>
// CHECK-NEXT: %[[FEW:.*]] = sg.slice %[[X]] [0, 0] to [1, 4] by [1, 1]
// CHECK-NEXT: %[[FEWWIDE:.*]] = sg.cast %[[FEW]] : tensor<1x4xbf16> to tensor<1x4xf32>
// CHECK-NEXT: sg.reduce_sum %[[FEWWIDE]] dims [0] : tensor<1x4xf32> -> tensor<4xf32>
// CHECK-NOT: sg.cast
// CHECK: %[[Y:.*]] = sg.add {{.*}} : tensor<8x4xf32>
// CHECK-NEXT: %[[R:.*]] = sg.cast %[[Y]] : tensor<8x4xf32> to tensor<8x4xbf16>
// CHECK-NEXT: return %[[R]]
func.func @normalizes_in_the_type_of_parameters(%x: tensor<8x4xbf16>, %c: tensor<4xf32>) -> tensor<8x4xbf16> {
  %y, %m, %v, %r = sg.batch_norm_training %x, %c, %c {epsilon = 1.0e-05 : f64}
    : (tensor<8x4xbf16>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xbf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %y : tensor<8x4xbf16>
}

// Sums about the mean of a sixteenth of the samples, rounded up; of one sample
// about its mean.
// CHECK-LABEL: func @sums_about_a_rough_mean
// CHECK-SAME: (%[[X:.*]]: tensor<33x2x2x4xf32>
// CHECK-NEXT: %[[FEW:.*]] = sg.slice %[[X]] [0, 0, 0, 0] to [3, 2, 2, 4] by [1, 1, 1, 1]
// CHECK-NEXT: %[[SUM:.*]] = sg.reduce_sum %[[FEW]] dims [0, 1, 2]
// CHECK-NEXT: %[[N:.*]] = sg.constant dense<1.200000e+01>
// CHECK-NEXT: %[[ROUGH:.*]] = sg.div %[[SUM]], %[[N]]
// CHECK: %[[MOVED:.*]] = sg.sub %[[X]]
// CHECK-NEXT: sg.reduce_sum %[[MOVED]] dims [0, 1, 2]
// CHECK-NEXT: %[[SQUARES:.*]] = sg.mul %[[MOVED]], %[[MOVED]]
// CHECK-NEXT: sg.reduce_sum %[[SQUARES]] dims [0, 1, 2]
// CHECK: sg.maximum
// CHECK: return
func.func @sums_about_a_rough_mean(%x: tensor<33x2x2x4xf32>, %c: tensor<4xf32>) -> tensor<33x2x2x4xf32> {
  %y, %m, %v, %r = sg.batch_norm_training %x, %c, %c {epsilon = 1.0e-05 : f64}
    : (tensor<33x2x2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<33x2x2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %y : tensor<33x2x2x4xf32>
}

// CHECK-LABEL: func @one_sample_has_its_mean
// CHECK-NOT: sg.slice
// CHECK: return
func.func @one_sample_has_its_mean(%x: tensor<1x2x2x4xf32>, %c: tensor<4xf32>) -> tensor<1x2x2x4xf32> {
  %y, %m, %v, %r = sg.batch_norm_training %x, %c, %c {epsilon = 1.0e-05 : f64}
    : (tensor<1x2x2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x2x2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %y : tensor<1x2x2x4xf32>
}

// CHECK-LABEL: func @loss_of_narrow_logits
// CHECK: sg.cast %{{.*}} : tensor<8x4xbf16> to tensor<8x4xf32>
// CHECK-NOT: bf16
// CHECK: return
func.func @loss_of_narrow_logits(%x: tensor<8x4xbf16>, %l: tensor<8xi32>) -> tensor<8xf32> {
  %losses, %lse = sg.cross_entropy %x, %l : (tensor<8x4xbf16>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %losses : tensor<8xf32>
}


// Casts of floating-point numbers stand where kernels can take them in: in front
// of a view that a narrower value is wanted of, behind one that gives a wider.
// What is not narrower stays.

// CHECK-LABEL: func.func @casts_and_views(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8x4xf32>, %[[Y:[a-z0-9]+]]: tensor<8x4xbf16>, %[[I:[a-z0-9]+]]: tensor<8x4xi32>
// CHECK:         %[[N:.*]] = sg.cast %[[X]] : tensor<8x4xf32> to tensor<8x4xbf16>
// CHECK-NEXT:    %[[V:.*]] = sg.reshape %[[N]] : tensor<8x4xbf16> -> tensor<32xbf16>
// CHECK:         %[[W:.*]] = sg.reshape %[[Y]] : tensor<8x4xbf16> -> tensor<32xbf16>
// CHECK-NEXT:    %[[F:.*]] = sg.cast %[[W]] : tensor<32xbf16> to tensor<32xf32>
// CHECK-NEXT:    %[[J:.*]] = sg.reshape %[[I]] : tensor<8x4xi32> -> tensor<32xi32>
// CHECK-NEXT:    %[[K:.*]] = sg.cast %[[J]] : tensor<32xi32> to tensor<32xbf16>
// CHECK-NEXT:    return %[[V]], %[[F]], %[[K]]
func.func @casts_and_views(%x: tensor<8x4xf32>, %y: tensor<8x4xbf16>,
    %i: tensor<8x4xi32>) -> (tensor<32xbf16>, tensor<32xf32>, tensor<32xbf16>) {
  %a = sg.reshape %x : tensor<8x4xf32> -> tensor<32xf32>
  %v = sg.cast %a : tensor<32xf32> to tensor<32xbf16>
  %b = sg.cast %y : tensor<8x4xbf16> to tensor<8x4xf32>
  %f = sg.reshape %b : tensor<8x4xf32> -> tensor<32xf32>
  %j = sg.reshape %i : tensor<8x4xi32> -> tensor<32xi32>
  %k = sg.cast %j : tensor<32xi32> to tensor<32xbf16>
  return %v, %f, %k : tensor<32xbf16>, tensor<32xf32>, tensor<32xbf16>
}

// They pass what only moves elements, one after another: half as much is moved. A
// value that no kernel makes, or that is moved for something else as well, is not
// narrowed for it; a library call takes no cast in, also of a view; nor does a kernel of
// another phase.

// CHECK-LABEL: func.func @casts_and_moves(
// CHECK:         %[[E:.*]] = sg.exp
// CHECK-NEXT:    %[[N:.*]] = sg.cast %[[E]] : tensor<8x4xf32> to tensor<8x4xbf16>
// CHECK-NEXT:    %[[R:.*]] = sg.roll %[[N]] by [1, 0] : tensor<8x4xbf16>
// CHECK-NEXT:    %[[V:.*]] = sg.reshape %[[R]] : tensor<8x4xbf16> -> tensor<2x4x4xbf16>
// CHECK-NEXT:    %[[T:.*]] = sg.transpose %[[V]] perm [1, 0, 2] : tensor<2x4x4xbf16> -> tensor<4x2x4xbf16>
// CHECK:         %[[A:.*]] = sg.transpose %{{.*}} perm [1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
// CHECK-NEXT:    %[[B:.*]] = sg.roll %[[A]] by [1, 0] : tensor<8x4xbf16>
// CHECK-NEXT:    %[[W:.*]] = sg.cast %[[B]] : tensor<8x4xbf16> to tensor<8x4xf32>
// CHECK-NEXT:    sg.exp %[[W]]
func.func @casts_and_moves(%x: tensor<8x4xf32>, %y: tensor<4x8xbf16>) -> (tensor<4x2x4xbf16>, tensor<8x4xf32>) {
  %e = sg.exp %x : tensor<8x4xf32>
  %r = sg.roll %e by [1, 0] : tensor<8x4xf32>
  %v = sg.reshape %r : tensor<8x4xf32> -> tensor<2x4x4xf32>
  %t = sg.transpose %v perm [1, 0, 2] : tensor<2x4x4xf32> -> tensor<4x2x4xf32>
  %n = sg.cast %t : tensor<4x2x4xf32> to tensor<4x2x4xbf16>
  %w = sg.cast %y : tensor<4x8xbf16> to tensor<4x8xf32>
  %a = sg.transpose %w perm [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %b = sg.roll %a by [1, 0] : tensor<8x4xf32>
  %f = sg.exp %b : tensor<8x4xf32>
  return %n, %f : tensor<4x2x4xbf16>, tensor<8x4xf32>
}

// CHECK-LABEL: func.func @casts_that_stay(
// CHECK:         sg.roll {{.*}} : tensor<8x4xf32>
// CHECK:         sg.roll {{.*}} : tensor<8x4xf32>
// CHECK:         %[[W:.*]] = sg.cast %{{.*}} : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK-NEXT:    %[[T:.*]] = sg.transpose %[[W]] perm [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
// CHECK-NEXT:    %[[V:.*]] = sg.reshape %[[T]] : tensor<8x4xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    sg.matmul %[[V]]
// CHECK:         sg.transpose %{{.*}} perm [1, 0] {{.*}} : tensor<4x6xf32> -> tensor<6x4xf32>
// CHECK-NEXT:    sg.cast
func.func @casts_that_stay(%x: tensor<8x4xf32>, %y: tensor<4x8xbf16>)
    -> (tensor<8x4xbf16>, tensor<8x4xbf16>, tensor<8x4xf32>, tensor<4x4xf32>, tensor<6x4xbf16>) {
  %r = sg.roll %x by [1, 0] : tensor<8x4xf32>
  %n = sg.cast %r : tensor<8x4xf32> to tensor<8x4xbf16>
  %e = sg.exp %x : tensor<8x4xf32>
  %s = sg.roll %e by [1, 0] : tensor<8x4xf32>
  %m = sg.cast %s : tensor<8x4xf32> to tensor<8x4xbf16>
  %w = sg.cast %y : tensor<4x8xbf16> to tensor<4x8xf32>
  %t = sg.transpose %w perm [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %v = sg.reshape %t : tensor<8x4xf32> -> tensor<4x8xf32>
  %p = sg.matmul %v, %v {transpose_b} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  %g = sg.matmul %v, %s : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %six = sg.constant dense<1.0> : tensor<4x6xf32>
  %f = sg.matmul %g, %six {sg.origin = #sg.origin<"a", forward>} : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %u = sg.exp %f {sg.origin = #sg.origin<"a", forward>} : tensor<4x6xf32>
  %o = sg.transpose %u perm [1, 0] {sg.origin = #sg.origin<"a", forward>} : tensor<4x6xf32> -> tensor<6x4xf32>
  %k = sg.cast %o {sg.origin = #sg.origin<"a", backward>} : tensor<6x4xf32> to tensor<6x4xbf16>
  return %n, %m, %s, %p, %k : tensor<8x4xbf16>, tensor<8x4xbf16>, tensor<8x4xf32>, tensor<4x4xf32>, tensor<6x4xbf16>
}

// On a GPU, where a pool found its maxima is looked for when its operand is made, and
// kept: a byte for a window, and not the operand.

// CHECK-LABEL: func.func @pool_gradient(
// CHECK:         sg.neg
// CHECK-NEXT:    sg.max_pool2d_argmax {{.*}}#sg.origin<"pool", backward>
// GPU-LABEL: func.func @pool_gradient(
// GPU:         %[[E:.*]] = sg.exp
// GPU-NEXT:    %[[A:.*]] = sg.max_pool2d_argmax %[[E]] {{.*}}sg.origin = #sg.origin<"pool", forward>{{.*}} -> tensor<2x4x4x4xi8>
// GPU:         sg.neg
// GPU:         sg.max_pool2d_scatter %[[A]], %{{.*}}#sg.origin<"pool", backward>
func.func @pool_gradient(%x: tensor<2x8x8x4xf32>, %dy: tensor<2x4x4x4xf32>) -> (tensor<2x8x8x4xf32>, tensor<2x8x8x4xf32>) {
  %e = sg.exp %x {sg.origin = #sg.origin<"act", forward>} : tensor<2x8x8x4xf32>
  %n = sg.neg %e {sg.origin = #sg.origin<"other", backward>} : tensor<2x8x8x4xf32>
  %d = sg.max_pool2d_grad %e, %dy {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, sg.origin = #sg.origin<"pool", backward>} : (tensor<2x8x8x4xf32>, tensor<2x4x4x4xf32>) -> tensor<2x8x8x4xf32>
  return %n, %d : tensor<2x8x8x4xf32>, tensor<2x8x8x4xf32>
}

// Patches that touch become the rows of a matrix; so do those of the gradients.
// Windows that overlap, or leave something out, stay convolutions.

// CHECK-LABEL: func.func @patches(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x6x9x4xf32>, %[[F:[a-z0-9]+]]: tensor<5x2x3x4xf32>, %[[DY:[a-z0-9]+]]: tensor<2x3x3x5xf32>
// CHECK:         %[[A:.*]] = sg.reshape %[[X]] : tensor<2x6x9x4xf32> -> tensor<2x3x2x3x3x4xf32>
// CHECK-NEXT:    %[[T:.*]] = sg.transpose %[[A]] perm [0, 1, 3, 2, 4, 5]
// CHECK-NEXT:    %[[P:.*]] = sg.reshape %[[T]] : tensor<2x3x3x2x3x4xf32> -> tensor<18x24xf32>
// CHECK-NEXT:    %[[M:.*]] = sg.reshape %[[F]] : tensor<5x2x3x4xf32> -> tensor<5x24xf32>
// CHECK-NEXT:    %[[R:.*]] = sg.matmul %[[P]], %[[M]] {transpose_b} : (tensor<18x24xf32>, tensor<5x24xf32>) -> tensor<18x5xf32>
// CHECK-NEXT:    %[[Y:.*]] = sg.reshape %[[R]] : tensor<18x5xf32> -> tensor<2x3x3x5xf32>
// CHECK:         sg.matmul {{.*}} : (tensor<18x5xf32>, tensor<5x24xf32>) -> tensor<18x24xf32>
// CHECK:         sg.transpose {{.*}} perm [0, 1, 3, 2, 4, 5] : tensor<2x3x3x2x3x4xf32> -> tensor<2x3x2x3x3x4xf32>
// CHECK:         sg.matmul {{.*}} {transpose_a} : (tensor<18x5xf32>, tensor<18x24xf32>) -> tensor<5x24xf32>
// CHECK:         sg.conv2d {{.*}} -> tensor<2x2x3x5xf32>
func.func @patches(%x: tensor<2x6x9x4xf32>, %f: tensor<5x2x3x4xf32>,
    %dy: tensor<2x3x3x5xf32>) -> (tensor<2x3x3x5xf32>, tensor<2x6x9x4xf32>,
                                  tensor<5x2x3x4xf32>, tensor<2x2x3x5xf32>) {
  %y = sg.conv2d %x, %f {strides = array<i64: 2, 3>,
      padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
      groups = 1 : i64}
    : (tensor<2x6x9x4xf32>, tensor<5x2x3x4xf32>) -> tensor<2x3x3x5xf32>
  %dx = sg.conv2d_input_grad %dy, %f {strides = array<i64: 2, 3>,
      padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
      groups = 1 : i64}
    : (tensor<2x3x3x5xf32>, tensor<5x2x3x4xf32>) -> tensor<2x6x9x4xf32>
  %df = sg.conv2d_filter_grad %x, %dy {strides = array<i64: 2, 3>,
      padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
      groups = 1 : i64}
    : (tensor<2x6x9x4xf32>, tensor<2x3x3x5xf32>) -> tensor<5x2x3x4xf32>
  %o = sg.conv2d %x, %f {strides = array<i64: 3, 3>,
      padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
      groups = 1 : i64}
    : (tensor<2x6x9x4xf32>, tensor<5x2x3x4xf32>) -> tensor<2x2x3x5xf32>
  return %y, %dx, %df, %o : tensor<2x3x3x5xf32>, tensor<2x6x9x4xf32>,
                            tensor<5x2x3x4xf32>, tensor<2x2x3x5xf32>
}

// A mark is on what makes the tensor: the last primitive of a composite op,
// past views and other marks. What costs nothing has none.
// CHECK-LABEL: func.func @settles_marks
// CHECK: sg.div %{{.*}}, %{{.*}} {sg.keep} : tensor<8x10xf32>
// CHECK-NEXT: sg.reshape %{{.*}} : tensor<8x10xf32> -> tensor<80xf32>
// CHECK-NOT: sg.keep
// CHECK: return
func.func @settles_marks(%x: tensor<8x10xf32>) -> (tensor<80xf32>, tensor<8x10xf32>) {
  %y = sg.softmax %x : tensor<8x10xf32>
  %v = sg.reshape %y : tensor<8x10xf32> -> tensor<80xf32>
  %k = sg.keep %v : tensor<80xf32>
  %l = sg.keep %k : tensor<80xf32>
  %a = sg.keep %x : tensor<8x10xf32>
  return %l, %a : tensor<80xf32>, tensor<8x10xf32>
}
