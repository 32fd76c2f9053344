// Kernels that read their own reductions.
//
// RUN: reprise-opt %s --sg-decompose --sg-form-kernels -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @softmax_is_one_kernel
// CHECK: sg.kernel "reduce_max_sub_exp_reduce_sum_div"
// CHECK-SAME: (%{{.*}} = %{{.*}} : tensor<64x100xf32>) -> tensor<64x100xf32>
// CHECK-NOT: sg.kernel
// CHECK: return
func.func @softmax_is_one_kernel(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %m = sg.reduce_max %x dims [1] : tensor<64x100xf32> -> tensor<64xf32>
  %mb = sg.broadcast %m dims [0] : tensor<64xf32> -> tensor<64x100xf32>
  %c = sg.sub %x, %mb : tensor<64x100xf32>
  %e = sg.exp %c : tensor<64x100xf32>
  %s = sg.reduce_sum %e dims [1] : tensor<64x100xf32> -> tensor<64xf32>
  %sb = sg.broadcast %s dims [0] : tensor<64xf32> -> tensor<64x100xf32>
  %y = sg.div %e, %sb : tensor<64x100xf32>
  return %y : tensor<64x100xf32>
}

// CHECK-LABEL: func.func @the_gradient_of_softmax_is_one_kernel
// CHECK: sg.kernel "mul_reduce_sum_sub"
// CHECK-NOT: sg.kernel
// CHECK: return
func.func @the_gradient_of_softmax_is_one_kernel(%y: tensor<8x4x10xf32>,
    %d: tensor<8x4x10xf32>) -> tensor<8x4x10xf32> {
  %x = sg.softmax_grad %y, %d : tensor<8x4x10xf32>
  return %x : tensor<8x4x10xf32>
}

// The mean and the reciprocal deviation are handed out too, as a backward pass
// wants them.
// CHECK-LABEL: func.func @layer_norm_is_one_kernel
// CHECK: %[[K:.*]]:3 = sg.kernel "reduce_sum_div_sub_mul_add"
// CHECK-SAME: -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16x100xf32>)
// CHECK-NOT: sg.kernel
// CHECK: return %[[K]]#2, %[[K]]#0, %[[K]]#1
func.func @layer_norm_is_one_kernel(%x: tensor<8x16x100xf32>, %g: tensor<100xf32>)
    -> (tensor<8x16x100xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  %n = sg.constant dense<100.0> : tensor<8x16xf32>
  %e = sg.constant dense<1.0e-5> : tensor<8x16xf32>
  %s = sg.reduce_sum %x dims [2] : tensor<8x16x100xf32> -> tensor<8x16xf32>
  %m = sg.div %s, %n : tensor<8x16xf32>
  %mb = sg.broadcast %m dims [0, 1] : tensor<8x16xf32> -> tensor<8x16x100xf32>
  %c = sg.sub %x, %mb : tensor<8x16x100xf32>
  %q = sg.mul %c, %c : tensor<8x16x100xf32>
  %v = sg.reduce_sum %q dims [2] : tensor<8x16x100xf32> -> tensor<8x16xf32>
  %w = sg.div %v, %n : tensor<8x16xf32>
  %we = sg.add %w, %e : tensor<8x16xf32>
  %r = sg.rsqrt %we : tensor<8x16xf32>
  %rb = sg.broadcast %r dims [0, 1] : tensor<8x16xf32> -> tensor<8x16x100xf32>
  %h = sg.mul %c, %rb : tensor<8x16x100xf32>
  %gb = sg.broadcast %g dims [2] : tensor<100xf32> -> tensor<8x16x100xf32>
  %y = sg.mul %h, %gb : tensor<8x16x100xf32>
  return %y, %m, %r : tensor<8x16x100xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}

// CHECK-LABEL: func.func @what_a_row_has_one_of_joins_its_sum
// CHECK: sg.kernel "reduce_sum_mul"
// CHECK-SAME: -> tensor<64xf32>
// CHECK-NOT: sg.kernel
// CHECK: return
func.func @what_a_row_has_one_of_joins_its_sum(%x: tensor<64x100xf32>, %f: tensor<64xf32>)
    -> tensor<64xf32> {
  %s = sg.reduce_sum %x dims [1] : tensor<64x100xf32> -> tensor<64xf32>
  %m = sg.mul %s, %f : tensor<64xf32>
  return %m : tensor<64xf32>
}

