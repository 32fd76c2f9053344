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

// -----

// Not for ever.
// CHECK-LABEL: func.func @parts_wait_for_a_few_ops
// CHECK-COUNT-2: sg.kernel "reduce_sum"
// CHECK-COUNT-50: sg.matmul
// CHECK: sg.kernel "mul"
// CHECK: return
func.func @parts_wait_for_a_few_ops(%x: tensor<8x16x8xf32>, %w: tensor<8x8xf32>)
    -> (tensor<8xf32>, tensor<8x8xf32>) {
  %p = sg.reduce_sum %x dims [1] : tensor<8x16x8xf32> -> tensor<8x8xf32>
  %s = sg.reduce_sum %p dims [0] : tensor<8x8xf32> -> tensor<8xf32>
  %z0 = sg.matmul %w, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z1 = sg.matmul %z0, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z2 = sg.matmul %z1, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z3 = sg.matmul %z2, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z4 = sg.matmul %z3, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z5 = sg.matmul %z4, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z6 = sg.matmul %z5, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z7 = sg.matmul %z6, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z8 = sg.matmul %z7, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z9 = sg.matmul %z8, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z10 = sg.matmul %z9, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z11 = sg.matmul %z10, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z12 = sg.matmul %z11, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z13 = sg.matmul %z12, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z14 = sg.matmul %z13, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z15 = sg.matmul %z14, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z16 = sg.matmul %z15, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z17 = sg.matmul %z16, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z18 = sg.matmul %z17, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z19 = sg.matmul %z18, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z20 = sg.matmul %z19, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z21 = sg.matmul %z20, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z22 = sg.matmul %z21, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z23 = sg.matmul %z22, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z24 = sg.matmul %z23, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z25 = sg.matmul %z24, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z26 = sg.matmul %z25, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z27 = sg.matmul %z26, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z28 = sg.matmul %z27, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z29 = sg.matmul %z28, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z30 = sg.matmul %z29, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z31 = sg.matmul %z30, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z32 = sg.matmul %z31, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z33 = sg.matmul %z32, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z34 = sg.matmul %z33, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z35 = sg.matmul %z34, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z36 = sg.matmul %z35, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z37 = sg.matmul %z36, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z38 = sg.matmul %z37, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z39 = sg.matmul %z38, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z40 = sg.matmul %z39, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z41 = sg.matmul %z40, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z42 = sg.matmul %z41, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z43 = sg.matmul %z42, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z44 = sg.matmul %z43, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z45 = sg.matmul %z44, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z46 = sg.matmul %z45, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z47 = sg.matmul %z46, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z48 = sg.matmul %z47, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z49 = sg.matmul %z48, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = sg.mul %s, %s : tensor<8xf32>
  return %y, %z49 : tensor<8xf32>, tensor<8x8xf32>
}

// -----

// Five sums would be twice the accumulators that registers hold.
// CHECK-LABEL: func.func @four_sums_share_a_sweep
// CHECK: sg.kernel "reduce_sum_reduce_max_neg"
// CHECK-SAME: -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
// CHECK: sg.kernel "exp_reduce_sum"
// CHECK: return
func.func @four_sums_share_a_sweep(%x: tensor<8x64xf32>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %a = sg.reduce_sum %x dims [0] : tensor<8x64xf32> -> tensor<64xf32>
  %b = sg.reduce_max %x dims [0] : tensor<8x64xf32> -> tensor<64xf32>
  %n = sg.neg %x : tensor<8x64xf32>
  %c = sg.reduce_sum %n dims [0] : tensor<8x64xf32> -> tensor<64xf32>
  %d = sg.reduce_max %n dims [0] : tensor<8x64xf32> -> tensor<64xf32>
  %e = sg.exp %x : tensor<8x64xf32>
  %f = sg.reduce_sum %e dims [0] : tensor<8x64xf32> -> tensor<64xf32>
  return %a, %b, %c, %d, %f : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// A variable is written once: what may be made again stays apart from it.
// CHECK-LABEL: func.func @updates_stay_apart_from_what_is_large
// CHECK: sg.kernel "tanh_reduce_sum"
// CHECK-SAME: -> (tensor<8x64xf32>, tensor<64xf32>)
// CHECK: sg.kernel "add"
// CHECK: return
sg.variable @m : tensor<64xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
func.func @updates_stay_apart_from_what_is_large(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %t = sg.tanh %x : tensor<8x64xf32>
  %s = sg.reduce_sum %t dims [0] : tensor<8x64xf32> -> tensor<64xf32>
  %m = sg.read @m : tensor<64xf32>
  %n = sg.add %m, %s : tensor<64xf32>
  sg.write @m, %n : tensor<64xf32>
  return %t : tensor<8x64xf32>
}

// -----

// CHECK-LABEL: func.func @sums_over_no_dimensions_end_a_kernel
// CHECK: sg.kernel "reduce_sum"
// CHECK: sg.kernel "neg"
// CHECK: return
func.func @sums_over_no_dimensions_end_a_kernel(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %s = sg.reduce_sum %x dims [] : tensor<8x16xf32> -> tensor<8x16xf32>
  %n = sg.neg %s : tensor<8x16xf32>
  return %n : tensor<8x16xf32>
}

// -----

// The sum's group has a member that stood before it.
// CHECK-LABEL: func.func @groups_that_grew_are_found_again
// CHECK: sg.kernel "neg_reduce_sum_add_reduce_max"
// CHECK-NOT: sg.kernel
// CHECK: return
func.func @groups_that_grew_are_found_again(%x: tensor<8x64xf32>, %b: tensor<64xf32>)
    -> (tensor<64xf32>, tensor<64xf32>) {
  %d = sg.neg %b : tensor<64xf32>
  %s = sg.reduce_sum %x dims [0] : tensor<8x64xf32> -> tensor<64xf32>
  %u = sg.add %d, %s : tensor<64xf32>
  %q = sg.reduce_max %x dims [0] : tensor<8x64xf32> -> tensor<64xf32>
  return %u, %q : tensor<64xf32>, tensor<64xf32>
}
