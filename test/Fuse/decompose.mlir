// RUN: reprise-opt %s --sg-decompose | FileCheck %s

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
// CHECK-NEXT: sg.reduce_sum %[[WIDE]] dims [0] : tensor<8x4xf32> -> tensor<4xf32>
// CHECK-NOT: sg.cast
// CHECK: %[[Y:.*]] = sg.add {{.*}} : tensor<8x4xf32>
// CHECK-NEXT: %[[R:.*]] = sg.cast %[[Y]] : tensor<8x4xf32> to tensor<8x4xbf16>
// CHECK-NEXT: return %[[R]]
func.func @normalizes_in_the_type_of_parameters(%x: tensor<8x4xbf16>, %c: tensor<4xf32>) -> tensor<8x4xbf16> {
  %y, %m, %v, %r = sg.batch_norm_training %x, %c, %c {epsilon = 1.0e-05 : f64}
    : (tensor<8x4xbf16>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xbf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %y : tensor<8x4xbf16>
}

// CHECK-LABEL: func @loss_of_narrow_logits
// CHECK: sg.cast %{{.*}} : tensor<8x4xbf16> to tensor<8x4xf32>
// CHECK-NOT: bf16
// CHECK: return
func.func @loss_of_narrow_logits(%x: tensor<8x4xbf16>, %l: tensor<8xi32>) -> tensor<8xf32> {
  %losses, %lse = sg.cross_entropy %x, %l : (tensor<8x4xbf16>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %losses : tensor<8xf32>
}