// Columns are swept together: nothing has a column's sum before the last row.
// CHECK-LABEL: func.func @sums_over_leading_dimensions_end_a_kernel
// CHECK: sg.kernel "exp_reduce_sum"
// CHECK-SAME: -> (tensor<64x100xf32>, tensor<100xf32>)
// CHECK: sg.kernel "div"
// CHECK-NOT: sg.kernel
// CHECK: return
func.func @sums_over_leading_dimensions_end_a_kernel(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %e = sg.exp %x : tensor<64x100xf32>
  %s = sg.reduce_sum %e dims [0] : tensor<64x100xf32> -> tensor<100xf32>
  %b = sg.broadcast %s dims [1] : tensor<100xf32> -> tensor<64x100xf32>
  %y = sg.div %e, %b : tensor<64x100xf32>
  return %y : tensor<64x100xf32>
}

// CHECK-LABEL: func.func @a_sum_that_is_read_in_other_rows_ends_a_kernel
// CHECK: sg.kernel "reduce_sum"
// CHECK: sg.kernel "sub"
// CHECK: return
func.func @a_sum_that_is_read_in_other_rows_ends_a_kernel(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %s = sg.reduce_sum %x dims [1] : tensor<64x64xf32> -> tensor<64xf32>
  %b = sg.broadcast %s dims [1] : tensor<64xf32> -> tensor<64x64xf32>
  %y = sg.sub %x, %b : tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @rows_that_caches_lose_are_read_by_kernels_of_their_own
// CHECK: sg.kernel "reduce_max"
// CHECK: sg.kernel "sub_exp_reduce_sum"
// CHECK: sg.kernel "div"
// CHECK: return
func.func @rows_that_caches_lose_are_read_by_kernels_of_their_own(
    %x: tensor<16x65537xf32>) -> tensor<16x65537xf32> {
  %y = sg.softmax %x : tensor<16x65537xf32>
  return %y : tensor<16x65537xf32>
}

// CHECK-LABEL: func.func @the_largest_rows_that_caches_keep
// CHECK: sg.kernel "reduce_max_sub_exp_reduce_sum_div"
// CHECK: return
func.func @the_largest_rows_that_caches_keep(
    %x: tensor<16x65536xf32>) -> tensor<16x65536xf32> {
  %y = sg.softmax %x : tensor<16x65536xf32>
  return %y : tensor<16x65536xf32>
}

// A kernel of few rows would leave threads without work.
// CHECK-LABEL: func.func @few_rows_are_shared_by_element
// CHECK: sg.kernel "reduce_sum"
// CHECK: sg.kernel "div"
// CHECK: return
func.func @few_rows_are_shared_by_element(%x: tensor<4x4096xf32>) -> tensor<4x4096xf32> {
  %s = sg.reduce_sum %x dims [1] : tensor<4x4096xf32> -> tensor<4xf32>
  %b = sg.broadcast %s dims [0] : tensor<4xf32> -> tensor<4x4096xf32>
  %y = sg.div %x, %b : tensor<4x4096xf32>
  return %y : tensor<4x4096xf32>
}

// The total is the sum of eight sums.
// CHECK-LABEL: func.func @sums_in_two_parts_end_a_kernel
// CHECK: sg.kernel "reduce_sum" {{.*}} -> tensor<128xf32>
// CHECK: sg.kernel "reduce_sum" {{.*}} -> tensor<f32>
// CHECK: sg.kernel "div"
// CHECK: return
func.func @sums_in_two_parts_end_a_kernel(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %s = sg.reduce_sum %x dims [0, 1] : tensor<128x128xf32> -> tensor<f32>
  %b = sg.broadcast %s dims [] : tensor<f32> -> tensor<128x128xf32>
  %y = sg.div %x, %b : tensor<128x128xf32>
  return %y : tensor<128x128xf32>
}

// Nothing of the row is read again: the row's sum is kept, not the row.
// CHECK-LABEL: func.func @other_data_does_not_wait_for_a_sum
// CHECK: sg.kernel "reduce_sum"
// CHECK: sg.kernel "sub"
// CHECK: return
func.func @other_data_does_not_wait_for_a_sum(%x: tensor<64x100xf32>, %z: tensor<64x100xf32>)
    -> tensor<64x100xf32> {
  %s = sg.reduce_sum %x dims [1] : tensor<64x100xf32> -> tensor<64xf32>
  %b = sg.broadcast %s dims [0] : tensor<64xf32> -> tensor<64x100xf32>
  %y = sg.sub %z, %b : tensor<64x100xf32>
  return %y : tensor<64x100xf32>
}

// Each of four passes that reduce would begin at the operand. The chain between
// is cheap: what it needs of each row is handed out.
// CHECK-LABEL: func.func @chains_of_reductions_end
// CHECK: sg.kernel "reduce_max_sub_reduce_sum_mul"
// CHECK-SAME: -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
// CHECK: sg.kernel "sub_mul_reduce_sum_div"
// CHECK-SAME: -> tensor<64x100xf32>
// CHECK: return
func.func @chains_of_reductions_end(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %m = sg.reduce_max %x dims [1] : tensor<64x100xf32> -> tensor<64xf32>
  %mb = sg.broadcast %m dims [0] : tensor<64xf32> -> tensor<64x100xf32>
  %a = sg.sub %x, %mb : tensor<64x100xf32>
  %s = sg.reduce_sum %a dims [1] : tensor<64x100xf32> -> tensor<64xf32>
  %sb = sg.broadcast %s dims [0] : tensor<64xf32> -> tensor<64x100xf32>
  %b = sg.mul %a, %sb : tensor<64x100xf32>
  %n = sg.reduce_max %b dims [1] : tensor<64x100xf32> -> tensor<64xf32>
  %nb = sg.broadcast %n dims [0] : tensor<64xf32> -> tensor<64x100xf32>
  %c = sg.sub %b, %nb : tensor<64x100xf32>
  %t = sg.reduce_sum %c dims [1] : tensor<64x100xf32> -> tensor<64xf32>
  %tb = sg.broadcast %t dims [0] : tensor<64xf32> -> tensor<64x100xf32>
  %y = sg.div %c, %tb : tensor<64x100xf32>
  return %y : tensor<64x100xf32>
}

// Random numbers are drawn in the pass that stores.
// CHECK-LABEL: func.func @dropout_joins_a_row
// CHECK: sg.kernel "reduce_max_sub_exp_reduce_sum_div" {{.*}} -> (tensor<64x100xf32>, tensor<64x100xf32>)
// CHECK: sg.random_uniform
// CHECK-NOT: sg.kernel
// CHECK: return
func.func @dropout_joins_a_row(%x: tensor<64x100xf32>, %seed: tensor<i64>, %step: tensor<i64>)
    -> (tensor<64x100xf32>, tensor<64x100xf32>) {
  %y = sg.softmax %x : tensor<64x100xf32>
  %z = sg.dropout %y, %seed, %step {probability = 0.5 : f64, stream = 1 : i64}
    : (tensor<64x100xf32>, tensor<i64>, tensor<i64>) -> tensor<64x100xf32>
  return %y, %z : tensor<64x100xf32>, tensor<64x100xf32>
}

// What is drawn would be drawn again in each pass that sums.
// CHECK-LABEL: func.func @what_is_summed_is_drawn_once
// CHECK: sg.kernel "random_uniform_compare_div_select"
// CHECK: sg.kernel "reduce_max_sub_exp_reduce_sum_div"
// CHECK: return
func.func @what_is_summed_is_drawn_once(%x: tensor<64x100xf32>, %seed: tensor<i64>, %step: tensor<i64>)
    -> tensor<64x100xf32> {
  %z = sg.dropout %x, %seed, %step {probability = 0.5 : f64, stream = 1 : i64}
    : (tensor<64x100xf32>, tensor<i64>, tensor<i64>) -> tensor<64x100xf32>
  %y = sg.softmax %z : tensor<64x100xf32>
  return %y : tensor<64x100xf32>
}

// -----

// The product waits for the maximum: it would be delayed.
// CHECK-LABEL: func.func @library_ops_do_not_wait_for_the_rest_of_a_row
// CHECK: sg.kernel "reduce_max"
// CHECK: sg.matmul
// CHECK: sg.kernel "sub"
// CHECK: return
func.func @library_ops_do_not_wait_for_the_rest_of_a_row(%x: tensor<8x8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8x8xf32>) {
  %m = sg.reduce_max %x dims [2] : tensor<8x8x8xf32> -> tensor<8x8xf32>
  %p = sg.matmul %m, %m : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = sg.broadcast %m dims [0, 1] : tensor<8x8xf32> -> tensor<8x8x8xf32>
  %y = sg.sub %x, %b : tensor<8x8x8xf32>
  return %p, %y : tensor<8x8xf32>, tensor<8x8x8xf32>
}

// The weights of the sum die before the product is made.
// CHECK-LABEL: func.func @what_only_a_sum_reads_is_not_kept_longer
// CHECK: sg.matmul
// CHECK: sg.kernel "mul_reduce_sum"
// CHECK: sg.matmul
// CHECK: sg.kernel "sub"
// CHECK: return
func.func @what_only_a_sum_reads_is_not_kept_longer(%x: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %w = sg.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = sg.mul %x, %w : tensor<8x8xf32>
  %s = sg.reduce_sum %p dims [1] : tensor<8x8xf32> -> tensor<8xf32>
  %z = sg.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = sg.broadcast %s dims [0] : tensor<8xf32> -> tensor<8x8xf32>
  %y = sg.sub %x, %b : tensor<8x8xf32>
  return %z, %y : tensor<8x8xf32>, tensor<8x8xf32>
}

// The same with nothing between.
// CHECK-LABEL: func.func @what_only_a_sum_reads_may_live_to_its_kernel
// CHECK: sg.kernel "mul_reduce_sum_sub"
// CHECK: return
func.func @what_only_a_sum_reads_may_live_to_its_kernel(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %w = sg.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = sg.mul %x, %w : tensor<8x8xf32>
  %s = sg.reduce_sum %p dims [1] : tensor<8x8xf32> -> tensor<8xf32>
  %b = sg.broadcast %s dims [0] : tensor<8xf32> -> tensor<8x8xf32>
  %y = sg.sub %x, %b : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// The mask and its sums can be made before what divides them is known, and be
// kept instead of the row.
// CHECK-LABEL: func.func @a_mask_is_kept_instead_of_its_row
// CHECK: sg.kernel "compare_cast_reduce_sum"
// CHECK-SAME: -> (tensor<8x8xi1>, tensor<8xf32>)
// CHECK: sg.matmul
// CHECK: sg.kernel "select"
// CHECK: return
func.func @a_mask_is_kept_instead_of_its_row(%x: tensor<8x8xf32>, %m: tensor<8xf32>)
    -> tensor<8x8xf32> {
  %mb = sg.broadcast %m dims [0] : tensor<8xf32> -> tensor<8x8xf32>
  %o = sg.compare eq %x, %mb : tensor<8x8xf32> -> tensor<8x8xi1>
  %c = sg.cast %o : tensor<8x8xi1> to tensor<8x8xf32>
  %n = sg.reduce_sum %c dims [1] : tensor<8x8xf32> -> tensor<8xf32>
  %p = sg.matmul %mb, %mb : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %d = sg.reduce_max %p dims [0] : tensor<8x8xf32> -> tensor<8xf32>
  %q = sg.div %d, %n : tensor<8xf32>
  %b = sg.broadcast %q dims [0] : tensor<8xf32> -> tensor<8x8xf32>
  %z = sg.constant dense<0.0> : tensor<8x8xf32>
  %y = sg.select %o, %b, %z : tensor<8x8xi1>, tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @phases_do_not_share_a_row
// CHECK: sg.kernel "reduce_max"
// CHECK-SAME: attributes {sg.origin = #sg.origin<"a", forward>}
// CHECK: sg.kernel "sub"
// CHECK-SAME: attributes {sg.origin = #sg.origin<"a", backward>}
func.func @phases_do_not_share_a_row(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %m = sg.reduce_max %x dims [1] {sg.origin = #sg.origin<"a", forward>} : tensor<8x8xf32> -> tensor<8xf32>
  %b = sg.broadcast %m dims [0] {sg.origin = #sg.origin<"a", backward>} : tensor<8xf32> -> tensor<8x8xf32>
  %y = sg.sub %x, %b {sg.origin = #sg.origin<"a", backward>} : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// The difference is computed again by the kernel of the transposed sum's reader
// from the mean, which is handed out for it.
// CHECK-LABEL: func.func @statistics_are_handed_out_for_chains
// CHECK: %[[K:.*]]:2 = sg.kernel "reduce_sum_sub_mul"
// CHECK-SAME: -> (tensor<64xf32>, tensor<64xf32>)
// CHECK: sg.kernel "sub_reduce_sum" ({{.*}} = %{{.*}} : tensor<64x100xf32>, {{.*}} = %[[K]]#1 : tensor<64xf32>)
// CHECK: return
func.func @statistics_are_handed_out_for_chains(%x: tensor<64x100xf32>)
    -> (tensor<64xf32>, tensor<100xf32>) {
  %s = sg.reduce_sum %x dims [1] : tensor<64x100xf32> -> tensor<64xf32>
  %b = sg.broadcast %s dims [0] : tensor<64xf32> -> tensor<64x100xf32>
  %c = sg.sub %x, %b : tensor<64x100xf32>
  %q = sg.mul %c, %c : tensor<64x100xf32>
  %v = sg.reduce_sum %q dims [1] : tensor<64x100xf32> -> tensor<64xf32>
  %u = sg.reduce_sum %c dims [0] : tensor<64x100xf32> -> tensor<100xf32>
  return %v, %u : tensor<64xf32>, tensor<100xf32>
}
