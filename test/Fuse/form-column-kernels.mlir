// Kernels that go on with sums of columns at the sums' own index.
//
// RUN: reprise-opt %s --sg-form-kernels -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @statistics_are_one_kernel
// CHECK: sg.kernel "reduce_sum_div_add_rsqrt"
// CHECK-SAME: -> (tensor<64xf32>, tensor<64xf32>)
// CHECK-NOT: sg.kernel
// CHECK: return
func.func @statistics_are_one_kernel(%x: tensor<32x64xf32>)
    -> (tensor<64xf32>, tensor<64xf32>) {
  %n = sg.constant dense<32.0> : tensor<64xf32>
  %e = sg.constant dense<1.0e-5> : tensor<64xf32>
  %s = sg.reduce_sum %x dims [0] : tensor<32x64xf32> -> tensor<64xf32>
  %m = sg.div %s, %n : tensor<64xf32>
  %a = sg.add %m, %e : tensor<64xf32>
  %r = sg.rsqrt %a : tensor<64xf32>
  return %m, %r : tensor<64xf32>, tensor<64xf32>
}

// A middle dimension too: what is kept has two.
// CHECK-LABEL: func.func @any_dimensions_may_be_summed
// CHECK: sg.kernel "reduce_sum_relu"
// CHECK-SAME: -> tensor<4x64xf32>
// CHECK-NOT: sg.kernel
// CHECK: return
func.func @any_dimensions_may_be_summed(%x: tensor<4x32x64xf32>) -> tensor<4x64xf32> {
  %s = sg.reduce_sum %x dims [1] : tensor<4x32x64xf32> -> tensor<4x64xf32>
  %y = sg.relu %s : tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}

// Sums of what one kernel made are made by one.
// CHECK-LABEL: func.func @sums_of_what_was_made_together
// CHECK: %[[P:.*]]:2 = sg.kernel "reduce_sum_mul"
// CHECK: sg.kernel "reduce_sum_neg" (%{{.*}} = %[[P]]#0 : tensor<8x64xf32>, %{{.*}} = %[[P]]#1 : tensor<8x64xf32>)
// CHECK-SAME: -> (tensor<64xf32>, tensor<64xf32>)
// CHECK-NOT: sg.kernel
// CHECK: return
func.func @sums_of_what_was_made_together(%x: tensor<8x32x64xf32>, %y: tensor<8x32x64xf32>)
    -> (tensor<64xf32>, tensor<64xf32>) {
  %s = sg.reduce_sum %x dims [1] : tensor<8x32x64xf32> -> tensor<8x64xf32>
  %a = sg.reduce_sum %s dims [0] : tensor<8x64xf32> -> tensor<64xf32>
  %p = sg.mul %x, %y : tensor<8x32x64xf32>
  %t = sg.reduce_sum %p dims [1] : tensor<8x32x64xf32> -> tensor<8x64xf32>
  %b = sg.reduce_sum %t dims [0] : tensor<8x64xf32> -> tensor<64xf32>
  %n = sg.neg %b : tensor<64xf32>
  return %a, %n : tensor<64xf32>, tensor<64xf32>
}

// CHECK-LABEL: func.func @sums_of_what_was_made_apart
// CHECK-COUNT-2: sg.kernel "reduce_sum"
// CHECK: return
func.func @sums_of_what_was_made_apart(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>)
    -> (tensor<64xf32>, tensor<64xf32>) {
  %a = sg.reduce_sum %x dims [0] : tensor<8x64xf32> -> tensor<64xf32>
  %b = sg.reduce_sum %y dims [0] : tensor<8x64xf32> -> tensor<64xf32>
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}

// CHECK-LABEL: func.func @what_is_small_is_made_beside_sums
// CHECK: sg.kernel "reduce_sum_mul"
// CHECK-SAME: -> (tensor<64xf32>, tensor<64xf32>)
// CHECK-NOT: sg.kernel
// CHECK: return
func.func @what_is_small_is_made_beside_sums(%x: tensor<8x64xf32>, %y: tensor<64xf32>)
    -> (tensor<64xf32>, tensor<64xf32>) {
  %a = sg.reduce_sum %x dims [0] : tensor<8x64xf32> -> tensor<64xf32>
  %b = sg.mul %y, %y : tensor<64xf32>
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}

// Of columns of rows a vector is one row's.
// CHECK-LABEL: func.func @what_would_be_read_one_by_one
// CHECK: sg.kernel "reduce_sum"
// CHECK: sg.kernel "transpose_add"
// CHECK: return
func.func @what_would_be_read_one_by_one(%x: tensor<5x8x64xf32>, %y: tensor<64x8xf32>)
    -> tensor<8x64xf32> {
  %s = sg.reduce_sum %x dims [0] : tensor<5x8x64xf32> -> tensor<8x64xf32>
  %t = sg.transpose %y perm [1, 0] : tensor<64x8xf32> -> tensor<8x64xf32>
  %a = sg.add %s, %t : tensor<8x64xf32>
  return %a : tensor<8x64xf32>
}

// -----

// What a sum made of sixteen times as much may wait for the kernel.
// CHECK-LABEL: func.func @parts_may_wait
// CHECK: sg.kernel "reduce_sum"
// CHECK: sg.matmul
// CHECK: sg.kernel "reduce_sum_mul"
// CHECK: return
func.func @parts_may_wait(%x: tensor<8x16x8xf32>, %w: tensor<8x8xf32>)
    -> (tensor<8xf32>, tensor<8x8xf32>) {
  %p = sg.reduce_sum %x dims [1] : tensor<8x16x8xf32> -> tensor<8x8xf32>
  %s = sg.reduce_sum %p dims [0] : tensor<8x8xf32> -> tensor<8xf32>
  %z = sg.matmul %w, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = sg.mul %s, %s : tensor<8xf32>
  return %y, %z : tensor<8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @more_may_not_wait
// CHECK: sg.kernel "reduce_sum"
// CHECK: sg.kernel "reduce_sum"
// CHECK: sg.matmul
// CHECK: sg.kernel "mul"
// CHECK: return
func.func @more_may_not_wait(%x: tensor<8x15x8xf32>, %w: tensor<8x8xf32>)
    -> (tensor<8xf32>, tensor<8x8xf32>) {
  %p = sg.reduce_sum %x dims [1] : tensor<8x15x8xf32> -> tensor<8x8xf32>
  %s = sg.reduce_sum %p dims [0] : tensor<8x8xf32> -> tensor<8xf32>
  %z = sg.matmul %w, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = sg.mul %s, %s : tensor<8xf32>
  return %y, %z : tensor<8xf32>, tensor<8x8xf32>
}
